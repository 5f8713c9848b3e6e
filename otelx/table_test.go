package otelx_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// row is a metric, in the table of the package comment or as it was collected.
type row struct{ kind, unit, attributes, bounds string }

// table reads the package comment: the metrics, and what the words in their columns stand for.
func table(t *testing.T) (metrics map[string]row, words map[string]string) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	metrics, words = make(map[string]row), make(map[string]string)
	for line := range strings.Lines(string(text)) {
		indented, ok := strings.CutPrefix(line, "//\t")
		fields := strings.Fields(indented)
		switch {
		case !ok || len(fields) < 2:
		case strings.HasPrefix(fields[0], "gen_ai.") || strings.HasPrefix(fields[0], "tokentiming."):
			r := row{kind: fields[1], unit: fields[2]}
			attributes := fields[3:]
			if r.kind == "histogram" {
				last := len(attributes) - 1
				r.bounds, attributes = attributes[last], attributes[:last]
			}
			r.attributes = strings.Join(attributes, " ")
			metrics[fields[0]] = r
		default:
			words[fields[0]] = strings.TrimSpace(indented[len(fields[0]):])
		}
	}
	return metrics, words
}

// collected describes a metric as a reader collected it, in full.
func collected(t *testing.T, m metricdata.Metrics) row {
	r := row{unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64], metricdata.Histogram[int64]:
		r.kind = "histogram"
		r.bounds = strings.Trim(fmt.Sprint(points(m)[0].bounds), "[]")
	case metricdata.Sum[int64]:
		r.kind = map[bool]string{true: "counter", false: "updowncounter"}[data.IsMonotonic]
	case metricdata.Sum[float64]:
		require.True(t, data.IsMonotonic)
		r.kind = "counter"
	default:
		t.Fatalf("%s: %T", m.Name, data)
	}
	keys := make(map[attribute.Key]bool)
	for _, p := range points(m) {
		for key := range p.attrs {
			keys[key] = true
		}
	}
	var names []string
	for key := range keys {
		names = append(names, string(key))
	}
	slices.Sort(names)
	r.attributes = strings.Join(names, " ")
	return r
}

// spelled is a row of the table with its words replaced by what they stand for.
func spelled(r row, words map[string]string) row {
	var names []string
	for word := range strings.FieldsSeq(r.attributes) {
		meaning := words[word]
		switch word {
		case "all", "request":
			names = append(names, strings.Fields(meaning)...)
		default: // an attribute, and its values
			names = append(names, strings.TrimRight(strings.Fields(meaning)[0], ":,"))
		}
	}
	slices.Sort(names)
	r.attributes = strings.Join(names, " ")
	if r.bounds != "" {
		r.bounds = plain(words[r.bounds])
	}
	return r
}

// plain writes numbers as fmt does.
func plain(numbers string) string {
	var all []float64
	for number := range strings.FieldsSeq(numbers) {
		var f float64
		_, _ = fmt.Sscan(number, &f)
		all = append(all, f)
	}
	return strings.Trim(fmt.Sprint(all), "[]")
}

func TestTheTableIsWhatIsCollected(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01))
	tracker.SLO = tpot.SLO{TTFT: ms(1000)}
	for _, w := range ways() {
		_, r := tracker.Start(t.Context(), request())
		w.play(r)
	}
	_, r := tracker.Start(t.Context(), request())
	play(r)
	for _, tokens := range []int{0, 1, 2} { // guessed, counted, mixed
		_, r = tracker.Start(t.Context(), request())
		r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText, Tokens: min(tokens, 1)})
		r.ObserveAt(ms(20), tpot.Event{Kind: tpot.KindText, Tokens: tokens % 2})
		r.EndAt(ms(30), nil)
	}

	documented, words := table(t)
	all := b.metrics(t)
	assert.Equal(t, slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(all)))
	for name, m := range all {
		assert.Equal(t, spelled(documented[name], words), collected(t, m), name)
		assert.NotEmpty(t, m.Description, name)
	}
	for word, key := range map[string]attribute.Key{"outcome": "tokentiming.outcome", "reason": "tokentiming.reason", "phase": "tokentiming.phase",
		"type": "gen_ai.token.type", "modality": "gen_ai.token.modality",
		"source": "tokentiming.token.source", "basis": "tokentiming.itl.basis"} {
		checkValues(t, words[word], key, all)
	}
}

// checkValues holds the values of an attribute that the package comment lists against those that were collected.
func checkValues(t *testing.T, meaning string, key attribute.Key, all map[string]metricdata.Metrics) {
	found := make(map[string]bool)
	for _, m := range all {
		for _, p := range points(m) {
			if v, ok := p.attrs[key]; ok {
				found[v] = true
			}
		}
	}
	list, _, _ := strings.Cut(meaning, ";")
	listed := strings.Fields(strings.SplitN(list, ":", 2)[1])
	assert.ElementsMatch(t, listed, slices.Collect(maps.Keys(found)), key)
}

// Metrics of others have the recommended boundaries: the buckets can only be added up if ours have them all.
func TestBoundariesContainTheRecommended(t *testing.T) {
	_, words := table(t)
	recommended := "0.01 0.02 0.04 0.08 0.16 0.32 0.64 1.28 2.56 5.12 10.24 20.48 40.96 81.92"
	assert.Equal(t, recommended, words["durations"])
	for _, list := range []string{"first", "gaps"} {
		assert.Subset(t, strings.Fields(words[list]), strings.Fields(recommended), list)
	}
	assert.Equal(t, "1 4 16 64 256 1024 4096 16384 65536 262144 1048576 4194304 16777216 67108864", words["tokens"])
}
