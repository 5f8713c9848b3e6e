package traffic

// Fault is something that goes wrong with many requests while it is on.
type Fault string

const (
	// SlowTokens is an overloaded decoder: tokens come 150 to 250 ms apart.
	SlowTokens Fault = "slow-tokens"
	// SlowStart is a queue before the model: the first token takes 12 to 20 s. Those after it come as ever.
	SlowStart Fault = "slow-start"
	// Freezes is a model that is preempted: nine answers in ten stand still for 3 to 6 s, once or twice, in their middle.
	Freezes Fault = "freezes"
	// NoTokens is a provider that turns requests away: half of them are refused, time out, or end well without any output.
	NoTokens Fault = "no-tokens"
	// Cancels is a bad day for the users: half of them leave in the middle of the answer.
	Cancels Fault = "cancels"
	// Errors is a bad line or a failing server: half of the answers are cut, or break off with an error in the stream.
	Errors Fault = "errors"
)

// Faults are all that there are.
func Faults() []Fault { return []Fault{SlowTokens, SlowStart, Freezes, NoTokens, Cancels, Errors} }

// faults are those that are on.
type faults map[Fault]bool

// Shares of the requests that something happens to, when all is well and under its fault. There is always a little of everything.
const (
	withoutToken, withoutTokenFault = 0.001, 0.5
	broken, brokenFault             = 0.003, 0.5
	left, leftFault                 = 0.02, 0.5
	frozen, frozenFault             = 0.004, 0.9
)

// share is one of two shares.
func (on faults) share(f Fault, well, fault float64) float64 {
	if on[f] {
		return fault
	}
	return well
}
