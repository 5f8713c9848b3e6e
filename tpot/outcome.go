package tpot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
)

// Outcome is how a request ended. The zero Outcome is that of a request that has not ended.
type Outcome uint8

const (
	// OutcomeOpen is no outcome yet.
	OutcomeOpen Outcome = iota
	// OutcomeOK is a response that came to its end: it had a finish reason or an end marker, whatever came after, or it
	// ended without an error and nothing said that there would be one.
	OutcomeOK
	// OutcomeCanceled is a response that its consumer did not want to its end. Cause: "context", or a Stop other than
	// Incomplete.
	OutcomeCanceled
	// OutcomeTimeout is a response that a deadline cut off. Cause: "context", or "deadline" for another time limit.
	OutcomeTimeout
	// OutcomeTruncated is a response that broke off. Cause: "no end marker" for an end without an error, be it in an event or
	// without the marker that was to come, and for an event's JSON that ends too early, "connection cut" for
	// io.ErrUnexpectedEOF and errors of reading from the network.
	OutcomeTruncated
	// OutcomeFailed is a request that ended with any other error. Cause: "status" when the last HTTP attempt was answered with
	// a status of 400 or more, "error in stream" for an error that an event carried, else "error from stream".
	OutcomeFailed
)

var outcomeNames = [...]string{"open", "ok", "canceled", "timeout", "truncated", "failed"}

// String is "ok", "canceled", "timeout", "truncated" or "failed"; "open" before the end.
func (o Outcome) String() string { return name(outcomeNames[:], uint8(o)) }

// MarshalText is [Outcome.String] as bytes.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote. An unknown name is an error.
func (o *Outcome) UnmarshalText(text []byte) error {
	i, err := parseName(outcomeNames[:], "outcome", text)
	*o = Outcome(i)
	return err
}

// name is the name of value i of an enumeration.
func name(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%d", i)
}

// parseName is the value that has the name text.
func parseName(names []string, what string, text []byte) (uint8, error) {
	for i, known := range names {
		if string(text) == known {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("tpot: unknown %s %q", what, text)
}

// Stop is how a stream ended where no error of the stream says so. Adapters pass it to [Recorder.End] in the place of an
// error; it becomes [Stats.Cause] and is never seen by the caller of the stream.
type Stop string

// How a consumer left a stream before its end.
const (
	EarlyClose Stop = "early close" // the stream was closed
	Break      Stop = "break"       // the loop, or the callback, over it ended
	Panic      Stop = "panic"       // the loop's body, or the callback, panicked
	Abandoned  Stop = "abandoned"   // the stream was dropped and the garbage collector found it
)

// Stalled is the end of a stream that a watchdog gave up, since it stood still: a timeout. Where the context of the request was canceled with
// it as the cause, that is how the request ended, whatever error came of it; see [context.WithCancelCause].
const Stalled Stop = "stalled"

// Incomplete is the end of a stream whose bytes ended, without an error, inside an event or before the first.
const Incomplete Stop = causeUnmarked

// Error makes a Stop an error.
func (s Stop) Error() string { return "tpot: stream ended: " + string(s) }

// Causes other than a Stop.
const (
	causeContext    = "context"           // the request's context, or another one the error speaks of
	causeDeadline   = "deadline"          // a time limit that does not show itself as a context's
	causeUnmarked   = "no end marker"     // a clean end where the stream should have had a marker
	causeCut        = "connection cut"    // the connection broke
	causeErrorEvent = "error in stream"   // an event that carries an error
	causeStatus     = "status"            // the server refused
	causeError      = "error from stream" // any other error
)

// verdict is an outcome with what explains it.
type verdict struct {
	outcome   Outcome
	cause     string
	errorType string
}

// truncated is the verdict on an end that came without an error and too early.
var truncated = verdict{OutcomeTruncated, causeUnmarked, "truncated"}

// stalled is the verdict on a stream that was given up because it stood still.
var stalled = verdict{OutcomeTimeout, string(Stalled), "timeout"}

// judgeEnd says how a stream ended by its last word alone. In order: the consumer's leaving that is no choice of the context's,
// the end of a context, any other leaving, the error.
func judgeEnd(ctx context.Context, err error) verdict {
	if endless(err) {
		return verdict{OutcomeFailed, causeError, fmt.Sprintf("%T", err)}
	}
	stop, left := err.(Stop)
	switch stop {
	case Abandoned, Panic:
		return verdict{OutcomeCanceled, string(stop), ""}
	case Stalled:
		return stalled
	}
	if v, ended := judgeContext(ctx, err); ended {
		return v
	}
	switch {
	case stop == Incomplete:
		return truncated
	case left:
		return verdict{OutcomeCanceled, string(stop), ""}
	case err == nil:
		return verdict{outcome: OutcomeOK}
	}
	return judgeError(err)
}

// mostWrapped bounds the errors that one wraps. Beyond it they may go in a circle, and package errors would follow them for ever.
const mostWrapped = 1000

// endless says whether an error wraps more others than anybody would.
func endless(err error) bool {
	rest := []error{err}
	for seen := 0; len(rest) > 0; seen++ {
		if seen == mostWrapped {
			return true
		}
		next := rest[0]
		rest = rest[1:]
		if many, ok := next.(interface{ Unwrap() []error }); ok {
			rest = append(rest, many.Unwrap()...)
		} else if inner := errors.Unwrap(next); inner != nil {
			rest = append(rest, inner)
		}
	}
	return false
}

// judgeContext says whether a context ended the stream: one that the error speaks of, or the request's own. Some SDKs
// return nil, or an error of their own making, when the context ends. A cancel whose cause is that time ran out is a timeout.
func judgeContext(ctx context.Context, err error) (verdict, bool) {
	if ctx != nil && !isContextError(err) && ctx.Err() != nil {
		err = ctx.Err()
	}
	canceled := errors.Is(err, context.Canceled)
	if ctx != nil && canceled {
		if cause := context.Cause(ctx); cause != nil && !endless(cause) {
			err = cause
		}
	}
	switch {
	case errors.Is(err, Stalled):
		return stalled, true
	case errors.Is(err, context.DeadlineExceeded):
		return verdict{OutcomeTimeout, causeContext, "timeout"}, true
	case canceled:
		return verdict{OutcomeCanceled, causeContext, ""}, true
	}
	return verdict{}, false
}

func isContextError(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

func judgeError(err error) verdict {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return verdict{OutcomeTimeout, causeDeadline, "timeout"}
	}
	if isCut(err) {
		return verdict{OutcomeTruncated, causeCut, "truncated"}
	}
	if isHalfJSON(err) {
		return truncated
	}
	return verdict{OutcomeFailed, causeError, errorType(err)}
}

// isCut says whether the connection broke under a response. A *url.Error is a request that got none.
func isCut(err error) bool {
	var op *net.OpError
	var unanswered *url.Error
	if errors.As(err, &unanswered) {
		return false
	}
	var reset streamReset
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) && op.Op == "read" || errors.As(err, &reset) ||
		isLostHTTP2(err)
}

// isHalfJSON says whether JSON ended after its beginning. Package encoding/json tells in words only. Where there was nothing, nothing
// broke off: some SDKs decode what is no event, such as a comment or the empty body of a refusal.
func isHalfJSON(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && syntax.Offset > 0 && syntax.Error() == "unexpected end of JSON input"
}

// isLostHTTP2 says whether the HTTP/2 connection of a response was given up. Package net/http tells in words only.
func isLostHTTP2(err error) bool {
	text := err.Error()
	return strings.Contains(text, "http2: server sent GOAWAY and closed the connection") ||
		strings.Contains(text, "http2: client connection lost")
}

// streamReset is how HTTP/2 breaks off one response. The error of package net/http that says so is not exported; it fills
// any struct with these fields that errors.As wants filled.
type streamReset struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamReset) Error() string { return "stream reset" }

// errorType is the Go type of the outermost error that is not mere wrapping, by package fmt or of a request that got no response.
func errorType(err error) string {
	for {
		t := fmt.Sprintf("%T", err)
		inner := errors.Unwrap(err)
		if t != "*fmt.wrapError" && t != "*url.Error" || inner == nil {
			return t
		}
		err = inner
	}
}
