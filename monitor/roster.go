package monitor

import (
	"sync"
	"weak"
)

// roster is the requests in flight, without holding them. The zero roster is empty.
type roster struct {
	mu    sync.Mutex
	seats []weak.Pointer[flight]
	free  []seat
}

// seat is a place on the roster.
type seat int

// board gives a flight a seat.
func (r *roster) board(f *flight) seat {
	f.self = weak.Make(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		s := r.free[n-1]
		r.free = r.free[:n-1]
		r.seats[s] = f.self
		return s
	}
	r.seats = append(r.seats, f.self)
	return seat(len(r.seats) - 1)
}

// leave frees a seat.
func (r *roster) leave(s seat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seats[s] = weak.Pointer[flight]{}
	r.free = append(r.free, s)
}

// batch is how many seats are looked at under one lock.
const batch = 256

// flights appends the flights there are to a list, which holds them for as long.
func (r *roster) flights(list []*flight) []*flight {
	for from := 0; ; from += batch {
		r.mu.Lock()
		if from >= len(r.seats) {
			r.mu.Unlock()
			return list
		}
		for _, p := range r.seats[from:min(from+batch, len(r.seats))] {
			if f := p.Value(); f != nil {
				list = append(list, f)
			}
		}
		r.mu.Unlock()
	}
}
