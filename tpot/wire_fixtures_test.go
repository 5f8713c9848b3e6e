package tpot_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// fixture is the description of a recorded or hand-written stream: when its bytes come, what events they make, and the figures that a
// second, separately written reader found in it.
type fixture struct {
	Writes []struct {
		At float64 `json:"at_ms"`
	}
	Abort           bool
	CloseAfterWrite *int `json:"close_after_write"`
	Events          []struct {
		Kinds  []string
		Choice int
		Tokens int
		Usage  *tpot.Usage
		Finish string
		Model  string
		Error  string
		Write  *int
	}
	Summary struct {
		TTFTWrite         *int `json:"ttft_write"`
		FirstVisibleWrite *int `json:"first_visible_write"`
		Chunks            int
		OutputTokens      *int   `json:"output_tokens"`
		TokenSource       string `json:"token_source"`
		TPOTTokens        *int   `json:"tpot_tokens"`
		TPOTFirstWrite    *int   `json:"tpot_first_write"`
		AnswerTokens      *int   `json:"answer_tokens"`
		Choices           int
		Outcome           string
	}
}

func (f fixture) at(write int) time.Duration {
	return time.Duration(f.Writes[write].At * float64(time.Millisecond))
}

// kind translates the fixture's names. Its "empty" is a place for output with nothing in it, which is none of ours.
func kindOf(t *testing.T, names []string) (kind tpot.Kind) {
	for _, name := range names {
		if name == "empty" {
			kind |= tpot.KindStatus
			continue
		}
		var bit tpot.Kind
		require.NoError(t, bit.UnmarshalText([]byte(name)))
		kind |= bit
	}
	return kind
}

// play feeds the fixture's events to a Recorder and returns the figures with the offset of the last chunk and last visible chunk.
func (f fixture) play(t *testing.T, marked tpot.Kind) (s tpot.Stats, last, lastVisible time.Duration) {
	r := tpot.Start(context.Background())
	write := 0
	for _, e := range f.Events {
		if e.Write != nil {
			write = *e.Write
		}
		event := tpot.Event{
			Kind: kindOf(t, e.Kinds) | marked, Tokens: e.Tokens, Choice: e.Choice, Model: e.Model,
			FinishReason: e.Finish, ErrorType: e.Error,
		}
		if e.Usage != nil {
			event.Usage = *e.Usage
		}
		r.ObserveAt(f.at(write), event)
		if event.Kind&tpot.KindGenerated != 0 {
			last = f.at(write)
		}
		if event.Kind&tpot.KindVisible != 0 {
			lastVisible = f.at(write)
		}
	}
	end := f.at(len(f.Writes)-1) + time.Millisecond
	switch {
	case f.CloseAfterWrite != nil:
		return r.EndAt(end, tpot.EarlyClose), last, lastVisible
	case f.Abort:
		return r.EndAt(end, io.ErrUnexpectedEOF), last, lastVisible
	}
	return r.EndAt(end, io.EOF), last, lastVisible
}

func TestWireFixtures(t *testing.T) {
	names, err := filepath.Glob("testdata/wire/*.json")
	require.NoError(t, err)
	require.Len(t, names, 38)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			var f fixture
			require.NoError(t, json.Unmarshal(data, &f))
			marked := tpot.KindMarked
			if strings.Contains(name, "triton") {
				marked = 0 // that wire has neither a finish reason nor an end marker
			}
			f.check(t, marked)
		})
	}
}

func (f fixture) check(t *testing.T, marked tpot.Kind) {
	s, last, lastVisible := f.play(t, marked)
	want := f.Summary
	assert.Equal(t, want.Outcome, s.Outcome.String())
	assert.Equal(t, want.Chunks, s.Chunks)
	assert.Equal(t, want.TokenSource, s.Source.String())
	assert.Equal(t, max(want.Choices, 1), s.Choices)
	if want.OutputTokens != nil && s.Source == tpot.SourceReported {
		assert.Equal(t, *want.OutputTokens, s.Usage.Output)
	}
	if want.TPOTTokens != nil {
		assert.Equal(t, *want.TPOTTokens, s.Tokens)
	}
	f.checkOffset(t, "TTFT", want.TTFTWrite, s.TTFT)
	f.checkOffset(t, "TTFO", want.FirstVisibleWrite, s.TTFO)

	first := want.TPOTFirstWrite
	if first != nil && want.FirstVisibleWrite != nil && *first == *want.FirstVisibleWrite && *first != *want.TTFTWrite {
		last = lastVisible
	}
	checkRate(t, "TPOT", f, first, last, want.TPOTTokens, s.TPOT)
	checkRate(t, "answer TPOT", f, want.FirstVisibleWrite, lastVisible, want.AnswerTokens, s.AnswerTPOT)
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

func checkRate(t *testing.T, name string, f fixture, first *int, last time.Duration, n *int, figure func() (time.Duration, bool)) {
	got, ok := figure()
	if first == nil || n == nil {
		assert.False(t, ok, name)
		return
	}
	assert.True(t, ok, name)
	want := float64(last-f.at(*first)) / float64(*n-1)
	assert.InDelta(t, want, float64(got), 0.5, name) // half a nanosecond
}
