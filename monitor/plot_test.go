package monitor_test

import (
	"html"
	"math"
	"regexp"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

var (
	plotPattern = regexp.MustCompile(`(?s)<figure><figcaption>(.*?)</figcaption>` +
		`<svg class="plot".*?<title>(.*?)</title><path class="k2" d="([^"]*)"/>(.*?)</svg>`)
	linePattern = regexp.MustCompile(`<path class="mark" d="M(\d+) (\d+)V174"/><text[^>]*>([^<]*)</text>`)
	tickPattern = regexp.MustCompile(`<text class="tick" x="(\d+)"[^>]*>([^<]*)</text>`)
)

// drawn is a plot as it is seen.
type drawn struct {
	title   string
	columns []int             // the heights of its 58 columns
	ticks   []string          // of the axis, from left to right
	marks   map[string]int    // where the quantiles are
	texts   map[string]string // and what is written there
}

// plotOf is the plot with a name among those of a page.
func plotOf(t *testing.T, page, name string) drawn {
	t.Helper()
	for _, p := range plotPattern.FindAllStringSubmatch(page, -1) {
		if p[1] != name {
			continue
		}
		d := drawn{title: html.UnescapeString(p[2]), marks: map[string]int{}, texts: map[string]string{}}
		high := heights(t, p[3], 360, 174)
		for x := 6; x < 6+58*6; x += 6 {
			d.columns = append(d.columns, high[x+3])
		}
		for _, m := range linePattern.FindAllStringSubmatch(p[4], -1) {
			quantile := m[3][:3]
			d.marks[quantile], _ = strconv.Atoi(m[1])
			d.texts[quantile] = m[3]
		}
		for _, tick := range tickPattern.FindAllStringSubmatch(p[4], -1) {
			d.ticks = append(d.ticks, tick[2])
		}
		return d
	}
	require.Fail(t, "no plot of "+name)
	return drawn{}
}

// plotOfTTFTs is the plot of requests that have these times to first token.
func plotOfTTFTs(t *testing.T, ttfts ...time.Duration) (d drawn) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		for _, ttft := range ttfts {
			_, rec := tracker.Start(t.Context(), tpot.Request{})
			rec.ObserveAt(ttft, tpot.Event{Kind: tpot.KindText})
			rec.EndAt(ttft, nil)
		}
		d = plotOf(t, get(t, m, "/"), "TTFT")
	})
	return d
}

func TestTheAxisOfAPlot(t *testing.T) {
	const us, ms, s = time.Microsecond, time.Millisecond, time.Second
	for name, c := range map[string]struct {
		ttfts []time.Duration
		ticks []string
	}{
		"a decade at least":        {[]time.Duration{30 * ms}, []string{"20ms", "50ms", "100ms", "200ms"}},
		"from and to round times":  {[]time.Duration{20 * ms, 200 * ms}, []string{"20ms", "50ms", "100ms", "200ms"}},
		"more than a decade":       {[]time.Duration{19 * ms, 201 * ms}, []string{"10ms", "20ms", "50ms", "100ms", "200ms", "500ms"}},
		"many decades":             {[]time.Duration{1 * ms, 2 * s}, []string{"1ms", "10ms", "100ms", "1s"}},
		"as short as the axis":     {[]time.Duration{100 * us}, []string{"100µs", "200µs", "500µs", "1ms"}},
		"as long as the axis":      {[]time.Duration{1000 * s}, []string{"100s", "200s", "500s", "1000s"}},
		"shorter than the axis":    {[]time.Duration{0, 5 * us}, []string{"≤100µs", "200µs", "500µs", "1ms"}},
		"a minute and more":        {[]time.Duration{70 * s}, []string{"50s", "100s", "200s", "500s"}},
		"longer than the axis":     {[]time.Duration{2000 * s}, []string{"100s", "200s", "500s", "≥1000s"}},
		"as long as a time can be": {[]time.Duration{math.MaxInt64}, []string{"100s", "200s", "500s", "≥1000s"}},
		"beyond the axis on any side": {
			[]time.Duration{1, 100 * time.Hour}, []string{"≤100µs", "1ms", "10ms", "100ms", "1s", "10s", "100s", "≥1000s"},
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.ticks, plotOfTTFTs(t, c.ttfts...).ticks) })
	}
}

func TestThePlotOfADistribution(t *testing.T) {
	const ms = time.Millisecond
	// The axis goes from 10 ms to 1 s, 29 columns a decade.
	var ttfts []time.Duration
	add := func(d time.Duration, n int) {
		for range n {
			ttfts = append(ttfts, d)
		}
	}
	add(10*ms, 1)
	add(100*ms, 900)
	add(400*ms, 98)
	add(1000*ms, 1)
	d := plotOfTTFTs(t, ttfts...)
	assert.Equal(t, []string{"10ms", "20ms", "50ms", "100ms", "200ms", "500ms", "1s"}, d.ticks)
	column := func(d time.Duration) int { return min(int(29*math.Log10(d.Seconds()*100)), 57) }
	near := map[int]bool{}
	sum := 0
	for _, at := range []time.Duration{10 * ms, 100 * ms, 400 * ms, 1000 * ms} {
		c := column(at)
		for i := max(c-1, 0); i <= min(c+1, 57); i++ {
			near[i] = true
			sum += d.columns[i]
		}
		assert.Positive(t, d.columns[c], "something is there at %v, be it one of a thousand", at)
	}
	highest := 0
	for i, h := range d.columns {
		highest = max(highest, h)
		if !near[i] {
			assert.Zero(t, h, "nothing is there in column %d", i)
		}
	}
	assert.Equal(t, 132, highest, "the highest column fills the plot")
	at100 := d.columns[28] + d.columns[29] + d.columns[30]
	assert.InDelta(t, 0.9, float64(at100)/float64(sum), 0.02, "areas are as the numbers of values, but for rounding up")

	x := func(d time.Duration) int { return 6 + int(math.Round(348*math.Log10(d.Seconds()*100)/2)) }
	assert.InDelta(t, x(100*ms), d.marks["p50"], 2, "a bucket's middle is within 2 % of 100 ms")
	assert.InDelta(t, x(400*ms), d.marks["p95"], 2)
	assert.Regexp(t, `^p50 (9[89]\.\d|10[0-2])ms$`, d.texts["p50"])
	assert.Regexp(t, `^TTFT of 1000 values, p50 [\d.]+ms, p95 [\d.]+ms, p99 [\d.]+ms, from 10\.0ms to 1\.00s$`, d.title)
}

func TestThePlotOfOneValue(t *testing.T) {
	d := plotOfTTFTs(t, 100*time.Millisecond)
	assert.Equal(t, []string{"100ms", "200ms", "500ms", "1s"}, d.ticks)
	assert.Equal(t, 132, d.columns[0])
	assert.Equal(t, map[string]int{"p50": 6, "p95": 6, "p99": 6}, d.marks)
	assert.Equal(t, "TTFT of 1 value, p50 100ms, p95 100ms, p99 100ms, from 100ms to 100ms", d.title)
}

func TestAKeyWithoutFiguresHasNoPlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
		rec.End(nil)
		assert.NotContains(t, get(t, m, "/"), "<figure>")
		assert.Contains(t, get(t, m, "/"), "Distributions")
	})
}
