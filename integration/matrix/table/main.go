// Table reads what go test -json prints of tests named Test/SDK/instrumentation/scenario, and writes a table of them, one line for
// each SDK and instrumentation. It repeats what failing tests print, and exits with 1 unless some ran and all passed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	t, err := read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
	t.write(os.Stdout)
	if !t.holds() {
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// table is the results of tests.
type table struct {
	rows      [][2]string // SDK and instrumentation, in the order in which they came
	scenarios []string
	results   map[[3]string]string // of SDK, instrumentation and scenario: pass, fail, skip
	output    map[string][]string  // of what has not ended, by package and test
	failed    []string             // what failing tests and packages printed
	failures  int
}

func read(r io.Reader) (*table, error) {
	t := &table{results: map[[3]string]string{}, output: map[string][]string{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%w: %s", err, lines.Text())
		}
		t.take(e)
	}
	return t, lines.Err()
}

func (t *table) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		t.output[key] = append(t.output[key], e.Output)
	case "pass", "skip":
		delete(t.output, key)
		t.enter(e.Test, e.Action)
	case "fail", "build-fail":
		t.failures++
		t.failed = append(t.failed, t.output[key]...)
		delete(t.output, key)
		t.enter(e.Test, e.Action)
	}
}

// enter enters the result of a scenario.
func (t *table) enter(test, result string) {
	name := strings.Split(strings.ReplaceAll(test, "_", " "), "/")
	if len(name) != 4 {
		return
	}
	row := [2]string{name[1], name[2]}
	if !slices.Contains(t.rows, row) {
		t.rows = append(t.rows, row)
	}
	if !slices.Contains(t.scenarios, name[3]) {
		t.scenarios = append(t.scenarios, name[3])
	}
	t.results[[3]string{name[1], name[2], name[3]}] = result
}

// holds is whether all tests passed, none of the table was skipped, and there were some.
func (t *table) holds() bool {
	return t.failures == 0 && len(t.results) > 0 && t.count("pass") == len(t.results)
}

func (t *table) write(w io.Writer) {
	for _, line := range t.failed {
		fmt.Fprint(w, line)
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(columns, "SDK\ttimed by\t%s\n", strings.Join(t.scenarios, "\t"))
	for _, row := range t.rows {
		fmt.Fprintf(columns, "%s\t%s", row[0], row[1])
		for _, scenario := range t.scenarios {
			result, ok := t.results[[3]string{row[0], row[1], scenario}]
			if !ok {
				result = "-"
			}
			fmt.Fprintf(columns, "\t%s", result)
		}
		fmt.Fprintln(columns)
	}
	columns.Flush()
	fmt.Fprintf(w, "%d passed, %d failed\n", t.count("pass"), t.count("fail"))
}

func (t *table) count(result string) (n int) {
	for _, r := range t.results {
		if r == result {
			n++
		}
	}
	return n
}
