package monitor

import "github.com/tokentiming/tokentiming/tpot"

// Figure is one number of a row, for a [Rule] to watch; ok is false where the row does not have it. Those methods of a [Row], and of the
// [Tally] in it, that only return a number are Figures as method expressions: (*monitor.Row).Goodput.
//
// A request that ended without a token has no TTFT, TPOT or ITL, so while a model answers some requests only, these figures of them may look
// well. A rule beside, on (*monitor.Row).FailureRate or Goodput, sees the others, once they have ended.
//
// The functions that take a quantile panic unless it is from 0 to 1: 0.95, not 95.
type Figure func(*Row) (value float64, ok bool)

// TTFT is the quantile q of the time to first token, in seconds.
func TTFT(q float64) Figure {
	return quantile(q, func(r *Row) *tpot.Histogram { return &r.TTFT })
}

// TTFO is the quantile q of the time to first output token, in seconds.
func TTFO(q float64) Figure {
	return quantile(q, func(r *Row) *tpot.Histogram { return &r.TTFO })
}

// TPOT is the quantile q of the time per output token over requests, in seconds.
func TPOT(q float64) Figure {
	return quantile(q, func(r *Row) *tpot.Histogram { return &r.TPOT })
}

// ITL is the quantile q of the inter-token latency over all tokens, in seconds.
func ITL(q float64) Figure {
	return quantile(q, func(r *Row) *tpot.Histogram { return &r.ITL })
}

// E2E is the quantile q of the time from start to end, in seconds.
func E2E(q float64) Figure {
	return quantile(q, func(r *Row) *tpot.Histogram { return &r.E2E })
}

// LongestStall is the longest stall, in seconds: zero where requests had chunks and none a stall.
func LongestStall(r *Row) (float64, bool) { return r.Stalls.Longest.Seconds(), r.Streamed > 0 }

func quantile(q float64, of func(*Row) *tpot.Histogram) Figure {
	if !(q >= 0 && q <= 1) {
		panic("monitor: a quantile is from 0 to 1")
	}
	return func(r *Row) (float64, bool) {
		d, ok := of(r).Quantile(q)
		return d.Seconds(), ok
	}
}
