package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/tokentiming/tokentiming/tpot"
)

// source is where traces are, as JSON Lines.
type source struct {
	name string
	data []byte
}

// open is the files, or without one the captured stream's trace.
func open(ctx context.Context, files []string) (sources []source, err error) {
	if len(files) == 0 {
		data, err := record(ctx)
		return []source{{"the captured stream", data}}, err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{name, data})
	}
	return sources, nil
}

// read is all traces. A line that is none is told and left out.
func read(sources []source, errs io.Writer) (traces []tpot.Trace, code int) {
	for _, s := range sources {
		before := len(traces)
		for trace, err := range tpot.ReadTraces(bytes.NewReader(s.data)) {
			if err != nil {
				fmt.Fprintf(errs, "conventions: %s: %v\n", s.name, err)
				code = exitNoTrace
				continue
			}
			traces = append(traces, trace)
		}
		if len(traces) == before {
			fmt.Fprintf(errs, "conventions: %s has no traces\n", s.name)
			code = exitNoTrace
		}
	}
	return traces, code
}

// write is the traces to a file, a line each.
func write(name string, traces []tpot.Trace) error {
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	for _, trace := range traces {
		if err := to.Encode(trace); err != nil {
			return err
		}
	}
	return os.WriteFile(name, lines.Bytes(), 0o666)
}
