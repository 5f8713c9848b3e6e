package matrix

// instrumentation is what times a request.
type instrumentation struct {
	name      string
	adapter   bool // around the SDK's stream
	transport bool // below the SDK
	joined    bool // the Recorder is in the request's context
	readAhead int  // bytes
}

// untimed is none. As far as the consumer and the server can tell, the others must not differ from it.
var untimed = instrumentation{name: "untimed"}

var instrumentations = []instrumentation{
	{name: "adapter", adapter: true},
	{name: "transport", transport: true},
	{name: "transport, own recorder", transport: true, joined: true},
	{name: "transport, reading ahead", transport: true, readAhead: 64 << 10},
	{name: "both", adapter: true, transport: true, joined: true},
}
