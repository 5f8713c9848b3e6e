package wire_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// mediaTypes are the ones that lead to different framings, and none.
var mediaTypes = []string{
	"text/event-stream", "application/x-ndjson", "application/json; charset=utf-8", "application/vnd.amazon.eventstream",
	"text/plain", "text/html", "", "application/jsonl", "a/b;;", "text/event-stream; charset",
}

// FuzzParser feeds any bytes in any pieces: what is found does not depend on the pieces.
func FuzzParser(f *testing.F) {
	for _, fixture := range fixtures(f) {
		media, _, _ := strings.Cut(fixture.ContentType, ";")
		if len(fixture.body) < everyCut {
			f.Add(byte(slices.Index(mediaTypes, media)), fixture.body, []byte{1, 2, 30})
			f.Add(byte(6), fixture.body, []byte{0, 100})
		}
	}
	for _, body := range []string{"\ufeff", "\xef\xbb", "\n\r\n", "data", "[{}", "{\"error\":1}\n", "\xef[]", ":\r", "data:[DONE]", "\r\ndata\r\r"} {
		for media := range mediaTypes {
			f.Add(byte(media), body, []byte{1})
		}
	}
	f.Fuzz(func(t *testing.T, media byte, body string, cuts []byte) {
		contentType := mediaTypes[int(media)%len(mediaTypes)]
		require.Equal(t, parse(contentType, body), parse(contentType, pieces(body, cuts)...), contentType)
	})
}

// pieces cuts a body into pieces of the given sizes, again and again.
func pieces(body string, sizes []byte) (pieces []string) {
	for i := 0; i < len(body) && len(sizes) > 0 && i < 1000; i++ {
		size := min(int(sizes[i%len(sizes)]), len(body))
		pieces, body = append(pieces, body[:size]), body[size:]
	}
	return append(pieces, body)
}

// FuzzFrames puts any headers and payload into frames whose checksums are right.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(headers(":message-type", "event", ":event-type", "chunk")), `{"bytes":"eyJ0eXBlIjoicGluZyJ9"}`, []byte{1})
	f.Add([]byte(headers(":event-type", "messageStop", ":message-type", "event")), `{"stopReason":"end_turn"}`, []byte{9})
	f.Add([]byte(headers(":message-type", "exception", ":exception-type", "throttlingException")), "", []byte{11, 12, 13})
	f.Add([]byte("\x01a\x09"), "", []byte{255})
	f.Fuzz(func(t *testing.T, headers []byte, payload string, cuts []byte) {
		body := frame(string(headers), payload) + frame(string(headers), payload)
		whole := parse(eventStream, body)
		require.Equal(t, whole, parse(eventStream, pieces(body, cuts)...))
		require.NotEmpty(t, whole.events)
		require.LessOrEqual(t, len(whole.events), 2)
	})
}

var lineEnd = regexp.MustCompile("\r\n|\r|\n")

// standardEvents is the algorithm of the HTML standard, but that a comment is an event, and an event has no need for data.
// Ended is what came before the last blank line.
func standardEvents(body string) (events []sseEvent, ended bool) {
	lines := lineEnd.Split(strings.TrimPrefix(body, "\ufeff"), -1)
	var data []string
	var name string
	ended = true
	for _, line := range lines[:len(lines)-1] { // what no line end ends is none
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				events = append(events, sseEvent{data: strings.Join(data, "\n"), failed: name == "error"})
			}
			data, name, ended = nil, "", true
			continue
		case field == "":
			events = append(events, sseEvent{comment: true})
			continue
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		}
		ended = false
	}
	return events, ended && lines[len(lines)-1] == ""
}

type sseEvent struct {
	data            string
	comment, failed bool
}

// event is what a Classifier says of it.
func (s sseEvent) event(c *wire.Classifier) (e tpot.Event) {
	switch {
	case s.comment, s.data == "" && !s.failed:
		return tpot.Event{Kind: tpot.KindPing}
	case s.data == "[DONE]":
		return tpot.Event{Kind: tpot.KindDone | marked}
	}
	e, _ = c.Classify(s.data)
	return emitted(e)
}

// emitted is an event as a Parser gives it: its names are short, and UTF-8.
func emitted(e tpot.Event) tpot.Event {
	for _, name := range []*string{&e.Model, &e.FinishReason, &e.ErrorType} {
		*name = strings.ToValidUTF8((*name)[:min(len(*name), 256)], "")
	}
	return e
}

// FuzzServerSentEvents compares the framing with the algorithm of the HTML standard.
func FuzzServerSentEvents(f *testing.F) {
	for _, fixture := range fixtures(f) {
		if strings.HasPrefix(fixture.ContentType, "text/event-stream") && len(fixture.body) < everyCut {
			f.Add(fixture.body)
		}
	}
	for _, body := range []string{
		"data: {\"type\":\"ping\"}\r\r\rdata\ndata:{}\n\ndata:  \n\n", "event: error\n\nevent:error\ndata\n\n", ":\n\n:\rdata: [DONE]\r\n\r\n",
		"data:{\"type\":\ndata:\"ping\"}\n\nx\n\ndatas: [DONE]\n\n data: [DONE]\n\n", "\ufeff\ufeffdata: [DONE]\n\ndata:[DONE]\n\n",
		"event: error\nevent: x\ndata: [DONE]\n\n", "data:{\"model\":\"\xe8\",\"choices\":[]}\n\n", "data: {\"response\":\"a\",\"done\":false}\n\nevent: error\ndata: {\"code\":5}\n\n",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if body = "\n" + body; strings.Contains(body, "{") && lineThatIsJSON.MatchString(body) {
			return // by the standard that is an unknown field
		}
		want, ended := standardEvents(body)
		got := parse("text/event-stream", body+"\n:") // nothing that waits for the end
		if !ended {
			got.events = got.events[:min(len(got.events), len(want))]
		}
		require.Len(t, got.events, len(want))
		var c wire.Classifier
		for i, s := range want {
			if s.failed && s.data != "[DONE]" {
				require.NotZero(t, got.events[i].Kind&tpot.KindError)
				return // it may be another event to the Classifier
			}
			require.Equal(t, s.event(&c), got.events[i])
		}
	})
}

var lineThatIsJSON = regexp.MustCompile("(?:^|\r|\n)(?:\ufeff)?[{]")

// FuzzArray compares the framing of an array with a json.Decoder, as far as that goes.
func FuzzArray(f *testing.F) {
	for _, body := range []string{
		`[{"a":"}"},{"b":"\"]"}]`, "[\r\n[],{}\n]\n", `[{},{}`, `[{},1]`, `[{}{}]`, `[,{}]`, `[{"a":]}]`, `[]]`, `[]{}`, `["{}"]`, `[{"a":"\\"},{}]`,
		`[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"usageMetadata":{}}]`,
	} {
		f.Add(body, []byte{3})
	}
	f.Fuzz(func(t *testing.T, body string, cuts []byte) {
		body = "[" + strings.TrimPrefix(body, "[")
		got := parse("application/json", pieces(body, cuts)...)
		want := arrayEvents(body)
		require.GreaterOrEqual(t, len(got.events), len(want))
		for i := range want {
			require.Equal(t, want[i], got.events[i])
		}
		if json.Valid([]byte(body)) {
			require.Len(t, got.events, len(want))
			require.True(t, got.whole)
		}
		require.True(t, got.streams)
	})
}

// arrayEvents is what a json.Decoder finds in an array up to the first fault or scalar.
func arrayEvents(body string) (events []tpot.Event) {
	var c wire.Classifier
	decoder := json.NewDecoder(strings.NewReader(body))
	_, _ = decoder.Token() // the bracket
	for decoder.More() {
		var element json.RawMessage
		if decoder.Decode(&element) != nil {
			break
		}
		if element[0] != '{' && element[0] != '[' {
			return append(events, tpot.Event{})
		}
		e, _ := c.Classify(string(element))
		events = append(events, emitted(e))
	}
	return events
}

// FuzzLines compares the framing of JSON in lines with the plain way.
func FuzzLines(f *testing.F) {
	for _, fixture := range fixtures(f) {
		if strings.Contains(fixture.ContentType, "ndjson") {
			f.Add(fixture.body, []byte{1})
		}
	}
	f.Add("", []byte("0"))
	f.Add("}\f", []byte("0"))
	f.Add("{}\r\n\n \n[]\nx\n{\n}\n{\"type\":\"ping\"}", []byte{2})
	f.Fuzz(func(t *testing.T, body string, cuts []byte) {
		body = "{" + strings.TrimPrefix(body, "{")
		var want []tpot.Event
		var c wire.Classifier
		all := strings.Split(body, "\n")
		last := strings.TrimSpace(all[len(all)-1])
		unended := last != "" && !wellFormed(last)
		for _, line := range all {
			if line = strings.TrimSpace(line); line != "" {
				e, _ := c.Classify(line)
				want = append(want, emitted(e))
			}
		}
		if unended {
			want = want[:len(want)-1]
		}
		got := parse("application/x-ndjson", pieces(body, cuts)...)
		require.Len(t, got.events, len(want))
		for i := range want {
			require.Equal(t, want[i], got.events[i])
		}
		require.Equal(t, !unended, got.whole)
	})
}

// wellFormed is json.Valid within the limit of nesting.
func wellFormed(text string) bool {
	return json.Valid([]byte(text)) && strings.Count(text, "[")+strings.Count(text, "{") < 1000
}
