// Package collector sends what the monitoring example measures to an OpenTelemetry collector, and compares what arrives there
// with what was sent, data point by data point.
package collector
