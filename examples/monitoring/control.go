package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
)

// newHandler serves the metrics, and lets the faults be switched.
func newHandler(t *traffic.Traffic, metrics http.Handler) http.Handler {
	c := control{t}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /{$}", c.help)
	mux.HandleFunc("GET /faults", c.list)
	mux.HandleFunc("POST /faults/{fault}/{state}", c.set)
	return mux
}

// control switches faults over HTTP.
type control struct{ traffic *traffic.Traffic }

const usage = `An application that streams answers. What it does is simulated, the measuring is not.

GET  /metrics          for Prometheus
GET  /faults           which faults are on
POST /faults/NAME/on   and /off

Faults:
`

// effects are what a fault does, and what it is like.
var effects = map[traffic.Fault]string{
	traffic.SlowTokens: "tokens come 150 to 250 ms apart: an overloaded decoder",
	traffic.SlowStart:  "the first token takes 12 to 20 s: a queue before the model",
	traffic.Freezes:    "answers stand still for 3 to 6 s in their middle: a model that is preempted",
	traffic.NoTokens:   "half of the requests end before a first token: a provider that turns them away",
	traffic.Cancels:    "half of the users leave in the middle of the answer",
	traffic.Errors:     "half of the answers are cut or fail in their middle",
}

func (c control) help(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, usage)
	for _, f := range traffic.Faults() {
		fmt.Fprintf(w, "  %-12s %s\n", f, effects[f])
	}
}

func (c control) list(w http.ResponseWriter, _ *http.Request) {
	for _, f := range traffic.Faults() {
		c.tell(w, f)
	}
}

func (c control) set(w http.ResponseWriter, r *http.Request) {
	f, state := traffic.Fault(r.PathValue("fault")), r.PathValue("state")
	if !slices.Contains(traffic.Faults(), f) || state != "on" && state != "off" {
		http.Error(w, fmt.Sprintf("no /faults/NAME/on or /off with a NAME of %v", traffic.Faults()), http.StatusNotFound)
		return
	}
	c.traffic.Set(f, state == "on")
	c.tell(w, f)
}

// tell writes whether a fault is on.
func (c control) tell(w io.Writer, f traffic.Fault) {
	state := "off"
	if c.traffic.On(f) {
		state = "on"
	}
	fmt.Fprintf(w, "%-12s %s\n", f, state)
}
