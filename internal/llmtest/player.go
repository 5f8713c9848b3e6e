package llmtest

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// Player is an [http.Handler] that plays a [Script] for each request and logs what it did. The zero Player answers
// every request with the zero Script.
//
// It is safe for concurrent use. A Player must not be copied after its first request.
//
// A response that does not end complete is aborted by a panic with [http.ErrAbortHandler], which net/http understands.
// The [http.ResponseWriter] must support flushing.
type Player struct {
	// Scripts are played in order, one for each request as it arrives, the last one again and again. They are set
	// before the first request.
	Scripts []Script

	// Choose, where it is set, gives each request its script in the place of Scripts, told what has arrived: for servers whose answers
	// depend on the model that is asked for, or on the time. It is set before the first request, and called for one request at a time, in
	// order of arrival. It must not call Log.
	Choose func(Exchange) Script

	mu  sync.Mutex
	log []*entry
}

// ServeHTTP reads the whole request, which is its arrival, and plays the script whose turn it is.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r.Body)
	e, script := p.arrive(r, body)
	t := take{script: script, gzip: newCompressor(script, r), entry: e, w: w, r: r}
	if err == nil {
		err = t.play()
	}
	t.end(err)
}

// Log is a copy of what has happened so far, one exchange for each request in order of arrival. Once a client has read
// a response to its end, that exchange is in its final state, unless the script sets a Content-Length: its end can be
// read before the last write has returned. Byte slices and headers are shared and must not be changed.
func (p *Player) Log() []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	log := make([]Exchange, len(p.log))
	for i, e := range p.log {
		log[i] = e.snapshot()
	}
	return log
}

// maxBody is how many bytes of a request's body are kept.
const maxBody = 1 << 20

// readBody reads all of body and returns its beginning.
func readBody(body io.Reader) ([]byte, error) {
	kept, err := io.ReadAll(io.LimitReader(body, maxBody))
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	return kept, err
}

// arrive opens the log entry of r and chooses its script.
func (p *Player) arrive(r *http.Request, body []byte) (*entry, Script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn := len(p.log)
	e := &entry{x: Exchange{
		Method:  r.Method,
		Host:    r.Host,
		Path:    r.URL.Path,
		Header:  r.Header.Clone(),
		Body:    body,
		Arrived: time.Now(),
		State:   StatePlaying,
	}}
	p.log = append(p.log, e)
	switch {
	case p.Choose != nil:
		return e, p.Choose(e.x)
	case len(p.Scripts) == 0:
		return e, Script{}
	}
	return e, p.Scripts[min(turn, len(p.Scripts)-1)]
}
