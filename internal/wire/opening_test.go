package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

const (
	sse     = "text/event-stream"
	ndjson  = "application/x-ndjson"
	bom     = "\ufeff"
	pinging = "data: {\"type\":\"ping\"}\n\n"
	oneLine = `{"error":{"type":"overloaded"}}`
	pretty  = "{\n  \"error\": {\n    \"type\": \"overloaded\"\n  }\n}\n"
	html    = "<html>\n<body>502 Bad Gateway</body>\n</html>\n"
)

var (
	pingEvent = tpot.Event{Kind: tpot.KindPing}
	overload  = tpot.Event{Kind: tpot.KindError | marked, ErrorType: "overloaded"}
	refusal   = tpot.Event{Kind: tpot.KindError, ErrorType: "overloaded"} // of a body that is no stream
)

// opened is what a Parser says of a body beside its events.
type opened struct{ streams, document, whole bool }

var (
	isStream   = opened{streams: true, whole: true}
	isCut      = opened{streams: true}
	isDocument = opened{document: true, whole: true}
	isNeither  = opened{whole: true}
)

func TestWhatABodyIs(t *testing.T) {
	for name, c := range map[string]struct {
		contentType, body string
		want              opened
		events            []tpot.Event
	}{
		"a stream":                                   {sse, pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as text":                           {"text/plain; charset=utf-8", pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as JSON":                           {"application/json", pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as lines of JSON":                  {ndjson, pinging, isStream, []tpot.Event{pingEvent}},
		"a stream of no type":                        {"", pinging, isStream, []tpot.Event{pingEvent}},
		"a stream of a type that is none":            {"a;;b", pinging, isStream, []tpot.Event{pingEvent}},
		"a stream in capitals":                       {"Text/Event-Stream;Charset", html + pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as text, that begins with a name":  {"text/plain", "event: ping\n" + pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as text, that begins with an id":   {"text/plain", "id\n" + pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as text, that begins with a delay": {"text/plain", "retry: 5\n" + pinging, isStream, []tpot.Event{pingEvent}},
		"a stream as text, that begins with a pause": {"text/plain", ":\n\n" + pinging, isStream, []tpot.Event{pingEvent, pingEvent}},
		"blank lines before a stream":                {sse, "\n\r\n\r" + pinging, isStream, []tpot.Event{pingEvent}},
		"blank lines before a stream as text":        {"text/plain", "\n\r\n " + pinging, isStream, []tpot.Event{pingEvent}},
		"a stream that is cut":                       {sse, pinging + "data: {", isCut, []tpot.Event{pingEvent}},
		"a stream cut in the name of a field":        {sse, pinging + "dat", isCut, []tpot.Event{pingEvent}},
		"a stream without its last blank line":       {sse, strings.TrimSpace(pinging), isStream, []tpot.Event{pingEvent}},
		"a stream cut in a comment":                  {sse, pinging + ": wai", isStream, []tpot.Event{pingEvent}},
		"an event without data at the end":           {sse, pinging + "event: x\n", isCut, []tpot.Event{pingEvent}},
		"an error that is no field":                  {sse, pinging + oneLine + "\n", isStream, []tpot.Event{pingEvent, overload}},
		"an error that is no field, without its end": {sse, pinging + oneLine, isStream, []tpot.Event{pingEvent, overload}},
		"half an error that is no field":             {sse, pinging + oneLine[:9], isCut, []tpot.Event{pingEvent}},
		"an object that is no field":                 {sse, pinging + "{\"type\":\"ping\",\"error\":null}\n", isStream, []tpot.Event{pingEvent}},

		"lines of JSON":                     {ndjson, "{\"type\":\"ping\"}\n" + oneLine + "\r\n", isStream, []tpot.Event{pingEvent, overload}},
		"lines of JSON by another name":     {"application/jsonl", oneLine, isStream, []tpot.Event{overload}},
		"lines of JSON by a third name":     {"application/stream+json", oneLine, isStream, []tpot.Event{overload}},
		"lines of JSON as a stream":         {sse, "{\"type\":\"ping\"}\n" + oneLine + "\n", isStream, []tpot.Event{pingEvent, overload}},
		"lines of JSON as a stream, cut":    {sse, "{\"type\":\"ping\"}\n" + oneLine[:9], isCut, []tpot.Event{pingEvent}},
		"lines of JSON, cut":                {ndjson, "{\"type\":\"ping\"}\n" + oneLine[:9], isCut, []tpot.Event{pingEvent}},
		"lines of JSON after blank ones":    {ndjson, "\n\n" + oneLine, isStream, []tpot.Event{overload}},
		"lines that are no JSON":            {ndjson, "busy\n", isStream, []tpot.Event{unknown}},
		"a mark before lines of JSON":       {ndjson, bom + oneLine, isStream, []tpot.Event{overload}},
		"an array":                          {"application/json", "[" + oneLine + ",\r\n" + oneLine + "]", isStream, []tpot.Event{overload, overload}},
		"an array as a stream":              {sse, "[" + oneLine + "]\n", isStream, []tpot.Event{overload}},
		"an array as lines of JSON":         {ndjson, "[" + oneLine + "]", isStream, []tpot.Event{overload}},
		"an array as text":                  {"text/plain", " [" + oneLine + "]", isStream, []tpot.Event{overload}},
		"an array that is cut":              {"application/json", "[" + oneLine + ",", isCut, []tpot.Event{overload}},
		"an array with more behind it":      {"application/json", "[" + oneLine + "]{}", isStream, []tpot.Event{overload, unknown}},
		"an array of words":                 {"application/json", `["a",{}]`, isStream, []tpot.Event{unknown}},
		"a mark before an array":            {"application/json", bom + "[" + oneLine + "]", isStream, []tpot.Event{overload}},
		"an error printed over many lines":  {sse, pretty, isStream, []tpot.Event{overload}},
		"an error as a stream, then events": {sse, oneLine + "\n\n" + pinging, isStream, []tpot.Event{overload, unknown}},

		"an error as JSON":                  {"application/json", pretty, isDocument, []tpot.Event{refusal}},
		"an error as text":                  {"text/plain", "\n" + pretty, isDocument, []tpot.Event{refusal}},
		"an error of no type":               {"", oneLine, isDocument, []tpot.Event{refusal}},
		"an error as JSON, cut":             {"application/json", oneLine[:9], opened{document: true}, nil},
		"an answer":                         {"application/json", whole, isDocument, nil},
		"an answer with error null":         {"application/json", `{"choices":[{"message":{"content":"a"}}],"error":null}`, isDocument, nil},
		"an answer larger than any error":   {"application/json", `{"error":{"message":"` + strings.Repeat("a", 64<<10) + `"}}`, isDocument, nil},
		"an answer that is a failed one":    {"application/json", `{"object":"error","type":"overloaded"}`, isDocument, []tpot.Event{refusal}},
		"a mark before an answer":           {"application/json", bom + oneLine, isDocument, []tpot.Event{refusal}},
		"a page":                            {"text/html", html, isNeither, nil},
		"a page as a stream":                {sse, html, isCut, nil},
		"a page as a stream, blank at last": {sse, html + "\n", isStream, nil},
		"a page as JSON":                    {"application/json", html, isNeither, nil},
		"text":                              {"text/plain", "Bad Gateway", isNeither, nil},
		"text that begins like a stream":    {"text/plain", "error code: 1015\n\n", isNeither, nil},
		"text that begins like a field":     {"text/plain", "database: down\nidle\n", isNeither, nil},
		"a number":                          {"application/json", "5", isNeither, nil},
		"nothing":                           {sse, "", isNeither, nil},
		"white space":                       {"application/json", " \r\n", isNeither, nil},
		"half a mark":                       {sse, bom[:2], isNeither, nil},
		"half a mark before data":           {sse, bom[:2] + pinging + pinging, isStream, []tpot.Event{pingEvent}},
		"half a mark as text":               {"text/plain", bom[:1] + pinging, isNeither, nil},
		"two marks":                         {sse, bom + bom + pinging + pinging, isStream, []tpot.Event{pingEvent}},
		"a mark before a stream":            {sse, bom + pinging, isStream, []tpot.Event{pingEvent}},
		"a mark before a stream as text":    {"text/plain", bom + pinging, isStream, []tpot.Event{pingEvent}},
		"a mark behind a blank line":        {sse, "\n" + bom + pinging + pinging, isStream, []tpot.Event{pingEvent}},
	} {
		t.Run(name, func(t *testing.T) {
			got := parse(c.contentType, c.body)
			assert.Equal(t, c.events, got.events)
			assert.Equal(t, c.want, opened{got.streams, got.document, got.whole})
			for i := range min(len(c.body), 100) {
				assert.Equal(t, got, parse(c.contentType, c.body[:i], c.body[i:]), "cut at %d", i)
			}
			assert.Equal(t, got, parse(c.contentType, cut(c.body, 1)...), "bytes")
		})
	}
}

func TestABodyIsWhatItIsFromTheFirstEventOn(t *testing.T) {
	for contentType, body := range map[string]string{sse: pinging, "text/plain": pinging, ndjson: oneLine + "\n", "application/json": "[{}"} {
		got := parse(contentType, body)
		assert.True(t, got.streams, contentType)
		assert.Len(t, got.events, 1)
	}
}
