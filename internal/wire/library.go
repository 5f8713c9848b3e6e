package wire

import "github.com/tokentiming/tokentiming/tpot"

// library is what the values of a stream of a Go library have come to, for those that repeat themselves.
type library struct {
	genkit genkitMessage
	pieces bool // fantasy: the arguments of a call came in pieces
}

// classify is [envelope.classify] for the values of Go libraries. A nil library knows none.
func (l *library) classify(e *tpot.Event, env *envelope, data string) (wire string) {
	if l == nil {
		return ""
	}
	var m libraryMembers
	c := newCursor(data)
	for key := range c.members {
		m.member(key, c)
	}
	switch {
	case env.einoMessage(e, &m):
		return "eino"
	case env.genkitValue(e, &m, &l.genkit):
		return "genkit"
	case env.fantasyPart(e, &m.fantasy, &l.pieces):
		return "fantasy"
	case env.langchainResponse(e, m.langchain):
		return "langchaingo"
	}
	return ""
}

// libraryMembers are the members of a value that only libraries ask for. They are read in a walk of their own once the
// event is known to be of no wire, so that the others do not pay for them.
type libraryMembers struct {
	role   raw // eino, genkit
	number raw // genkit: member "index"

	eino      einoMembers
	genkit    genkitMembers
	fantasy   fantasyMembers
	langchain raw // member "Choices"
}

func (m *libraryMembers) member(key string, c *cursor) {
	switch key {
	case "role":
		m.role = c.raw()
	case "index":
		m.number = c.raw()
	case "Choices":
		m.langchain = c.raw()
	default:
		_ = m.eino.member(key, c) || m.genkit.member(key, c) || m.fantasy.member(key, c)
	}
}

// withReasoning is the usage of a library that passes the counts of its providers on, some of which count the reasoning as
// output and some beside it: the total shows.
func withReasoning(u tpot.Usage, total int) tpot.Usage {
	if !countsReasoning(u, total) && total-u.Input-u.Output >= u.Reasoning {
		u.Output += u.Reasoning
	}
	return u
}

// countsReasoning is whether a total is that of input and output, of which some do not count as input what was cached.
func countsReasoning(u tpot.Usage, total int) bool {
	rest := total - u.Input - u.Output
	return rest == 0 || rest == u.Cached
}
