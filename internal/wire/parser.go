package wire

import (
	"strings"
	"unsafe"

	"github.com/tokentiming/tokentiming/tpot"
)

// MaxEvent is how large an event may be to be looked at, in bytes. It bounds the memory of a Parser: what is larger is passed
// over as it comes.
const MaxEvent = 4 << 20

// Parser finds the events in the bytes of one response body, which it is fed as they come, in any pieces. It finds
// the same events whatever the pieces are. It is not safe for concurrent use.
type Parser struct {
	Classifier
	Unread int // events larger than MaxEvent

	emit    func(tpot.Event)
	framing framing

	model, finishReason, errorType string // the names last emitted, in memory of their own
}

// framing is how a body is cut into events.
type framing interface {
	// feed takes the next bytes. It does not keep data.
	feed(data []byte)
	// finish takes the end of the body, and reports whether nothing is left over that the body does not complete.
	finish() bool
}

// NewParser makes a Parser for a body of a media type, with any parameters. It gives each event to emit, during the Feed of
// the bytes that complete it, or during Finish if only the end does.
func NewParser(contentType string, emit func(tpot.Event)) *Parser {
	p := &Parser{emit: emit}
	if media := mediaType(contentType); media == awsEventStream {
		p.framing = &frames{parser: p}
	} else {
		p.framing = &opening{parser: p, media: media}
	}
	return p
}

// Feed takes the next bytes of the body. It does not keep data.
func (p *Parser) Feed(data []byte) {
	if len(data) > 0 {
		p.framing.feed(data)
	}
}

// Finish takes the end of the body, where the last event may have been waiting for a line end that it can do without, and
// reports whether the body ended where an event does. It is called once, after the last Feed.
func (p *Parser) Finish() (whole bool) { return p.framing.finish() }

// Pending reports whether an event has its data and lacks only the blank line that ends it. The end of the body may complete it.
func (p *Parser) Pending() bool {
	f, ok := p.framing.(*sse)
	return ok && f.data && f.line.empty()
}

// Streams reports whether the body is one of events, as far as it has come. A single JSON value is not, nor is anything else
// that is no format of a stream.
func (p *Parser) Streams() bool {
	switch f := p.framing.(type) {
	case *opening, *opaque:
		return false
	case *values:
		return !f.document
	case *sse:
		return !f.guess
	}
	return true
}

// Document reports whether the body is a single JSON value, as far as it has come.
func (p *Parser) Document() bool {
	f, ok := p.framing.(*values)
	return ok && f.document && !f.more
}

// WholeDocument reports whether the body is a single JSON value, all of which has come.
func (p *Parser) WholeDocument() bool { return p.Document() && p.framing.finish() }

// json emits the event that is written as data. Failed says that its frame calls it an error. The values of Go libraries are not
// looked for: what looks like one may be any message, of a history or a tool, that a server lists.
func (p *Parser) json(data []byte, failed bool) {
	e, _ := p.classify(view(data), nil, failed)
	p.send(e)
}

// unknown emits an event that was not understood.
func (p *Parser) unknown() {
	p.name("")
	p.send(tpot.Event{})
}

// send emits an event. Its strings may be views of the body, and are exchanged for others with the same text.
func (p *Parser) send(e tpot.Event) {
	own(&p.model, &e.Model)
	own(&p.finishReason, &e.FinishReason)
	own(&p.errorType, &e.ErrorType)
	p.emit(e)
}

// own puts a string in memory of its own, which is that of the last one if they are equal. What is no UTF-8 is left out.
func own(last, s *string) {
	if *s == "" {
		return
	}
	if name := (*s)[:min(len(*s), longestName)]; name != *last {
		*last = strings.Clone(strings.ToValidUTF8(name, ""))
	}
	*s = *last
}

// longestName is as much of a name as is kept.
const longestName = 256

// tooLarge emits a status event in the place of one that was passed over.
func (p *Parser) tooLarge() {
	p.Unread++
	p.emit(tpot.Event{Kind: tpot.KindStatus})
}

// view is data as a string, which must not outlive the call that data was given to: to copy every event would cost as much
// as to scan it.
func view(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// bytesOf is s as bytes, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// wholeJSON reports whether data is one JSON value.
func wholeJSON(data []byte) bool {
	c := newCursor(view(data))
	c.skip()
	return c.complete()
}

// IsStream reports whether a media type, with any parameters, is that of a stream of events whatever the body is.
func IsStream(contentType string) bool {
	media := mediaType(contentType)
	return media == eventStream || media == awsEventStream || isLines(media)
}

const awsEventStream = "application/vnd.amazon.eventstream"

// mediaType is a content type without its parameters.
func mediaType(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}
