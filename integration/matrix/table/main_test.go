package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tabled(t *testing.T, lines ...string) (holds bool, text string) {
	t.Helper()
	table, err := read(strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	var b strings.Builder
	table.write(&b)
	return table.holds(), b.String()
}

const (
	passed  = `{"Action":"pass","Package":"p","Test":"TestA/sdk_a/both/a_cut","Elapsed":0.1}`
	passed2 = `{"Action":"pass","Package":"p","Test":"TestA/sdk_a/both/healthy"}`
	passed3 = `{"Action":"pass","Package":"p","Test":"TestB/b/untimed/healthy"}`
	parent  = `{"Action":"pass","Package":"p","Test":"TestA/sdk_a/both"}`
	other   = `{"Action":"pass","Package":"p","Test":"TestC"}`
	ends    = `{"Action":"pass","Package":"p"}`
)

func TestAllPass(t *testing.T) {
	holds, text := tabled(t, `{"Action":"start","Package":"p"}`, passed, passed2, parent, passed3, other, ends)
	assert.True(t, holds)
	assert.Equal(t, ""+
		"SDK    timed by  a cut  healthy\n"+
		"sdk a  both      pass   pass\n"+
		"b      untimed   -      pass\n"+
		"3 passed, 0 failed\n", text)
}

func TestWhatFailsIsRepeated(t *testing.T) {
	holds, text := tabled(t,
		`{"Action":"output","Package":"p","Test":"TestA/sdk_a/both/a_cut","Output":"it is so\n"}`,
		`{"Action":"output","Package":"p","Test":"TestB/b/untimed/healthy","Output":"it is not\n"}`,
		passed,
		`{"Action":"fail","Package":"p","Test":"TestB/b/untimed/healthy"}`,
		`{"Action":"fail","Package":"p","Test":"TestB/b/untimed"}`,
		`{"Action":"fail","Package":"p"}`)
	assert.False(t, holds)
	assert.Equal(t, ""+
		"it is not\n"+
		"SDK    timed by  a cut  healthy\n"+
		"sdk a  both      pass   -\n"+
		"b      untimed   -      fail\n"+
		"1 passed, 1 failed\n", text)
}

func TestWhatIsNoSubtestFailsAll(t *testing.T) {
	for name, line := range map[string]string{
		"a test":    `{"Action":"fail","Package":"p","Test":"TestC"}`,
		"a package": `{"Action":"fail","Package":"p"}`,
		"a build":   `{"ImportPath":"p","Action":"build-fail"}`,
	} {
		t.Run(name, func(t *testing.T) {
			holds, _ := tabled(t, passed, line)
			assert.False(t, holds)
		})
	}
}

func TestWhatDoesNotBuildSaysWhy(t *testing.T) {
	_, text := tabled(t, `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: no\n"}`, `{"ImportPath":"p","Action":"build-fail"}`)
	assert.True(t, strings.HasPrefix(text, "p.go:1: no\n"), text)
}

func TestNothingIsNotEnough(t *testing.T) {
	for _, lines := range []string{"", other, ends, `{"Action":"skip","Package":"p","Test":"TestA/a/both/healthy"}`} {
		holds, _ := tabled(t, lines)
		assert.False(t, holds, lines)
	}
}

func TestWhatIsNoJSONIsAnError(t *testing.T) {
	_, err := read(strings.NewReader("# p\n"))
	assert.ErrorContains(t, err, "# p")
}
