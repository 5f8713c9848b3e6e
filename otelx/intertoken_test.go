package otelx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// Of a thousand tokens in a million, those that are rare are one in a thousand.
func TestInterTokenLatencyOfAMillionTokensHasItsPercentiles(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	at := time.Duration(0)
	const rare, all = 300, 1_000_000
	for i := range rare + 1 { // of each length one, from 40 ms to 40 s
		r.ObserveAt(at, tpot.Event{Kind: tpot.KindText, Tokens: 1})
		at += ms(40) * time.Duration(1+i*i/90)
	}
	r.ObserveAt(at+(all-rare)*ms(5), tpot.Event{Kind: tpot.KindText, Tokens: all - rare})
	s := r.EndAt(at+(all-rare)*ms(5), nil)
	p999, _ := s.ITL().Quantile(0.999)
	require.InEpsilon(t, 5e-3, p999.Seconds(), 0.02)
	itl := b.only(t, "tokentiming.inter_token_latency")
	slow := itl.count
	for i, bound := range itl.bounds {
		if bound <= 0.0075 {
			slow -= itl.buckets[i]
		}
	}
	assert.LessOrEqual(t, itl.count, uint64(10_000))
	assert.InDelta(t, float64(rare)/all, float64(slow)/float64(itl.count), 1e-4)
}
