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

// TapKind is the quantity that a tap measures.
type TapKind int

// The kinds of taps. Generated C uses the names of enum x_tap_kind in runtime/xrt.h.
const (
	// Occupancy is the number of elements in the queue when an element is sent. It counts elements that were sent
	// earlier and not yet released.
	Occupancy TapKind = iota
	// Latency is the time in seconds from the send of an element to its release, on one edge or along a path of edges.
	Latency
	// Value contains the numbers in the elements sent.
	Value
	// Service is the time in seconds of one firing of a kernel, which consumes a round of a join or one element. It
	// extends from the previous release, or from a later start of the call, to the next release. It excludes time
	// between calls and time waiting for space. The service time of a source with one output extends from one send to
	// the next send. The service time of a source with several outputs extends from the end of one call to the end of
	// the next call. The service time in virtual time is the drawn or recorded time of the firing. Every and Frame
	// count firings.
	Service
	// Boundary logs the time at which every Frame-th element is sent, for rates in data frames. It has a log, but no
	// summary. Each value is the total time in seconds that the writer has waited for space since the start.
	Boundary
	// Sent counts the sent elements for which a condition is true. The values are 1, and the weights are the numbers of
	// elements.
	Sent
	// Consumed counts the released elements.
	Consumed
	// Record stores the first elements sent, up to Bytes.
	Record
	// Gap, Busy, Ahead and Behind are for runs in virtual time. They are the observations of agents at the two ends of
	// an edge over links (Lancaster 2011 §5.1). Gap is the time in seconds between insertions. The summaries of Gap and
	// Busy contain the products of consecutive bins.
	Gap
	// Busy is the time in seconds between removals while the queue is not empty.
	Busy
	// Ahead is the number of elements that wait for the first link ahead of a new element.
	Ahead
	// Behind is the number of elements that remain after the last link when an element has been removed.
	Behind
	// Probed is the value of a kernel's signals on an FPGA in every clock cycle. The weights are cycles. Its log
	// contains only changed values. The tap waits for the reader of the log, so that no value is lost.
	Probed
	// PacketBytes and PacketTime describe the packets of edges on links in virtual time. PacketBytes is the size of a
	// packet in bytes. PacketTime is the time in seconds from the arrival of its first element at the link until the
	// packet arrives at the link's end. Every counts packets.
	PacketBytes
	PacketTime
)

// String returns the name of the kind.
func (k TapKind) String() string {
	return [...]string{"occupancy", "latency", "value", "service", "boundary", "sent", "taken", "record",
		"gap", "busy", "ahead", "behind", "signal", "packetbytes", "packettime"}[k]
}

// Tap requests a measurement. The program contains only the requested measurements.
type Tap struct {
	Kind TapKind
	// Edge is the index of the tapped edge in the program.
	Edge int
	// Path, for Latency, lists the edges of a path in order, and replaces Edge. The latency extends from the send on
	// the first edge to the release on the last edge. A kernel forwards a mark with the first element that it sends
	// after it has released the marked element.
	Path []int
	// Kernel is the index of the tapped kernel. Only taps of the kinds Service and Probed have it.
	Kernel int
	// Packets, for PacketBytes and PacketTime, lists the sending edges with the link of each. Edge is the first of
	// these edges.
	Packets []OnLink
	// Probe contains the signals for Probed.
	Probe *signals.Probe
	// Max is the maximum number of values in the log of Probed; 0 for no limit.
	Max uint64
	// Ring is the requested size of a hardware ring in values; 0 for the default.
	Ring int
	// Every is the sampling interval in elements, by index. 0 adapts it to about one sample in 300 us, which has a low
	// overhead. A sample represents all elements of its interval.
	Every uint64
	// Frame is the number of elements in a data frame (Lancaster 2011 §3.3); 0 for the time frames of the run.
	Frame uint64
	// Histogram requests a histogram.
	Histogram *Bins
	// When restricts the samples to times when a condition is true; nil for all.
	When Condition
	// Trace is the capacity of the log in values. The log is read every 10 ms. 0 means no log.
	Trace int
	// Logged is the number of values of the log to store in the result; 0 for all.
	Logged int
	// Bytes is the amount of data that Record stores.
	Bytes int
}

// OnLink is a link on the route of an edge. The first link has number 0.
type OnLink struct{ Edge, Hop int }

// Edges returns the edges of a tap in order: its edge or its path.
func (t *Tap) Edges() []int {
	if len(t.Path) > 0 {
		return t.Path
	}
	return []int{t.Edge}
}

// Measures reports whether a tap measures a quantity of an edge or kernel in all time frames, without a condition. It
// returns false for a path of several edges.
func (t *Tap) Measures(kind TapKind, of int) bool {
	at := t.Edge
	if kind == Service {
		at = t.Kernel
	}
	return t.Kind == kind && at == of && t.When == nil && t.Frame == 0 && len(t.Path) <= 1
}

// Bins defines the bins of a histogram: N bins of Width, starting at Low, in the unit of the measured quantity. If
// Width is 0, there are four bins per octave of a positive quantity, starting at Low.
type Bins struct {
	Low, Width float64
	N          int
}

// Scale defines the bins of a histogram. Bin i starts at Low + i·Width or, for a log scale, at about
// Unit·2^((Low+i)/4). Bins are linear within an octave.
type Scale struct {
	Log bool
	// Counts marks bins for numbers of elements. Low is then 0 and Width is 1. From exactCounts on, an octave has
	// countsOfAnOctave bins.
	Counts     bool
	Low, Width float64
	N          int
	Unit       float64 // of a log scale; 0 for 1
}

// From returns the start of bin i, in the unit of the measured quantity.
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

// Limits of a tap. They bound its part of the shared memory.
const (
	maxBins  = 1 << 16
	maxTrace = 1 << 24
	// maxRecord is the maximum of Tap.Bytes.
	maxRecord = 1 << 30
)

// StandardTaps returns the taps for the output of xopt deploy: occupancy and latency of every edge with histograms, and
// the service time of every kernel.
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

// Logs adds the taps of a timeline to the requested taps. Each tap logs up to n values. The taps log every firing of
// every kernel. They also log the release of every element, and the occupancy at its send.
func Logs(taps []Tap, p *xlang.Program, n int) []Tap {
	ask := func(kind TapKind, of int) {
		for i := range taps {
			t := &taps[i]
			if t.Measures(kind, of) && len(t.Path) == 0 {
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

// tap is a requested tap with additional data of the plan.
type tap struct {
	Tap
	log        bool
	counts     bool
	low, width float64 // in quarter octaves for a log scale
	unit       float64 // of a log scale, if not 1; for a tap in hardware, a cycle
	bins       int
	slots      int
	at         uint64 // in shared memory
}

// hop is one edge of a latency path.
type hop struct {
	Edge, Tap, Next int // Next is -1 at the end
	IsFirst         bool
	Slots           int // capacity of the queue of marks
	At              uint64
}

// packetTap is a pair of edge and link whose packets a tap counts.
type packetTap struct{ Tap, Edge, Hop int }

const (
	timeSlots = 4  // time frames that a tap stores until they are read
	dataSlots = 64 // data frames that a tap stores until they are read
)

// planTaps checks and plans the requested taps.
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
			if x.counts { // this scale has only octaves: it is exact below 8, and 0 is below all bins
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
			errs = append(errs, fmt.Errorf("condition of tap %d with %d steps: %w", i+1, len(c), err))
		}
	}
	return errors.Join(errs...)
}

// adaptiveMarks is the maximum number of marks on an edge with an adaptive interval.
const adaptiveMarks = 4096

// markSlots returns the maximum number of marked elements on an edge.
func (p *plan) markSlots(e int, every uint64) int {
	if every == 0 {
		return min(p.capacity[e], adaptiveMarks) + 2
	}
	return int(min(uint64(p.capacity[e])/every, math.MaxInt32)) + 2
}

func (p *plan) checkTap(t Tap) error {
	edges, kernels := len(p.program.Edges), len(p.program.Kernels)
	if t.Trace < 0 || t.Trace > maxTrace {
		return fmt.Errorf("the log has %d values, expected at most %d", t.Trace, maxTrace)
	}
	if err := t.When.check(p, len(p.options.Taps), true); err != nil {
		return fmt.Errorf("condition: %w", err)
	}
	if h := t.Histogram; h != nil {
		if h.N < 0 || h.N > maxBins || !(h.Width >= 0) || math.IsInf(h.Width, 1) || math.IsNaN(h.Low) ||
			math.IsInf(h.Low, 0) {
			return fmt.Errorf("the histogram has %d bins of width %g from %g, expected at most %d bins, a finite "+
				"width of at least 0, and a finite start", h.N, h.Width, h.Low, maxBins)
		}
		if h.Width > 0 && h.N == 0 {
			return errors.New("the histogram has no bins")
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
			return fmt.Errorf("kernel %s skips elements of other copies, so a tap cannot measure single firings",
				p.program.Kernels[t.Kernel].Name)
		}
		return nil
	case Probed:
		if t.Kernel < 0 || t.Kernel >= kernels || !p.onFPGA(t.Kernel) || t.Probe == nil || t.When != nil ||
			t.Frame > 0 {
			return errors.New("signal taps need a kernel on an FPGA, and support no conditions and no frames of " +
				"elements")
		}
		return nil
	case Boundary:
		if t.Frame == 0 {
			return errors.New("the number of elements in a frame is missing")
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
			return fmt.Errorf("the tap records %d bytes, expected at least one element and at most %d bytes", t.Bytes,
				maxRecord)
		}
	case PacketBytes, PacketTime:
		return p.checkPackets(&t)
	case Gap, Busy, Ahead, Behind:
		if p.options.Virtual == nil || t.When != nil || t.Frame > 0 {
			return errors.New("it applies only to runs in virtual time, without a condition and without frames of " +
				"elements")
		}
	case Occupancy, Value, Sent, Consumed:
	default:
		return fmt.Errorf("unknown kind %d", int(t.Kind))
	}
	if t.Edge < 0 || t.Edge >= edges {
		return fmt.Errorf("there is no edge %d", t.Edge)
	}
	for _, e := range t.Edges() {
		if x := &p.program.Edges[e]; x.Shared && t.Kind != Record { // Record taps record the port's stream
			return faults.ElementsOfCopies.Errorf("edge %s also carries data for other copies, so a tap cannot "+
				"follow its elements: tap an edge before or after the copies", x.Name)
		}
	}
	return nil
}

// checkPackets checks a packet tap.
func (p *plan) checkPackets(t *Tap) error {
	v := p.options.Virtual
	if v == nil || t.When != nil || t.Frame > 0 || len(t.Packets) == 0 || t.Packets[0].Edge != t.Edge {
		return errors.New("it measures packets on links in virtual time, without a condition and without frames of " +
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

// These constants define the default bins of a histogram of occupancies. It has one bin for each number of elements
// below exactCounts, and countsOfAnOctave bins per octave above. bin_of in runtime/samples.c has the same numbers.
const (
	exactCounts      = 64
	countsOfAnOctave = 16
)

// countBins returns the number of bins for element counts up to maximum.
func countBins(maximum uint64) int {
	s, n := Scale{Counts: true, Width: 1}, 1
	for s.From(n) <= float64(maximum) {
		n++
	}
	return n
}

// maxElements returns the maximum size of an edge's buffer in elements.
func (p *plan) maxElements(e int) uint64 {
	return max(uint64(p.capacity[e]), p.options.Growth.MaxBytes/p.element[e])
}

// Default bins on a log scale: the lowest bin in quarter octaves, and the number of bins. They cover times from 1 ns
// to 1000 s, and numbers from 1e-6 to 1e13.
const (
	timeLow, timeBins   = -120, 160
	valueLow, valueBins = -80, 256
	borderBins          = 160 // for numbers of elements, from 1
)

// bin sets the bins of a tap.
func (p *plan) bin(x *tap) {
	h := x.Histogram
	switch {
	case h == nil:
	case h.Width > 0:
		x.low, x.width, x.bins = h.Low, h.Width, h.N
	case x.Kind == Occupancy && h.N == 0:
		x.counts, x.width, x.bins = true, 1, countBins(p.maxElements(x.Edge))
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

// RecordTaps returns taps that store the first elements of each edge, up to maximum bytes. Edges within FPGAs have no
// such tap, because no process sees their elements.
func RecordTaps(d *design.Design, maximum int) (taps []Tap) {
	onFPGA := func(k int) bool { return design.IsFPGA(d.Program, d.Mapping.Place[k]) }
	for e := range d.Program.Edges {
		if x := &d.Program.Edges[e]; !onFPGA(x.From) || !onFPGA(x.To) {
			taps = append(taps, Tap{Kind: Record, Edge: e, Bytes: max(maximum, ElementBytes(d.Program, e))})
		}
	}
	return taps
}

// ElementBytes returns the size of an element of an edge.
func ElementBytes(p *xlang.Program, e int) int {
	edge := &p.Edges[e]
	return int(p.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes)
}
