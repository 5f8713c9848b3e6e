package wire

import "strings"

// opening is the framing of a body of text before its first byte. The media type is not always true, and the first byte
// decides against it: whatever its type, a body that begins with a brace or a bracket is JSON.
type opening struct {
	parser *Parser
	media  string
	marked int // bytes of a byte order mark that came; all of them when there can be no more
}

const (
	byteOrderMark = "\ufeff"
	eventStream   = "text/event-stream"
)

func (o *opening) feed(data []byte) {
	for ; len(data) > 0; data = data[1:] {
		switch {
		case o.marked < len(byteOrderMark) && data[0] == byteOrderMark[o.marked]:
			o.marked++
			continue
		case 0 < o.marked && o.marked < len(byteOrderMark): // it was none
			o.begin(byteOrderMark[0]).feed([]byte(byteOrderMark[:o.marked]))
			o.parser.framing.feed(data)
			return
		}
		o.marked = len(byteOrderMark)
		if o.media == eventStream || !isSpace(data[0]) {
			o.begin(data[0]).feed(data)
			return
		}
	}
}

// begin chooses the framing of a body by its first byte.
func (o *opening) begin(first byte) framing {
	o.parser.framing = o.choose(first)
	return o.parser.framing
}

func (o *opening) choose(first byte) framing {
	p := o.parser
	switch {
	case first == '{' && isLines(o.media):
		return &lines{parser: p}
	case first == '{' && o.media != eventStream:
		return &values{parser: p, document: true, partial: partial{limit: maxDocument}}
	case first == '{' || first == '[':
		return &values{parser: p}
	case o.media == eventStream || strings.IndexByte(":deir", first) >= 0: // the beginnings of its fields and comments
		return &sse{parser: p, guess: o.media != eventStream}
	case isLines(o.media):
		return &lines{parser: p}
	}
	return &opaque{}
}

// isLines says whether a media type is one of the names of JSON in lines.
func isLines(media string) bool {
	return strings.Contains(media, "ndjson") || strings.Contains(media, "jsonl") || strings.HasSuffix(media, "stream+json")
}

func (o *opening) finish() bool { return true }

// opaque is the framing of a body that is no format of a stream.
type opaque struct{}

func (*opaque) feed([]byte)  {}
func (*opaque) finish() bool { return true }
