package validate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// simulated reports whether the mappings run in virtual time. If one mapping needs an FPGA, all mappings run in virtual
// time, so that they are comparable.
func simulated(d *design.Design, list []Choice) bool {
	for i := range list {
		placed := *list[i].of(d)
		placed.Mapping = list[i].Mapping
		if xsim.Needed(&placed) {
			return true
		}
	}
	return false
}

// deployed builds the program of one mapping.
func deployed(ctx context.Context, d *design.Design, o Options, virtual bool, x xsim.Options) (*program.Program,
	error) {
	options := program.Options{Input: o.Input, Elements: math.MaxInt64, Reference: d.Reference() != nil}
	if o.Elements > 0 {
		options.Elements = o.Elements
	}
	if !virtual {
		options.Growth = program.Growth{MaxBytes: bufferMemory, AtLeastStart: true}
		options.Flow = d.EdgeFlow(ctx)
		return program.New(ctx, d, options, "")
	}
	p, _, err := xsim.Build(ctx, d, options, x, "")
	return p, err
}

// short returns the given capacities, and a capacity for each other edge. With this capacity, an edge fills within a
// tenth of the window at the predicted flow. Windows of virtual time are short, and the output of a source exceeds the
// throughput while queues fill. Each new capacity is at least the minimum size of the edge, because a link with bulk
// transfers waits for full transfers.
func short(d *design.Design, s *flow.Solution, window time.Duration) map[int]int {
	const part, minimum, maximum = 10, 4, 256 << 10
	buffers := maps.Clone(d.Buffers)
	needed := d.MinSizes()
	for e, flow := range s.EdgeFlow {
		if _, ok := buffers[e]; ok {
			continue
		}
		element := d.Problem.Application.Edges[e].ElementBytes
		buffers[e] = max(minimum, int(min(flow*window.Seconds()/part, maximum)/element))
		if e < len(needed) {
			buffers[e] = max(buffers[e], int(math.Ceil(needed[e].Elements)))
		}
	}
	return buffers
}

// split determines the shares of the causes in the error of a simulated case.
func (c *Case) split(ctx context.Context, d *design.Design, o Options) error {
	placed := *d
	placed.Mapping = c.Mapping
	placed.Buffers = short(&placed, c.solution, o.Window)
	drawn := c.Ran()
	if !o.FromProfile {
		var err error
		if drawn, err = c.simulate(ctx, &placed, o, xsim.Options{FromProfile: true, Seed: drawSeed}); err != nil {
			return err
		}
	}
	// free is the same mapping with links of unlimited bandwidth and without delays.
	free := placed
	problem := *d.Problem
	problem.Architecture.Links = append([]flow.Link(nil), problem.Architecture.Links...)
	for i := range problem.Architecture.Links {
		l := &problem.Architecture.Links[i]
		l.Bandwidth, l.Sharing.TransferCost, l.Sharing.TransferBytes = math.Inf(1), 0, 0
		l.Latency, l.Jitter, l.Flush = 0, 0, 0
	}
	free.Problem = &problem
	_, predicted, err := problem.Solve(ctx, c.Mapping)
	if err != nil {
		return err
	}
	unlinked, err := c.simulate(ctx, &free, o, xsim.Options{FromProfile: true, Seed: drawSeed})
	if err != nil {
		return err
	}
	s := &result.Shares{Cores: (drawn - c.Ran()) / c.Ran()}
	s.FPGA = (predicted.Throughput - unlinked) / unlinked
	s.Links = c.Error() - s.Cores - s.FPGA
	c.Shares = s
	return nil
}

// simulate runs a mapping once and returns its throughput.
func (c *Case) simulate(ctx context.Context, d *design.Design, o Options, x xsim.Options) (_ float64, err error) {
	p, err := deployed(ctx, d, o, true, x)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Remove()) }()
	m, err := run.Well(ctx, p, o.limits())
	if err != nil {
		return 0, err
	}
	first, last, fail := counts(m, o)
	if fail != "" {
		return 0, errors.New(fail)
	}
	return throughput(d, m.Frames[first:last+1]), nil
}

// throughput returns the output of the sources in the given frames, in bytes/s.
func throughput(d *design.Design, frames []run.FrameData) float64 {
	bytes := 0.0
	copies := d.Program.Copies()
	for e, edge := range d.Program.Edges {
		if len(d.Program.Kernels[edge.From].Inputs) > 0 || copies[e] {
			continue
		}
		for _, f := range frames {
			sent := float64(sentOn(&edge, &f.Edges[e]))
			bytes += sent * d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		}
	}
	return bytes / (frames[len(frames)-1].End - frames[0].Start)
}

// sentOn returns the number of a frame's elements that belong to an edge. If a stream divides among copies, all
// elements are sent on each edge, so only the elements that its copy consumed count.
func sentOn(edge *xlang.Edge, f *run.EdgeFrame) uint64 {
	if edge.Shared {
		return f.Consumed
	}
	return f.Sent
}

// utilize determines the most utilized limit in the runs, its utilization, and whether the predicted bottleneck was
// equally utilized.
func (c *Case) utilize(d *design.Design, n *flow.Network, s *flow.Solution, kernels []float64, flows [][]float64) {
	const near, alikeUsed = 0.03, 0.005
	c.Idle = false
	used := func(l *flow.Limit) float64 {
		sum := 0.0
		switch {
		case l.Cycle != nil: // a cycle has no server
		case l.Link >= 0: // measured flow of its edges divided by its bandwidth
			link := &d.Problem.Architecture.Links[l.Link]
			for e, route := range n.Mapping.Route {
				for _, at := range route {
					if at == l.Link {
						rate := median(flows[e])
						sum += rate * (1/link.Bandwidth +
							link.TransferCost(d.Problem.Application.Edges[e].ElementBytes))
					}
				}
			}
			if sum > run.Disproved { // its bandwidth is wrong, so its utilization is unknown
				return 0
			}
		default:
			for _, m := range l.Members {
				if k := n.Stations[m].Kernel; k >= 0 {
					sum += kernels[k]
				}
			}
			for _, x := range l.Costs { // measured flow of edges between hosts times the carrying cost
				if x.Part == flow.Carrying {
					sum += x.Weight * median(flows[x.Edge])
				}
			}
		}
		return sum
	}
	maximum, predicted := 0.0, 0.0
	for i := range n.Limits {
		maximum = max(maximum, used(&n.Limits[i]))
	}
	// The times of processes that share a core include the time of the other processes.
	c.Busy, c.BusyEstimated = min(maximum, 1), maximum > 1
	var names []string // limits that a run cannot distinguish from the most utilized limit
	for i := range n.Limits {
		if u := used(&n.Limits[i]); u > 0 && u >= maximum*(1-alikeUsed) {
			names = append(names, n.Limits[i].Name)
		}
	}
	c.MostUsed = strings.Join(names, " + ")
	if len(s.Bottlenecks) > 0 {
		for _, l := range slices.Concat(s.Bottlenecks[0].Limits, c.possible) {
			predicted = max(predicted, used(&n.Limits[l]))
		}
	}
	c.BottleneckHolds = predicted >= maximum-near
	if len(s.Bottlenecks) > 0 && n.Limits[s.Bottlenecks[0].Limits[0]].Cycle != nil {
		c.BottleneckHolds = c.BottleneckHolds && len(c.possible) > 0 || maximum <= 1-near // no limit is saturated
		return
	}
	c.Idle = maximum < result.MinBusy
}

// counts returns the first and the last frame to evaluate. They are the last full frames in the steady part of a run,
// or its entire steady part if the run ended normally. fail is the reason if there are no such frames.
func counts(m *run.Measurement, o Options) (first, last int, fail string) {
	last = len(m.Frames) - 1
	if last > 1 && m.Failure != nil {
		last-- // the incomplete frame at the end
	}
	s := m.Steady
	if s != nil && s.Short != "" && !s.Unsteady {
		what, do := "too short to measure: ", "use a longer --window, or more --elements"
		if s.Few {
			what, do = "too few elements to measure: ", "use more --elements, or a longer --window"
		}
		if s.Enough > 0 {
			do = fmt.Sprintf("--elements %d should suffice", s.Enough)
		}
		return 0, 0, what + s.Short + " (" + do + ")"
	}
	if m.Failure == nil {
		return untilEnd(m, o)
	}
	if first = last - counted + 1; first < 0 {
		return 0, 0, fmt.Sprintf("xopt recorded only %d of %d frames in %.3g s: use a longer --window, or "+
			"validate again on a quiet machine", max(last+1, 0), counted, m.Seconds)
	}
	for s != nil && !s.Unsteady && first < last && m.Frames[first].Start < s.StartUp {
		first++
	}
	return first, last, ""
}

// untilEnd returns the frames in the steady part of a run that ended normally. If the run is unsteady, it returns all
// frames except the first and the last.
func untilEnd(m *run.Measurement, o Options) (first, last int, fail string) {
	s := m.Steady
	if s == nil {
		return 0, 0, fmt.Sprintf("the run ended by itself after %.3g s: let the sources send more elements", m.Seconds)
	}
	last = len(m.Frames) - 1
	if s.Unsteady {
		if last > 1 {
			first, last = 1, last-1
		}
		return first, last, ""
	}
	for last >= 0 && m.Frames[last].End > s.Until() {
		last--
	}
	for first < last && m.Frames[first].Start < s.StartUp {
		first++
	}
	if last < first || m.Frames[first].Start < s.StartUp {
		frame, do := o.Window/counted, "let the sources send more elements"
		if o.Elements > 0 && s.Seconds > 0 {
			longer := (m.Seconds + 2*frame.Seconds()) / s.Seconds
			do = fmt.Sprintf("--elements %d should suffice", run.RoundElements(float64(o.Elements)*longer))
		}
		return 0, 0, fmt.Sprintf("too short to measure: the run ended by itself after %s. Its steady part, %s, "+
			"contains no complete frame of %s (a fifth of --window %v): %s, or use a shorter --window",
			units.Time(m.Seconds), units.Time(s.Seconds), units.Time(frame.Seconds()), o.Window, do)
	}
	return first, last, ""
}

// unsteady reports whether less than half of a run was in a steady state.
func unsteady(m *run.Measurement) bool { return m.Steady != nil && m.Steady.Unsteady }
