package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
)

// printer prints an answer as it comes, its reasoning apart.
type printer struct {
	out       io.Writer
	reasoning bool
}

func (p *printer) print(text string, reasoning bool) {
	switch {
	case reasoning && !p.reasoning:
		fmt.Fprint(p.out, "(thinking) ")
	case !reasoning && p.reasoning:
		fmt.Fprint(p.out, "\n\n")
	}
	p.reasoning = reasoning
	fmt.Fprint(p.out, strings.Map(printable, text))
}

// printable keeps what a model says from steering the terminal.
func printable(r rune) rune {
	if unicode.IsPrint(r) || r == '\n' || r == '\t' {
		return r
	}
	return '·'
}

// progress is a line that says how long the first token has been waited for.
type progress struct {
	once sync.Once
	done chan struct{}
	gone chan struct{}
}

func startProgress(w io.Writer) *progress {
	p := &progress{done: make(chan struct{}), gone: make(chan struct{})}
	go p.run(w)
	return p
}

func (p *progress) run(w io.Writer) {
	defer close(p.gone)
	if !isTerminal(w) {
		fmt.Fprintln(w, "waiting for the first token")
		return
	}
	start := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		fmt.Fprintf(w, "\rwaiting for the first token, %.1f s", time.Since(start).Seconds())
		select {
		case <-tick.C:
		case <-p.done:
			fmt.Fprint(w, "\r\x1b[K") // erase the line
			return
		}
	}
}

// stop takes the line away; only the first call does anything.
func (p *progress) stop() {
	p.once.Do(func() { close(p.done) })
	<-p.gone
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
