package assets_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/otlptranslator"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

// instrument is a line of the table in otelx's documentation, which says what there is to be queried.
type instrument struct {
	name, kind, unit string
	labels           []string // in Prometheus
}

var tableLine = regexp.MustCompile(`(?m)^//\t((?:gen_ai|tokentiming)\.\S+) +(histogram|counter|updowncounter) +(\S+) +(all|request)(?: (\w+))?\b`)

// table is what otelx documents.
func table(t *testing.T) []instrument {
	source, err := os.ReadFile("../../../otelx/doc.go")
	require.NoError(t, err)
	keys := attributeKeys(t)
	var instruments []instrument
	for _, line := range tableLine.FindAllStringSubmatch(string(source), -1) {
		in := instrument{name: line[1], kind: line[2], unit: line[3]}
		for _, key := range []string{"ScenarioKey", "keyOperation", "keyProvider", "keyRequestModel", "keyServerAddress", "keyServerPort"} {
			in.labels = append(in.labels, keys[key])
		}
		if line[4] == "all" {
			in.labels = append(in.labels, keys["keyResponseModel"])
		}
		if more := line[5]; more != "" {
			constant, known := map[string]string{
				"error": "keyErrorType", "type": "keyTokenType", "modality": "keyTokenModality", "source": "keySource", "basis": "keyBasis",
				"outcome": "keyOutcome", "reason": "keyReason", "phase": "keyPhase",
			}[more]
			require.True(t, known, "an attribute that the test does not know: %s", more)
			in.labels = append(in.labels, keys[constant])
		}
		require.NotContains(t, in.labels, "", "%s has a label that otelx has no constant for", in.name)
		instruments = append(instruments, in)
	}
	require.Greater(t, len(instruments), 20)
	return instruments
}

var attributeKey = regexp.MustCompile(`(?m)^(?:const |\t)(\w+) += attribute\.Key\("([^"]+)"\)`)

// attributeKeys are otelx's attributes as labels, by the name of their constant.
func attributeKeys(t *testing.T) map[string]string {
	source, err := os.ReadFile("../../../otelx/semconv.go")
	require.NoError(t, err)
	keys := make(map[string]string)
	for _, m := range attributeKey.FindAllStringSubmatch(string(source), -1) {
		keys[m[1]] = strings.ReplaceAll(m[2], ".", "_")
	}
	return keys
}

// series are the names of all that a variant has in Prometheus.
func series(t *testing.T, v assets.Variant) map[string]instrument {
	kinds := map[string]otlptranslator.MetricType{
		"histogram":     otlptranslator.MetricTypeHistogram,
		"counter":       otlptranslator.MetricTypeMonotonicCounter,
		"updowncounter": otlptranslator.MetricTypeNonMonotonicCounter,
	}
	namer := otlptranslator.MetricNamer{WithMetricSuffixes: v.Suffixes}
	names := make(map[string]instrument)
	for _, in := range table(t) {
		name, err := namer.Build(otlptranslator.Metric{Name: in.name, Unit: in.unit, Type: kinds[in.kind]})
		require.NoError(t, err)
		if in.kind != "histogram" || v.Native {
			names[name] = in
			continue
		}
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			names[name+part] = in
		}
	}
	return names
}
