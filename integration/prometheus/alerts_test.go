package prometheus

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/rules"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
)

// consequence is what a fault does to alerts.
type consequence struct {
	alerts []string // that are there for the fault
	also   []string // that may fire as well, as what they watch suffers too
}

// Every alert is there for a fault, and every fault has an alert.
var consequences = map[traffic.Fault]consequence{
	traffic.SlowTokens: {[]string{"TokenTimingSlowTokens"}, burnRates},
	traffic.SlowStart:  {[]string{"TokenTimingSlowStart"}, burnRates},
	traffic.Freezes:    {[]string{"TokenTimingStalls", "TokenTimingSlowInterToken"}, append([]string{"TokenTimingSlowTokens"}, burnRates...)},
	traffic.NoTokens:   {[]string{"TokenTimingNoFirstToken"}, burnRates},
	traffic.Cancels:    {[]string{"TokenTimingCancels"}, nil},
	traffic.Errors:     {burnRates, nil},
}

var burnRates = []string{"TokenTimingBurnRate", "TokenTimingBurnRateSlow"}

// Within these times the alerts of a fault fire, and all alerts clear when it is over.
const (
	firesWithin  = 30 * time.Minute
	clearsWithin = 45 * time.Minute
)

// coarse is three times the interval that the example has. At that one the eight hours of this test take four times as long.
const coarse = 15 * time.Second

func TestEveryAlertFiresAndClears(t *testing.T) {
	eachVariant(t, setting{interval: coarse}, func(e *example) {
		require.ElementsMatch(e, e.allAlerts(), knownAlerts(), "alerts of the rules and of this test")
		for range 90 * time.Minute / e.scrapes() {
			require.Empty(e, e.nextFiring(), "in healthy traffic")
		}
		w := e.table("fault", "alert", "fires after", "clears after")
		defer w.Flush()
		for _, fault := range traffic.Faults() {
			e.tryFault(w, fault)
		}
		for _, annotation := range e.dashboard.Annotations.List {
			assert.NotEmpty(e, e.graph(annotation.Target), "annotation of the dashboard")
		}
	})
}

func knownAlerts() []string {
	known := make(map[string]bool)
	for _, c := range consequences {
		for _, alert := range c.alerts {
			known[alert] = true
		}
	}
	return slices.Collect(maps.Keys(known))
}

func (e *example) allAlerts() []string {
	return slices.Concat(e.Alerts(rules.StateUnknown), e.Alerts(rules.StateInactive))
}

// tryFault switches a fault on until its alerts fire, and off until none does.
func (e *example) tryFault(w io.Writer, fault traffic.Fault) {
	seen, want := make(episodes), consequences[fault]
	on := time.Now()
	e.traffic.Set(fault, true)
	for !seen.all(want.alerts) && time.Since(on) < firesWithin {
		seen.note(e.nextFiring())
	}
	off := time.Now()
	e.traffic.Set(fault, false)
	for seen.anyFiring() && time.Since(off) < clearsWithin {
		seen.note(e.nextFiring())
	}
	assert.True(e, seen.all(want.alerts), "%s: not all of %v fired", fault, want.alerts)
	assert.False(e, seen.anyFiring(), "%s: something fires long after", fault)
	for _, alert := range slices.Sorted(maps.Keys(seen)) {
		assert.Contains(e, slices.Concat(want.alerts, want.also), alert, fault)
		fmt.Fprintf(w, "%s\t%s\t%v\t%v\n", fault, alert, seen[alert].fired.Sub(on), seen[alert].cleared.Sub(off))
	}
}

// nextFiring waits for a scrape and an evaluation of the rules, and is the alerts that fire then: those of the rules, which
// are those of the series ALERTS.
func (e *example) nextFiring() []string {
	time.Sleep(e.scrapes())
	firing := e.Alerts(rules.StateFiring)
	series, err := e.Query(e.Context(), `count by (alertname) (ALERTS{alertstate="firing"})`, time.Now())
	require.NoError(e, err)
	var names []string
	for _, s := range series {
		names = append(names, s.Metric.Get("alertname"))
	}
	require.ElementsMatch(e, firing, names, "the series ALERTS")
	return firing
}

// episodes are what alerts did about a fault, by their names.
type episodes map[string]*episode

type episode struct {
	fired   time.Time // first
	cleared time.Time // zero while it fires
}

// note notes which alerts fire now.
func (es episodes) note(firing []string) {
	for _, alert := range firing {
		if es[alert] == nil {
			es[alert] = &episode{fired: time.Now()}
		}
	}
	for alert, ep := range es {
		switch on := slices.Contains(firing, alert); {
		case on:
			ep.cleared = time.Time{}
		case ep.cleared.IsZero():
			ep.cleared = time.Now()
		}
	}
}

// all is whether all of some alerts have fired.
func (es episodes) all(alerts []string) bool {
	return !slices.ContainsFunc(alerts, func(alert string) bool { return es[alert] == nil })
}

func (es episodes) anyFiring() bool {
	for _, ep := range es {
		if ep.cleared.IsZero() {
			return true
		}
	}
	return false
}
