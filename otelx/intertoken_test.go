package otelx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// Ten thousand tokens are each recorded; of more, every second, third and so on.
func TestInterTokenLatencyAroundTheBound(t *testing.T) {
	for tokens, want := range map[int]float64{9_999: 9_999, 10_000: 10_000, 10_001: 5_000, 20_000: 10_000, 20_001: 6_667, 30_000: 10_000} {
		b := newBackend()
		_, r := b.tracker(t).Start(t.Context(), request())
		r.ObserveAt(0, tpot.Event{Kind: tpot.KindText, Tokens: 1})
		end := ms(5) * time.Duration(tokens)
		r.ObserveAt(end, tpot.Event{Kind: tpot.KindText, Tokens: tokens})
		r.EndAt(end, nil)
		assert.InDelta(t, want, b.only(t, "tokentiming.inter_token_latency").count, 1, "of %d", tokens)
	}
}

// Nobody waits for the first chunk's tokens between tokens.
func TestOneChunkHasNoInterTokenLatency(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText, Tokens: 5})
	r.EndAt(ms(20), nil)
	assert.Empty(t, b.points(t, "tokentiming.inter_token_latency"))
}

// What is rare is recorded as often as it is: of forty gaps of their own lengths, every third.
func TestInterTokenLatencyKeepsWhatIsRare(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	r.ObserveAt(0, tpot.Event{Kind: tpot.KindText, Tokens: 1})
	at, gap := time.Duration(0), ms(100)
	for range 40 { // up to a second
		at += gap
		r.ObserveAt(at, tpot.Event{Kind: tpot.KindText, Tokens: 1})
		gap += gap / 16
	}
	at += ms(5) * 25_000
	r.ObserveAt(at, tpot.Event{Kind: tpot.KindText, Tokens: 25_000})
	r.EndAt(at, nil)
	rare := 0
	for bound, n := range b.only(t, "tokentiming.inter_token_latency").filled() {
		if bound > 0.08 {
			rare += int(n)
		}
	}
	assert.GreaterOrEqual(t, rare, 40/3-1)
}
