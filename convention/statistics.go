package convention

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Statistics are those of one figure over a run.
type Statistics struct {
	Mean, Std                       Figure
	Min, Median, P90, P95, P99, Max Figure
	Count                           int // values; where they have weights, the sum of those
}

// sample is values with their weights.
type sample struct {
	values []weighted
	weight int
}

type weighted struct {
	value  time.Duration
	weight int
}

// add takes in a figure, unless it is undefined.
func (s *sample) add(f Figure, weight int) {
	if f.Undefined == "" && weight > 0 {
		s.values = append(s.values, weighted{f.Value, weight})
		s.weight += weight
	}
}

// statistics are those of a sample, by the rules of a run.
func (r Run) statistics(s *sample, reported bool) Statistics {
	why := ""
	switch {
	case !reported:
		why = unreported
	case r.Quantile == QuantileNone:
		why = "the convention is a formula for one request"
	case len(s.values) == 0:
		why = "no request has this figure"
	}
	if why != "" {
		none := Figure{Undefined: why}
		return Statistics{none, none, none, none, none, none, none, none, 0}
	}
	slices.SortFunc(s.values, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	at := func(p float64) Figure { return s.quantile(r.Quantile, p) }
	return Statistics{
		Mean: figure(s.mean()), Std: s.std(r.Std), Count: s.weight,
		Min: Figure{Value: s.values[0].value}, Max: Figure{Value: s.values[len(s.values)-1].value},
		Median: at(0.5), P90: at(0.9), P95: at(0.95), P99: at(0.99),
	}
}

// figure rounds nanoseconds.
func figure(nanoseconds float64) Figure { return Figure{Value: time.Duration(math.Round(nanoseconds))} }

func (s *sample) mean() float64 {
	sum := 0.0
	for _, v := range s.values {
		sum += float64(v.value) * float64(v.weight)
	}
	return sum / float64(s.weight)
}

func (s *sample) std(kind Std) Figure {
	over := s.weight
	switch {
	case kind == StdNone:
		return Figure{Undefined: "the tool prints none"}
	case kind == StdSample:
		over--
	}
	if over < 1 {
		return Figure{Undefined: "there is one value"}
	}
	mean, squares := s.mean(), 0.0
	for _, v := range s.values {
		off := float64(v.value) - mean
		squares += off * off * float64(v.weight)
	}
	return figure(math.Sqrt(squares / float64(over)))
}

// quantile reads a quantile of the sorted values.
func (s *sample) quantile(rule Quantile, p float64) Figure {
	last := len(s.values) - 1
	switch rule {
	case QuantileInverseCDF:
		return Figure{Value: s.upTo(p)}
	case QuantileLower:
		return Figure{Value: s.values[int(p*float64(last))].value}
	case QuantileFloor:
		return Figure{Value: s.values[min(int(p*float64(last+1)), last)].value}
	}
	position := p * float64(last)
	below := int(position)
	low, high := float64(s.values[below].value), float64(s.values[min(below+1, last)].value)
	return figure(low + (position-float64(below))*(high-low))
}

// upTo is the first value up to which a share of the weight lies.
func (s *sample) upTo(share float64) time.Duration {
	sum := 0
	i := slices.IndexFunc(s.values, func(v weighted) bool {
		sum += v.weight
		return float64(sum) >= share*float64(s.weight)
	})
	return s.values[i].value
}
