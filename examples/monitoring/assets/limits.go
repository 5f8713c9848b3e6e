package assets

import (
	"strconv"
	"time"
)

// Limits of the alerts. They suit chat with people waiting; none holds for everyone. What is slow depends on the model, the
// length of prompts and what the answers are for, and a limit that is always exceeded is no limit.
const (
	perTokenLimit     = 100 * time.Millisecond // TPOT p99: ten tokens a second, about twice as fast as people read
	firstTokenLimit   = 5 * time.Second        // TTFT p95
	interTokenLimit   = time.Second            // ITL p99
	stallsLimit       = 0.1                    // stalls per request
	noFirstTokenLimit = 0.05                   // share of requests

	// Cancels are compared with the requests' own past, which ends an hour ago so that the fault is not in it.
	canceledFloor     = 0.10 // share of requests below which nothing is said
	canceledGrowth    = 3    // times the past's share
	canceledLimit     = 0.25 // share of requests where there is no past
	canceledPast      = "6h"
	canceledPastEnded = "1h"

	objective = 0.99 // share of requests that meet the Tracker's limits
	// Times the budget, which is what the objective leaves: at 14.4 a budget of thirty days is gone in two, at 6 in five.
	fastBurn = 14.4
	slowBurn = 6
)

// How many requests there must be in a window before anything is said about it: one slow request of three is no incident.
const (
	minRequests  = 20
	manyRequests = 100 // where a few percent matter
)

func seconds(d time.Duration) string { return number(d.Seconds()) }

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
