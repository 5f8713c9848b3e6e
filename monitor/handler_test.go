package monitor_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

var linkPattern = regexp.MustCompile(`<a href="([^"]*)">the same as JSON</a>`)

// The handler is mounted in every way, and whoever follows the page's link to the JSON gets there.
func TestTheHandlerWorksMountedAnywhere(t *testing.T) {
	h := monitor.New(monitor.Config{}).Handler()
	mux := http.NewServeMux()
	mux.Handle("/tree/", h)
	mux.Handle("/bare", h)
	mux.Handle("/bare/json", h)
	mux.Handle("/stripped/", http.StripPrefix("/stripped", h))
	mux.Handle("/stripped/slash/", http.StripPrefix("/stripped/slash/", h))
	mux.Handle("/stripped/bare", http.StripPrefix("/stripped/bare", h))
	mux.Handle("/stripped/bare/json", http.StripPrefix("/stripped/bare", h))
	for name, handler := range map[string]http.Handler{"a mux": mux, "the handler alone": h} {
		for _, path := range []string{
			"/tree/", "/tree/deep/er/", "/tree/deep", "/bare", "/stripped/", "/stripped/slash/", "/stripped/bare", "/bare?token=x",
		} {
			t.Run(name+path, func(t *testing.T) {
				page := httptest.NewRecorder()
				handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, path, nil))
				require.Equal(t, http.StatusOK, page.Code)
				require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
				link := linkPattern.FindStringSubmatch(page.Body.String())
				require.NotNil(t, link)

				base, err := url.Parse("http://host" + path)
				require.NoError(t, err)
				target, err := base.Parse(link[1])
				require.NoError(t, err)
				assert.Equal(t, strings.TrimSuffix(base.Path, "/")+"/json", target.Path)
				facts := httptest.NewRecorder()
				handler.ServeHTTP(facts, httptest.NewRequest(http.MethodGet, target.RequestURI(), nil))
				assert.Equal(t, http.StatusOK, facts.Code)
				assert.Equal(t, "application/json", facts.Header().Get("Content-Type"))
				assert.True(t, json.Valid(facts.Body.Bytes()))
			})
		}
	}
}

func TestWhichPathsAreTheJSON(t *testing.T) {
	h := monitor.New(monitor.Config{}).Handler()
	for path, isJSON := range map[string]bool{
		"/json": true, "/a/json": true, "/a/b/json": true, "/a/json?x=/": true, "json": true,
		"/": false, "": false, "/jsonish": false, "/a.json": false, "/json/a": false, "/?json": false, "/JSON": false, "/notjson": false,
	} {
		answer := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL, _ = url.Parse(path)
		h.ServeHTTP(answer, r)
		assert.Equal(t, isJSON, json.Valid(answer.Body.Bytes()), "%q", path)
	}
}

func TestTheHeaders(t *testing.T) {
	h := monitor.New(monitor.Config{}).Handler()
	for _, target := range []string{"/", "/json", "/?part="} {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, target, nil))
		header := answer.Header()
		assert.Equal(t, "no-store", header.Get("Cache-Control"))
		assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		assert.Equal(t, "no-referrer", header.Get("Referrer-Policy"))
		assert.Equal(t, fmt.Sprint(answer.Body.Len()), header.Get("Content-Length"))
		policy := header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'"} {
			assert.Contains(t, strings.Split(policy, "; "), part)
		}
		assert.NotContains(t, policy, "unsafe")
		assert.NotContains(t, policy, "*")
	}
}

// A browser runs and applies what has the hash that the policy names.
func TestThePolicyAllowsThePagesOwnStyleAndScript(t *testing.T) {
	answer := httptest.NewRecorder()
	monitor.New(monitor.Config{}).Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	for _, element := range []string{"style", "script"} {
		parts := regexp.MustCompile(`(?s)<`+element+`[^>]*>(.*?)</`+element+`>`).FindAllStringSubmatch(answer.Body.String(), -1)
		require.Len(t, parts, 1, element)
		sum := sha256.Sum256([]byte(parts[0][1]))
		want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		assert.Contains(t, strings.Split(answer.Header().Get("Content-Security-Policy"), "; "), want)
	}
	assert.NotContains(t, answer.Body.String(), "style=")
	assert.NotRegexp(t, `\son[a-z]+=`, answer.Body.String())
	assert.NotRegexp(t, `//\S`, answer.Body.String(), "an address elsewhere")
}

func TestOnlyGETAndHEAD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := monitor.New(monitor.Config{}).Handler()
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch, "BREW"} {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, httptest.NewRequest(method, "/json", nil))
			assert.Equal(t, http.StatusMethodNotAllowed, answer.Code, method)
			assert.Equal(t, "GET, HEAD", answer.Header().Get("Allow"))
		}
		for _, target := range []string{"/", "/json"} {
			whole, head := httptest.NewRecorder(), httptest.NewRecorder()
			h.ServeHTTP(whole, httptest.NewRequest(http.MethodGet, target, nil))
			h.ServeHTTP(head, httptest.NewRequest(http.MethodHead, target, nil))
			assert.Equal(t, http.StatusOK, head.Code)
			assert.Equal(t, 0, head.Body.Len())
			assert.Equal(t, whole.Header(), head.Header())
		}
	})
}

// stuckWriter is a client that takes nothing until it is let.
type stuckWriter struct {
	http.ResponseWriter
	writing, let chan struct{}
}

func (w stuckWriter) Write(b []byte) (int, error) {
	close(w.writing)
	<-w.let
	return 0, errors.New("gone")
}

func TestAClientThatIsSlowHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		_, rec := tracker.Start(t.Context(), tpot.Request{Model: "m"})
		var writers []stuckWriter
		for _, target := range []string{"/", "/?part=", "/json"} {
			w := stuckWriter{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
			go m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			<-w.writing
			writers = append(writers, w)
		}
		rec.BeginWait()
		rec.Observe(tpot.Event{Kind: tpot.KindText})
		_, other := tracker.Start(t.Context(), tpot.Request{Model: "new"})
		rec.End(nil)
		assert.Len(t, m.Snapshot(), 2)
		assert.Contains(t, get(t, m, "/"), "new")
		other.End(nil)
		for _, w := range writers {
			close(w.let)
		}
	})
}

// What somebody may call a model to do harm where it is shown.
var hostileNames = []string{
	"", " ", "–", `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "`${alert(1)}`",
	`</title></svg><script>alert(1)</script>`, `</th></tr></table></main><main id="facts">`, `javascript:alert(1)`, `{{.Script}}`,
	`&lt;script&gt;`, `--><!--`, `]]>`, "a\x00b", "\xff\xfe\xc3", "\u202egnp.exe", "\u2028\u2029", strings.Repeat("long ", 4000), "line\r\nfeed\ttab",
}

var (
	markupPattern    = regexp.MustCompile(`(?s)<(/?[a-zA-Z!][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>`)
	attributePattern = regexp.MustCompile(`([^\s=/"']+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?`)
)

// elements are the names of the elements and attributes of a page, each with how often it is there.
func elements(markup string) map[string]int {
	found := map[string]int{}
	for _, tag := range markupPattern.FindAllStringSubmatch(markup, -1) {
		found[tag[1]]++
		for _, attribute := range attributePattern.FindAllStringSubmatch(tag[2], -1) {
			found[tag[1]+" "+attribute[1]]++
		}
	}
	return found
}

// pageOfNames is a page with three requests, one of them in flight, that have a name wherever they can have one.
func pageOfNames(t *testing.T, name string) (page, facts string) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		request := tpot.Request{Provider: name, Model: name, Scenario: name, Operation: name, ServerAddress: name}
		event := tpot.Event{Kind: tpot.KindText, Model: name, FinishReason: name}
		var last *tpot.Recorder
		for i := range 3 {
			_, last = tracker.Start(t.Context(), request)
			for range 3 {
				time.Sleep(time.Duration(i+1) * 10 * time.Millisecond)
				last.Observe(event)
			}
			switch i {
			case 0:
				last.Observe(tpot.Event{Kind: tpot.KindError, ErrorType: name})
				last.End(errors.New(name))
			case 1:
				last.End(tpot.Stop("x" + name))
			}
		}
		page, facts = get(t, m, "/"), get(t, m, "/json")
		last.End(nil)
	})
	return page, facts
}

func TestNamesAreTextWhateverTheyAre(t *testing.T) {
	harmless, _ := pageOfNames(t, "name")
	want := elements(harmless)
	require.Equal(t, 1, want["script"])
	for _, name := range hostileNames {
		t.Run(fmt.Sprintf("%.30q", name), func(t *testing.T) {
			page, facts := pageOfNames(t, name)
			got := elements(page)
			if name == "" { // there is no error's type to show
				got["i"], got["/i"] = want["i"], want["/i"]
			}
			assert.Equal(t, want, got)
			assert.True(t, utf8.ValidString(page))
			assert.True(t, utf8.ValidString(facts))
			kept := string([]rune(name[:min(len(name), 256)]))
			var decoded struct{ Streams, Rows, Recent []monitor.Key }
			require.NoError(t, json.Unmarshal([]byte(facts), &decoded))
			for _, keys := range [][]monitor.Key{decoded.Streams, decoded.Rows, decoded.Recent[:1]} {
				assert.Equal(t, []monitor.Key{{Provider: kept, Model: kept, Scenario: kept}}, keys)
			}
			read := cmp.Or(strings.ReplaceAll(kept, "\x00", "\uFFFD"), "–") // HTML has no way to say NUL
			label := strings.Join(strings.Fields(read+" "+read+" "+read), " ")
			assert.Equal(t, label, tablesOf(section(t, page, "streams"))[0].names[0])
			assert.Equal(t, label, tablesOf(section(t, page, "recent"))[0].names[0])
		})
	}
}

// The last part of a path is in the page's link to the JSON.
func TestAPathIsNoHarm(t *testing.T) {
	harmless := elements(get(t, monitor.New(monitor.Config{}), "/"))
	for _, path := range []string{
		"/javascript:alert",
		"/%22%3E%3Cscript%3Ealert%3C%2Fscript%3E", "/a/..%2f..%2fb", "/%ff", "/x:y", "/?part=%22%3E%3Cb%3E",
	} {
		page := get(t, monitor.New(monitor.Config{}), path)
		if strings.Contains(path, "part") {
			assert.NotContains(t, page, "<b>")
			continue
		}
		assert.Equal(t, harmless, elements(page), path)
		link := linkPattern.FindStringSubmatch(page)
		require.NotNil(t, link, path)
		base, err := url.Parse("http://host/")
		require.NoError(t, err)
		target, err := base.Parse(link[1])
		require.NoError(t, err, path)
		assert.Equal(t, "http host", target.Scheme+" "+target.Host, path)
		_, last, _ := strings.Cut(path[1:], "/")
		last = cmp.Or(last, path[1:])
		assert.Equal(t, "/"+last+"/json", target.EscapedPath())
	}
}

// For the race detector: pages are made of streams that go on meanwhile.
func TestPagesAreMadeWhileStreamsGo(t *testing.T) {
	m := monitor.New(monitor.Config{Keys: 3})
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	var streams, pages sync.WaitGroup
	for i := range 4 {
		streams.Go(func() {
			for n := range 200 {
				_, rec := tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint((i + n) % 5)})
				for range 20 {
					rec.BeginWait()
					rec.Observe(tpot.Event{Kind: tpot.KindText, Model: fmt.Sprint(n)})
				}
				rec.End(nil)
			}
		})
	}
	ended := make(chan struct{})
	for _, target := range []string{"/", "/?part=", "/json"} {
		pages.Go(func() {
			for {
				assert.NotEmpty(t, get(t, m, target))
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	streams.Wait()
	close(ended)
	pages.Wait()
	assert.Contains(t, get(t, m, "/json"), `"total":{"convention":"tokentiming","provider":"","model":"","scenario":"","in_flight":0`)
	assert.Contains(t, get(t, m, "/json"), `"requests":800`)
}

func TestNothingOfTheContentIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		_, rec := tracker.Start(t.Context(), tpot.Request{Model: "m"})
		rec.ObserveError(errors.New("the secret of a pending error"))
		_, failed := tracker.Start(t.Context(), tpot.Request{Model: "m"})
		failed.End(fmt.Errorf("wrapped: %w", errors.New("the secret of an error")))
		for _, target := range []string{"/", "/json", "/?part="} {
			body := get(t, m, target)
			assert.NotContains(t, body, "secret")
			assert.Contains(t, body, "*errors.errorString")
		}
		rec.End(nil)
	})
}
