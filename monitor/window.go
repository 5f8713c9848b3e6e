package monitor

import "time"

// steps is how many whole steps a window is made of. Beside them is the step that is under way.
const steps = 12

// window is the figures of the last steps. The zero window is empty.
type window struct {
	slots [steps + 1]*slot // that of a step is at its number modulo their number; nil until first used
}

// slot is the figures of the requests that ended in one step. It does not change any more when the step is past.
type slot struct {
	number int64
	Tally
}

// at is the tally of a step, which is never before one asked for earlier.
func (w *window) at(number int64) *Tally {
	s := &w.slots[number%int64(len(w.slots))]
	if *s == nil || (*s).number != number {
		*s = &slot{number: number} // a new one: somebody may be reading what was there
	}
	return &(*s).Tally
}

// within is whether a slot is that of the step number, or of one of the last before it.
func (s *slot) within(number int64, last int64) bool {
	return s != nil && s.number >= number-last && s.number <= number
}

// addTo merges the step number and the last before it into a tally.
func (w *window) addTo(t *Tally, number int64, last int64) {
	for _, s := range w.slots {
		if s.within(number, last) {
			t.merge(&s.Tally)
		}
	}
}

// empty is whether no request ended in the window.
func (w *window) empty(number int64) bool {
	for _, s := range w.slots {
		if s.within(number, steps) {
			return false
		}
	}
	return true
}

// span is the length of time that the last whole steps and the one under way cover, no longer than the Monitor has been there.
func (m *Monitor) span(now time.Duration, last int64) time.Duration {
	from := time.Duration(max(m.number(now)-last, 0)) * m.step
	return now - from
}
