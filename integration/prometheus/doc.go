// Package prometheus tries the monitoring example against Prometheus: its own scrape, storage, rule and query engines and its
// own receiver of OTLP, within one process, on a clock of testing/synctest in which hours pass in seconds.
//
//	GOWORK=off go test -v .
//
// prints panel by panel and alert by alert what became of it.
package prometheus
