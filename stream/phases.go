package stream

import (
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// phases notes where a request is on its way through package net/http, whose hooks may be called side by side and after
// the request has ended.
type phases struct {
	rec *tpot.Recorder

	mu                          sync.Mutex
	soFar                       tpot.Attempt
	wanted, dns, connect, tlsAt time.Duration // when each began
	dialing                     bool          // addresses are tried
	got                         bool          // there is a connection; net/http may go on dialing another
}

// begin begins an attempt.
func (p *phases) begin(rec *tpot.Recorder) {
	p.rec = rec
	p.soFar.Start = rec.Elapsed()
}

// trace is the hooks. httptrace calls those that the caller has in the context too.
func (p *phases) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:           func(string) { p.note(p.getConn) },
		GotConn:           func(info httptrace.GotConnInfo) { p.note(func(at time.Duration) { p.gotConn(at, info.Reused) }) },
		DNSStart:          func(httptrace.DNSStartInfo) { p.noteDial(func(at time.Duration) { p.dns = at }) },
		DNSDone:           func(httptrace.DNSDoneInfo) { p.noteDial(func(at time.Duration) { p.soFar.DNS = at - p.dns }) },
		ConnectStart:      func(string, string) { p.noteDial(p.connectStart) },
		ConnectDone:       func(_, _ string, err error) { p.noteDial(func(at time.Duration) { p.connectDone(at, err) }) },
		TLSHandshakeStart: func() { p.noteDial(func(at time.Duration) { p.tlsAt = at }) },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { p.noteDial(func(at time.Duration) { p.soFar.TLS = at - p.tlsAt }) },
		WroteRequest:      func(httptrace.WroteRequestInfo) { p.note(func(at time.Duration) { p.soFar.Sent = at }) },
	}
}

// note does something with the offset of now.
func (p *phases) note(do func(at time.Duration)) {
	at := p.rec.Elapsed()
	p.mu.Lock()
	defer p.mu.Unlock()
	do(at)
}

// noteDial is note for a dialed connection, unless there is one already.
func (p *phases) noteDial(do func(at time.Duration)) {
	p.note(func(at time.Duration) {
		if !p.got {
			do(at)
		}
	})
}

// getConn begins anew: net/http asks for another connection when one that it had kept turns out to be closed.
func (p *phases) getConn(at time.Duration) {
	p.soFar = tpot.Attempt{Start: p.soFar.Start}
	p.wanted, p.dialing, p.got = at, false, false
}

// gotConn ends the wait for a connection. What was dialed meanwhile is not the one that is used if that is an old one.
func (p *phases) gotConn(at time.Duration, reused bool) {
	p.got = true
	p.soFar.ConnWait, p.soFar.Reused = at-p.wanted, reused
	if reused {
		p.soFar.DNS, p.soFar.Connect, p.soFar.TLS = 0, 0, 0
	}
}

// connectStart notes the first of several addresses that are tried side by side.
func (p *phases) connectStart(at time.Duration) {
	if !p.dialing {
		p.dialing, p.connect = true, at
	}
}

func (p *phases) connectDone(at time.Duration, err error) {
	if err == nil {
		p.soFar.Connect = at - p.connect
	}
}

// attempt returns the phases so far. With a response, its headers have come now.
func (p *phases) attempt(resp *http.Response) tpot.Attempt {
	at := p.rec.Elapsed()
	p.mu.Lock()
	defer p.mu.Unlock()
	attempt := p.soFar
	if resp != nil {
		attempt.Headers, attempt.Status = at, resp.StatusCode
	}
	return attempt
}
