package measure

import (
	"fmt"
	"math"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/timetrial"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// FPGAs lists the kernels of a mapping that are on FPGAs. xopt rejects statements that are impossible on FPGAs before
// the build, with a hint to the nearest possible statement. All other statements have the same meaning as on a core.
type FPGAs struct {
	program *xlang.Program
	place   []int // FPGA of each kernel; -1 for a core
}

// OnFPGAs finds the kernels of a design's mapping that are on FPGAs; nil if none is.
func OnFPGAs(d *design.Design) *FPGAs {
	f := &FPGAs{program: d.Program}
	any := false
	for _, r := range d.Mapping.Place {
		if !design.IsFPGA(d.Program, r) {
			r = -1
		}
		f.place = append(f.place, r)
		any = any || r >= 0
	}
	if !any {
		return nil
	}
	return f
}

// has reports whether a kernel is on an FPGA.
func (f *FPGAs) has(kernel int) bool { return f != nil && f.place[kernel] >= 0 }

// writes and reads report whether the writer and the reader of an edge are on an FPGA. inside reports whether both are
// on the same FPGA.
func (f *FPGAs) writes(e int) bool { return f.has(f.program.Edges[e].From) }
func (f *FPGAs) reads(e int) bool  { return f.has(f.program.Edges[e].To) }
func (f *FPGAs) inside(e int) bool {
	return f.writes(e) && f.place[f.program.Edges[e].From] == f.place[f.program.Edges[e].To]
}

// refuse rejects an unavailable quantity that has a value for each element. It reports whether it rejected the
// quantity.
func (p *Plan) refuse(m *timetrial.Measurement, t *program.Tap) bool {
	if p.refuseShared(m) {
		return true
	}
	f := p.options.FPGAs
	if f == nil {
		return false
	}
	edges := t.Edges()
	first := edges[0]
	touches := f.writes(first)
	for _, e := range edges {
		touches = touches || t.Kind == program.Latency && f.reads(e) || t.Kind == program.Consumed && f.reads(e)
	}
	if !touches {
		return false
	}
	at := p.program.Edges[first].Name
	what := fmt.Sprintf("%s at %s", m.Type, m.Target.Text)
	switch {
	case t.Kind == program.Value:
		p.fail(faults.ValuesOnFPGA, m.Pos, "instead: measure rate at "+at,
			"cannot measure %s: an FPGA writes edge %s, but taps observe values only on edges that a core writes",
			what, at)
	case t.When != nil:
		p.fail(faults.ConditionOnFPGA, m.Pos, "instead: omit the condition, and use time frames (--frame 10ms)",
			"cannot measure %s under a condition: an FPGA counts every element and does not test conditions on "+
				"elements", what)
	case t.Frame > 0:
		p.refuseElementFrames(m.Pos, what)
	case len(edges) > 1:
		p.fail(faults.LatencyThroughKernel, m.Pos, "instead: measure mean latency at "+at+", and so on, edge by edge",
			"cannot measure %s: on an FPGA, taps measure latencies on edges, not through a kernel", what)
	case f.inside(first) && t.Trace > 0:
		p.fail(faults.TraceOnFPGA, m.Pos, fmt.Sprintf("instead: measure hist %s at %s", m.Type, at),
			"cannot record trace %s: monitors inside an FPGA only count, and do not log single elements", what)
	case f.inside(first) && t.Histogram != nil && !monitored(t):
		p.fail(faults.BinsOnFPGA, m.Pos, nearestBins(m, t, at), "cannot measure hist %s: the monitor in the FPGA "+
			"does not support these bins. For occupancies, bins start at 0, their width is a power of two, and "+
			"there are fewer than %d. For latencies, there are four bins per octave", what, rtl.Bins)
	default:
		return false
	}
	return true
}

// refuseShared rejects a statement about an edge that divides a stream among copies of a kernel, and reports whether it
// did. All such edges of a stream read one ring, and each skips the elements of the others.
func (p *Plan) refuseShared(m *timetrial.Measurement) bool {
	for _, e := range m.Target.Edges {
		if edge := &p.program.Edges[e]; edge.Shared {
			hint := "instead: measure rate at " + edge.Name + ", or the same quantity at an edge before or after the " +
				"copies"
			if m.Type.PerFrame() {
				hint = "instead: omit the condition, and measure in time frames (--frame 10ms)"
			}
			p.fail(faults.ElementsOfCopies, m.Pos, hint, "cannot measure %s at %s: %s also carries data for other "+
				"copies, so a tap cannot follow its elements", m.Type, m.Target.Text, edge.Name)
			return true
		}
	}
	return false
}

// monitored reports whether a monitor in an FPGA provides the requested bins.
func monitored(t *program.Tap) bool {
	b := t.Histogram
	if b.N == 0 && b.Width == 0 && b.Low == 0 {
		return true // the statement requests no bins
	}
	_, ok := b.Shift()
	return ok && t.Kind == program.Occupancy
}

// nearestBins returns a hint with the nearest bins that the hardware monitor supports.
func nearestBins(m *timetrial.Measurement, t *program.Tap, at string) string {
	if t.Kind != program.Occupancy {
		return fmt.Sprintf("instead: measure hist %s at %s", m.Type, at)
	}
	b := t.Histogram
	width := math.Exp2(min(max(math.Ceil(math.Log2(max(b.Width, 1))), 0), program.MaxShift))
	bins := min(max(int(math.Ceil((b.Low+b.Width*float64(b.N))/width)), 1), rtl.Bins-1)
	return fmt.Sprintf("instead: measure hist(bins=%d, width=%g) %s at %s", bins, width, m.Type, at)
}

// refuseFrame rejects statements with one value per frame that FPGAs do not support.
func (p *Plan) refuseFrame(m *timetrial.Measurement, when program.Condition) {
	f, edge := p.options.FPGAs, m.Target.Edges[0]
	if f == nil {
		return
	}
	if p.refuseWaiting(m.Pos, when, "backpressure at %s > 0") || len(when) == 0 {
		return
	}
	at := p.program.Edges[edge].Name
	switch {
	case m.Type == timetrial.Util && f.reads(edge) || m.Type == timetrial.Backpressure && f.writes(edge):
		p.fail(faults.ConditionOnFPGA, m.Pos, fmt.Sprintf("instead: measure %s at %s without a condition", m.Type, at),
			"cannot measure %s at %s under a condition: taps do not observe single firings of a kernel on an FPGA",
			m.Type,
			m.Target.Text)
	case m.Type == timetrial.Rate && (f.writes(edge) || m.Target.Reader && f.reads(edge)):
		p.fail(faults.ConditionOnFPGA, m.Pos, "instead: measure rate at "+at+" without a condition",
			"cannot measure rate at %s under a condition: an FPGA counts every element and does not test conditions "+
				"on elements", m.Target.Text)
	}
}

// refuseWaiting rejects a condition that tests for waiting writers on an FPGA, and reports whether it did. instead is
// the format of a supported condition on an edge.
func (p *Plan) refuseWaiting(at xlang.Pos, steps program.Condition, instead string) bool {
	for _, s := range steps {
		if f := p.options.FPGAs; s.Op == program.Waiting && f != nil && f.writes(s.Object) {
			name := p.program.Edges[s.Object].Name
			p.fail(faults.WaitsOnFPGA, at, fmt.Sprintf("instead: compare values per frame, as in "+instead, name),
				"cannot test whether the writer of edge %s waits: the writer is on an FPGA, where taps observe no "+
					"waits", name)
			return true
		}
	}
	return false
}

// refuseElementFrames rejects a quantity in frames of elements.
func (p *Plan) refuseElementFrames(at xlang.Pos, what string) {
	p.fail(faults.ElementFramesOnFPGA, at, "instead: use time frames, as in --frame 10ms", "cannot measure %s in "+
		"frames of elements: an FPGA supports only time frames", what)
}

// refuseBoundary rejects rates in frames of elements at edges of kernels on FPGAs.
func (p *Plan) refuseBoundary(m *timetrial.Measurement) {
	if f := p.options.FPGAs; f != nil && (f.writes(m.Target.Edges[0]) || f.reads(m.Target.Edges[0])) {
		p.refuseElementFrames(m.Pos, fmt.Sprintf("%s at %s", m.Type, m.Target.Text))
	}
}

// refuseStates rejects a statement about a kernel whose states are not counted.
func (p *Plan) refuseStates(m *timetrial.Measurement) {
	name := p.program.Kernels[m.Target.Kernel].Name
	switch {
	case !p.options.FPGAs.has(m.Target.Kernel):
		p.fail(faults.StatesOnCore, m.Pos, "instead: measure util at an input of "+name,
			"cannot measure states at %s: the mapping places it on a core, but xopt counts states only for kernels "+
				"on FPGAs", name)
	case p.options.Frame > 0:
		p.refuseElementFrames(m.Pos, "states at "+name)
	}
}
