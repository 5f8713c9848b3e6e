package sdks

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamplesCompile vets all modules of examples/sdks, of which the gate of the repository compiles those that take seconds.
func TestExamplesCompile(t *testing.T) {
	const examples = "../../examples/sdks"
	modules, err := filepath.Glob(examples + "/*/go.mod")
	require.NoError(t, err)
	for _, module := range append(modules, examples+"/go.mod") {
		t.Run(filepath.Base(filepath.Dir(module)), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
			cmd.Dir = filepath.Dir(module)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}
