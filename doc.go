// Package tokentiming is the map of a module that tells the truth about LLM token streams. It holds no code:
//
//   - [github.com/tokentiming/tokentiming/tpot] measures one request: a Recorder takes events and gives Stats
//   - [github.com/tokentiming/tokentiming/stream] wraps a stream of any shape with a Recorder
//   - [github.com/tokentiming/tokentiming/monitor] keeps the figures of many requests: rolling statistics, limits, a watchdog, a page
//   - [github.com/tokentiming/tokentiming/convention] works out the same stream under the definitions of well-known tools
//
// Two modules beside it hold what its users should not have to depend on: otelx, which carries the figures to OpenTelemetry, and
// examples, with the quickstart.
package tokentiming
