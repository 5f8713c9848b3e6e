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
	if ok && len(bytes.TrimSpace(line)) > 0 && !wholeJSON(line) {
		return false
	}
	l.take(line, ok)
	return true
}

// lineCutter cuts bytes into lines that end with LF, CR or both.
type lineCutter struct {
	line      []byte // the last one cut
	rest      []byte // what follows it
	lf        int    // index in rest of the next LF, or its length when there is none; negative when not known
	endedInCR bool   // nothing follows the CR of the last line
}

func (c *lineCutter) next() bool {
	if c.lf < 0 {
		c.lf = indexOrLength(c.rest, '\n')
	}
	end := indexOrLength(c.rest[:c.lf], '\r')
	if end == len(c.rest) {
		return false
	}
	next := end + 1
	c.endedInCR = end < c.lf && next == len(c.rest)
	if end < c.lf && next == c.lf && !c.endedInCR {
		next++
	}
	c.line, c.rest = c.rest[:end], c.rest[next:]
	c.lf -= next
	return true
}

func indexOrLength(data []byte, b byte) int {
	if i := bytes.IndexByte(data, b); i >= 0 {
		return i
	}
	return len(data)
}
