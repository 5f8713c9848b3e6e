package monitor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// counts is the number of requests and of those in flight by model.
func counts(m *monitor.Monitor) map[string][2]int {
	by := map[string][2]int{}
	for _, row := range m.Snapshot() {
		by[row.Model] = [2]int{row.Requests, row.InFlight}
	}
	return by
}

func model(name string) tpot.Request { return tpot.Request{Model: name} }

func TestRequestsBeyondTheKeysAreTogether(t *testing.T) {
	inBubble(t, monitor.Config{Keys: 2}, func(t *testing.T, b *bench) {
		for _, name := range []string{"a", "b", "c", "d", "a"} {
			b.requestsOf(1, ms, model(name))
		}
		_, open := b.tracker.Start(t.Context(), model("e"))
		assert.Equal(t, map[string][2]int{"a": {2, 0}, "b": {1, 0}, monitor.Other: {2, 1}}, counts(b.Monitor))
		for _, row := range b.Snapshot() {
			if row.Model == monitor.Other {
				assert.Equal(t, monitor.Key{Provider: monitor.Other, Model: monitor.Other, Scenario: monitor.Other}, row.Key)
			}
		}
		open.End(nil)
		assert.Equal(t, map[string][2]int{"a": {2, 0}, "b": {1, 0}, monitor.Other: {3, 0}}, counts(b.Monitor))
	})
}

func TestAKeyWithoutRequestsMakesRoom(t *testing.T) {
	inBubble(t, monitor.Config{Keys: 2}, func(t *testing.T, b *bench) {
		b.until(0.5)
		b.requestsOf(1, ms, model("gone")) // until 13
		_, open := b.tracker.Start(t.Context(), model("open"))
		b.until(12.5)
		b.requestsOf(1, ms, model("early"))
		assert.Equal(t, map[string][2]int{"gone": {1, 0}, "open": {0, 1}, monitor.Other: {1, 0}}, counts(b.Monitor))
		b.until(13.5)
		b.requestsOf(1, ms, model("late"))
		assert.Equal(t, map[string][2]int{"late": {1, 0}, "open": {0, 1}, monitor.Other: {1, 0}}, counts(b.Monitor))
		open.End(nil)
		b.until(60)
		assert.Empty(t, counts(b.Monitor))
	})
}

func TestTheModelThatAnsweredIsTheKeyOfARequestThatNamedNone(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		for _, asked := range []string{"", "asked"} {
			_, rec := b.tracker.Start(t.Context(), model(asked))
			rec.ObserveAt(ms, tpot.Event{Kind: tpot.KindText, Model: "answered"})
			rec.End(nil)
		}
		assert.Equal(t, map[string][2]int{"answered": {1, 0}, "asked": {1, 0}}, counts(b.Monitor))
	})
}

// Until its answer names a model a request has a key without one, which takes no room from those that have requests.
func TestAModelThatIsNamedByItsAnswersOnlyHasRoom(t *testing.T) {
	inBubble(t, monitor.Config{Keys: 1}, func(t *testing.T, b *bench) {
		for range 3 {
			_, rec := b.tracker.Start(t.Context(), tpot.Request{})
			rec.ObserveAt(ms, tpot.Event{Kind: tpot.KindText, Model: "answered"})
			rec.End(nil)
		}
		assert.Equal(t, map[string][2]int{"answered": {3, 0}}, counts(b.Monitor))
	})
}

func TestNamesAreCutAndKeptApartFromTheRequest(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		body := "a" + strings.Repeat("é", 1000)
		b.requestsOf(1, ms, model(body))
		b.requestsOf(1, ms, model(body[:21]))
		rows := b.Snapshot()
		require.Len(t, rows, 2)
		assert.Equal(t, []string{body[:21], body[:255]}, []string{rows[0].Model, rows[1].Model}, "half a letter is none")
		for _, row := range rows {
			from, at := uintptr(unsafe.Pointer(unsafe.StringData(body))), uintptr(unsafe.Pointer(unsafe.StringData(row.Model)))
			assert.False(t, at >= from && at < from+uintptr(len(body)), "the row holds on to the request's memory")
		}
	})
}

// The load is that of a model, whatever its requests are for.
func TestLoadsAreSharedByScenarios(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var open []*tpot.Recorder
		for i := range 5 { // five at once for a second, one of which goes on alone for three
			_, rec := b.tracker.Start(t.Context(), tpot.Request{Model: "m", Scenario: fmt.Sprint(i)})
			open = append(open, rec)
		}
		_, other := b.tracker.Start(t.Context(), model("another model"))
		b.until(1)
		for _, rec := range open[1:] {
			rec.ObserveAt(100*ms, tpot.Event{Kind: tpot.KindReasoning})
			rec.ObserveAt(200*ms, tpot.Event{Kind: tpot.KindText})
			rec.End(nil)
		}
		b.until(4)
		open[0].End(nil)
		other.End(nil)
		for _, row := range b.Snapshot() {
			concurrency, _ := row.Concurrency()
			loads := row.Loads()
			require.Len(t, loads, 1)
			tpot, ok := loads[0].MeanTPOT()
			switch {
			case row.Model != "m":
				assert.Equal(t, 1.0, concurrency)
				assert.Equal(t, []int{1, 1}, []int{loads[0].From, loads[0].To})
			case row.Scenario == "0": // 5 during a second and 1 during three
				assert.Equal(t, 2.0, concurrency)
				assert.Equal(t, []int{2, 2}, []int{loads[0].From, loads[0].To})
				assert.False(t, ok)
			default:
				assert.Equal(t, 5.0, concurrency)
				assert.Equal(t, []int{5, 8}, []int{loads[0].From, loads[0].To})
				assert.Equal(t, 100*ms, tpot)
				ttft, _ := loads[0].MeanTTFT()
				assert.Equal(t, 100*ms, ttft)
			}
		}
	})
}

// A request that takes no time has those beside it that are there at the time.
func TestTheLoadOfARequestThatTakesNoTime(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		b.stream("another")
		b.until(1)
		b.stream("another")
		b.requests(1, ms)
		concurrency, ok := b.Snapshot()[0].Concurrency()
		assert.True(t, ok)
		assert.Equal(t, 3.0, concurrency)
	})
}

// Means of a load are to the nearest nanosecond, over the steps of the window, too.
func TestMeansOfALoad(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		for i, want := range []time.Duration{10, 11, 11, 11} { // of 10, 11, 12 and 11: 10, 10.5, 11, 11
			b.requests(1, []time.Duration{10, 11, 12, 11}[i])
			mean, ok := b.Snapshot()[0].Loads()[0].MeanTTFT()
			assert.True(t, ok)
			assert.Equal(t, want, mean)
			b.until(float64(i))
		}
	})
}

func TestCallbacksMayUseTheMonitor(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := make(chan int, 2)
		use := func() {
			b.requests(1, ms)
			calls <- len(b.Snapshot())
		}
		b.Watch(monitor.Rule{Figure: (*monitor.Row).RequestsPerMinute}, func(monitor.Breach) { use() })
		b.WatchStalls(limits, func(monitor.Stall) { use() })
		b.stream("").Observe(textEvent)
		b.requests(1, ms)
		b.until(3)
		assert.Len(t, calls, 2)
	})
}
