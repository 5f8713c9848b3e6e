package monitor_test

import (
	"fmt"
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

var commandPattern = regexp.MustCompile(`([MHV])(\d+)(?: (\d+))?`)

// heights is how high above the base the area of a path is, at the middle of each column.
func heights(t *testing.T, path string, columns, base int) []int {
	t.Helper()
	high := make([]int, columns)
	x, y := 0, base
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err, path)
		return n
	}
	for _, c := range commandPattern.FindAllStringSubmatch(path, -1) {
		switch c[1] {
		case "M":
			require.Equal(t, base, y, "an outline that was not closed: %s", path)
			x, y = number(c[2]), number(c[3])
		case "V":
			y = number(c[2])
		case "H":
			for ; x < number(c[2]); x++ {
				high[x] = base - y
			}
		}
	}
	require.Equal(t, base, y, path)
	return high
}

var stripPattern = regexp.MustCompile(`(?s)<svg class="strip".*?</svg>`)
var pathPattern = regexp.MustCompile(`<path class="k(\d)" d="([^"]*)"/>`)

// mark is what a column of a strip shows.
type mark struct {
	kind   string
	height int
}

// strips are the strips of a part of a page, column by column. No column may show two things.
func strips(t *testing.T, markup string) [][]mark {
	t.Helper()
	kinds := map[string]string{"1": "quiet", "2": "gap", "3": "freeze", "4": "open"}
	var all [][]mark
	for _, svg := range stripPattern.FindAllString(markup, -1) {
		columns := make([]mark, 240)
		for _, path := range pathPattern.FindAllStringSubmatch(svg, -1) {
			for x, h := range heights(t, path[2], 240, 20) {
				if h > 0 {
					require.Empty(t, columns[x].kind, "column %d", x)
					columns[x] = mark{kinds[path[1]], h}
				}
			}
		}
		all = append(all, columns)
	}
	return all
}

// height is that of a gap: 1 at 1 ms and less, 20 at 10 s and more, and logarithmic between.
func height(gap time.Duration) int {
	return 1 + int(math.Round(19*min(max(math.Log10(gap.Seconds()*1000)/4, 0), 1)))
}

// part is a stretch of time of a strip.
type part struct {
	from, to time.Duration
	mark     mark
}

// assertStrip holds the columns of a strip against what is to be seen when. Where two parts meet the earlier or the later may be seen, for
// the length of a step of the course to either side.
func assertStrip(t *testing.T, total, step time.Duration, parts []part, columns []mark) {
	t.Helper()
	for _, p := range parts {
		seen := 0
		for x, c := range columns {
			from, to := total*time.Duration(x)/240, total*time.Duration(x+1)/240
			if from >= p.from+step && to <= p.to-step {
				assert.Equal(t, p.mark, c, "column %d, from %v to %v", x, from, to)
				seen++
			}
		}
		assert.Positive(t, seen, "nothing to be seen of %v", p)
	}
}

// play makes a stream of a wait, and of chunks after gaps.
func play(rec *tpot.Recorder, first time.Duration, gaps ...time.Duration) {
	rec.BeginWait()
	time.Sleep(first)
	rec.Observe(tpot.Event{Kind: tpot.KindText})
	for _, gap := range gaps {
		rec.BeginWait()
		time.Sleep(gap)
		rec.Observe(tpot.Event{Kind: tpot.KindText})
	}
}

func repeat(gap time.Duration, n int) []time.Duration {
	gaps := make([]time.Duration, n)
	for i := range gaps {
		gaps[i] = gap
	}
	return gaps
}

func TestTheStripOfARequest(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	const step = 1 << 27 // ns: 48 of these are the first to cover the 6 s of gaps
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		_, rec := tracker.Start(t.Context(), tpot.Request{})
		play(rec, 2*s, append(append(repeat(40*ms, 50), 2*s), repeat(100*ms, 20)...)...) // gaps of 2, 2 and 2 s
		parts := []part{
			{0, 2 * s, mark{"quiet", 3}},
			{2 * s, 4 * s, mark{"gap", height(40 * ms)}},
			{4 * s, 6 * s, mark{"freeze", height(2 * s)}},
			{6 * s, 8 * s, mark{"gap", height(100 * ms)}},
		}
		shown := strips(t, section(t, get(t, m, "/"), "streams"))
		require.Len(t, shown, 1)
		assertStrip(t, 8*s, step, parts, shown[0])

		time.Sleep(2 * s) // the consumer holds
		shown = strips(t, section(t, get(t, m, "/"), "streams"))
		assertStrip(t, 10*s, step, append(parts, part{8 * s, 10 * s, mark{"quiet", 3}}), shown[0])

		rec.BeginWait()
		time.Sleep(6 * s)
		waits := append(parts, part{8 * s, 10 * s, mark{"quiet", 3}}, part{10 * s, 16 * s, mark{"open", height(6 * s)}})
		shown = strips(t, section(t, get(t, m, "/"), "streams"))
		assertStrip(t, 16*s, step, waits, shown[0])
		assert.Equal(t, mark{"open", height(6 * s)}, shown[0][239], "up to the end")
		time.Sleep(4 * s)
		waits[5] = part{10 * s, 20 * s, mark{"open", height(10 * s)}}
		assertStrip(t, 20*s, step, waits, strips(t, section(t, get(t, m, "/"), "streams"))[0])

		rec.End(nil)
		shown = strips(t, section(t, get(t, m, "/"), "recent"))
		require.Len(t, shown, 1)
		assertStrip(t, 20*s, step, append(parts, part{8 * s, 20 * s, mark{"quiet", 3}}), shown[0])
	})
}

func TestTheStripOfARequestWithoutAChunk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
		for _, columns := range strips(t, get(t, m, "/")) {
			assert.Equal(t, make([]mark, 240), columns, "no time has passed")
		}
		time.Sleep(30 * time.Second)
		all := func(m mark) []mark {
			columns := make([]mark, 240)
			for i := range columns {
				columns[i] = m
			}
			return columns
		}
		assert.Equal(t, all(mark{"open", 3}), strips(t, get(t, m, "/"))[0], "it is no gap that is open")
		rec.End(nil)
		assert.Equal(t, all(mark{"quiet", 3}), strips(t, get(t, m, "/"))[0])
	})
}

// A stream that was dropped has no end: its strip goes up to its last chunk.
func TestTheStripOfAnAbandonedRequest(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
		play(rec, 1000*ms, repeat(100*ms, 10)...)
		time.Sleep(time.Hour)
		rec.End(tpot.Abandoned)
		shown := strips(t, section(t, get(t, m, "/"), "recent"))
		require.Len(t, shown, 1)
		assertStrip(t, 2000*ms, 1<<25, []part{
			{0, 1000 * ms, mark{"quiet", 3}}, {1000 * ms, 2000 * ms, mark{"gap", height(100 * ms)}},
		}, shown[0])
	})
}

// What is far too short for a column of its own is seen all the same, and of several things in a column the worst.
func TestAFreezeIsSeenHoweverShortItIs(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		gaps []time.Duration
		want mark
	}{
		"a gap":                        {[]time.Duration{400 * ms}, mark{"gap", height(400 * ms)}},
		"a gap after a shorter one":    {[]time.Duration{50 * ms, 400 * ms}, mark{"gap", height(400 * ms)}},
		"a gap before a shorter one":   {[]time.Duration{400 * ms, 50 * ms}, mark{"gap", height(400 * ms)}},
		"a freeze":                     {[]time.Duration{500 * ms}, mark{"freeze", height(500 * ms)}},
		"a freeze after a gap":         {[]time.Duration{ms, 500 * ms}, mark{"freeze", height(500 * ms)}},
		"a freeze before a gap":        {[]time.Duration{500 * ms, ms}, mark{"freeze", height(500 * ms)}},
		"a freeze before a longer one": {[]time.Duration{500 * ms, 5000 * ms}, mark{"freeze", height(5000 * ms)}},
	} {
		for where, hold := range map[string]time.Duration{"at the end": 0, "in the middle": time.Hour} {
			t.Run(name+" "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := monitor.New(monitor.Config{})
					_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
					play(rec, time.Hour, c.gaps...)
					time.Sleep(hold)
					rec.End(nil)
					var seen []mark
					for _, column := range strips(t, section(t, get(t, m, "/"), "recent"))[0] {
						if column != (mark{"quiet", 3}) {
							seen = append(seen, column)
						}
					}
					assert.Equal(t, []mark{c.want}, seen)
				})
			})
		}
	}
}

func TestStripsOfOffsetsThatAreGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		for _, at := range []time.Duration{0, 1, time.Hour, math.MaxInt64 / 2, math.MaxInt64} { // ahead of the clock
			for _, end := range []time.Duration{0, 1, math.MaxInt64} {
				_, rec := tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint(at, end)})
				rec.ObserveAt(at, tpot.Event{Kind: tpot.KindText})
				strips(t, get(t, m, "/"))
				rec.ObserveAt(at+at/2, tpot.Event{Kind: tpot.KindText})
				strips(t, get(t, m, "/"))
				rec.EndAt(end, nil)
				strips(t, get(t, m, "/"))
			}
		}
	})
}
