package stream_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// wires is the fixtures: bodies with the network writes they came in, and what a second, separately written reader found.
const wires = "../internal/wire/testdata"

// fixture is what this package's tests take from a fixture's description.
type fixture struct {
	Writes []struct {
		At  float64 `json:"at_ms"`
		Len int
	}
	CloseAfterWrite *int `json:"close_after_write"`
	Events          []struct{ Kinds []string }
	Server          struct{ Source string }
	Summary         struct {
		TTFTWrite         *int `json:"ttft_write"`
		FirstVisibleWrite *int `json:"first_visible_write"`
		Chunks            int
		OutputTokens      *int   `json:"output_tokens"`
		TokenSource       string `json:"token_source"`
		TPOTTokens        *int   `json:"tpot_tokens"`
		AnswerTokens      *int   `json:"answer_tokens"`
		Choices           int
		Outcome           string
	}
}

func (f fixture) at(write int) time.Duration {
	return time.Duration(math.Round(f.Writes[write].At * float64(time.Millisecond)))
}

// TestFixturesOverHTTP plays each fixture at its own pace and reads it to its end, or to where its reader closes it.
func TestFixturesOverHTTP(t *testing.T) {
	files, err := filepath.Glob(wires + "/*.json")
	require.NoError(t, err)
	require.Len(t, files, 38)
	for protocol, start := range protocols {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			t.Run(protocol+"/"+name, func(t *testing.T) {
				var f fixture
				description, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(description, &f))
				script, err := llmtest.Fixture(os.DirFS(wires), name)
				require.NoError(t, err)
				synctest.Test(t, func(t *testing.T) {
					server := start(script)
					defer server.Close()
					client, records := tapped(t, server)
					f.read(t, post(t, client, server.URL).Body)
					client.CloseIdleConnections()
					f.check(t, records.one(t))
				})
			})
		}
	}
}

// read reads a body as the fixture's reader did.
func (f fixture) read(t *testing.T, body io.ReadCloser) {
	if f.CloseAfterWrite != nil {
		size := 0
		for _, write := range f.Writes[:*f.CloseAfterWrite+1] {
			size += write.Len
		}
		_, err := io.ReadFull(body, make([]byte, size))
		require.NoError(t, err)
	} else {
		_, _ = io.Copy(io.Discard, body)
	}
	_ = body.Close()
}

func (f fixture) check(t *testing.T, s tpot.Stats) {
	want := f.Summary
	assert.Equal(t, want.Outcome, s.Outcome.String())
	assert.Equal(t, len(f.Events), s.Events)
	assert.Equal(t, want.Chunks, s.Chunks)
	assert.Equal(t, want.TokenSource, s.Source.String())
	assert.Equal(t, max(want.Choices, 1), s.Choices)
	assert.Equal(t, f.Server.Source, s.Server.Source)
	assert.Zero(t, s.Unclassified+s.Unread+s.Faults)
	if want.OutputTokens != nil && s.Source == tpot.SourceReported {
		assert.Equal(t, *want.OutputTokens, s.Usage.Output)
	}
	if want.TPOTTokens != nil {
		assert.Equal(t, *want.TPOTTokens, s.Tokens)
	}
	f.checkOffset(t, "TTFT", want.TTFTWrite, s.TTFT)
	f.checkOffset(t, "TTFO", want.FirstVisibleWrite, s.TTFO)
}

func (f fixture) checkOffset(t *testing.T, name string, write *int, figure func() (time.Duration, bool)) {
	got, ok := figure()
	if write == nil {
		assert.False(t, ok, name)
		return
	}
	assert.True(t, ok, name)
	assert.Equal(t, f.at(*write), got, name)
}
