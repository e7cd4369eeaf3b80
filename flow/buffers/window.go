package buffers

import (
	"math"

	"xopt/flow"
	"xopt/queueing/maxplus"
)

// What a writer on another host can use of a buffer (flow.Usable, and send_room of deploy/runtime/carry.c):
// it is told of room in parts of the buffer, and only after what was sent is there and word of it has come back.

// room is the size that an edge is simulated with; 0 for no end.
func (s *Simulation) room(sizes []int, e int) int {
	if sizes == nil || sizes[e] == 0 {
		return 0
	}
	if !s.told[e] || s.whole[e] {
		return sizes[e]
	}
	initial := s.flow.Problem.Application.Edges[e].Initial
	return max(int(flow.Usable(float64(sizes[e]))), min(sizes[e], initial))
}

// enlarge lets the full edges that kernels wait for each other on use all of their size, and reports whether there
// was one that did not.
func (s *Simulation) enlarge(sizes []int, d *maxplus.Deadlock) bool {
	_, full := s.describe(d)
	more := false
	for _, e := range full {
		if s.room(sizes, e) < sizes[e] {
			s.whole[e], more = true, true
		}
	}
	return more
}

// within keeps an estimated throughput, and its interval, within what fits into the buffers between hosts while word
// of room is on its way: the simulation is, but not what is estimated from times of service that are drawn. With
// jitter elements are on their way for less time than the longest, which bounds nothing.
func (s *Simulation) within(r *maxplus.Rate, sizes []int) {
	n := s.Model.flow
	arch := &n.Problem.Architecture
	for e, told := range s.told {
		size := s.room(sizes, e)
		if !told || size == 0 || n.Flows.Free != 1 || !(s.solution.EdgeFlow[e] > 0) {
			continue
		}
		seconds := 0.0
		for _, l := range n.Mapping.Route[e] {
			seconds += arch.Links[l].Latency + arch.Links[l].Return
		}
		most := float64(size) * n.Problem.Application.Edges[e].ElementBytes / seconds
		most *= s.solution.Throughput / s.solution.EdgeFlow[e]
		r.Value, r.Low, r.High = math.Min(r.Value, most), math.Min(r.Low, most), math.Min(r.High, most)
	}
}
