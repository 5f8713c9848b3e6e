package assets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

func TestTheFilesAreWhatIsGenerated(t *testing.T) {
	for dir, generate := range map[string]func(assets.Variant) ([]byte, error){
		"../grafana/dashboards": assets.Dashboard,
		"../prometheus/rules":   assets.Rules,
	} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		files := make(map[string]string) // by name without extension
		for _, e := range entries {
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			files[strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))] = string(content)
		}
		generated := make(map[string]string)
		for _, v := range assets.Variants() {
			content, err := generate(v)
			require.NoError(t, err)
			generated[v.String()] = string(content)
		}
		assert.True(t, assert.ObjectsAreEqual(generated, files), "%s is stale: run go generate ./examples/monitoring/assets", dir)
	}
}

func TestTheVariantsAreFour(t *testing.T) {
	var names []string
	for _, v := range assets.Variants() {
		names = append(names, v.String())
	}
	assert.ElementsMatch(t, []string{"classic", "classic-nosuffix", "native", "native-nosuffix"}, names)
	assert.Equal(t, "native-nosuffix", assets.Variant{Native: true}.String())
	assert.Equal(t, "classic", assets.Variant{Suffixes: true}.String())
}
