package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newBar is a bar of the requests that have ended, of so many or, with 0, of an unknown number. It is seen on a terminal only.
func newBar(w io.Writer, requests int) *progressbar.ProgressBar {
	if requests == 0 {
		requests = -1
	}
	return progressbar.NewOptions(requests,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(isTerminal(w)),
		progressbar.OptionSetDescription("requests"),
		progressbar.OptionSetItsString("request"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionUseANSICodes(true), // what is echoed into its line goes with it
		progressbar.OptionClearOnFinish(),
	)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
