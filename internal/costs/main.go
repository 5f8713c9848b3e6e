// Command costs runs the benchmarks and writes the README's table of costs from what they print.
//
//	go run ./internal/costs            prints the table
//	go run ./internal/costs -w         puts it into README.md
//
// Nearly every cost is a ratio to a baseline of the same run: the fastest of several rounds of each benchmark over the fastest of
// the baseline, since noise only ever adds. It exits with 1 when a limit does not hold.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	write := flag.Bool("w", false, "put the table into README.md")
	rounds := flag.Int("count", 10, "rounds of each benchmark")
	flag.Parse()

	r, err := run(*rounds)
	if err != nil {
		log.Fatal("costs: ", err)
	}
	table, ok := r.table()
	fmt.Print(table)
	if *write {
		if err := replace("README.md", table); err != nil {
			log.Fatal("costs: ", err)
		}
	}
	if !ok {
		log.Fatal("costs: a limit does not hold")
	}
}

// result is the fastest round of a benchmark, or the median of another figure that it reports: CPU time errs to both sides.
type result struct {
	value         float64   // nanoseconds, or in the unit of the figure
	bytes, allocs int       // allocs -1: not counted
	values        []float64 // of a figure, sorted
}

// units are what costs that are no ratios are divided by.
var units = map[string]result{"µs": {value: 1e3}, "KiB": {value: 1 << 10}}

// results are those of one run, by package and benchmark, "stream.Recv", and unit where that is not ns/op: "monitor.OpenStreams B/stream".
type results struct {
	cpu string
	by  map[string]result
}

func run(rounds int) (results, error) {
	r := results{by: maps.Clone(units)}
	if err := r.bench(rounds, "", "./tpot", "./stream", "./internal/wire", "./monitor", "./otelx"); err != nil {
		return results{}, err
	}
	return r, r.bench(rounds, "otelx", ".")
}

// bench runs the benchmarks of packages: of the workspace, which has the newest dependencies, or of the module in a folder alone, with
// the oldest that it allows.
func (r *results) bench(rounds int, folder string, packages ...string) error {
	args := []string{"test", "-run=^$", "-bench=.", "-benchmem", "-benchtime=200ms", "-count=" + strconv.Itoa(rounds)}
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Stderr = os.Stderr
	suffix := ""
	if folder != "" {
		cmd.Dir, cmd.Env, suffix = folder, append(os.Environ(), "GOWORK=off"), " alone"
	}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	r.parse(out, suffix)
	return nil
}

// parse reads what go test -bench prints; suffix is put behind the packages' names.
func (r *results) parse(out []byte, suffix string) {
	pkg := ""
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = name[strings.LastIndex(name, "/")+1:] + suffix
		}
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			r.cpu = strings.TrimSpace(cpu)
		}
		r.add(pkg, strings.Fields(line))
	}
}

// add takes in one line: name, rounds, then pairs of a number and its unit.
func (r results) add(pkg string, fields []string) {
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "-")
	key := pkg + "." + name
	var got result
	for i := 2; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			continue
		}
		switch fields[i+1] {
		case "ns/op":
			got.value = value
		case "B/op":
			got.bytes = int(value)
		case "allocs/op":
			got.allocs = int(value)
		default:
			r.figure(key+" "+fields[i+1], value)
		}
	}
	r.keep(key, got)
}

// figure takes in a figure that a benchmark reports.
func (r results) figure(key string, value float64) {
	values := append(r.by[key].values, value)
	slices.Sort(values)
	r.by[key] = result{value: (values[(len(values)-1)/2] + values[len(values)/2]) / 2, allocs: -1, values: values}
}

func (r results) keep(key string, got result) {
	if known, ok := r.by[key]; !ok || got.value < known.value {
		r.by[key] = got
	}
}

// row is one line of the table: a benchmark, less another, over a unit.
type row struct {
	what   string
	name   string // of the benchmark
	less   string // taken off; empty: nothing
	over   string // the unit
	unit   string // its name in the table
	limit  float64
	allocs int  // the most there may be; -1: not limited
	whole  bool // a whole request: bytes and allocations count
}

var rows = []row{
	{what: "`Observe`, clock included", name: "tpot.Observe", over: "tpot.ClockRead", unit: "clock reads", limit: 2},
	{what: "`BeginWait` + `Observe`: what a wrapper does for each event", name: "tpot.BeginWaitObserve", over: "tpot.ClockRead", unit: "clock reads", limit: 3.2},
	{what: "an event kept for a trace (`TraceEvents`), over one that is not", name: "tpot.ObserveKept", less: "tpot.Observe", over: "tpot.ClockRead", unit: "clock reads"},
	{what: "`Playback.Arrive`, and about as much `Fluidity.Arrive`, for each chunk", name: "tpot.PlaybackArrive", over: "tpot.ClockRead", unit: "clock reads"},
	{what: "each observer, for each event", name: "tpot.ObserveToldTwice", less: "tpot.ObserveTold", over: "tpot.ClockRead", unit: "clock reads", limit: 1},
	{what: "`Pull`, with a classifier of the caller's", name: "stream.Pull", less: "stream.PullBare", over: "stream.ClockRead", unit: "clock reads"},
	{what: "`Recv`, likewise", name: "stream.Recv", less: "stream.RecvBare", over: "stream.ClockRead", unit: "clock reads"},
	{what: "`Seq2`, likewise", name: "stream.Seq2", less: "stream.Seq2Bare", over: "stream.ClockRead", unit: "clock reads"},
	{what: "`Recv` with `Auto`, a value that has RawJSON", name: "stream.RecvRawJSON", over: "stream.ClockRead", unit: "clock reads"},
	{what: "`Recv` with `Auto`, a value that must be encoded", name: "stream.RecvEncoded", over: "stream.ClockRead", unit: "clock reads", allocs: -1},
	{what: "scanning the 320-byte JSON of an event", name: "wire.Classify", over: "wire.EncodingJSON", unit: "of encoding/json", limit: 0.125},
	{what: "finding and scanning it in a body of server-sent events", name: "wire.Parser", over: "wire.EncodingJSON", unit: "of encoding/json", limit: 0.125},
	{what: "`Body`: all of that, stamped and recorded, for each read of one event", name: "stream.Body", less: "stream.BodyBare", over: "stream.ClockRead", unit: "clock reads"},
	{what: "`Transport`, 2000 events over loopback as fast as they can be flushed one by one", name: "stream.Loopback", over: "stream.LoopbackBare", unit: "of the bare time", limit: 1.11, allocs: -1},
	{what: "likewise with 50 events in each write, a million a second", name: "stream.LoopbackPacked", over: "stream.LoopbackPackedBare", unit: "of the bare time", allocs: -1},
	{what: "`monitor`, for each chunk", name: "monitor.Chunk", less: "monitor.ChunkBare", over: "tpot.ClockRead", unit: "clock reads", limit: 0.5},
	{what: "`monitor`, for each request that ends, of 100 keys", name: "monitor.Request", less: "monitor.RequestBare", over: "µs", unit: "µs", limit: 2, allocs: 9},
	{what: "`monitor`, beside 10,000 streams of a chunk every 35 ms: a stall watch, a rule, requests that end", name: "monitor.Streams cpu-ns/chunk",
		less: "monitor.StreamsBare cpu-ns/chunk", over: "monitor.Streams cpu-ns/chunk", unit: "of the CPU time", limit: 0.05},
	{what: "memory of each of these streams, `Recorder` and all", name: "monitor.OpenStreams B/stream", less: "monitor.OpenStreamsUntimed B/stream",
		over: "KiB", unit: "KiB", limit: 6},
	{what: "a whole request of 100 chunks, `Start` to `Close`", name: "stream.Request", whole: true, allocs: 4},
	{what: "`otelx`, for each chunk, with the newest OpenTelemetry", name: "otelx.Chunk", over: "otelx.Record", unit: "bare `Record`s", limit: 1.3},
	{what: "likewise with the oldest, whose `Record` is four times as fast", name: "otelx alone.Chunk", over: "otelx alone.Record", unit: "bare `Record`s", limit: 1.3},
	{what: "likewise with providers that do nothing", name: "otelx.ChunkNoop", over: "otelx.ClockRead", unit: "clock reads", limit: 2},
}

func (r results) table() (string, bool) {
	var b strings.Builder
	ok := true
	b.WriteString("| what | cost | limit | allocations |\n|---|---|---|---|\n")
	for _, row := range rows {
		line, held := r.line(row)
		b.WriteString(line)
		ok = ok && held
	}
	fmt.Fprintf(&b, "\nA clock read (`time.Since`) took %.0f ns. %s, %s, %s/%s, %s; the fastest of several rounds, by\n`go run ./internal/costs -w`.\n",
		r.by["tpot.ClockRead"].value, runtime.Version(), r.cpu, runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format(time.DateOnly))
	return b.String(), ok
}

func (r results) line(row row) (string, bool) {
	got, known := r.by[row.name]
	if !known {
		return fmt.Sprintf("| %s | not measured | | |\n", row.what), false
	}
	held := row.allocs < 0 || got.allocs <= row.allocs
	if row.whole {
		held = held && got.bytes <= 4096
		return fmt.Sprintf("| %s | %.1f µs, %d B | 4096 B, 4 allocations | %d |\n", row.what, got.value/1e3, got.bytes, got.allocs), held
	}
	ratio := (got.value - r.by[row.less].value) / r.by[row.over].value
	limit := ""
	if row.limit > 0 {
		limit = strconv.FormatFloat(row.limit, 'g', -1, 64)
		held = held && ratio <= row.limit
	}
	allocs := ""
	if got.allocs >= 0 {
		allocs = strconv.Itoa(got.allocs)
	}
	return fmt.Sprintf("| %s | %.2f %s | %s | %s |\n", row.what, ratio, row.unit, limit, allocs), held
}

const (
	begin = "<!-- costs: begin -->\n"
	end   = "<!-- costs: end -->\n"
)

// replace puts the table between the marks of a file.
func replace(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no marks for the table", file)
	}
	return os.WriteFile(file, []byte(before+begin+table+end+after), 0o644)
}
