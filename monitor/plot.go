package monitor

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Where things are in a plot, which is plotWidth by plotHeight.
const (
	plotWidth, plotHeight = 360, 190
	plotLeft, plotBase    = 6, 174 // the origin of the columns
	plotColumns           = 58
	columnWidth           = 6
	columnHeight          = 132 // of the highest
	tickLine              = plotHeight - 3
	markLine              = 9 // of the first quantile's label; each further one has a line of its own
	markStep              = 10
)

// plot is a distribution over a logarithmic axis of time.
type plot struct {
	Name  string
	Title string // all of it in words
	Area  string // its outline, in the words of an SVG path
	Ticks []plotLabel
	Marks []plotLabel
}

// plotLabel is text at a place in a plot.
type plotLabel struct {
	X, Y   int
	Anchor string // which end of the text is there
	Text   string
}

// plotOf draws a distribution; nil when it has no values.
func plotOf(name string, h *tpot.Histogram) *plot {
	if h.Count() == 0 {
		return nil
	}
	a := axisOf(h)
	p := &plot{Name: name, Title: fmt.Sprintf("%s of %s", name, plural(h.Count(), "value")), Area: a.area(h), Ticks: a.ticks()}
	for i, q := range []int{50, 95, 99} {
		d, _ := h.Quantile(float64(q) / 100)
		text := fmt.Sprintf("p%d %s", q, short(d))
		p.Title += ", " + text
		p.Marks = append(p.Marks, a.mark(d, markLine+i*markStep, text))
	}
	least, _ := h.Min()
	most, _ := h.Max()
	p.Title += fmt.Sprintf(", from %s to %s", short(least), short(most))
	return p
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// An axis lies between these; what is beyond is in its first or last column.
const (
	leastTime = 100 * time.Microsecond
	mostTime  = 1000 * time.Second
)

// axis is a logarithmic axis of time.
type axis struct {
	from, to    time.Duration
	below, over bool // there is something beyond the end
}

// axisOf is the axis from the round time below the values to the one above, a decade at least.
func axisOf(h *tpot.Histogram) axis {
	least, _ := h.Min()
	most, _ := h.Max()
	a := axis{from: leastTime, below: least < leastTime, over: most > mostTime}
	for next(a.from) <= min(least, mostTime/10) {
		a.from = next(a.from)
	}
	for a.to = 10 * a.from; a.to < min(most, mostTime); {
		a.to = next(a.to)
	}
	return a
}

// next is the round time after another: 1, 2, 5, 10 and so on.
func next(d time.Duration) time.Duration {
	decade := time.Duration(1)
	for decade*10 <= d {
		decade *= 10
	}
	if d/decade == 2 {
		return decade * 5
	}
	return d * 2
}

// along is how far along the axis a time is, from 0 to 1.
func (a axis) along(d float64) float64 {
	return math.Log(min(max(d/float64(a.from), 1), float64(a.to)/float64(a.from))) / math.Log(float64(a.to)/float64(a.from))
}

func (a axis) x(d time.Duration) int {
	return plotLeft + int(math.Round(plotColumns*columnWidth*a.along(float64(d))))
}

// ticks are the labels of the axis: its round times, or only powers of ten where these are many.
func (a axis) ticks() []plotLabel {
	const mostDecades = 2.5
	all := float64(a.to)/float64(a.from) < math.Pow(10, mostDecades)
	var ticks []plotLabel
	for d := a.from; d <= a.to; d = next(d) {
		if all || powerOfTen(d) {
			ticks = append(ticks, a.tick(d))
		}
	}
	return ticks
}

func powerOfTen(d time.Duration) bool {
	for ; d >= 10; d /= 10 {
		if d%10 != 0 {
			return false
		}
	}
	return d == 1
}

func (a axis) tick(d time.Duration) plotLabel {
	l := plotLabel{a.x(d), tickLine, "middle", d.String()}
	if d >= time.Minute {
		l.Text = strconv.Itoa(int(d/time.Second)) + "s"
	}
	switch {
	case d == a.from:
		l.X, l.Anchor = 0, "start"
	case d == a.to:
		l.X, l.Anchor = plotWidth, "end"
	}
	if d == a.from && a.below {
		l.Text = "≤" + l.Text
	}
	if d == a.to && a.over {
		l.Text = "≥" + l.Text
	}
	return l
}

// mark is the label of a quantile, on the side of it that has more room.
func (a axis) mark(d time.Duration, y int, text string) plotLabel {
	l := plotLabel{X: a.x(d), Y: y, Anchor: "start", Text: text}
	if l.X > plotWidth/2 {
		l.Anchor = "end"
	}
	return l
}

// area is the outline of the distribution. Each bucket is spread evenly over its width, so that no comb comes of buckets and columns
// that are about as wide.
func (a axis) area(h *tpot.Histogram) string {
	var columns [plotColumns]float64
	halfBucket := math.Pow(2, 1./38)
	for value, n := range h.Buckets() {
		from, to := plotColumns*a.along(float64(value)/halfBucket), plotColumns*a.along(float64(value)*halfBucket)
		spread(&columns, from, to, float64(n))
	}
	return outline(&columns)
}

// spread adds an amount to the columns between two places.
func spread(columns *[plotColumns]float64, from, to, amount float64) {
	for i := min(int(from), plotColumns-1); i < plotColumns && float64(i) <= to; i++ {
		part := 1.
		if to > from {
			part = (min(to, float64(i+1)) - max(from, float64(i))) / (to - from)
		}
		columns[i] += amount * part
	}
}

// outline is the path around the columns, of which the highest fills the plot and none that has something is invisible.
func outline(columns *[plotColumns]float64) string {
	highest := 0.
	for _, c := range columns {
		highest = max(highest, c)
	}
	path := fmt.Appendf(nil, "M%d %d", plotLeft, plotBase)
	at := plotBase
	for i, c := range columns {
		y := plotBase - int(math.Ceil(columnHeight*c/highest))
		if y != at {
			path = to(path, 'H', plotLeft+i*columnWidth)
			path = to(path, 'V', y)
			at = y
		}
	}
	path = to(path, 'H', plotLeft+plotColumns*columnWidth)
	return string(to(path, 'V', plotBase))
}
