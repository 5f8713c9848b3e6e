package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// want is what a fixture says of one event. Tokens are there for events that tell them by themselves, without those
// before.
type want struct {
	Kinds  []string
	Choice int
	Tokens int
	Usage  tpot.Usage
	Finish string
	Model  string
	Error  string
}

// event is what Classify has to say. The fixtures do not mark streams, and have a name for an event with nothing in it.
func (w want) event(t *testing.T) tpot.Event {
	kind := tpot.KindMarked
	for _, name := range w.Kinds {
		if name != "empty" {
			kind |= kindNamed(t, name)
		}
	}
	switch kind {
	case tpot.KindMarked:
		kind |= tpot.KindStatus
	case tpot.KindMarked | tpot.KindPing:
		kind = tpot.KindPing
	}
	return tpot.Event{
		Kind: kind, Choice: w.Choice, Tokens: w.Tokens, Usage: w.Usage,
		Model: w.Model, FinishReason: w.Finish, ErrorType: w.Error,
	}
}

func kindNamed(t *testing.T, name string) (kind tpot.Kind) {
	require.NoError(t, kind.UnmarshalText([]byte(name)))
	return kind
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 25)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			description, err := os.ReadFile(file)
			require.NoError(t, err)
			var fixture struct {
				ContentType string `json:"content_type"`
				Events      []want
			}
			require.NoError(t, json.Unmarshal(description, &fixture))
			body, err := os.ReadFile(name + ".bin")
			require.NoError(t, err)
			events := split(string(body), strings.Contains(fixture.ContentType, "event-stream"))
			require.Len(t, events, len(fixture.Events))
			for i, event := range events {
				check(t, fixture.Events[i], event)
			}
		})
	}
}

func check(t *testing.T, want want, event string) {
	t.Helper()
	switch {
	case strings.HasPrefix(event, ":"):
		assert.Equal(t, []string{"ping"}, want.Kinds)
	case event == "[DONE]":
		assert.Equal(t, []string{"done"}, want.Kinds)
	default:
		got, ok := wire.Classify(event)
		require.True(t, ok, event)
		if want.Usage.Output > 0 {
			want.Tokens = 0 // the growth of a count, which takes two events
		}
		assert.Equal(t, want.event(t), got, event)
	}
}

// split cuts a body into its events: the blocks and comments of SSE, or lines. It knows as much of SSE as these
// fixtures hold, all on whole bodies.
func split(body string, sse bool) (events []string) {
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(body, "\ufeff"))
	if !sse {
		return strings.Split(strings.TrimRight(body, "\n"), "\n")
	}
	blocks := strings.Split(body, "\n\n")
	for _, block := range blocks[:len(blocks)-1] {
		comments, data := splitBlock(block)
		events = append(append(events, comments...), data...)
	}
	_, data := splitBlock(blocks[len(blocks)-1])
	if len(data) == 1 && (data[0] == "[DONE]" || json.Valid([]byte(data[0]))) {
		return append(events, data...)
	}
	return events // what no blank line follows is no event, unless it is whole
}

// splitBlock returns the comments of a block and its data, if it has any.
func splitBlock(block string) (comments, data []string) {
	for line := range strings.SplitSeq(block, "\n") {
		if strings.HasPrefix(line, ":") {
			comments = append(comments, line)
		} else if value, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	if data == nil {
		return comments, nil
	}
	return comments, []string{strings.Join(data, "\n")}
}
