package wire

import "github.com/tokentiming/tokentiming/tpot"

// Tool calls look the same at OpenAI, Cohere and Ollama, but for the arguments: pieces of a string, or at Ollama a whole
// object. The arguments are output; an id or a name without them is not.

func readToolCalls(c *cursor) (kind tpot.Kind) {
	for range c.elements {
		kind |= readToolCall(c)
	}
	return kind
}

func readToolCall(c *cursor) tpot.Kind {
	var id bool
	var function, custom tpot.Kind
	for key := range c.members {
		switch key {
		case "id":
			id = c.filled()
		case "function":
			function = readFunction(c)
		case "custom":
			custom = readCustom(c)
		}
	}
	if function|custom == 0 {
		return when(id, tpot.KindToolMeta)
	}
	return function | custom
}

// readCustom reads a call of a tool whose input is text of any kind.
func readCustom(c *cursor) tpot.Kind {
	var name, input bool
	for key := range c.members {
		switch key {
		case "name":
			name = c.filled()
		case "input":
			input = c.filled()
		}
	}
	if input {
		return tpot.KindToolCall
	}
	return when(name, tpot.KindToolMeta)
}

func readFunction(c *cursor) tpot.Kind {
	var name, arguments bool
	for key := range c.members {
		switch key {
		case "name":
			name = c.filled()
		case "arguments":
			arguments = c.peek() == '{' || c.filled() // an empty object is output too
		}
	}
	if arguments {
		return tpot.KindToolCall
	}
	return when(name, tpot.KindToolMeta)
}
