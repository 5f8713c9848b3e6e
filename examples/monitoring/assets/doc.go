// Package assets makes what an operator looks at: a Grafana dashboard of the metrics of package otelx, and Prometheus rules
// with recordings and alerts. Both come in four variants, since the same metrics have four shapes in Prometheus: see [Variant].
//
// The names are those of otelx's default, the semantic conventions 1.41.0, with tokentiming.scenario allowed
// (otelx.WithAttributes(otelx.ScenarioKey)); without it everything works by model alone. Every query adds up all programs that
// Prometheus scrapes.
//
// The files beside this directory, ../grafana/dashboards and ../prometheus/rules, are made by
//
//	go generate ./examples/monitoring/assets
//
// The limits of the alerts are in limits.go. None of them holds for everyone: change them there and generate again.
package assets

//go:generate go run ./generate ..
