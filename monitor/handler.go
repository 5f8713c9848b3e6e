package monitor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"strconv"
)

// Handler serves a live page of all that the Monitor knows and, under any path that ends in /json, the same as JSON. It may be
// mounted anywhere, with and without [http.StripPrefix], best at a path that ends in a slash so that both are reached:
//
//	http.Handle("/timing/", m.Handler())
//
// The page needs nothing from elsewhere and updates itself about once a second while somebody looks at it. Who may see it is for
// the caller to decide: it shows the names of providers, models and scenarios, and what became of each request, but nothing of its content.
//
// An answer is made before the first byte of it is sent, so a client that is slow holds up nobody.
func (m *Monitor) Handler() http.Handler { return http.HandlerFunc(m.serve) }

func (m *Monitor) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", contentSecurityPolicy)
	header.Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	body, contentType, err := m.render(r)
	if err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client may have gone
	}
}

// render makes what a request asks for.
func (m *Monitor) render(r *http.Request) (body []byte, contentType string, err error) {
	v := m.view()
	if path.Base(r.URL.Path) == "json" {
		body, err = json.Marshal(v)
		return body, "application/json", err
	}
	var page bytes.Buffer
	if query := r.URL.Query(); query.Has(partParameter) {
		err = v.writePart(&page, query.Get(partParameter))
	} else {
		err = v.writePage(&page, jsonLink(r))
	}
	return page.Bytes(), "text/html; charset=utf-8", err
}
