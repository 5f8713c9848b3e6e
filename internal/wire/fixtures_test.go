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

// want is what a fixture says of one event. Fields that the JSON of an event does not tell are left out: the tokens that follow from the growth of
// a cumulative count, and the write that it came with.
type want struct {
	Kinds  []string
	Choice int
	Usage  tpot.Usage
	Finish string
	Model  string
	Error  string
}

func (w want) kind(t *testing.T) (kind tpot.Kind) {
	for _, name := range w.Kinds {
		if name != "empty" { // a place for output with nothing in it has no kind of its own
			var bit tpot.Kind
			require.NoError(t, bit.UnmarshalText([]byte(name)))
			kind |= bit
		}
	}
	return kind
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 24)
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
				if strings.HasPrefix(event, "{") {
					check(t, fixture.Events[i], event)
				}
			}
		})
	}
}

// structure is what fixtures and Classify name alike only where there is nothing else: a bit without which an event would have none.
const structure = tpot.KindStatus | tpot.KindMarked

func check(t *testing.T, want want, event string) {
	t.Helper()
	got, ok := wire.Classify(event)
	require.True(t, ok, event)
	assert.Equal(t, want.kind(t)&^structure, got.Kind&^structure, "%v against %v of %s", want.Kinds, got.Kind, event)
	assert.NotZero(t, got.Kind)
	assert.Equal(t, want.Choice, got.Choice, event)
	assert.Equal(t, want.Usage, got.Usage, event)
	assert.Equal(t, want.Finish, got.FinishReason, event)
	assert.Equal(t, want.Error, got.ErrorType, event)
	if want.Model != "" {
		assert.Equal(t, want.Model, got.Model, event)
	}
}

// split cuts a body into its events: the blocks and comments of SSE, or lines. It knows as much of SSE as these fixtures hold, all on whole bodies.
func split(body string, sse bool) (events []string) {
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body)
	if !sse {
		return strings.Split(strings.TrimRight(body, "\n"), "\n")
	}
	blocks := strings.Split(body, "\n\n")
	for _, block := range blocks[:len(blocks)-1] { // what no blank line follows is no event
		var data []string
		for line := range strings.SplitSeq(block, "\n") {
			if strings.HasPrefix(line, ":") {
				events = append(events, line)
			} else if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
		}
		if data != nil {
			events = append(events, strings.Join(data, "\n"))
		}
	}
	return events
}
