package assets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// queries makes PromQL over the metrics of one [Variant]. Its methods give aggregations, which bind more tightly than any operator,
// unless they say otherwise.
type queries struct {
	names    names
	native   bool
	matchers []string // of labels, which every selector has
	window   string   // of rates
	ago      string   // how long before the moment of evaluation the window ends; empty: at it
}

func newQueries(v Variant, window string) (queries, error) {
	n, err := newNames(v.Suffixes)
	return queries{names: n, native: v.Native, window: window}, err
}

// where is q with further matchers.
func (q queries) where(matchers ...string) queries {
	q.matchers = append(slices.Clip(q.matchers), matchers...)
	return q
}

// over is q with another window.
func (q queries) over(window string) queries {
	q.window = window
	return q
}

// before is q with a window that ended some time ago.
func (q queries) before(ago string) queries {
	q.ago = ago
	return q
}

// perSecond is the rate of a counter by the labels.
func (q queries) perSecond(counter metric, by ...string) string {
	return sum(q.ranged("rate", q.names[counter]), by)
}

// increase is what a counter grew by in the window.
func (q queries) increase(counter metric, by ...string) string {
	return sum(q.ranged("increase", q.names[counter]), by)
}

// level is the present value of an up-down counter.
func (q queries) level(gauge metric, by ...string) string {
	return sum(q.selector(q.names[gauge]), by)
}

// quantile is a quantile of a histogram: of all that was observed in the window, whoever observed it. It is a comparison, since
// without observations a quantile is NaN, and one that is NaN is to be absent.
func (q queries) quantile(p percentile, histogram metric, by ...string) string {
	return fmt.Sprintf("histogram_quantile(%s, %s) >= 0", p.fraction(), q.distribution("rate", histogram, by))
}

// distribution is a histogram itself: in classic ones a series for each bucket.
func (q queries) distribution(function string, histogram metric, by []string) string {
	if q.native {
		return sum(q.ranged(function, q.names[histogram]), by)
	}
	return sum(q.ranged(function, q.names[histogram]+"_bucket"), append([]string{"le"}, by...))
}

// observations is how many values a histogram observed per second.
func (q queries) observations(histogram metric, by ...string) string {
	if q.native {
		return "histogram_count(" + sum(q.ranged("rate", q.names[histogram]), by) + ")"
	}
	return sum(q.ranged("rate", q.names[histogram]+"_count"), by)
}

// total is the sum of the values that a histogram observed per second.
func (q queries) total(histogram metric, by ...string) string {
	if q.native {
		return "histogram_sum(" + sum(q.ranged("rate", q.names[histogram]), by) + ")"
	}
	return sum(q.ranged("rate", q.names[histogram]+"_sum"), by)
}

func (q queries) ranged(function, name string) string {
	expr := function + "(" + q.selector(name) + "[" + q.window + "]"
	if q.ago != "" {
		expr += " offset " + q.ago
	}
	return expr + ")"
}

func (q queries) selector(name string) string {
	if len(q.matchers) == 0 {
		return name
	}
	return name + "{" + strings.Join(q.matchers, ", ") + "}"
}

func sum(expr string, by []string) string {
	if len(by) == 0 {
		return "sum(" + expr + ")"
	}
	return "sum by (" + strings.Join(by, ", ") + ") (" + expr + ")"
}

// ratio is a part of a whole, absent where there is no whole. It is a division.
func ratio(part, whole string) string {
	return part + "\n/\n(" + whole + " > 0)"
}

// share is a ratio whose part has one label more than the whole.
func share(part, whole, label string) string {
	return part + "\n/ ignoring (" + label + ") group_left ()\n(" + whole + " > 0)"
}

// orElse is the first expression, and the second for the labels that the first has no value for.
func orElse(first, second string) string {
	return first + "\nor\n" + second
}

// percentile is a quantile in hundredths.
type percentile int

func (p percentile) String() string { return "p" + strconv.Itoa(int(p)) }

func (p percentile) fraction() string { return strconv.FormatFloat(float64(p)/100, 'g', -1, 64) }
