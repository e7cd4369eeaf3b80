package sim

import "math"

// station is the state of one stage and what was seen at it.
type station struct {
	service  Distribution
	capacity int // +Inf as MaxInt
	drawn    int
	count    int     // elements inside
	done     float64 // end of the service; +Inf while there is none
	busy     bool    // serving
	blocked  bool    // served, and no room ahead
	entered  ring    // when those inside came in

	last               float64   // the clock up to which time is accounted for
	time               []float64 // seconds with n inside
	seen               []int     // arrivals that found n inside
	busyTime, blockage float64   // seconds
	waits, responses   sample
}

func newStation(s Stage) station {
	st := station{service: s.Service, capacity: s.Capacity, done: math.Inf(1)}
	if st.capacity == 0 {
		st.capacity = math.MaxInt
	}
	return st
}

func (st *station) full() bool { return st.count >= st.capacity }

// advance accounts for the time since the last change.
func (st *station) advance(clock float64) {
	dt := clock - st.last
	st.last = clock
	if dt <= 0 {
		return
	}
	st.time = reach(st.time, st.count)
	st.time[st.count] += dt
	if st.busy {
		st.busyTime += dt
	} else if st.blocked {
		st.blockage += dt
	}
}

// saw counts an arrival that found n inside.
func (st *station) saw(n int) {
	st.seen = reach(st.seen, n)
	st.seen[n]++
}

// reach extends a histogram so that it has an entry n.
func reach[T any](h []T, n int) []T {
	for len(h) <= n {
		var zero T
		h = append(h, zero)
	}
	return h
}

// observe forgets what was seen.
func (st *station) observe(clock float64, elements int) {
	st.advance(clock)
	clear(st.time)
	clear(st.seen)
	st.time, st.seen = st.time[:0], st.seen[:0]
	st.busyTime, st.blockage = 0, 0
	st.waits.reset(elements)
	st.responses.reset(elements)
}

// ring is a queue of times that grows as needed.
type ring struct {
	times       []float64 // a power of two of them
	first, size int
}

func (r *ring) push(t float64) {
	if r.size == len(r.times) {
		r.grow()
	}
	r.times[(r.first+r.size)&(len(r.times)-1)] = t
	r.size++
}

func (r *ring) grow() {
	times := make([]float64, max(16, 2*len(r.times)))
	n := copy(times, r.times[r.first:])
	copy(times[n:], r.times[:r.first])
	r.times, r.first = times, 0
}

func (r *ring) front() float64 { return r.times[r.first] }

func (r *ring) pop() float64 {
	t := r.times[r.first]
	r.first = (r.first + 1) & (len(r.times) - 1)
	r.size--
	return t
}
