// Package otelx is the place of the adapter that carries tokentiming's figures to OpenTelemetry. It has no code yet: the module exists so
// that the core's users never see its dependencies come.
package otelx
