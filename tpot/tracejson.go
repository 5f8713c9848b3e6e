package tpot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// traceVersion is the version of a Trace's JSON. It changes when what was written before would be read wrongly.
const traceVersion = 1

type traceJSON struct {
	Version    int              `json:"trace"`
	Request    Request          `json:"request,omitzero"`
	Start      time.Time        `json:"start,omitzero"`
	Outcome    Outcome          `json:"outcome"`
	Cause      string           `json:"cause,omitempty"`
	ErrorType  string           `json:"error_type,omitempty"`
	End        ms               `json:"end_ms"`
	EndUnknown bool             `json:"end_unknown,omitempty"`
	Closed     ms               `json:"closed_ms,omitempty"`
	Dropped    int              `json:"dropped,omitempty"`
	Setup      ms               `json:"setup_ms,omitempty"`
	Wait       ms               `json:"wait_ms,omitempty"`
	Hold       ms               `json:"hold_ms,omitempty"`
	TailWait   ms               `json:"tail_wait_ms,omitempty"`
	Stall      ms               `json:"stall_ms,omitempty"`
	SLO        sloJSON          `json:"slo,omitzero"`
	Wire       string           `json:"wire,omitempty"`
	Unread     int              `json:"unread,omitempty"`
	Faults     int              `json:"faults,omitempty"`
	Attempts   []Attempt        `json:"attempts,omitempty"`
	Server     ServerTimings    `json:"server,omitzero"`
	Events     []traceEventJSON `json:"events,omitempty"` // not TraceEvent, whose own UnmarshalJSON costs a decoder an event
}

// traceEventJSON is a TraceEvent, with the fields of its Event beside the others.
type traceEventJSON struct {
	At   ms `json:"at_ms"`
	Wait ms `json:"wait_ms,omitempty"`
	Hold ms `json:"hold_ms,omitempty"`
	Event
}

// MarshalJSON writes all of the trace but the monotonic reading of Start. Durations are in milliseconds, which is exact up to three weeks.
func (t Trace) MarshalJSON() ([]byte, error) {
	return json.Marshal(traceJSON{
		Version: traceVersion, Request: t.Request, Start: t.Start, Outcome: t.Outcome, Cause: t.Cause, ErrorType: t.ErrorType,
		End: ms(t.End), EndUnknown: t.EndUnknown, Closed: ms(t.Closed), Dropped: t.Dropped,
		Setup: ms(t.Setup), Wait: ms(t.Wait), Hold: ms(t.Hold), TailWait: ms(t.TailWait), Stall: ms(t.Stall), SLO: t.SLO.json(),
		Wire: t.Wire, Unread: t.Unread, Faults: t.Faults, Attempts: t.Attempts, Server: t.Server, Events: eventsJSON(t.Events),
	})
}

// UnmarshalJSON reads what MarshalJSON wrote. Another version or none, no outcome, or a field that a Trace does not have is an error, which
// leaves t as it was.
func (t *Trace) UnmarshalJSON(data []byte) error {
	var version struct {
		Trace   int      `json:"trace"`
		Outcome *Outcome `json:"outcome"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return err
	}
	switch {
	case version.Trace != traceVersion:
		return fmt.Errorf("tpot: a trace of version %d, not %d", version.Trace, traceVersion)
	case version.Outcome == nil:
		return errors.New("tpot: a trace without an outcome")
	}
	var j traceJSON
	if err := unmarshalStrict(data, &j); err != nil {
		return err
	}
	*t = j.trace()
	return nil
}

func (j *traceJSON) trace() Trace {
	return Trace{
		Request: j.Request, Start: j.Start, Outcome: j.Outcome, Cause: j.Cause, ErrorType: j.ErrorType,
		End: time.Duration(j.End), EndUnknown: j.EndUnknown, Closed: time.Duration(j.Closed), Dropped: j.Dropped,
		Setup: time.Duration(j.Setup), Wait: time.Duration(j.Wait), Hold: time.Duration(j.Hold), TailWait: time.Duration(j.TailWait),
		Stall: time.Duration(j.Stall), SLO: j.SLO.slo(), Wire: j.Wire, Unread: j.Unread, Faults: j.Faults,
		Attempts: j.Attempts, Server: j.Server, Events: j.events(),
	}
}

func (j *traceJSON) events() []TraceEvent {
	if j.Events == nil {
		return nil
	}
	events := make([]TraceEvent, len(j.Events))
	for i := range events {
		events[i] = j.Events[i].event()
	}
	return events
}

func eventsJSON(events []TraceEvent) []traceEventJSON {
	all := make([]traceEventJSON, len(events))
	for i := range all {
		all[i] = events[i].json()
	}
	return all
}

func (e *TraceEvent) json() traceEventJSON {
	return traceEventJSON{ms(e.At), ms(e.Wait), ms(e.Hold), e.Event}
}

func (j *traceEventJSON) event() TraceEvent {
	return TraceEvent{time.Duration(j.At), time.Duration(j.Wait), time.Duration(j.Hold), j.Event}
}

// MarshalJSON writes the event with the fields of its Event beside the others, times in milliseconds.
func (e TraceEvent) MarshalJSON() ([]byte, error) { return json.Marshal(e.json()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *TraceEvent) UnmarshalJSON(data []byte) error {
	var j traceEventJSON
	if err := unmarshalStrict(data, &j); err != nil {
		return err
	}
	*e = j.event()
	return nil
}

// unmarshalStrict is json.Unmarshal, except that a field which the value does not have is an error: a misspelt one would make a figure wrong.
func unmarshalStrict(data []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(value)
}

type sloJSON struct {
	TTFT  ms `json:"ttft_ms,omitempty"`
	TTFO  ms `json:"ttfo_ms,omitempty"`
	TPOT  ms `json:"tpot_ms,omitempty"`
	ITL99 ms `json:"itl99_ms,omitempty"`
	Stall ms `json:"stall_ms,omitempty"`
	E2E   ms `json:"e2e_ms,omitempty"`
}

func (s SLO) json() sloJSON {
	return sloJSON{ms(s.TTFT), ms(s.TTFO), ms(s.TPOT), ms(s.ITL99), ms(s.Stall), ms(s.E2E)}
}

func (j sloJSON) slo() SLO {
	return SLO{
		TTFT: time.Duration(j.TTFT), TTFO: time.Duration(j.TTFO), TPOT: time.Duration(j.TPOT),
		ITL99: time.Duration(j.ITL99), Stall: time.Duration(j.Stall), E2E: time.Duration(j.E2E),
	}
}
