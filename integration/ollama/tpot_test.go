package ollama

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

func TestTPOTIsTheServers(t *testing.T) {
	inAllWays(t, wires, hasUsage, func(t *testing.T, f figures) {
		assert.InDelta(t, 1, median(f, figure.ratio), 0.05)
	})
}

// Without usage the number of tokens is a guess, which says so, and TPOT is as much too high as the guess is too low.
func TestWithoutUsageTPOTIsAGuess(t *testing.T) {
	inAllWays(t, unasked, isGuess, func(t *testing.T, f figures) {
		assert.Greater(t, median(f, figure.ratio), 1.05)
		assert.InDelta(t, 1, median(f, figure.corrected), 0.05)
	})
}

func inAllWays(t *testing.T, wires []wire, check func(*testing.T, answer, tpot.Stats), judge func(*testing.T, figures)) {
	var table table
	for _, w := range wires {
		for _, by := range ways {
			t.Run(w.name()+" "+by.name, func(t *testing.T) {
				f := measure(t, w, by, check)
				table.add(w, by, f)
				assert.Greater(t, median(f, func(f figure) float64 { return f.shared }), 0.5, "what is compared was not decoded together")
				judge(t, f)
			})
		}
	}
	table.print(t)
}

// An adapter and a transport that know nothing of each other make the same of one response.
func TestAdapterAndTransportAgree(t *testing.T) {
	for _, w := range wires {
		t.Run(w.name(), func(t *testing.T) {
			var told observer
			rec := tpot.Start(t.Context())
			_, err := w.call(t.Context(), told.client(), rec)
			require.NoError(t, err)
			adapter, transport := rec.Stats(), told.only(t)
			for _, s := range []*tpot.Stats{&adapter, &transport} {
				assert.Equal(t, tokens, s.Tokens)
				assert.Equal(t, tpot.SourceReported, s.Source)
			}
			assert.Equal(t, adapter.Chunks, transport.Chunks)
			assert.Equal(t, adapter.Usage, transport.Usage)
			assert.Equal(t, adapter.Outcome, transport.Outcome)
			assert.Equal(t, adapter.FinishReason, transport.FinishReason)
			assert.Equal(t, adapter.Model, transport.Model)
			assert.Equal(t, adapter.Wire, transport.Wire)
			assert.Equal(t, adapter.Server, transport.Server)
		})
	}
}
