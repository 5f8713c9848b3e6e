package monitor

import (
	"math"
	"strconv"
	"time"
)

// A strip has so many columns, over a time of its own, and is so high. A gap is as high in every strip: on a logarithmic scale from
// shortestGap to longestGap.
const (
	stripColumns = 240
	stripHeight  = 20
	flatHeight   = 3 // where no gap was measured
	shortestGap  = time.Millisecond
	longestGap   = 10 * time.Second
)

// stretch is what a column of a strip stands for; of several the last counts.
type stretch uint8

const (
	nothing  stretch = iota
	quiet            // before the first chunk, and after the last while nobody waits for another
	gaps             // between chunks
	freezes          // gaps that are as long as a stall, whether the producer's or the consumer's
	openWait         // the wait that is open
	stretches
)

// strip is the outline of what is of each kind, in the words of an SVG path.
type strip [stretches]string

// strip is the request so far, with the open wait at its end.
func (f *inFlight) strip() strip {
	s := sketch{total: f.age}
	until := f.age
	if f.wait.ok {
		until = max(f.age-f.wait.value, 0)
	}
	s.course(f.ttft, f.course, until)
	if f.wait.ok {
		s.paint(openWait, until, f.age, f.openHeight())
	}
	return s.outlines()
}

// openHeight is that of a gap, but flat before the first chunk, which ends no gap.
func (f *inFlight) openHeight() uint8 {
	if f.chunks == 0 {
		return flatHeight
	}
	return gapHeight(f.wait.value)
}

// strip is the request from its start to its end or, where that is not known, to its last chunk.
func (f *finished) strip() strip {
	s := sketch{total: f.e2e.value}
	if !f.e2e.ok {
		s.total = f.ttft.value + f.course.step*time.Duration(len(f.course.longest))
	}
	s.course(f.ttft, f.course, s.total)
	return s.outlines()
}

// sketch is a strip in the making.
type sketch struct {
	total   time.Duration
	columns [stripColumns + 1]column // one more, always empty, ends the outlines
}

type column struct {
	kind   stretch
	height uint8
}

// course draws the wait for the first chunk and the gaps since, up to a time.
func (s *sketch) course(ttft figure, c course, until time.Duration) {
	s.paint(quiet, 0, until, flatHeight)
	for i, gap := range c.longest {
		k := gaps
		if gap >= stalledAfter {
			k = freezes
		}
		from := ttft.value + c.step*time.Duration(i)
		s.paint(k, from, min(from+c.step, until), gapHeight(gap))
	}
}

// paint fills the columns of a stretch of time, at least one.
func (s *sketch) paint(k stretch, from, to time.Duration, height uint8) {
	if from >= to {
		return
	}
	first := min(s.column(from), stripColumns-1)
	for i := first; i < max(s.column(to), first+1); i++ {
		c := &s.columns[i]
		if k > c.kind || k == c.kind && height > c.height {
			*c = column{k, height}
		}
	}
}

func (s *sketch) column(at time.Duration) int {
	return int(math.Round(stripColumns * float64(at) / float64(s.total)))
}

// gapHeight is how high a gap is drawn.
func gapHeight(gap time.Duration) uint8 {
	share := math.Log(float64(gap)/float64(shortestGap)) / math.Log(float64(longestGap)/float64(shortestGap))
	return uint8(1 + math.Round((stripHeight-1)*min(max(share, 0), 1)))
}

func (s *sketch) outlines() strip {
	var out strip
	for k := quiet; k < stretches; k++ {
		out[k] = s.outline(k)
	}
	return out
}

// outline is the path around the columns of a kind.
func (s *sketch) outline(k stretch) string {
	var path []byte
	was := uint8(0)
	for i, c := range s.columns {
		if c.kind != k {
			c.height = 0
		}
		if c.height == was {
			continue
		}
		if was == 0 {
			path = to(path, 'M', i)
			path = to(path, ' ', stripHeight)
		} else {
			path = to(path, 'H', i)
		}
		path = to(path, 'V', stripHeight-int(c.height))
		was = c.height
	}
	return string(path)
}

// to appends a command of a path and where it goes.
func to(path []byte, command byte, at int) []byte {
	return strconv.AppendInt(append(path, command), int64(at), 10)
}
