package program

import (
	"errors"
	"fmt"
	"math"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/signals"
)

// TapKind is what a tap measures.
type TapKind int

// The kinds of taps; generated C has them by the names of enum x_tap_kind in runtime/xrt.h.
const (
	// Occupancy is how many elements an element finds in the queue when it is
	// sent: what was sent before it and not yet released.
	Occupancy TapKind = iota
	// Latency is the time from when an element is sent to when it is released,
	// on one edge or along a path of several, in seconds.
	Latency
	// Value is the numbers in the elements sent.
	Value
	// Service is the time that a kernel takes for one firing, in seconds: what its
	// join consumes, or one element. It is from one release to the next, or from the
	// start of its call when that is later, without the time between calls and
	// without waiting for room. A source's with one output is from send to send, with
	// several from the end of a call to that of the next. In virtual time it is what was drawn
	// for the firing, or recorded of it. Every and Frame count firings.
	Service
	// Boundary logs the moment at which every Frame-th element is sent, from
	// which rates in data frames follow. It has a trace only; the values are the
	// seconds that the writer had waited for room by then.
	Boundary
	// Sent counts the elements sent, where a condition wants some of them: the
	// values are 1, and the weights say how many.
	Sent
	// Taken counts the elements released.
	Taken
	// Record keeps a copy of the first elements sent, up to Bytes.
	Record
	// Gap and the three behind it are of runs in virtual time, and what agents at the two ends
	// of an edge could see of one that crosses links (Lancaster 2011 §5.1). Gap is the time from
	// one insertion to the next, in seconds. Of it and of Busy the summary has the products of
	// bins that follow each other.
	Gap
	// Busy is the time from one removal to the next while more is there, in seconds.
	Busy
	// Ahead is how many elements an element finds before it that wait for the first link.
	Ahead
	// Behind is how many elements are left behind the last link when one is removed.
	Behind
	// Probed is the value of signals of a kernel on an FPGA, in every cycle of its clock: the weights are cycles. Its
	// log has a value when it changes; it waits until it is read, so that none is lost.
	Probed
	// PacketBytes and PacketTime are of the packets that edges send over links of a run in virtual time: the bytes of
	// one, and how long it takes from when its first element comes to the link until it arrives at the link's end, in
	// seconds. Every counts packets.
	PacketBytes
	PacketTime
)

// String names the kind.
func (k TapKind) String() string {
	return [...]string{"occupancy", "latency", "value", "service", "boundary", "sent", "taken", "record",
		"gap", "busy", "ahead", "behind", "signal", "packetbytes", "packettime"}[k]
}

// Tap asks for a measurement. What is not asked for is not in the program.
type Tap struct {
	Kind TapKind
	// Edge is where, an index into the program's edges.
	Edge int
	// Path, for Latency, lists the edges of a path in order, in place of Edge:
	// the latency is from the send on the first to the release on the last. A
	// kernel passes a mark on with the first element that it sends after it has
	// released the marked one.
	Path []int
	// Kernel is where, for Service and Probed.
	Kernel int
	// Packets are, of PacketBytes and PacketTime, the edges that send them, with the link of each; Edge is the first.
	Packets []OnLink
	// Probe is what Probed looks at.
	Probe *signals.Probe
	// Most is how many values the log of Probed gets in all; 0 for no end.
	Most uint64
	// Ring is how many of them a ring in hardware is asked to hold, where it is put in; 0 for the usual.
	Ring int
	// Every takes one element in so many, by index; 0 takes as many as cost
	// little, about one in 300 us. Samples count for the elements that they stand
	// for.
	Every uint64
	// Frame is the number of elements in a data frame (Lancaster 2011 §3.3); 0 for
	// the time frames of the run.
	Frame uint64
	// Histogram asks for a histogram.
	Histogram *Bins
	// When takes only samples for which a condition holds; nil for all.
	When Condition
	// Trace is how many values the log holds until it is read, which happens every
	// 10 ms; 0 for no log.
	Trace int
	// Logged is how many values of the log are kept of the whole run; 0 for all.
	Logged int
	// Bytes is how much Record keeps.
	Bytes int
}

// OnLink is one of the links on the route of an edge, the first of which is 0.
type OnLink struct{ Edge, Hop int }

// Edges are those that what has an edge or a path is of, in order.
func (t *Tap) Edges() []int {
	if len(t.Path) > 0 {
		return t.Path
	}
	return []int{t.Edge}
}

// Bins are the bins of a histogram: N of Width from Low on, in the unit of what is
// measured, or, with Width 0, four to each octave of a positive quantity from Low
// on.
type Bins struct {
	Low, Width float64
	N          int
}

// Scale is how the bins of a histogram lie: bin i begins at Low + i·Width, or, for
// a log scale, at Unit·2^((Low+i)/4) nearly (bins are linear within an octave).
type Scale struct {
	Log bool
	// Counts is that bins are of numbers of elements: Low is 0 and Width 1, and from exactCounts
	// on there are so many bins to an octave.
	Counts     bool
	Low, Width float64
	N          int
	Unit       float64 // of a log scale; 0 for 1
}

// From is where bin i begins, in the unit of what is measured.
func (s Scale) From(i int) float64 {
	if s.Counts && i >= exactCounts {
		i -= exactCounts
		return math.Ldexp(exactCounts+exactCounts/countsOfAnOctave*float64(i%countsOfAnOctave), i/countsOfAnOctave)
	}
	if !s.Log {
		return s.Low + float64(i)*s.Width
	}
	at := int(s.Low) + i
	octave := int(math.Floor(float64(at) / 4))
	from := math.Ldexp(1+float64(at-4*octave)/4, octave)
	if s.Unit > 0 {
		from *= s.Unit
	}
	return from
}

// Limits of what a tap may ask for; the memory for it is shared.
const (
	maxBins  = 1 << 16
	maxTrace = 1 << 24
	// maxRecord is the most that Record keeps.
	maxRecord = 1 << 30
)

// StandardTaps asks for what xopt deploy shows: the occupancy and latency of every
// edge with histograms, and the service time of every kernel.
func StandardTaps(p *xlang.Program, every uint64) []Tap {
	var taps []Tap
	for e := range p.Edges {
		if p.Edges[e].Shared {
			continue
		}
		taps = append(taps,
			Tap{Kind: Occupancy, Edge: e, Every: every, Histogram: &Bins{}},
			Tap{Kind: Latency, Edge: e, Every: every, Histogram: &Bins{}})
	}
	for k := range p.Kernels {
		if !passes(p, k) {
			taps = append(taps, Tap{Kind: Service, Kernel: k, Every: every})
		}
	}
	return taps
}

// Logs asks, beside what is asked for already, for what a timeline is drawn from: every
// firing of every kernel, the occupancy that every element finds, and when it is released; n of each
// are kept.
func Logs(taps []Tap, p *xlang.Program, n int) []Tap {
	ask := func(kind TapKind, of int) {
		for i := range taps {
			t := &taps[i]
			if t.Kind == kind && t.When == nil && t.Frame == 0 && len(t.Path) == 0 &&
				(kind == Service && t.Kernel == of || kind != Service && t.Edge == of) {
				t.Every, t.Trace, t.Logged = 1, n, n
				return
			}
		}
		t := Tap{Kind: kind, Every: 1, Trace: n, Logged: n}
		if kind == Service {
			t.Kernel = of
		} else {
			t.Edge = of
		}
		taps = append(taps, t)
	}
	for k := range p.Kernels {
		if !passes(p, k) {
			ask(Service, k)
		}
	}
	for e := range p.Edges {
		if !p.Edges[e].Shared {
			ask(Occupancy, e)
			ask(Latency, e)
		}
	}
	return taps
}

// tap is a tap with what the plan adds.
type tap struct {
	Tap
	log        bool
	counts     bool
	low, width float64 // a log scale counts quarter octaves
	unit       float64 // of a log scale, where that is not 1; of a tap in hardware a cycle
	bins       int
	slots      int
	at         uint64 // in shared memory
}

// hop is one edge of the path of a latency.
type hop struct {
	Edge, Tap, Next int // Next is -1 at the end
	IsFirst         bool
	Slots           int // of the queue of marks
	At              uint64
}

// packetTap is an edge and a link whose packets a tap takes in.
type packetTap struct{ Tap, Edge, Hop int }

const (
	timeSlots = 4  // frames of time that a tap keeps until they are read
	dataSlots = 64 // frames of data
)

// planTaps checks what is asked for.
func (p *plan) planTaps() error {
	var errs []error
	for i, t := range p.options.Taps {
		if err := p.checkTap(t); err != nil {
			errs = append(errs, fmt.Errorf("tap %d (%s): %w", i+1, t.Kind, err))
			continue
		}
		x := tap{Tap: t, slots: timeSlots}
		if t.Frame > 0 {
			x.slots = dataSlots
		}
		switch by, _ := p.sampler(&t); by {
		case byHardware:
			x.Every = 1
			p.binHardware(&x)
		case byKernels, byEngine, byProbe:
			p.bin(&x)
		case byBorder:
			if p.onFPGA(p.program.Edges[t.Edges()[0]].From) {
				x.Every = max(t.Every, 1)
			}
			p.bin(&x)
			if x.counts { // it knows octaves only: exact below 8, and 0 is below all bins
				x.counts, x.log, x.low, x.bins = false, true, 0, borderBins
			}
		}
		for _, on := range t.Packets {
			p.packetTaps = append(p.packetTaps, packetTap{len(p.taps), on.Edge, on.Hop})
		}
		if t.Kind == Gap || t.Kind == Busy || t.Kind == Probed {
			x.Every = 1
		}
		switch t.Kind {
		case Record:
			x.slots, x.bins, x.Every = 0, 0, 1
			x.Trace = (t.Bytes + abi.TraceBytes - 1) / abi.TraceBytes
		case Boundary:
			x.slots, x.bins, x.Every = 0, 0, t.Frame
			x.Trace = max(x.Trace, 1<<12)
		case Latency:
			if len(t.Path) == 0 {
				x.Path = []int{t.Edge}
			}
			for j, e := range x.Path {
				h := hop{Edge: e, Tap: len(p.taps), Next: len(p.hops) + 1, IsFirst: j == 0,
					Slots: p.markSlots(e, x.Every)}
				if j == len(x.Path)-1 {
					h.Next = -1
				}
				p.hops = append(p.hops, h)
			}
		}
		p.taps = append(p.taps, x)
	}
	for i, c := range p.options.Conditions {
		if err := c.check(p, len(p.options.Taps), false); err != nil || len(c) == 0 {
			errs = append(errs, fmt.Errorf("condition %d of %d steps: %w", i+1, len(c), err))
		}
	}
	return errors.Join(errs...)
}

// adaptiveMarks is how many marks an edge holds at the most when their number is
// chosen by the time between them.
const adaptiveMarks = 4096

// markSlots is how many elements of an edge can be marked at one time.
func (p *plan) markSlots(e int, every uint64) int {
	if every == 0 {
		return min(p.capacity[e], adaptiveMarks) + 2
	}
	return int(min(uint64(p.capacity[e])/every, math.MaxInt32)) + 2
}

func (p *plan) checkTap(t Tap) error {
	edges, kernels := len(p.program.Edges), len(p.program.Kernels)
	if t.Trace < 0 || t.Trace > maxTrace {
		return fmt.Errorf("a log of %d values, want up to %d", t.Trace, maxTrace)
	}
	if err := t.When.check(p, len(p.options.Taps), true); err != nil {
		return fmt.Errorf("condition: %w", err)
	}
	if h := t.Histogram; h != nil {
		if h.N < 0 || h.N > maxBins || !(h.Width >= 0) || math.IsInf(h.Width, 1) || math.IsNaN(h.Low) ||
			math.IsInf(h.Low, 0) {
			return fmt.Errorf("a histogram of %d bins of %g from %g on", h.N, h.Width, h.Low)
		}
		if h.Width > 0 && h.N == 0 {
			return errors.New("a histogram without a number of bins")
		}
	}
	switch t.Kind {
	case Service:
		if t.Kernel < 0 || t.Kernel >= kernels {
			return fmt.Errorf("there is no kernel %d", t.Kernel)
		}
		if len(p.in[t.Kernel]) == 0 && len(p.out[t.Kernel]) == 0 {
			return fmt.Errorf("kernel %s has no ports", p.program.Kernels[t.Kernel].Name)
		}
		if passes(p.program, t.Kernel) {
			return fmt.Errorf("kernel %s passes over what is for other copies, so that single firings cannot be timed",
				p.program.Kernels[t.Kernel].Name)
		}
		return nil
	case Probed:
		if t.Kernel < 0 || t.Kernel >= kernels || !p.onFPGA(t.Kernel) || t.Probe == nil || t.When != nil ||
			t.Frame > 0 {
			return errors.New("it is of signals of a kernel on an FPGA, and has no condition on elements and no " +
				"frames of them")
		}
		return nil
	case Boundary:
		if t.Frame == 0 {
			return errors.New("it needs the number of elements in a frame")
		}
	case Latency:
		for j, e := range t.Path {
			if e < 0 || e >= edges {
				return fmt.Errorf("there is no edge %d", e)
			}
			if j > 0 && p.program.Edges[t.Path[j-1]].To != p.program.Edges[e].From {
				return fmt.Errorf("edge %s does not follow edge %s", p.program.Edges[e].Name,
					p.program.Edges[t.Path[j-1]].Name)
			}
		}
	case Record:
		if t.Bytes < 0 || t.Bytes > maxRecord || t.Edge >= 0 && t.Edge < edges && uint64(t.Bytes) < p.element[t.Edge] {
			return fmt.Errorf("%d bytes to record, want an element at least and up to %d", t.Bytes, maxRecord)
		}
	case PacketBytes, PacketTime:
		return p.checkPackets(&t)
	case Gap, Busy, Ahead, Behind:
		if p.options.Virtual == nil || t.When != nil || t.Frame > 0 {
			return errors.New("it is of runs in virtual time, and has no condition and no frames of elements")
		}
	case Occupancy, Value, Sent, Taken:
	default:
		return fmt.Errorf("there is no such kind (%d)", int(t.Kind))
	}
	if t.Edge < 0 || t.Edge >= edges {
		return fmt.Errorf("there is no edge %d", t.Edge)
	}
	for _, e := range t.Edges() {
		if x := &p.program.Edges[e]; x.Shared && t.Kind != Record { // which is of what its port sends
			return faults.ElementsOfCopies.Errorf("edge %s carries what is for other copies, too, so that its "+
				"elements cannot be followed; tap one before or behind the copies", x.Name)
		}
	}
	return nil
}

// checkPackets checks a tap of packets.
func (p *plan) checkPackets(t *Tap) error {
	v := p.options.Virtual
	if v == nil || t.When != nil || t.Frame > 0 || len(t.Packets) == 0 || t.Packets[0].Edge != t.Edge {
		return errors.New("it is of packets on links of a run in virtual time, and has no condition and no frames of " +
			"elements")
	}
	for _, x := range t.Packets {
		if x.Edge < 0 || x.Edge >= len(v.Routes) || x.Hop < 0 || x.Hop >= len(v.Routes[x.Edge]) {
			return fmt.Errorf("edge %d has no link %d on its route", x.Edge, x.Hop)
		}
		if l := &v.Links[v.Routes[x.Edge][x.Hop]]; !l.Packets() || p.inside(x.Edge) {
			return fmt.Errorf("link %s carries no packets of edge %s", l.Name, p.program.Edges[x.Edge].Name)
		}
	}
	return nil
}

// A histogram of occupancies for which no bins are asked for has one for each number of elements below
// exactCounts, and then so many to an octave (bin_of in runtime/samples.c has the same numbers).
const (
	exactCounts      = 64
	countsOfAnOctave = 16
)

// countBins is how many bins hold numbers of elements up to most.
func countBins(most uint64) int {
	s, n := Scale{Counts: true, Width: 1}, 1
	for s.From(n) <= float64(most) {
		n++
	}
	return n
}

// mostElements is how many elements an edge may come to hold.
func (p *plan) mostElements(e int) uint64 {
	return max(uint64(p.capacity[e]), p.options.Growth.MaxBytes/p.element[e])
}

// Where bins begin on a log scale when that is not said, in quarter octaves, and
// how many there are: times from 1 ns to 1000 s, numbers from 1e-6 to 1e13.
const (
	timeLow, timeBins   = -120, 160
	valueLow, valueBins = -80, 256
	borderBins          = 160 // of numbers of elements, from 1 on
)

// bin fixes the bins of a tap.
func (p *plan) bin(x *tap) {
	h := x.Histogram
	switch {
	case h == nil:
	case h.Width > 0:
		x.low, x.width, x.bins = h.Low, h.Width, h.N
	case x.Kind == Occupancy && h.N == 0:
		x.counts, x.width, x.bins = true, 1, countBins(p.mostElements(x.Edge))
	default:
		x.log, x.low, x.bins = true, timeLow, timeBins
		if x.Kind == Value || x.Kind == Occupancy || x.Kind == Probed || x.Kind == PacketBytes {
			x.low, x.bins = valueLow, valueBins
		}
		if h.N > 0 {
			x.bins = h.N
		}
		if h.Low > 0 {
			x.low = math.Floor(4 * math.Log2(h.Low))
		}
	}
}

// RecordTaps returns taps that keep the first elements of each edge, up to most bytes. Edges within FPGAs have none:
// nothing sees their elements.
func RecordTaps(d *design.Design, most int) (taps []Tap) {
	onFPGA := func(k int) bool { return design.IsFPGA(d.Program, d.Mapping.Place[k]) }
	for e := range d.Program.Edges {
		if x := &d.Program.Edges[e]; !onFPGA(x.From) || !onFPGA(x.To) {
			taps = append(taps, Tap{Kind: Record, Edge: e, Bytes: max(most, ElementBytes(d.Program, e))})
		}
	}
	return taps
}

// ElementBytes returns the size of an element of an edge.
func ElementBytes(p *xlang.Program, e int) int {
	edge := &p.Edges[e]
	return int(p.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes)
}
