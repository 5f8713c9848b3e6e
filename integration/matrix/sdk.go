// Package matrix holds SDKs against a scripted server: with every instrumentation, in every scenario, against what the server
// knows that it sent when, what the consumer saw, and what the SDK does when nobody times it.
//
// A test gives [Run] an [SDK]. All happens in bubbles of testing/synctest over connections in memory, so that figures are
// compared exactly.
package matrix

import (
	"context"
	"net/http"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// SDK is one way to stream an answer with one client.
type SDK[T any] struct {
	Name string      // as the table has it
	Wire func() Wire // its provider's

	// Plain streams an answer into the consumer, as the SDK's own documentation does it.
	// Its error is that of the call which has no stream then, or which streams itself.
	Plain func(ctx context.Context, client *http.Client, c *Consumer[T]) error
	// Timed is Plain with what times it.
	Timed func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *Consumer[T]) error
	// Kind is what a value shows to a reader of the SDK's own types. Zero: nothing that was generated.
	Kind func(T) llmtest.Kind

	Format   string // of its values, as the record names it
	Response bool   // Timed tells the record of a response beside the values, too

	Traits Traits
}

// Traits is in what SDKs differ. Every one is held against what the SDK does: one that is not true fails the test.
type Traits struct {
	Retries bool // it tries again after a 429
	Lazy    bool // it has a stream to read before the response's header is there

	NoReasoning bool // its values have no reasoning
	NoCount     bool // its usage does not tell the tokens of reasoning
	NoModel     bool // its values do not name the model
	LateUsage   bool // its values have no usage before the end
	NoError     bool // its values do not have the error in the stream, which is then an end without a marker

	HidesCut    bool // a connection that breaks is no error to its reader
	HidesEnd    bool // nor is an end without an end marker
	HidesCancel bool // nor is the end of the context
	RacesCancel bool // which is one or none, depending on which goroutine is first
	HidesError  bool // nor is an error in the stream
	GarblesCut  bool // a connection that breaks within an event is an error that does not say so

	NoComments     bool // it gives up at a comment in the stream
	Stutters       bool // it gives errors between the values of a healthy stream
	Leaks          bool // it leaves a response without closing it
	Lingers        bool // left early, it closes a response only when its context ends
	PanicsWhenLeft bool // it panics when it is left early

	FinishReason string // its own word for the wire's, if it has one
}
