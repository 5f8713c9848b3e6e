package assets

// Variant is a shape that OpenTelemetry's metrics have in Prometheus.
type Variant struct {
	Native   bool // histograms are native ones; else classic, with a series for each bucket
	Suffixes bool // names end with their unit, counters with _total
}

// Variants are all of them.
func Variants() []Variant {
	return []Variant{{Suffixes: true}, {}, {Native: true, Suffixes: true}, {Native: true}}
}

// String is the variant's name, as in the names of files: classic, classic-nosuffix, native, native-nosuffix.
func (v Variant) String() string {
	name := "classic"
	if v.Native {
		name = "native"
	}
	if !v.Suffixes {
		name += "-nosuffix"
	}
	return name
}
