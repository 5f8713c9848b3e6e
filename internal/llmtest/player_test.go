package llmtest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestAPlayerIsAHandler(t *testing.T) {
	player := &llmtest.Player{Scripts: []llmtest.Script{lines}}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/", player)
	srv := httptest.NewServer(mux)
	defer srv.Close()

	resp, err := http.Post(srv.URL+"/v1/messages", "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo\nthree\n", string(body))
	assert.Equal(t, "/v1/messages", player.Log()[0].Path)
	assert.Equal(t, llmtest.StateComplete, player.Log()[0].State)
}

func TestAScriptIsNotChangedByBeingPlayed(t *testing.T) {
	script := llmtest.JSON(http.StatusNotFound, "no")
	player := &llmtest.Player{Scripts: []llmtest.Script{script}}
	w := httptest.NewRecorder()
	player.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, http.StatusNotFound, w.Code)
	assert.Equal(t, `"no"`, w.Body.String())

	w.Header()["Content-Type"][0] = "changed"
	assert.Equal(t, "application/json", script.Header.Get("Content-Type"))
}

func TestAScriptCanBeChosenByWhatArrived(t *testing.T) {
	player := &llmtest.Player{
		Scripts: []llmtest.Script{llmtest.JSON(http.StatusOK, "not this one")},
		Choose: func(x llmtest.Exchange) llmtest.Script {
			return llmtest.JSON(http.StatusOK, x.Method+" "+x.Path+" "+string(x.Body))
		},
	}
	for i, path := range []string{"/a", "/b"} {
		w := httptest.NewRecorder()
		player.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader("which?")))
		assert.Equal(t, `"POST `+path+` which?"`, w.Body.String())
		assert.Equal(t, path, player.Log()[i].Path)
	}
}

// broken is a ResponseWriter that takes a header and nothing else.
type broken struct{ http.ResponseWriter }

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }
func (broken) FlushError() error         { return nil }

func TestAResponseWriterThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		w   http.ResponseWriter
		err error
	}{
		"write": {broken{httptest.NewRecorder()}, errBroken},
		"flush": {struct{ http.ResponseWriter }{httptest.NewRecorder()}, http.ErrNotSupported},
	} {
		t.Run(name, func(t *testing.T) {
			player := &llmtest.Player{Scripts: []llmtest.Script{lines}}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			assert.PanicsWithValue(t, http.ErrAbortHandler, func() { player.ServeHTTP(test.w, r) })
			x := player.Log()[0]
			assert.Equal(t, llmtest.StateGone, x.State)
			assert.Empty(t, x.Writes)
			assert.ErrorIs(t, x.Err, test.err)
		})
	}
}
