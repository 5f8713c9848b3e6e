package matrix

// way is a way to time a request.
type way struct {
	name      string
	adapter   bool // around the SDK's stream
	transport bool // below the SDK
	joined    bool // the Recorder is in the request's context
	readAhead int  // bytes
}

// untimed is the way that the others must not differ from, as far as the consumer can tell.
var untimed = way{name: "untimed"}

var ways = []way{
	{name: "adapter", adapter: true},
	{name: "transport", transport: true},
	{name: "transport, own recorder", transport: true, joined: true},
	{name: "transport, reading ahead", transport: true, readAhead: 64 << 10},
	{name: "both", adapter: true, transport: true, joined: true},
}
