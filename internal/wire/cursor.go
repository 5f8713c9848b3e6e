package wire

import "encoding/json"

// cursor walks a JSON text. Each of its reading methods takes one value, whatever its type: a value of another type
// than the method asks for gives zero. At the first fault the walk is over: pos is malformed and stays so, and only the
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

// members yields the keys of an object. The body reads the values that it wants, each once, and leaves the others
// alone. Most of what an event costs is spent here, so the position is kept out of c while the body does not need it.
func (c *cursor) members(yield func(key string) bool) {
	if c.open('{', '}') {
		c.membersFrom(yield)
	}
}

// furtherMembers yields the keys that follow a member whose value has been read.
func (c *cursor) furtherMembers(yield func(key string) bool) {
	i := spaceEnd(c.text, c.pos)
	if byteAt(c.text, i) != ',' {
		c.close(i, '}')
		return
	}
	c.pos = spaceEnd(c.text, i+1)
	c.membersFrom(yield)
}

// membersFrom is members from a key on.
func (c *cursor) membersFrom(yield func(key string) bool) {
	text := c.text
	for i := c.pos; byteAt(text, i) == '"'; i = spaceEnd(text, i+1) {
		end, escaped := stringEnd(text, i)
		if end == malformed {
			break
		}
		key := text[i+1 : end-1]
		if escaped {
			key = unescape(text[i:end])
		}
		if i = spaceEnd(text, end); byteAt(text, i) != ':' {
			break
		}
		i = spaceEnd(text, i+1)
		if c.pos = i; !yield(key) {
			return
		}
		if i == c.pos {
			i = valueEnd(text, i)
		} else {
			i = c.pos
		}
		if i = spaceEnd(text, i); byteAt(text, i) != ',' {
			c.close(i, '}')
			return
		}
	}
	c.pos = malformed
}

// elements yields once for each element of an array, which the body reads or leaves alone.
func (c *cursor) elements(yield func() bool) {
	if !c.open('[', ']') {
		return
	}
	for i := c.pos; ; i = spaceEnd(c.text, i+1) {
		if c.pos = i; !yield() {
			return
		}
		if i == c.pos {
			i = valueEnd(c.text, i)
		} else {
			i = c.pos
		}
		if i = spaceEnd(c.text, i); byteAt(c.text, i) != ',' {
			c.close(i, ']')
			return
		}
	}
}

// open steps into an object or array, to its first key or element if it has one.
func (c *cursor) open(opener, closer byte) bool {
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

// close steps out of an object or array, if it ends at i.
func (c *cursor) close(i int, closer byte) {
	c.pos = i + 1
	if byteAt(c.text, i) != closer {
		c.pos = malformed
	}
}

// raw reads a value of any type and leaves its meaning open.
func (c *cursor) raw() raw {
	start := c.pos
	if c.skip(); c.pos == malformed {
		return ""
	}
	return raw(c.text[start:c.pos])
}

// string reads a string, escapes understood.
func (c *cursor) string() string {
	if c.peek() != '"' {
		c.skip()
		return ""
	}
	start := c.pos
	end, escaped := stringEnd(c.text, start)
	switch c.pos = end; {
	case end == malformed:
		return ""
	case escaped:
		return unescape(c.text[start:end])
	}
	return c.text[start+1 : end-1]
}

// filled reads a value and reports whether it is a string and not empty.
func (c *cursor) filled() bool { return c.raw().filled() }

// count reads an integer.
func (c *cursor) count() int { return c.raw().count() }

// length reads an array and returns the number of its elements.
func (c *cursor) length() (n int) {
	for range c.elements {
		n++
	}
	return n
}

// unescape is for literals with escapes. They are rare where a string is read at all.
func unescape(literal string) (s string) {
	_ = json.Unmarshal([]byte(literal), &s) // cannot fail: what is malformed has been refused
	return s
}
