package ollama

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A figure is one request's TPOT, and the server's own time for a token meanwhile.
type figure struct {
	n, chunks      int
	client, server time.Duration
	shared         float64 // how much of the client's window the server's figure is of
}

func (f figure) ratio() float64 { return float64(f.client) / float64(f.server) }

// corrected is the ratio that there would be if the number of tokens were not a guess.
func (f figure) corrected() float64 { return f.ratio() * float64(f.n-1) / (tokens - 1) }

type figures []figure

// uncertainty is the standard error of the median ratio, relative to it, for ratios that are spread as in a normal distribution.
func (f figures) uncertainty() float64 {
	ratios := ranked(f, figure.ratio)
	quartiles := ratios[3*len(f)/4] - ratios[len(f)/4]
	return math.Sqrt(math.Pi/2) * quartiles / 1.349 / math.Sqrt(float64(len(f))) / median(f, figure.ratio)
}

func median[N cmp.Ordered](f figures, of func(figure) N) N { return ranked(f, of)[len(f)/2] }

func ranked[N cmp.Ordered](f figures, of func(figure) N) (values []N) {
	for _, one := range f {
		values = append(values, of(one))
	}
	slices.Sort(values)
	return values
}
