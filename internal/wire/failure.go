package wire

import "cmp"

// failure is an error inside the stream: an object, or only a message. The message is content and not kept.
type failure struct {
	present bool
	label   string // type, else code, of an object
}

// or is f, and what another says that f does not.
func (f failure) or(other failure) failure {
	return failure{present: f.present || other.present, label: cmp.Or(f.label, other.label)}
}

func readFailure(c *cursor) failure {
	if c.peek() != '{' {
		return failure{present: c.filled()}
	}
	var name, code string
	for key := range c.members {
		switch key {
		case "type":
			name = c.string()
		case "code":
			code = c.raw().label()
		}
	}
	return failure{present: true, label: cmp.Or(name, code)}
}
