// Package browser looks at the page of package monitor with a real browser, while real streams go.
//
//	GOWORK=off go test -v .
//
// needs Chromium: Debian's package chromium, or a google-chrome. It prints what updates of the page take.
package browser
