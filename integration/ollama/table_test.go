package ollama

import (
	"fmt"
	"testing"
	"text/tabwriter"
	"time"
)

// table is the medians, and the extremes of the ratios.
type table struct{ rows []string }

func (tb *table) add(w wire, by way, f figures) {
	ratios := ranked(f, figure.ratio)
	tb.rows = append(tb.rows, fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%v\t%v\t%.3f\t%d\t%.3f to %.3f", w.path, w.sdk, by.name,
		median(f, func(f figure) int { return f.n }), median(f, func(f figure) int { return f.chunks }),
		median(f, func(f figure) time.Duration { return f.client }).Round(time.Microsecond),
		median(f, func(f figure) time.Duration { return f.server }).Round(time.Microsecond),
		median(f, figure.ratio), len(f), ratios[0], ratios[len(ratios)-1]))
}

func (tb *table) print(t *testing.T) {
	w := tabwriter.NewWriter(t.Output(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "wire\tSDK\ttimed by\tN\tchunks\tTPOT\tserver's\tratio\truns\tof which the ratios are")
	for _, row := range tb.rows {
		fmt.Fprintln(w, row)
	}
	w.Flush()
}
