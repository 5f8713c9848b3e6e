package llmtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestFixturesArePlayedAsTheyWereCaptured(t *testing.T) {
	testdata := os.DirFS("testdata")
	for _, name := range []string{
		"anthropic_error_midstream", "cut_connection", "ollama_api_generate", "tgi_generate_stream",
	} {
		t.Run(name, func(t *testing.T) {
			script, err := llmtest.Fixture(testdata, name)
			require.NoError(t, err)
			started(t, func(t *testing.T, srv *llmtest.Server) { play(t, srv, name) }, script)
		})
	}
}

// play compares the response of srv with the fixture, read here a second time.
func play(t *testing.T, srv *llmtest.Server, name string) {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name + ".bin")
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	var want struct {
		ContentType string `json:"content_type"`
		Writes      []struct {
			AtMS json.Number `json:"at_ms"`
			Len  int
		}
		Abort bool
	}
	require.NoError(t, json.Unmarshal(text, &want))

	resp := get(t, srv)
	got, err := io.ReadAll(resp.Body)
	assert.Equal(t, string(body), string(got))
	assert.Equal(t, want.ContentType, resp.Header.Get("Content-Type"))
	x := srv.Log()[0]
	if want.Abort {
		requireCut(t, srv, err)
		assert.Equal(t, llmtest.StateCut, x.State)
	} else {
		require.NoError(t, err)
		assert.Equal(t, llmtest.StateComplete, x.State)
	}
	require.Len(t, x.Writes, len(want.Writes))
	for i, w := range want.Writes {
		at, err := time.ParseDuration(w.AtMS.String() + "ms")
		require.NoError(t, err)
		assert.Equal(t, at, x.Writes[i].Began)
		assert.Len(t, x.Writes[i].Bytes(), w.Len)
	}
}

func TestAFixtureThatIsWrong(t *testing.T) {
	for name, writes := range map[string]string{
		"bytes left over":    `[{"at_ms":1,"len":3}]`,
		"more than there is": `[{"at_ms":1,"len":5}]`,
		"less than nothing":  `[{"at_ms":1,"len":5},{"at_ms":2,"len":-1}]`,
		"back in time":       `[{"at_ms":2,"len":2},{"at_ms":1,"len":2}]`,
		"before the request": `[{"at_ms":-1,"len":4}]`,
		"not a list":         `4`,
		"beyond integers":    fmt.Sprintf(`[{"at_ms":1,"len":%d}]`, uint64(math.MaxUint64)),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := llmtest.Fixture(fstest.MapFS{
				"x.bin":  {Data: []byte("body")},
				"x.json": {Data: []byte(`{"content_type":"text/plain","writes":` + writes + `}`)},
			}, "x")
			assert.ErrorContains(t, err, "llmtest: x")
		})
	}
	_, err := llmtest.Fixture(fstest.MapFS{"x.bin": {}}, "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = llmtest.Fixture(fstest.MapFS{"x.json": {}}, "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
