package matrix_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// wrong are the ways to be another than the fake that passes, each with a subtest that must fail for it.
var wrong = map[string]struct {
	spoil func(*matrix.SDK[chunk])
	fails string
}{
	"a value is lost":          {around(func(s stream.Puller[chunk]) stream.Puller[chunk] { return &losing{Puller: s} }), "adapter/healthy"},
	"the error is hidden":      {around(func(s stream.Puller[chunk]) stream.Puller[chunk] { return hiding{s} }), "adapter/cut"},
	"the error is wrapped":     {around(func(s stream.Puller[chunk]) stream.Puller[chunk] { return wrapping{s} }), "adapter/cut"},
	"close does not":           {around(func(s stream.Puller[chunk]) stream.Puller[chunk] { return open{s} }), "adapter/early_close"},
	"close has another result": {around(func(s stream.Puller[chunk]) stream.Puller[chunk] { return closing{s} }), "adapter/healthy"},
	"nothing is recorded": {func(s *matrix.SDK[chunk]) {
		s.Timed = func(ctx context.Context, _ *tpot.Recorder, client *http.Client, c *consumer) error {
			return s.Plain(ctx, client, c)
		}
	}, "adapter/healthy"},
	"every value is a token": {func(s *matrix.SDK[chunk]) {
		s.Timed = func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Pull(stream.Pull(rec, request(ctx, client), stream.Each))
			return nil
		}
	}, "adapter/healthy"},
	"the request is late": {func(s *matrix.SDK[chunk]) {
		s.Timed = func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			opened := request(ctx, client)
			c.Pull(stream.Pull(tpot.Start(ctx), opened, nil))
			rec.End(nil)
			return nil
		}
	}, "adapter/healthy"},
	"a header is added": {func(s *matrix.SDK[chunk]) {
		s.Timed = func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Pull(stream.Pull(rec, request(ctx, &http.Client{Transport: adding{client.Transport}}), nil))
			return nil
		}
	}, "adapter/healthy"},
	"kinds are mistaken": {func(s *matrix.SDK[chunk]) { s.Kind = func(chunk) llmtest.Kind { return llmtest.KindText } }, "untimed/healthy"},
	"the format":         {func(s *matrix.SDK[chunk]) { s.Format = "anthropic" }, "adapter/healthy"},
	"a response":         {func(s *matrix.SDK[chunk]) { s.Response = true }, "adapter/healthy"},
	"usage is asked for": {func(s *matrix.SDK[chunk]) { s.Wire = matrix.OpenAIChatUnasked }, "untimed/healthy"},
	"another reason":     {wire(func(w *matrix.Wire) { w.FinishReason = "length" }), "adapter/healthy"},
	"another error":      {wire(func(w *matrix.Wire) { w.ErrorType = "x" }), "transport/error_in_stream"},
	"another model":      {wire(func(w *matrix.Wire) { w.Model = "x" }), "transport/healthy"},
	"another provider":   {wire(func(w *matrix.Wire) { w.Request.Provider = "x" }), "transport/healthy"},
}

// TestAFakePasses is also the test that is run with something wrong, by name.
func TestAFakePasses(t *testing.T) {
	s := sdk()
	name := os.Getenv("WRONG")
	if w, ok := wrong[name]; ok {
		w.spoil(&s)
	} else if f := reflect.ValueOf(&s.Traits).Elem().FieldByName(name); f.IsValid() {
		flip(f)
	}
	matrix.Run(t, s)
}

func TestAnythingElseFails(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, failuresWith(t, name), "TestAFakePasses/fake/"+wrong[name].fails)
		})
	}
}

func TestAFalseTraitFails(t *testing.T) {
	traits := reflect.TypeFor[matrix.Traits]()
	for field := range traits.Fields() {
		t.Run(field.Name, func(t *testing.T) { failuresWith(t, field.Name) })
	}
}

// failuresWith runs the fake with something wrong and returns the tests that failed, of which there must be some.
func failuresWith(t *testing.T, wrong string) []string {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAFakePasses$")
	cmd.Env = append(os.Environ(), "WRONG="+wrong)
	out, err := cmd.Output()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "it passed")
	var failed []string
	for _, line := range regexp.MustCompile(`--- FAIL: (\S+)`).FindAllStringSubmatch(string(out), -1) {
		failed = append(failed, line[1])
	}
	require.NotEmpty(t, failed, "%s", out)
	return failed
}

func flip(f reflect.Value) {
	if f.Kind() == reflect.String {
		f.SetString("other")
	} else {
		f.SetBool(!f.Bool())
	}
}

func around(wrap func(stream.Puller[chunk]) stream.Puller[chunk]) func(*matrix.SDK[chunk]) {
	return func(s *matrix.SDK[chunk]) { s.Timed = timed(wrap) }
}

func wire(change func(*matrix.Wire)) func(*matrix.SDK[chunk]) {
	return func(s *matrix.SDK[chunk]) {
		s.Wire = func() matrix.Wire {
			w := matrix.OpenAIChat()
			change(&w)
			return w
		}
	}
}

// losing loses the third value.
type losing struct {
	stream.Puller[chunk]
	n int
}

func (l *losing) Next() bool {
	if l.n++; l.n == 3 {
		l.Puller.Next()
	}
	return l.Puller.Next()
}

type hiding struct{ stream.Puller[chunk] }

func (hiding) Err() error { return nil }

type wrapping struct{ stream.Puller[chunk] }

func (w wrapping) Err() error {
	if err := w.Puller.Err(); err != nil {
		return errors.Join(err)
	}
	return nil
}

type open struct{ stream.Puller[chunk] }

func (open) Close() error { return nil }

type closing struct{ stream.Puller[chunk] }

func (c closing) Close() error {
	_ = c.Puller.Close()
	return errors.New("closed")
}

type adding struct{ http.RoundTripper }

func (a adding) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("X-Added", "x")
	return a.RoundTripper.RoundTrip(req)
}
