package monitor

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
)

//go:embed page.html page.css page.js
var pageFiles embed.FS

var (
	pageTemplate = template.Must(template.ParseFS(pageFiles, "page.html"))
	pageStyle    = pageFile("page.css")
	pageScript   = pageFile("page.js")
)

// contentSecurityPolicy lets the page have its own style and script, ask its own server, and nothing else.
var contentSecurityPolicy = strings.Join([]string{
	"default-src 'none'", "style-src " + sourceHash(pageStyle), "script-src " + sourceHash(pageScript), "connect-src 'self'",
	"img-src data:", // the empty icon, so that browsers ask for none
	"base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'",
}, "; ")

func pageFile(name string) string {
	text, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // not without a file that is embedded
	}
	return string(text)
}

func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// partParameter is the parameter of a query that asks for what changes alone. Its value is the ids of the details that are to be filled in.
const partParameter = "part"

// writePage writes the whole page.
func (v *view) writePage(w io.Writer, jsonLink string) error {
	return pageTemplate.ExecuteTemplate(w, "page", page{
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), JSON: jsonLink,
		Facts: v.facts(func(string) bool { return true }),
	})
}

// writePart writes what changes, with those details filled in that are open, by their ids.
func (v *view) writePart(w io.Writer, open string) error {
	ids := make(map[string]bool)
	for id := range strings.FieldsSeq(open) {
		ids[id] = true
	}
	return pageTemplate.ExecuteTemplate(w, "facts", v.facts(func(id string) bool { return ids[id] }))
}

// jsonLink is the JSON's address relative to the page's, which depends on whether that ends in a slash. A prefix that was stripped from
// the path is still in what the client asked for.
func jsonLink(r *http.Request) string {
	asked, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		asked = r.URL
	}
	_, last := path.Split(asked.EscapedPath())
	return "./" + path.Join(last, "json")
}

// page is what the template of the page is filled with.
type page struct {
	Style  template.CSS
	Script template.JS
	JSON   string
	Facts  *facts
}
