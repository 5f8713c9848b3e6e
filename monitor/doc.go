// Package monitor keeps the figures of many requests, in process: rolling statistics for each provider, model and scenario, callbacks
// when a figure crosses a limit, a watchdog for streams that have stalled, and a page to look at.
//
//	m := monitor.New(monitor.Config{})
//	defer m.Close()
//	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}} // for Tracker.Start, or a stream.Transport
//
//	for _, row := range m.Snapshot() {
//		p95, ok := row.TTFT.Quantile(0.95)
//		...
//	}
//	http.Handle("/timing/", m.Handler())
//
// A [Row] covers the requests that ended within the last [Config.Window], and how many are in flight now. All definitions are those of
// package tpot. Where a figure can count each request once, or each token once, both are there under names that say so: long
// answers weigh more in the second.
//
// [Monitor.Watch] calls back when a figure of a row has crossed a limit for some time, and when it is back; [Monitor.WatchStalls] while a
// stream is waiting for its next chunk too long, so that it can be canceled or its user told.
//
// A Monitor works in a bubble of testing/synctest, with exact figures, if it is made in the bubble, and closed before that ends where
// it watches.
//
// Nothing of a stream's content is kept or shown.
package monitor
