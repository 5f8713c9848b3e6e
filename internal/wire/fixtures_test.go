package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// fixture is a recorded or hand-written body and what a second, separately written reader found in it.
type fixture struct {
	body        string
	ContentType string `json:"content_type"`
	Writes      []struct{ Len int }
	Abort       bool
	CloseAfter  *int `json:"close_after_write"`
	Events      []want
	Server      map[string]any
}

// want is what a fixture says of one event.
type want struct {
	Kinds  []string
	Choice int
	Tokens int
	Usage  tpot.Usage
	Finish string
	Model  string
	Error  string
}

// event is what a Parser has to say. The fixtures do not mark streams, and have a name for an event with nothing in it.
func (w want) event(t testing.TB, marked tpot.Kind) tpot.Event {
	kind := marked
	for _, name := range w.Kinds {
		if name != "empty" {
			kind |= kindNamed(t, name)
		}
	}
	if kind&^(tpot.KindMarked|tpot.KindUsage) == 0 && (kind&tpot.KindUsage == 0 || w.Kinds[0] == "empty") {
		kind |= tpot.KindStatus
	}
	if kind&tpot.KindPing != 0 {
		kind = tpot.KindPing // which promises no marker
	}
	return tpot.Event{
		Kind: kind, Choice: w.Choice, Tokens: w.Tokens, Usage: w.Usage,
		Model: w.Model, FinishReason: w.Finish, ErrorType: w.Error,
	}
}

func kindNamed(t testing.TB, name string) (kind tpot.Kind) {
	require.NoError(t, kind.UnmarshalText([]byte(name)))
	return kind
}

// fixtures returns all fixtures by name.
func fixtures(t testing.TB) map[string]fixture {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 38)
	all := make(map[string]fixture)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		description, err := os.ReadFile(file)
		require.NoError(t, err)
		var f fixture
		require.NoError(t, json.Unmarshal(description, &f))
		body, err := os.ReadFile("testdata/" + name + ".bin")
		require.NoError(t, err)
		f.body = string(body)
		if f.CloseAfter != nil { // the reader of the fixture goes no further
			end := 0
			for _, write := range f.Writes[:*f.CloseAfter+1] {
				end += write.Len
			}
			f.body = f.body[:end]
		}
		all[name] = f
	}
	return all
}

// wantEvents is the events that a Parser has to find in the fixture.
func (f fixture) wantEvents(t testing.TB, name string) (events []tpot.Event) {
	marked := tpot.KindMarked
	if strings.HasPrefix(name, "triton") {
		marked = 0 // that wire has neither a finish reason nor an end marker
	}
	for _, w := range f.Events {
		events = append(events, w.event(t, marked))
	}
	return events
}

// found is what a Parser found in a body.
type found struct {
	events []tpot.Event
	facts  wire.Facts
	unread int
	whole  bool

	streams, document bool
}

// parse feeds a body in pieces. The Parser must not keep the bytes: they are overwritten after each Feed.
func parse(contentType string, pieces ...string) found {
	var f found
	p := wire.NewParser(contentType, func(e tpot.Event) { f.events = append(f.events, e) })
	for _, piece := range pieces {
		data := []byte(piece)
		p.Feed(data)
		clear(data)
	}
	f.whole = p.Finish()
	f.facts, f.unread = p.Facts, p.Unread
	f.streams, f.document = p.Streams(), p.Document()
	return f
}

func TestFixtures(t *testing.T) {
	for name, f := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			got := parse(f.ContentType, f.body)
			assert.Equal(t, f.wantEvents(t, name), got.events)
			assert.Zero(t, got.unread)
			assert.Equal(t, name != "cut_mid_line", got.whole)
			assert.True(t, got.streams)
			assert.False(t, got.document)
			checkServer(t, f.Server, got.facts.Server)
		})
	}
}

// checkServer compares what the server says of itself.
func checkServer(t *testing.T, want map[string]any, got tpot.ServerTimings) {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	have := map[string]any{
		"source": got.Source, "ttft_ms": ms(got.TTFT), "first_byte_ms": ms(got.TTFT), "queue_ms": ms(got.Queue), "load_ms": ms(got.Load),
		"prompt_ms": ms(got.Prompt), "output_ms": ms(got.Output), "total_ms": ms(got.Total), "latency_ms": ms(got.Total), "mean_itl_ms": ms(got.MeanITL),
		"tokens_per_second": got.TokensPerSecond, "prompt_tokens": float64(got.PromptTokens), "cached_tokens": float64(got.CachedTokens),
		"output_tokens": float64(got.OutputTokens), "draft_tokens": float64(got.DraftTokens), "draft_accepted": float64(got.DraftAccepted),
	}
	if want == nil {
		assert.Zero(t, got)
	}
	for key, value := range want {
		assert.Equal(t, value, have[key], key)
	}
}

// everyCut is up to how many bytes a fixture is cut everywhere. A longer one is cut near its ends, and at some places between.
const everyCut = 16 << 10

func TestFixturesCutAnywhere(t *testing.T) {
	for name, f := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := parse(f.ContentType, f.body)
			for i := 0; i <= len(f.body); i++ {
				if fromEnd := min(i, len(f.body)-i); len(f.body) > everyCut && fromEnd > everyCut/32 {
					i += 996
				}
				require.Equal(t, whole, parse(f.ContentType, f.body[:i], f.body[min(i, len(f.body)):]), "cut at %d", i)
			}
			require.Equal(t, whole, parse(f.ContentType, strings.Split(f.body, "")...), "characters")
			require.Equal(t, whole, parse(f.ContentType, cut(f.body, 1)...), "bytes")
			require.Equal(t, whole, parse(f.ContentType, cut(f.body, 7)...), "pieces of 7 bytes")
		})
	}
}

// cut cuts a text into pieces of a size.
func cut(text string, size int) (pieces []string) {
	for i := 0; i < len(text); i += size {
		pieces = append(pieces, text[i:min(i+size, len(text))])
	}
	return pieces
}

// TestAFixtureThatEndsAnywhereHasItsEventsSoFar cuts the end off.
func TestAFixtureThatEndsAnywhereHasItsEventsSoFar(t *testing.T) {
	for name, f := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := f.wantEvents(t, name)
			last := 0
			for i := 0; i < len(f.body); i += 1 + len(f.body)/everyCut*97 {
				got := parse(f.ContentType, f.body[:i]).events
				require.LessOrEqual(t, len(got), len(want))
				require.GreaterOrEqual(t, len(got), last-1, "an event that was taken for the last one may go on: two CRs, or data in several lines")
				last = len(got)
				if len(got) > 0 {
					require.Equal(t, want[:len(got)-1], got[:len(got)-1], "cut at %d", i)
				}
			}
		})
	}
}
