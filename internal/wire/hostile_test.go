package wire_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

const mega = 1 << 20

var lost = tpot.Event{Kind: status} // an event that was passed over

// allocated is how many bytes of memory f takes, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestEndlessCommentsTakeNoMemory(t *testing.T) {
	pings := 0
	p := wire.NewParser(sse, func(e tpot.Event) {
		if e.Kind == tpot.KindPing {
			pings++
		}
	})
	data := []byte(strings.Repeat(": waiting\r\n", 1000))
	assert.Less(t, allocated(func() {
		for range 1000 {
			p.Feed(data)
		}
	}), uint64(mega))
	assert.Equal(t, 1_000_000, pings)
}

func TestWhatNeverEndsTakesBoundedMemory(t *testing.T) {
	piece := []byte(strings.Repeat("a", mega/16))
	for contentType, start := range map[string]string{
		sse: ": ", sse + ";": "data: ", sse + "; a=b": "data: [\ndata: ", sse + ";;": "", ndjson: `{"a":"`, "application/json": `{"a":"`, "text/json": `[{"a":"`,
		"text/plain": "", eventStream: prelude(1<<31, 0), eventStream + ";": prelude(wire.MaxEvent, 0),
	} {
		var p *wire.Parser
		taken := allocated(func() {
			p = wire.NewParser(contentType, func(tpot.Event) {})
			p.Feed([]byte(start))
			for range 64 * 16 {
				p.Feed(piece)
			}
		})
		assert.Less(t, taken, uint64(8*wire.MaxEvent), "%s: %.20q", contentType, start)
		p.Finish()
	}
}

func TestACommentThatIsTooLarge(t *testing.T) {
	comment := ": " + strings.Repeat("a", 6*mega)
	for _, size := range []int{len(comment) + 100, mega - 1} {
		got := parse(sse, cut("data: {\"type\":\n"+comment+"\ndata: \"ping\"}\n\n"+pinging, size)...)
		assert.Equal(t, []tpot.Event{pingEvent, pingEvent, pingEvent}, got.events)
		assert.Zero(t, got.unread)

		got = parse(sse, cut(pinging+comment, size)...)
		assert.Equal(t, []tpot.Event{pingEvent}, got.events)
		assert.True(t, got.whole)
		assert.Zero(t, got.unread)
	}
}

func TestAnEventThatIsTooLarge(t *testing.T) {
	long := strings.Repeat("a", 5*mega)
	event := `{"type":"ping","a":"` + long + `"}`
	for name, c := range map[string]struct{ contentType, body, next string }{
		"a line of data":                   {sse, "data: " + event + "\n\n", pinging},
		"a line of data, then others":      {sse, "data: " + event + "\ndata: {}\nid: 5\n\n", pinging},
		"other lines, then a line of data": {sse, "event: error\ndata: {}\ndata: " + event + "\n\n", pinging},
		"lines of data that are small":     {sse, strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", 5000) + "\n", pinging},
		"lines of data that end with CR":   {sse, strings.Repeat("data: "+strings.Repeat("a", 30)+"\r", 5*mega/30) + "\r", pinging},
		"a line of JSON":                   {ndjson, event + "\n", "{\"type\":\"ping\"}"},
		"a line of JSON without its end":   {ndjson, "{\"type\":\"ping\"}\n" + event, ""},
		"an element of an array":           {"application/json", "[" + event + ",", "{\"type\":\"ping\"}]"},
		"an element that nests":            {"application/json", "[" + strings.Repeat("[", 3*mega) + strings.Repeat("]", 3*mega), ",{\"type\":\"ping\"}]"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{len(c.body) + 100, mega / 8} {
				got := parse(c.contentType, cut(c.body+c.next, size)...)
				assert.ElementsMatch(t, []tpot.Event{lost, pingEvent}, got.events)
				assert.Equal(t, 1, got.unread)
				assert.True(t, got.whole)
			}
		})
	}
	t.Run("a field that is not data is none", func(t *testing.T) {
		for _, field := range []string{"id: ", "event: ", "error", "{\"error\":\""} {
			for _, size := range []int{6 * mega, mega / 8} {
				got := parse(sse, cut("data: {\"type\":\n"+field+long+"\ndata: \"ping\"}\n\n"+pinging, size)...)
				assert.Equal(t, []tpot.Event{pingEvent, pingEvent}, got.events)
				assert.Zero(t, got.unread)
			}
		}
	})
	t.Run("one of a megabyte is read", func(t *testing.T) {
		event := delta(`"content":"` + strings.Repeat("a", mega) + `"`)
		want := []tpot.Event{{Kind: tpot.KindText | choices}}
		for _, size := range []int{2 * mega, 1000} {
			assert.Equal(t, want, parse(sse, cut("data: "+event+"\n\n", size)...).events)
			assert.Equal(t, want, parse(ndjson, cut(event+"\n", size)...).events)
			assert.Equal(t, want, parse("application/json", cut("["+event+"]", size)...).events)
			assert.Equal(t, want, parse(eventStream, cut(chunk(event), size)...).events)
		}
	})
}

func TestLineEndsTakeNoTime(t *testing.T) {
	for name, body := range map[string]string{
		"CR": strings.Repeat("\r", mega), "LF": strings.Repeat("\n", mega), "LF CR": strings.Repeat("\n\r", mega/2),
		"CRs, then LF": strings.Repeat("\r", mega) + "\n", "a long line, then CRs": strings.Repeat("a", mega) + strings.Repeat("\r", mega),
		"names": strings.Repeat("data\r", mega/5), "comments": strings.Repeat(":\r", mega/2), "objects": strings.Repeat("{\r", mega/2),
		"empty events": strings.Repeat("data\r\r", mega/6), "spaces": strings.Repeat(" ", mega), "commas": "[" + strings.Repeat(",", mega),
		"brackets": strings.Repeat("[", mega), "quotes": "[{" + strings.Repeat(`"`, mega), "backslashes": `[{"` + strings.Repeat(`\`, mega),
		"marks": strings.Repeat(bom, mega/3), "objects and LF": strings.Repeat("{}\n", mega/3),
	} {
		for _, contentType := range mediaTypes[:4] {
			p := wire.NewParser(contentType, func(tpot.Event) {})
			start := time.Now()
			p.Feed([]byte(body))
			p.Finish()
			assert.Less(t, time.Since(start), 3*time.Second, "%s of %s", name, contentType)
			assert.Zero(t, p.Unread)
		}
	}
}

func TestNestingInEveryFraming(t *testing.T) {
	for _, opener := range []string{"[", `{"a":`, `{"choices":[{"delta":`, `[{"candidates":`} {
		deep := `{"type":"ping","x":` + strings.Repeat(opener, mega/len(opener)) + "}"
		for contentType, body := range map[string]string{
			sse: "data: " + deep + "\n\n", ndjson: deep + "\n", eventStream: chunk(deep), eventStream + ";": converse("metadata", deep),
		} {
			assert.Equal(t, []tpot.Event{unknown}, parse(contentType, body).events)
		}
		assert.Empty(t, parse("application/json", "["+deep).events, "it does not end")
		assert.Empty(t, parse("application/json", deep).events)
	}
	closed := "[" + strings.Repeat("[", mega) + strings.Repeat("]", mega) + "," + oneLine + "]"
	assert.Equal(t, []tpot.Event{unknown, overload}, parse("application/json", closed).events)
}

func TestNumbersThatAreNone(t *testing.T) {
	digits := strings.Repeat("7", 1000)
	const most = 1<<31 - 1
	got := streamed(
		`{"choices":[{"index":`+digits+`,"delta":{"content":"a"}}],"usage":{"prompt_tokens":`+digits+`,"completion_tokens":"`+digits+`"}}`,
		`{"error":{"code":`+digits+`}}`, `{"error":{"code":"`+digits+`"}}`,
		`{"choices":[],"metrics":{"time_to_first_token_ms":`+digits+`,"queue_time_ms":1e300,"tokens_per_second":1e999,"mean_itl_ms":-5}}`,
		`{"token":{"text":"a"},"details":{"generated_tokens":-`+digits+`,"input_length":1e9}}`,
	)
	assert.Equal(t, []tpot.Event{
		{Kind: tpot.KindText | usage | choices, Choice: most, Usage: fromTo(most, 0)},
		{Kind: tpot.KindError | marked, ErrorType: digits[:256]}, {Kind: tpot.KindError | marked, ErrorType: digits[:256]},
		{Kind: status | marked},
		{Kind: tpot.KindText | usage | marked, Tokens: 1, Usage: of(-most)},
	}, got.events)
	assert.Equal(t, tpot.ServerTimings{Source: "vllm"}, got.facts.Server)
}

func TestEscapesInNames(t *testing.T) {
	got := streamed(
		`{"choices":[{"d\u0065lta":{"\u0063ontent":"a"}}]}`, `{"\u0074ype":"response.output_text.d\u0065lta","\u0064elta":"a"}`,
		`{"cand\u0069dates":[{"content":{"p\u0061rts":[{"t\u0065xt":"a"}]}}]}`, `{"text\u005foutput":"\u0061"}`, `{"\u0065rror":"\u0061"}`,
		`{"c\u006fntent":"a","st\u006fp":false}`, `{"\u0067eneration":"a"}`, `{"content\u0042lockDelta":{"d\u0065lta":{"text":"a"}}}`)
	for i, want := range []tpot.Kind{
		tpot.KindText | choices, tpot.KindText | marked, tpot.KindText | marked, tpot.KindText, tpot.KindError | marked,
		tpot.KindText | marked, tpot.KindText | marked, tpot.KindText | marked,
	} {
		assert.Equal(t, want.String(), got.events[i].Kind.String())
	}
}

func TestErrorNullIsNoError(t *testing.T) {
	for _, members := range []string{
		`"choices":[{"delta":{"content":"a"},"error":null}],"x_groq":{"error":null}`, `"type":"response.completed","response":{"error":null}`,
		`"type":"content-delta"`, `"type":"message-end","delta":{"error":null}`, `"type":"message_stop"`, `"candidates":[]`,
		`"message":{"content":"a"},"done":false`, `"text":"a","meta_info":{}`, `"token":{"text":"a"},"error_type":null`, `"text_output":"a"`,
		`"content":"a","stop":false`, `"generation":"a"`, `"outputText":"a"`, `"outputs":[]`, `"messageStop":{}`,
	} {
		for _, null := range []string{"null", `""`, "false", "0", "[]"} {
			got := streamed(`{"error":` + null + `,` + members + `}`)
			assert.Len(t, got.events, 1)
			assert.NotZero(t, got.events[0].Kind, members)
			assert.Zero(t, got.events[0].Kind&tpot.KindError, members)
			assert.Empty(t, got.events[0].ErrorType, members)
		}
	}
}
