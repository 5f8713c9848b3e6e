package otelx

const (
	// ScopeName is the name of the instrumentation scope of everything that this package reports.
	ScopeName = "github.com/tokentiming/tokentiming/otelx"
	// Version is the version of this module, and of the scope.
	Version = "0.1.0-dev"
)
