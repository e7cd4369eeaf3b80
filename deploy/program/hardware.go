package program

import (
	"math"
	"slices"
	"strings"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
)

// FederateTap is a tap in hardware on an edge at the border of the FPGA or inside it. Its Words figures start at index
// At of the figures of its FPGA.
type FederateTap struct {
	Edge  int
	Kind  hdl.TapKind
	Put   bool // at the point where words enter the edge's queue in the FPGA; otherwise where they leave it
	Bytes int  // size of a word
	At    int
	Words int
	// Hist is the index of its histogram in the records, -1 for none. The histogram has Bins bins. Bins of occupancies
	// are 2^Shift wide, and the last bin contains all larger values. Latencies have four bins per octave of cycles.
	Hist, Bins, Shift int
}

// MaxShift is the maximum of Shift. It keeps the bins within the 24 bits of an occupancy in hardware.
const MaxShift = 16

// Shift returns the binary logarithm of the width of the bins. ok is false if a monitor in an FPGA does not support the
// bins for occupancies.
func (b *Bins) Shift() (shift int, ok bool) {
	n := math.Log2(b.Width)
	return int(n), b.Low == 0 && b.N > 0 && b.N < rtl.Bins && n >= 0 && n <= MaxShift && n == math.Floor(n)
}

// bytes returns the size of an FPGA's data in shared memory: an x_federate, its tap counts, and the cycle counts of its
// kernels.
func (f *Federate) bytes() uint64 {
	return (abi.FederateWith(uint64(f.spentAt(len(f.Parts)))) + 63) / 64 * 64
}

// spentAt returns the index of a part's first cycle count in the figures of an FPGA.
func (f *Federate) spentAt(part int) int {
	words := 0
	for _, t := range f.Taps {
		words = max(words, t.At+t.Words)
	}
	words = max(words, f.MonitorsAt+f.MonitorBins*len(f.Monitors))
	for i := range f.Seen[:part] {
		words += f.Seen[i].counts()
	}
	return words
}

// federateAt returns the offset of federate i.
func (p *plan) federateAt(i int) uint64 {
	at := p.layout.federates
	for j := range i {
		at += p.options.Virtual.Federates[j].bytes()
	}
	return at
}

// sampler identifies the component that samples a tap in virtual time.
type sampler int

const (
	byKernels  sampler = iota // the ends of edges in kernels on cores
	byBorder                  // the simulation of an FPGA, on an edge that leaves it
	byHardware                // a tap in hardware, inside an FPGA
	byEngine                  // the engine of the run
	byProbe                   // the simulation of an FPGA, for signals
	byNobody
)

// sampler returns the component that samples a tap. If no component samples the tap, it returns byNobody and the
// reason.
func (p *plan) sampler(t *Tap) (sampler, string) {
	if t.Kind == Probed {
		return byProbe, ""
	}
	if p.options.Virtual == nil {
		return byKernels, ""
	}
	if t.Kind == Service {
		if p.onFPGA(t.Kernel) {
			return byNobody, "" // results show the kernel's activity instead
		}
		return byKernels, ""
	}
	if t.Kind == Gap || t.Kind == Busy || t.Kind == Ahead || t.Kind == Behind {
		return p.endSampler(t)
	}
	if t.Kind == PacketBytes || t.Kind == PacketTime {
		return byEngine, ""
	}
	path := t.Edges()
	first, last := p.program.Edges[path[0]], p.program.Edges[path[len(path)-1]]
	touches := p.onFPGA(first.From)
	switch t.Kind {
	case Latency:
		for _, e := range path {
			touches = touches || p.onFPGA(p.program.Edges[e].To)
		}
	case Consumed:
		touches = p.onFPGA(last.To)
	case Record: // the tap is in the reader
		touches = touches && p.onFPGA(last.To)
	}
	inside := p.inside(path[0])
	switch {
	case !touches:
		return byKernels, ""
	case t.Kind != Occupancy && t.Kind != Latency:
		return byNobody, "taps in FPGAs measure only occupancies and latencies"
	case len(path) > 1:
		return byNobody, "on an FPGA, taps measure latencies on edges, not through a kernel"
	case t.When != nil:
		return byNobody, "taps in FPGAs observe every element, and support no conditions"
	case t.Frame > 0:
		return byNobody, "taps in FPGAs have no frames of elements (use time frames)"
	case inside:
		return byHardware, ""
	}
	return byBorder, ""
}

// endSampler returns the component that samples an agent's tap at one end of an edge.
func (p *plan) endSampler(t *Tap) (sampler, string) {
	edge := &p.program.Edges[t.Edge]
	switch {
	case t.Kind == Gap && p.onFPGA(edge.From) || t.Kind == Busy && p.onFPGA(edge.To):
		return byHardware, ""
	case p.inside(t.Edge):
		return byNobody, "the edge stays inside an FPGA, and the taps there observe the complete queue"
	}
	return byEngine, ""
}

// answers reports whether a tap in hardware provides the samples of a tap of the run.
func (x *FederateTap) answers(t *tap) bool {
	if x.Edge != t.Edges()[0] {
		return false
	}
	switch x.Kind {
	case hdl.OccupancyTap:
		return t.Kind == Occupancy
	case hdl.LatencyTap:
		return t.Kind == Latency
	case hdl.GapTap:
		return x.Put && t.Kind == Gap || !x.Put && t.Kind == Busy
	}
	return false
}

// binHardware replaces the bins of a tap by the bins of its hardware tap.
func (p *plan) binHardware(t *tap) {
	for i := range p.options.Virtual.Federates {
		f := &p.options.Virtual.Federates[i]
		for j := range f.Taps {
			x := &f.Taps[j]
			if t.Histogram == nil || x.Hist < 0 || !x.answers(t) {
				continue
			}
			t.bins = x.Bins
			if t.Kind != Occupancy {
				t.log, t.unit = true, f.Period
				return
			}
			t.width = float64(uint64(1) << x.Shift)
			t.bins-- // all larger values share the last bin
			if n := t.Histogram.N; n > 0 {
				t.bins = min(n, t.bins)
			}
			return
		}
	}
}

// untapped returns notes about taps that a run does not sample.
func (p *plan) untapped() (notes []fault.Note) {
	var unlogged []string
	for i := range p.taps {
		t := &p.taps[i]
		if t.Kind == Probed {
			continue
		}
		path := t.Edges()
		of := p.program.Edges[path[0]].Name
		if len(path) > 1 {
			of += "->" + p.program.Edges[path[len(path)-1]].Name
		}
		if t.When != nil {
			of += " under a condition"
		}
		by, why := p.sampler(&t.Tap)
		if by == byHardware && t.Trace > 0 {
			unlogged = append(unlogged, of)
		}
		switch {
		case by == byNobody && why != "":
			notes = append(notes, faults.NotTapped.Notef("xopt does not measure the %s of %s: %s", t.Kind, of, why))
		case by == byHardware && t.Histogram != nil && (t.Histogram.Width > 0 && (t.low != t.Histogram.Low ||
			t.width != t.Histogram.Width || t.log) || t.Histogram.N > 0 && t.Histogram.N != t.bins):
			notes = append(notes, faults.BinsOfHardware.Notef("the histogram of the %s of %s has the bins of the tap "+
				"in hardware, not the requested bins", t.Kind, of))
		}
	}
	if len(unlogged) > 0 {
		notes = append(notes, faults.OnlyCounted.Notef("xopt does not log single elements of %s, because taps inside "+
			"FPGAs only count", strings.Join(slices.Compact(unlogged), ", ")))
	}
	return notes
}
