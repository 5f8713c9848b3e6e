package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// deed is something that happens to a stream.
type deed func(*tpot.Recorder)

func begin(r *tpot.Recorder)   { r.BeginWait() }
func unbegin(r *tpot.Recorder) { r.EndWait() }
func claim(r *tpot.Recorder)   { r.Claim(1) }

func comes(k tpot.Kind) deed {
	return func(r *tpot.Recorder) { r.Observe(tpot.Event{Kind: k}) }
}

func passes(ms int) deed {
	return func(*tpot.Recorder) { time.Sleep(time.Duration(ms) * time.Millisecond) }
}

// streams are the rows of the streams in flight of a page.
func streams(t *testing.T, m *monitor.Monitor) shownTable {
	t.Helper()
	tables := tablesOf(section(t, get(t, m, "/"), "streams"))
	require.Len(t, tables, 1)
	return tables[0]
}

func TestTheStateOfAStreamInFlight(t *testing.T) {
	const text = tpot.KindText
	for name, c := range map[string]struct {
		deeds []deed
		state string
		wait  string
		ttft  string
	}{
		"the call is under way":              {[]deed{passes(40)}, "calling", "40.0ms", "–"},
		"an adapter has it and nobody reads": {[]deed{claim, passes(40)}, "calling", "–", "–"},
		"the first wait":                     {[]deed{claim, passes(40), begin, passes(10)}, "first token", "50.0ms", "–"},
		"the first wait, from the start":     {[]deed{begin, passes(10)}, "first token", "10.0ms", "–"},
		"a long first wait is no stall":      {[]deed{begin, passes(9000)}, "first token", "9.00s", "–"},
		"a ping in the first wait":           {[]deed{begin, passes(10), comes(tpot.KindPing), begin, passes(5)}, "first token", "15.0ms", "–"},
		"holding before the first chunk":     {[]deed{begin, passes(10), comes(tpot.KindPing), passes(5)}, "holding", "–", "–"},
		"a read that brought nothing yet":    {[]deed{begin, passes(10), unbegin, passes(5)}, "holding", "–", "–"},
		"holding a chunk":                    {[]deed{begin, passes(10), comes(text), passes(5000)}, "holding", "–", "10.0ms"},
		"waiting for the next":               {[]deed{begin, passes(10), comes(text), passes(5), begin, passes(499)}, "streaming", "499ms", "10.0ms"},
		"waiting for it for long":            {[]deed{begin, passes(10), comes(text), begin, passes(500)}, "stalled", "500ms", "10.0ms"},
		"a ping does not end a stall": {
			[]deed{begin, comes(text), begin, passes(400), comes(tpot.KindPing), begin, passes(300)}, "stalled", "700ms", "0s",
		},
		"nobody ever says that he waits":       {[]deed{passes(10), comes(text), passes(600)}, "stalled", "600ms", "10.0ms"},
		"complete, and the end is waited for":  {[]deed{begin, comes(text), begin, comes(tpot.KindDone), begin, passes(900)}, "ending", "–", "0s"},
		"failed, and the end is waited for":    {[]deed{begin, comes(tpot.KindError), begin, passes(900)}, "ending", "–", "–"},
		"complete, and nobody asks for an end": {[]deed{begin, comes(text), begin, comes(tpot.KindDone), passes(900)}, "holding", "–", "0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := monitor.New(monitor.Config{})
				_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
				began := time.Now()
				for _, do := range c.deeds {
					do(rec)
				}
				row := streams(t, m).rows[0]
				assert.Equal(t, c.state, row["State"])
				assert.Equal(t, c.wait, row["Open wait"])
				assert.Equal(t, c.ttft, row["TTFT"])
				assert.Equal(t, oneLine(time.Since(began)), row["So far"])
				rec.End(nil)
			})
		})
	}
}

func TestTokensSoFar(t *testing.T) {
	for name, c := range map[string]struct {
		events []tpot.Event
		want   string
	}{
		"none":              {nil, "–"},
		"a role":            {[]tpot.Event{{Kind: tpot.KindRole}}, "–"},
		"chunks, a guess":   {[]tpot.Event{{Kind: tpot.KindText}, {Kind: tpot.KindText}}, "≈2"},
		"counted":           {[]tpot.Event{{Kind: tpot.KindText, Tokens: 3}, {Kind: tpot.KindText, Tokens: 4}}, "7"},
		"counted in part":   {[]tpot.Event{{Kind: tpot.KindText, Tokens: 3}, {Kind: tpot.KindText}}, "≈2"},
		"reported as it is": {[]tpot.Event{{Kind: tpot.KindText}, {Kind: tpot.KindUsage, Usage: tpot.Usage{Output: 9}}}, "9"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := monitor.New(monitor.Config{})
				_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
				for _, e := range c.events {
					rec.Observe(e)
				}
				assert.Equal(t, c.want, streams(t, m).rows[0]["Tokens"])
				rec.End(nil)
				assert.Equal(t, c.want, tablesOf(section(t, get(t, m, "/"), "recent"))[0].rows[0]["Tokens"])
			})
		})
	}
}

// A stream that names its model where the request did not is shown, and finished, under that.
func TestAStreamIsShownUnderTheModelThatAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{Provider: "p", Scenario: "chat"})
		assert.Equal(t, []string{"– p chat"}, streams(t, m).names)
		rec.Observe(tpot.Event{Kind: tpot.KindRole, Model: "answering"})
		assert.Equal(t, []string{"answering p chat"}, streams(t, m).names)
		rec.End(nil)
		assert.Equal(t, []string{"answering p chat"}, tablesOf(section(t, get(t, m, "/"), "recent"))[0].names)
	})
}

func TestTheLongestWaitsAreShownFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{Keys: 1000})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		var all []*tpot.Recorder
		start := func(model string) *tpot.Recorder {
			_, rec := tracker.Start(t.Context(), tpot.Request{Model: model})
			all = append(all, rec)
			return rec
		}
		holding := start("holding")
		holding.Observe(tpot.Event{Kind: tpot.KindPing})
		holding.BeginWait()
		holding.Observe(tpot.Event{Kind: tpot.KindText})
		gap := start("gap")
		gap.Observe(tpot.Event{Kind: tpot.KindText})
		time.Sleep(time.Second)
		start("first")
		time.Sleep(time.Second)
		for i := range 497 {
			start(fmt.Sprint("at once ", i))
		}
		time.Sleep(time.Second)
		gap.Observe(tpot.Event{Kind: tpot.KindText})
		time.Sleep(1500 * time.Millisecond)

		shown := streams(t, m)
		require.Len(t, shown.names, 500)
		assert.Contains(t, get(t, m, "/"), `class="alert"`)
		assert.Equal(t, []string{"first – –", "at once 0 – –", "at once 1 – –"}, shown.names[:3], "the older of equals first")
		assert.Equal(t, []string{"at once 496 – –", "gap – –", "holding – –"}, shown.names[497:])
		assert.NotContains(t, get(t, m, "/"), "more; those with")

		start("new")
		start("newer")
		time.Sleep(500 * time.Millisecond)
		shown = streams(t, m)
		require.Len(t, shown.names, 500)
		assert.Equal(t, []string{"gap – –", "new – –"}, shown.names[498:], "what is beyond has the shortest waits")
		assert.Equal(t, []string{"2.00s", "500ms"}, []string{shown.rows[498]["Open wait"], shown.rows[499]["Open wait"]})
		page := get(t, m, "/")
		assert.Contains(t, page, "and 2 more; those with the longest open wait are shown")
		assert.Contains(t, page, "<dt>in flight</dt><dd>502</dd>")
		assert.Contains(t, page, "<dt>stalled now</dt><dd>1</dd>")
		assert.Contains(t, page, "<dt>longest wait now</dt><dd>"+shown.rows[0]["Open wait"]+"</dd>")
		for _, rec := range all {
			rec.End(nil)
		}
		assert.Contains(t, get(t, m, "/"), "<dt>in flight</dt><dd>0</dd>")
	})
}

// Seats on the roster are given again, and waits can be as long as others, or not open at all.
func TestTheOrderOfEqualWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		start := func(model string, deeds ...deed) *tpot.Recorder {
			_, rec := tracker.Start(t.Context(), tpot.Request{Model: model})
			for _, do := range deeds {
				do(rec)
			}
			return rec
		}
		gone := start("gone")
		older := start("older", begin, comes(tpot.KindText))
		gone.End(nil)
		time.Sleep(time.Second)
		newer := start("newer", begin, comes(tpot.KindText))
		begun := start("begun")
		assert.Equal(t, []string{"begun – –", "older – –", "newer – –"}, streams(t, m).names, "a wait of no time is open all the same")
		assert.NotContains(t, get(t, m, "/"), `class="alert"`)
		for _, rec := range []*tpot.Recorder{older, newer, begun} {
			rec.End(nil)
		}
	})
}

func TestRecentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		ends := func(model string, err error, deeds ...deed) {
			_, rec := tracker.Start(t.Context(), tpot.Request{Provider: "p", Model: model, Scenario: "s"})
			for _, do := range deeds {
				do(rec)
			}
			rec.End(err)
		}
		began := time.Now()
		text := comes(tpot.KindText)
		ends("good", nil, begin, passes(100), text, begin, passes(700), text, begin, passes(20), text, passes(80))
		ends("left", tpot.EarlyClose, begin, passes(100), text)
		ends("refused", errors.New("no"), passes(30))
		ends("late", context.DeadlineExceeded, begin, passes(30))

		shown := tablesOf(section(t, get(t, m, "/"), "recent"))[0]
		assert.Equal(t, []string{"late p s", "refused p s", "left p s", "good p s"}, shown.names)
		at := func(ms int) string { return began.Add(time.Duration(ms) * time.Millisecond).Format("15:04:05.000") }
		row := func(started int, outcome, ttft, tpot, e2e, tokens, stalls, course string) map[string]string {
			return map[string]string{
				"Started": at(started), "Outcome": outcome, "TTFT": ttft, "TPOT": tpot, "E2E": e2e, "Tokens": tokens,
				"Stalls (longest)": stalls, "Course": course,
			}
		}
		assert.Equal(t, []map[string]string{
			row(1030, "timeout context", "–", "–", "30.0ms", "–", "–", "no gaps"),
			row(1000, "failed error from stream *errors.errorString", "–", "–", "30.0ms", "–", "–", "no gaps"),
			row(900, "canceled early close", "100ms", "–", "100ms", "≈1", "0", "no gaps"),
			row(0, "ok", "100ms", "360ms", "900ms", "≈3", "1 (700ms)", "longest gap 700ms"),
		}, shown.rows)
	})
}

func TestOnlyTheLastHundredAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{Keys: 1000})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		for i := range 103 {
			_, rec := tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint(i)})
			rec.End(nil)
		}
		recent := section(t, get(t, m, "/"), "recent")
		names := tablesOf(recent)[0].names
		require.Len(t, names, 100)
		assert.Equal(t, "102 – –", names[0])
		assert.Equal(t, "3 – –", names[99])
		for i := range 100 {
			assert.Contains(t, recent, fmt.Sprintf(`<tr data-k="%d">`, i+3), "by which the page knows it again")
		}
	})
}
