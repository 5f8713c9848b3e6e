package wire

// maxDepth is how deep a value that is passed over may nest. It bounds the memory, not the time: nothing recurses.
const maxDepth = 1024

// nesting is the stack of objects and arrays that are open, one bit for each.
type nesting struct {
	objects [maxDepth / 64]uint64
	depth   int
}

// nestedEnd passes over the object or array that begins at i.
func nestedEnd(text string, i int) int {
	var open nesting
	for i != malformed {
		var inside bool
		if i, inside = open.enter(text, i); inside {
			continue
		}
		if i = open.leave(text, i); open.depth == 0 {
			return i
		}
	}
	return malformed
}

// enter passes over the scalar at i, or opens the object or array there. Inside means that its first value is next.
func (n *nesting) enter(text string, i int) (next int, inside bool) {
	switch byteAt(text, i) {
	case '{':
		return n.open(text, i, '}')
	case '[':
		return n.open(text, i, ']')
	}
	return valueEnd(text, i), false
}

func (n *nesting) open(text string, i int, closer byte) (next int, inside bool) {
	if !n.push(closer == '}') {
		return malformed, false
	}
	next = spaceEnd(text, i+1)
	if byteAt(text, next) == closer {
		return next, false
	}
	return n.valueStart(text, next), true
}

// leave closes whatever ends at i. If something stays open, the next value in it comes next.
func (n *nesting) leave(text string, i int) int {
	for i = spaceEnd(text, i); byteAt(text, i) == n.closer(); i = spaceEnd(text, i+1) {
		if n.depth--; n.depth == 0 {
			return i + 1
		}
	}
	if byteAt(text, i) != ',' {
		return malformed
	}
	return n.valueStart(text, spaceEnd(text, i+1))
}

// valueStart passes over the key in front of a value, where there has to be one.
func (n *nesting) valueStart(text string, i int) int {
	if n.closer() == ']' {
		return i
	}
	if byteAt(text, i) != '"' {
		return malformed
	}
	end, _ := stringEnd(text, i)
	if i = spaceEnd(text, end); byteAt(text, i) != ':' {
		return malformed
	}
	return spaceEnd(text, i+1)
}

func (n *nesting) push(object bool) bool {
	if n.depth == maxDepth {
		return false
	}
	bit := uint64(1) << (n.depth % 64)
	n.objects[n.depth/64] &^= bit
	if object {
		n.objects[n.depth/64] |= bit
	}
	n.depth++
	return true
}

// closer is the bracket that closes the innermost object or array.
func (n *nesting) closer() byte {
	innermost := n.depth - 1
	if n.objects[innermost/64]>>(innermost%64)&1 != 0 {
		return '}'
	}
	return ']'
}
