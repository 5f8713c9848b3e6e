package monitor

import (
	"runtime"
	"sync"
	"weak"
)

// roster is the requests in flight, without holding them. The zero roster is empty.
type roster struct {
	mu    sync.Mutex
	seats []weak.Pointer[berth]
	free  []*berth
}

// seat is a place on the roster.
type seat int

// berth is what a flight has a seat by. The flight holds it, and it the flight, and the roster holds it only while it is free: so the
// garbage collector finds a flight that is lost, and takes the berth with it. Otherwise it is used for one flight after the other. Its
// weak pointer and its cleanup cost as much to make as all else that is done for a request.
type berth struct {
	flight *flight
	loss   *loss
}

// loss is what is left of a berth, and of a flight that is lost with it. It does not hold the Monitor, which holds the free berths.
type loss struct {
	monitor weak.Pointer[Monitor]
	seat    seat
	departure
}

// board gives a flight a seat.
func (r *roster) board(f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) == 0 {
		r.seats = append(r.seats, weak.Pointer[berth]{})
		r.furnish(seat(len(r.seats)-1), f.monitor)
	}
	last := len(r.free) - 1
	b := r.free[last]
	r.free[last] = nil
	r.free = r.free[:last]
	f.berth, b.flight, b.loss.departure = b, f, f.departure
}

// furnish makes a berth for a seat. The caller holds the lock.
func (r *roster) furnish(s seat, m *Monitor) {
	b := &berth{loss: &loss{monitor: weak.Make(m), seat: s}}
	r.seats[s] = weak.Make(b)
	r.free = append(r.free, b)
	runtime.AddCleanup(b, (*loss).count, b.loss)
}

// leave frees a flight's seat.
func (r *roster) leave(f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := f.berth
	f.berth, b.flight, b.loss.departure = nil, nil, departure{}
	r.free = append(r.free, b)
}

// lose frees the seat of a flight that is lost, and returns what is to be undone.
func (r *roster) lose(l *loss, m *Monitor) departure {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.furnish(l.seat, m)
	return l.departure
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
			if b := p.Value(); b != nil && b.flight != nil {
				list = append(list, b.flight)
			}
		}
		r.mu.Unlock()
	}
}
