// Package matrix holds SDKs against a scripted server: every way to time one, in every situation, against what the server
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
	Plain func(ctx context.Context, client *http.Client, c *Consumer[T])
	// Timed is Plain with what times it.
	Timed func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *Consumer[T])
	// Kind is what a value shows to a reader of the SDK's own types. Zero: nothing that was generated.
	Kind func(T) llmtest.Kind

	Traits Traits
}

// Traits is in what SDKs differ. Every one is held against what the SDK does: one that is not true fails the test.
type Traits struct {
	Retries     bool // it tries again after a 429
	Lazy        bool // it sends nothing before the stream is read
	NoReasoning bool // its values have no reasoning
	NoUsage     bool // usage is not asked for, or its values do not have it
	NoCount     bool // its usage does not tell the tokens of reasoning
	NoReason    bool // its values do not say why the answer ended
	NoError     bool // its values do not have the error in the stream, which is then an end without a marker

	HidesCut    bool // a connection that breaks is no error to its reader
	GarblesCut  bool // one that breaks within an event is an error that does not say so
	HidesCancel bool // nor is the end of the context
	HidesEnd    bool // nor is an end without an end marker
	Leaks       bool // it leaves a response without closing it
	Stutters    bool // it gives errors between the values of a healthy stream
	HidesError  bool // nor is an error in the stream
	RacesCancel bool // whether the end of the context is an error depends on which goroutine is first
	PanicsAtEnd bool // it cannot be left early without a panic

	FinishReason string // its own word for the wire's, if it has one
}
