package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"xopt/queueing"
)

// Tandem is one or more stations in series, to be simulated.
type Tandem struct {
	// Arrivals are the times between arrivals at the first stage. Constant(0) is a
	// source that always has an element ready.
	Arrivals Distribution
	Stages   []Stage
	// Lossy makes an arrival that finds the first stage full go away. Otherwise the
	// source holds it until there is room, and the time to the next arrival begins
	// then.
	Lossy bool
}

// Stage is one station of a tandem: a server and the elements in front of it, in
// order of arrival.
type Stage struct {
	Service Distribution
	// Capacity is the room in elements, the one in service included; 0 means
	// without end. An element whose service is done and that finds the next stage
	// full stays in its server, which is blocked (blocking after service).
	Capacity int
}

// Extent says how long to simulate.
type Extent struct {
	Elements int // to leave the last stage while observed, at least 300
	WarmUp   int // to leave it before; 0 means a tenth of Elements, negative none
}

// Validate refuses what cannot be simulated.
func (t *Tandem) Validate() error {
	if len(t.Stages) == 0 {
		return fmt.Errorf("tandem without stages: %w", queueing.ErrRange)
	}
	if err := checkDistribution("the source", t.Arrivals); err != nil {
		return err
	}
	for j, s := range t.Stages {
		if err := checkDistribution(fmt.Sprintf("stage %d", j+1), s.Service); err != nil {
			return err
		}
		if s.Capacity < 0 {
			return fmt.Errorf("stage %d has capacity %d: %w", j+1, s.Capacity, queueing.ErrRange)
		}
	}
	if t.Arrivals.Mean() == 0 && (t.Lossy || t.Stages[0].Capacity == 0) {
		return fmt.Errorf("a source that takes no time needs a first stage of finite capacity that holds it back: %w",
			queueing.ErrRange)
	}
	return nil
}

// Simulate runs elements through the tandem and returns what was seen after the
// warm-up. The same source gives the same run. Memory is what the stages hold at
// most, not what passes through them. A first stage without end whose arrivals
// outrun it grows for as long as the simulation lasts.
func Simulate(ctx context.Context, t *Tandem, extent Extent, src rand.Source) (*Run, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if extent.Elements < minElements {
		return nil, fmt.Errorf("simulation of %d elements, want at least %d: %w", extent.Elements, minElements,
			queueing.ErrRange)
	}
	if extent.WarmUp == 0 {
		extent.WarmUp = extent.Elements / 10
	}
	s := &simulation{rng: rand.New(src), arrivals: t.Arrivals, lossy: t.Lossy, stations: make([]station, len(t.Stages))}
	for j := range s.stations {
		s.stations[j] = newStation(t.Stages[j])
	}
	s.schedule()
	if extent.WarmUp > 0 {
		if err := s.run(ctx, extent.WarmUp); err != nil {
			return nil, err
		}
	}
	s.observe(extent.Elements)
	if err := s.run(ctx, extent.Elements); err != nil {
		return nil, err
	}
	return s.result()
}

// minElements is the shortest run: ten elements to a batch.
const minElements = 10 * batches

// simulation is the state of a run: the clock, the source and the stations. Every
// station has at most one event ahead, the end of its service, so that the next
// event is found by looking at each.
type simulation struct {
	rng      *rand.Rand
	arrivals Distribution
	lossy    bool
	drawn    int     // arrivals drawn
	arrival  float64 // time of the next; +Inf while the source holds one
	holding  bool
	stations []station

	clock    float64
	since    float64 // when the observation began
	sojourns ring    // entry times of all elements in the tandem
	through  sample  // times in the tandem
	left     int     // elements that left the last stage
	offered  int     // arrivals
	lost     int     // of them, turned away
	events   uint64
	fault    error // the first invalid time drawn
}

// draw returns the n-th time of a distribution, and makes a fault of what is not a time.
func (s *simulation) draw(d Distribution, n int, what string, j int) float64 {
	x := d.Draw(s.rng, n)
	if (!(x >= 0) || x > math.MaxFloat64) && s.fault == nil {
		if j > 0 {
			what = fmt.Sprintf("%s %d", what, j)
		}
		s.fault = fmt.Errorf("%s drew a time of %g s: %w", what, x, queueing.ErrRange)
	}
	return x
}

// schedule draws the next arrival.
func (s *simulation) schedule() {
	s.arrival = s.clock + s.draw(s.arrivals, s.drawn, "the source", 0)
	s.drawn++
}

// run handles events until the given number of elements has left.
func (s *simulation) run(ctx context.Context, elements int) error {
	s.left = 0
	for s.left < elements {
		if s.events&8191 == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("simulation stopped after %d events: %w", s.events, err)
			}
		}
		s.events++
		// At equal times those downstream go first: who leaves makes room.
		next, at := -1, s.arrival
		for j := len(s.stations) - 1; j >= 0; j-- {
			if done := s.stations[j].done; done < at || done == at && next < 0 {
				next, at = j, done
			}
		}
		s.clock = at
		if next < 0 {
			s.arrive()
		} else {
			s.finish(next)
		}
		if s.fault != nil {
			return s.fault
		}
	}
	return nil
}

// arrive brings an element to the first stage.
func (s *simulation) arrive() {
	s.offered++
	first := &s.stations[0]
	switch {
	case !first.full():
		s.enter()
	case s.lossy:
		first.saw(first.count)
		s.lost++
		s.schedule()
	default:
		s.holding = true
		s.arrival = math.Inf(1)
	}
}

// enter puts the element at the source into the first stage.
func (s *simulation) enter() {
	s.holding = false
	s.sojourns.push(s.clock)
	s.push(0)
	s.schedule()
}

// push puts an element into stage j, and starts its service if the server is free.
func (s *simulation) push(j int) {
	st := &s.stations[j]
	st.advance(s.clock)
	st.saw(st.count)
	st.entered.push(s.clock)
	st.count++
	if st.count == 1 {
		s.serve(j)
	}
}

// serve starts the service of the element that is first in stage j.
func (s *simulation) serve(j int) {
	st := &s.stations[j]
	st.waits.add(s.clock - st.entered.front())
	st.busy = true
	st.done = s.clock + s.draw(st.service, st.drawn, "stage", j+1)
	st.drawn++
}

// finish ends a service in stage j: the element moves on, or blocks the server.
func (s *simulation) finish(j int) {
	st := &s.stations[j]
	st.advance(s.clock)
	st.busy = false
	st.done = math.Inf(1)
	if j+1 < len(s.stations) && s.stations[j+1].full() {
		st.blocked = true
		return
	}
	s.leave(j)
}

// leave moves the served element of stage j on, and lets in whoever was blocked
// by it, back to the source.
func (s *simulation) leave(j int) {
	st := &s.stations[j]
	st.advance(s.clock)
	st.blocked = false
	st.responses.add(s.clock - st.entered.pop())
	st.count--
	if j+1 < len(s.stations) {
		s.push(j + 1)
	} else {
		s.left++
		s.through.add(s.clock - s.sojourns.pop())
	}
	if st.count > 0 {
		s.serve(j)
	}
	switch {
	case j > 0 && s.stations[j-1].blocked:
		s.leave(j - 1)
	case j == 0 && s.holding:
		s.enter()
	}
}

// observe forgets what was seen and begins anew, with the stations as they are.
func (s *simulation) observe(elements int) {
	s.since, s.offered, s.lost = s.clock, 0, 0
	s.through.reset(elements)
	for j := range s.stations {
		s.stations[j].observe(s.clock, elements)
	}
}
