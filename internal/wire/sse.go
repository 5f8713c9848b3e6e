package wire

import (
	"bytes"

	"github.com/tokentiming/tokentiming/tpot"
)

// sse is the framing of server-sent events, by the rules of the HTML standard,
// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation. Beside, a comment is an event, a
// ping, and so is one whose data is empty; and a line that is an object with an error in it, as Gemini sends, is an error.
type sse struct {
	parser *Parser
	line   partial
	skipLF bool // the last byte was the CR of a line end
	guess  bool // the media type is another, and no line so far was a field or a comment

	// the event whose blank line has not come
	begun  bool // it has a field
	data   bool // it has a data field
	value  []byte
	owned  bool // the value is in joined, not in value
	joined partial
	failed bool // its name is "error"
}

func (s *sse) feed(data []byte) {
	if s.skipLF && data[0] == '\n' {
		data = data[1:]
	}
	cut := lineCutter{rest: data, lf: -1}
	for cut.next() {
		s.take(s.line.with(cut.line))
	}
	s.skipLF = cut.endedInCR
	s.keep()
	s.line.add(cut.rest)
}

// take takes a line; ok is false when it was too large.
func (s *sse) take(line []byte, ok bool) {
	switch {
	case len(line) == 0:
		s.dispatch()
	case line[0] == ':':
		s.guess = false
		s.parser.send(tpot.Event{Kind: tpot.KindPing})
	case !ok:
		s.lose(line)
	case line[0] == '{':
		s.bareError(line)
	default:
		s.field(line)
	}
}

// lose takes a line of which only the beginning is known. No other field than data is ever so long.
func (s *sse) lose(line []byte) {
	s.begun = true
	if line[0] == 'd' {
		s.data, s.owned, s.joined.over = true, true, true
	}
}

func (s *sse) field(line []byte) {
	colon := indexOrLength(line, ':')
	name, value := line[:colon], line[min(colon+1, len(line)):]
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	s.begun = true
	switch string(name) {
	case "data":
		s.add(value)
	case "event":
		s.failed = string(value) == "error"
	case "id", "retry":
	default:
		return
	}
	s.guess = false
}

// add takes the value of a data field. Most events have one.
func (s *sse) add(value []byte) {
	if !s.data {
		s.data, s.value = true, value
		return
	}
	s.keep()
	s.joined.add([]byte("\n"))
	s.joined.add(value)
}

// keep copies the data of an event that goes on, before the bytes it is in are gone.
func (s *sse) keep() {
	if s.data && !s.owned {
		s.joined.add(s.value)
		s.owned = true
	}
}

// event is the data of the event and whether it was small enough to have.
func (s *sse) event() (data []byte, ok bool) {
	if s.owned {
		return s.joined.held, !s.joined.over
	}
	return s.value, true
}

func (s *sse) dispatch() {
	if s.data {
		s.deliver(s.event())
	}
	s.begun, s.data, s.owned, s.failed, s.value = false, false, false, false, nil
	s.joined.reset()
}

var endMarker = []byte("[DONE]")

func (s *sse) deliver(data []byte, ok bool) {
	switch {
	case !ok:
		s.parser.tooLarge()
	case bytes.Equal(data, endMarker):
		s.parser.send(tpot.Event{Kind: tpot.KindDone | tpot.KindMarked})
	case len(data) == 0 && !s.failed:
		s.parser.send(tpot.Event{Kind: tpot.KindPing})
	default:
		s.parser.json(data, s.failed)
	}
}

// bareError emits the error in a line that is no field.
func (s *sse) bareError(line []byte) {
	if !bytes.Contains(line, []byte(`"error"`)) {
		return
	}
	if e, _ := Classify(view(line)); e.Kind&tpot.KindError != 0 {
		s.parser.send(e)
	}
}

// finish delivers a last event without its blank line if it is whole without it, which the standard would drop.
func (s *sse) finish() bool {
	if line, ok := s.line.with(nil); len(line) > 0 && line[0] != ':' {
		s.begun = s.begun || !wholeJSON(line)
		s.take(line, ok)
	}
	if !s.data {
		return !s.begun || s.guess
	}
	data, ok := s.event()
	if ok && !bytes.Equal(data, endMarker) && !wholeJSON(data) {
		return false
	}
	s.dispatch()
	return true
}
