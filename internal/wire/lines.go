package wire

import "bytes"

// lines is the framing of JSON in lines.
type lines struct {
	parser *Parser
	line   partial
}

func (l *lines) feed(data []byte) {
	for {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			l.line.add(data)
			return
		}
		l.take(l.line.with(line))
		data = rest
	}
}

func (l *lines) take(line []byte, ok bool) {
	line = bytes.TrimSpace(line)
	switch {
	case !ok:
		l.parser.tooLarge()
	case len(line) > 0:
		l.parser.json(line, false)
	}
}

// finish takes a last line without its end if it is whole without it.
func (l *lines) finish() bool {
	line, ok := l.line.with(nil)
	if line = bytes.TrimSpace(line); ok && len(line) > 0 && !wholeJSON(line) {
		return false
	}
	l.take(line, ok)
	return true
}
