package tpot

import (
	"math"
	"math/big"
	"math/bits"
	"time"
)

// wide is an unsigned sum of 192 bits, lowest word first: enough for 2^64 squares of any duration.
type wide [3]uint64

func (w *wide) add(v uint64) {
	w[0] += v
	if w[0] < v {
		w.carry()
	}
}

// carry adds one to the upper words.
func (w *wide) carry() {
	if w[1]++; w[1] == 0 {
		w[2]++
	}
}

func (w *wide) addWide(v wide) {
	var carry uint64
	w[0], carry = bits.Add64(w[0], v[0], 0)
	w[1], carry = bits.Add64(w[1], v[1], carry)
	w[2], _ = bits.Add64(w[2], v[2], carry)
}

// addProduct adds v * n.
func (w *wide) addProduct(v, n uint64) {
	hi, lo := bits.Mul64(v, n)
	w.addWide(wide{lo, hi})
}

// addMultiple adds (hi, lo) * n, where hi is below 2^62.
func (w *wide) addMultiple(hi, lo, n uint64) {
	midHi, midLo := bits.Mul64(hi, n)
	w.addWide(wide{0, midLo, midHi})
	w.addProduct(lo, n)
}

// mean is the sum over n, in nanoseconds; absent when n is zero.
func (w *wide) mean(n uint64) (time.Duration, bool) {
	if n == 0 {
		return 0, false
	}
	if w[1] == 0 && w[2] == 0 {
		q, r := w[0]/n, w[0]%n
		if r >= n-r {
			q++
		}
		return time.Duration(min(q, math.MaxInt64)), true
	}
	q := w.big()
	return time.Duration(q.Div(q, new(big.Int).SetUint64(n)).Int64()), true
}

// duration is the sum as a Duration, or the largest Duration.
func (w *wide) duration() time.Duration {
	if w[2] != 0 || w[1] != 0 || w[0] > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(w[0])
}

func (w *wide) big() *big.Int {
	words := new(big.Int).SetUint64(w[2])
	words.Lsh(words, 64).Or(words, new(big.Int).SetUint64(w[1]))
	return words.Lsh(words, 64).Or(words, new(big.Int).SetUint64(w[0]))
}

func (w *wide) float() float64 {
	f, _ := new(big.Float).SetInt(w.big()).Float64()
	return f
}

// after is from, after which n times each have passed, or the largest Duration. None of them is negative.
func after(from, each time.Duration, n int) time.Duration {
	end := wide{uint64(from)}
	end.addProduct(uint64(each), uint64(n))
	return end.duration()
}
