package collector

import "time"

// Point is all that there is to a data point, in the same form at both ends.
type Point struct {
	Resource, Scope, Version string
	Name, Unit, Description  string
	Kind                     Kind
	Attributes               string
	Start, Time              time.Time
	Value                    any // int64, float64, Buckets or Scaled
	Exemplars                []Exemplar
}

// Kind is what a Point is one of.
type Kind struct {
	Type                  string // sum, histogram, exponential histogram
	Cumulative, Monotonic bool
}

// Summary is what both kinds of histograms have.
type Summary struct {
	Count         uint64
	Sum, Min, Max float64
}

// Buckets is the value of a histogram with bounds.
type Buckets struct {
	Summary
	Bounds []float64
	Counts []uint64
}

// Scaled is the value of an exponential histogram.
type Scaled struct {
	Summary
	Scale              int32
	Zeros              uint64
	ZeroThreshold      float64
	Positive, Negative Range
}

// Range is the buckets from an offset on.
type Range struct {
	Offset int32
	Counts []uint64
}

// Exemplar is one measurement and its trace.
type Exemplar struct {
	Time        time.Time
	Value       any // int64 or float64
	Attributes  string
	Trace, Span string // in hexadecimal
}
