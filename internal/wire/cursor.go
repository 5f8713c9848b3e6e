package wire

// cursor walks a JSON text. Each of its reading methods takes one value, whatever its type is: a value of another type
// than the method asks for gives zero. At the first fault the walk is over: pos is malformed and stays it, so that only the
// one who started the walk needs to ask.
type cursor struct {
	text string
	pos  int // of the next value, or after the last one
}

func newCursor(text string) *cursor { return &cursor{text: text, pos: spaceEnd(text, 0)} }

// complete reports whether the walk took the whole text.
func (c *cursor) complete() bool {
	return c.pos != malformed && spaceEnd(c.text, c.pos) == len(c.text)
}

// peek returns the first byte of the next value.
func (c *cursor) peek() byte { return byteAt(c.text, c.pos) }

// skip passes over the next value.
func (c *cursor) skip() { c.pos = valueEnd(c.text, c.pos) }

// members yields the keys of an object. The body reads the value of those that it knows and leaves the others alone.
func (c *cursor) members(yield func(key string) bool) {
	for more := c.open('{', '}'); more; more = c.more('}') {
		key, value := member(c.text, c.pos)
		c.pos = value
		if value == malformed || !yield(key) {
			return
		}
		c.skipUnread(value)
	}
}

// elements yields once for each element of an array, which the body may read.
func (c *cursor) elements(yield func() bool) {
	for more := c.open('[', ']'); more; more = c.more(']') {
		value := c.pos
		if !yield() {
			return
		}
		c.skipUnread(value)
	}
}

// open steps into an object or array. More means that it is not empty.
func (c *cursor) open(opener, closer byte) (more bool) {
	if c.peek() != opener {
		c.skip()
		return false
	}
	c.pos = spaceEnd(c.text, c.pos+1)
	if c.peek() == closer {
		c.pos++
		return false
	}
	return true
}

// more passes over what follows a value inside an object or array.
func (c *cursor) more(closer byte) bool {
	i := spaceEnd(c.text, c.pos)
	switch byteAt(c.text, i) {
	case ',':
		c.pos = spaceEnd(c.text, i+1)
		return true
	case closer:
		c.pos = i + 1
	default:
		c.pos = malformed
	}
	return false
}

func (c *cursor) skipUnread(value int) {
	if c.pos == value {
		c.skip()
	}
}

// member reads the key that begins at i and says where its value does.
func member(text string, i int) (key string, value int) {
	if byteAt(text, i) != '"' {
		return "", malformed
	}
	end, escaped := stringEnd(text, i)
	colon := spaceEnd(text, end)
	if byteAt(text, colon) != ':' {
		return "", malformed
	}
	if key = text[i+1 : end-1]; escaped {
		key = unquote(text[i:end])
	}
	return key, spaceEnd(text, colon+1)
}

// raw reads a value of any type and leaves its meaning open.
func (c *cursor) raw() raw {
	start := c.pos
	if c.skip(); c.pos == malformed {
		return ""
	}
	return raw(c.text[start:c.pos])
}

func (c *cursor) string() string { return c.raw().string() }
func (c *cursor) filled() bool   { return c.raw().filled() }
func (c *cursor) count() int     { return c.raw().count() }

// length reads an array and returns the number of its elements.
func (c *cursor) length() (n int) {
	for range c.elements {
		n++
	}
	return n
}
