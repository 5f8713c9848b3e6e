package llmtest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"time"
)

// take is one playing of a script, for one request.
type take struct {
	script Script
	gzip   *compressor
	entry  *entry
	w      http.ResponseWriter
	r      *http.Request
}

// errCut is the end of a take whose script wants the connection to break.
var errCut = errors.New("llmtest: cut")

// play plays the script to its end. An error is why the response is not complete.
func (t *take) play() error {
	if err := t.sendHeader(); err != nil {
		return err
	}
	for _, w := range t.script.Writes {
		if err := t.write(w); err != nil {
			return err
		}
	}
	return t.finish()
}

func (t *take) sendHeader() error {
	if err := t.until(t.script.HeaderAt); err != nil {
		return err
	}
	maps.Copy(t.w.Header(), t.script.Header.Clone())
	t.gzip.setHeader(t.w.Header())
	t.w.WriteHeader(cmp.Or(t.script.Status, http.StatusOK))
	if err := t.flush(); err != nil {
		return err
	}
	t.entry.headerSent()
	return nil
}

func (t *take) write(w Write) error {
	b := t.gzip.write(w.Bytes()) // takes its time before the offset, not after
	if err := t.until(w.At); err != nil {
		return err
	}
	began := t.entry.elapsed()
	if err := t.send(b); err != nil {
		return err
	}
	if err := t.flush(); err != nil {
		return err
	}
	t.entry.sent(Sent{Write: w, Began: began, Returned: t.entry.elapsed()})
	return nil
}

func (t *take) finish() error {
	if t.script.Ending == EndHang {
		<-t.r.Context().Done()
		return context.Cause(t.r.Context())
	}
	if err := t.until(t.script.EndAt); err != nil {
		return err
	}
	if t.script.Ending == EndCut {
		return errCut
	}
	return t.send(t.gzip.end())
}

// send writes b, if there is anything to write: not every response may have a body.
func (t *take) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := t.w.Write(b)
	return err
}

// end logs how the take ended and aborts the response if it is not complete.
func (t *take) end(err error) {
	switch {
	case err == nil:
		t.entry.end(StateComplete, nil)
		return
	case errors.Is(err, errCut):
		t.entry.end(StateCut, nil)
	case errors.Is(context.Cause(t.r.Context()), http.ErrServerClosed): // err may be what the closed connection said
		t.entry.end(StateClosed, err)
	default:
		t.entry.end(StateGone, err)
	}
	panic(http.ErrAbortHandler)
}

func (t *take) flush() error { return http.NewResponseController(t.w).Flush() }

// until sleeps until the given offset from the request's arrival. It returns early, with the reason, when the request's
// context ends.
func (t *take) until(at time.Duration) error {
	ctx := t.r.Context()
	timer := time.NewTimer(at - t.entry.elapsed())
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return context.Cause(ctx)
}
