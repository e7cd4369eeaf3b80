package buffers

import (
	"context"
	"fmt"
	"math"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/queueing/maxplus"
)

// Simulation simulates a model with different buffer sizes.
type Simulation struct {
	*Model
	run      *maxplus.Simulator
	random   bool   // some counts are random
	varies   bool   // some counts, service times or delays are random, so seeds differ
	several  []bool // by kernel: whether it consumes from several edges independently
	fullSize []bool // by edge: simulate the full size, although the reader acknowledges only complete parts
}

// Simulator prepares a model for simulation.
func (m *Model) Simulator() (*Simulation, error) {
	run, err := maxplus.New(m.Net)
	if err != nil {
		return nil, fmt.Errorf("preparing a simulation: %w", err)
	}
	s := &Simulation{Model: m, run: run, several: make([]bool, len(m.Kernel)), fullSize: make([]bool, len(m.Edge))}
	for c := range m.Net.Channels {
		s.random = s.random || m.Net.Channels[c].Sends.Rule == maxplus.Drawn
		s.varies = s.varies || m.Net.Channels[c].Jitter > 0
	}
	for i := range m.Net.Stations {
		s.varies = s.varies || m.Net.Stations[i].Service != nil && m.Net.Stations[i].Service.SCV() > 0
	}
	for b := range m.Net.Buffers {
		s.varies = s.varies || m.Net.Buffers[b].Jitter > 0
	}
	s.varies = s.varies || s.random
	for k := range s.several {
		s.several[k] = len(m.groups(k)) > 1
	}
	return s, nil
}

// Outcome is the result of a simulation with given sizes.
type Outcome struct {
	Throughput maxplus.Rate // bytes/s that the sources send
	// Seeds contains the throughput of each seed of [Simulation.Steady]. Events is the total number of simulated
	// events.
	Seeds  []float64
	Events int64
	// Blocked contains, by edge, the fraction of time in which its writer waited for space.
	Blocked []float64
	// Max contains, by edge, the maximum number of elements. Held contains, by edge, the fraction of time at each
	// number of elements. Both require [maxplus.Options.Occupancy].
	Max  []int
	Held [][]float64
	// Seconds is the simulated time.
	Seconds float64
	Latency *maxplus.LatencyResult
	// Stopped describes a deadlock: the kernels that wait for each other, and the edges between them. It is empty
	// without a deadlock.
	Stopped string
	// StoppedOn contains the full edges of the cycle that deadlocked.
	StoppedOn []int
	// Behind is the largest lag of a kernel, as a fraction of the throughput.
	Behind float64
	// Unsettled is the reason why the throughput differs from the throughput of a long run, such as buffers that were
	// still filling. It is empty if the simulation had settled.
	Unsettled string
	// Early reports whether the throughput is not even an estimate, because a long pipeline was not yet filled.
	Early bool
}

// Unfilled is the error for a simulation that ended before a long pipeline was filled. The throughput of such a
// simulation is not a valid prediction.
type Unfilled struct{ why string }

func (e *Unfilled) Error() string {
	return "the simulation ended before the pipeline was filled: " + e.why
}

func (e *Unfilled) FaultID() fault.ID { return faults.TooLong }

// Estimates returns an *[Unfilled] error if the throughput is not a valid estimate, else nil.
func (o *Outcome) Estimates() error {
	if o.Early {
		return &Unfilled{o.Unsettled}
	}
	return nil
}

// Run simulates sizes in elements, by edge. A size of 0 is unlimited. If sizes is nil, all buffers are unlimited.
//
// For a buffer between hosts, Run simulates only the part that the writer can always use, because acknowledgements
// arrive late. If only this limit causes a deadlock, Run uses the full size, because a waiting reader acknowledges all
// freed space.
func (s *Simulation) Run(ctx context.Context, sizes []int, o maxplus.Options) (*Outcome, error) {
	clear(s.fullSize)
	for {
		for e, b := range s.Edge {
			if b >= 0 {
				s.run.Resize(b, s.edgeSize(sizes, e))
			}
		}
		r, err := s.run.Run(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("simulating: %w", err)
		}
		if r.Deadlock != nil && s.enlarge(sizes, r.Deadlock) {
			continue
		}
		return s.outcome(r, sizes), nil
	}
}

// outcome converts the result of a simulation with the given sizes.
func (s *Simulation) outcome(r *maxplus.Result, sizes []int) *Outcome {
	out := &Outcome{Throughput: s.rate(r), Events: r.Events, Blocked: make([]float64, len(s.Edge)),
		Max: make([]int, len(s.Edge)), Held: make([][]float64, len(s.Edge)), Seconds: r.Time, Latency: r.Latency}
	for e, b := range s.Edge {
		if b < 0 {
			continue
		}
		if n := len(r.Marks); n > 0 && r.Time > r.Marks[0].Time {
			out.Blocked[e] = r.Buffers[b].Blocked / (r.Time - r.Marks[0].Time)
		}
		out.Max[e], out.Held[e] = r.Buffers[b].Max, r.Buffers[b].Histogram
	}
	if r.Deadlock != nil {
		out.Throughput = maxplus.Rate{}
		out.Stopped, out.StoppedOn = s.describe(r.Deadlock)
		return out
	}
	s.setInterval(&out.Throughput, sizes)
	if out.Unsettled, out.Early = s.unsettled(r, out.Throughput); out.Unsettled != "" {
		_, out.Behind = s.settle(r, out.Throughput.Value)
	}
	return out
}

// describe describes a cycle of stations that wait for each other, and returns the full edges of the cycle.
func (s *Simulation) describe(d *maxplus.Deadlock) (string, []int) {
	var parts []string
	var full []int
	for _, w := range d.Cycle {
		name := s.Net.Stations[w.Station].Name
		edge := s.Net.Channels[w.Channel].Name
		if w.Full {
			for e, b := range s.Edge {
				if b == w.Buffer {
					full = append(full, e)
				}
			}
			parts = append(parts, fmt.Sprintf("%s waits for space for %s on %s, which has space for %s", name,
				units.Elements(w.Needs), edge, units.Elements(w.Has)))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s on %s, which contains %s", name, units.Elements(w.Needs),
			edge, units.Elements(w.Has)))
	}
	if len(parts) == 0 {
		return "no kernel can fire", nil
	}
	return strings.Join(parts, "; "), full
}

// A writer on another host can use only a part of a buffer (flow.Usable, and send_room of deploy/runtime/carry.c). The
// reader acknowledges only complete parts of the buffer, and the acknowledgements arrive after the latency of the link
// in both directions.

// edgeSize returns the size of an edge in the simulation; 0 means unlimited.
func (s *Simulation) edgeSize(sizes []int, e int) int {
	if sizes == nil || sizes[e] == 0 {
		return 0
	}
	if !s.acknowledged[e] || s.fullSize[e] {
		return sizes[e]
	}
	initial := s.flow.Problem.Application.Edges[e].Initial
	return max(int(flow.Usable(float64(sizes[e]))), min(sizes[e], initial))
}

// enlarge sets the full edges of a deadlock to their full size. It reports whether any of these edges had a smaller
// size.
func (s *Simulation) enlarge(sizes []int, d *maxplus.Deadlock) bool {
	_, full := s.describe(d)
	more := false
	for _, e := range full {
		if s.edgeSize(sizes, e) < sizes[e] {
			s.fullSize[e], more = true, true
		}
	}
	return more
}

// setInterval limits an estimated throughput and its interval. For edges between hosts, the limit is the buffer size
// divided by the round-trip time. The simulated flow obeys this limit, but an estimate from random service times may
// exceed the limit. With jitter, the delay of most elements is below the maximum used here.
func (s *Simulation) setInterval(r *maxplus.Rate, sizes []int) {
	n := s.Model.flow
	arch := &n.Problem.Architecture
	for e, reported := range s.acknowledged {
		size := s.edgeSize(sizes, e)
		if !reported || size == 0 || n.Flows.Free != 1 || !(s.solution.EdgeFlow[e] > 0) {
			continue
		}
		seconds := 0.0
		for _, l := range n.Mapping.Route[e] {
			seconds += arch.Links[l].Latency + arch.Links[l].Return
		}
		maximum := float64(size) * n.Problem.Application.Edges[e].ElementBytes / seconds
		maximum *= s.solution.Throughput / s.solution.EdgeFlow[e]
		r.Value, r.Low, r.High = math.Min(r.Value, maximum), math.Min(r.Low, maximum), math.Min(r.High, maximum)
	}
}
