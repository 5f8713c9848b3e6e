package wire

import "bytes"

// lineCutter cuts bytes into lines that end with LF, CR or both.
type lineCutter struct {
	line      []byte // the last one cut
	rest      []byte // what follows it
	lf        int    // index in rest of the next LF, or its length when there is none; negative when not known
	endedInCR bool   // nothing follows the CR of the last line
}

// next cuts the next line and reports whether there is a whole one.
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
