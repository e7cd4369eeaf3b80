package rtl

import (
	"fmt"
	"strings"

	"xopt/hdl"
)

// Monitors selects the taps of an edge. Streams counts the words of its streams. For a wire, Queue measures the length
// of the queue in each cycle. Occupancy counts the elements that each element finds in the queue. Latency measures the
// time that elements stay in the queue.
type Monitors struct {
	Streams, Queue, Occupancy, Latency bool
	// Gaps measures the time between elements that enter. Services measures the time between elements that leave while
	// other elements wait. Both have histograms like latencies.
	Gaps, Services bool
	// OccupancyBins and LatencyBins add histograms with Bins bins. Occupancy bins are 2^OccupancyShift wide, and the
	// last bin includes all larger values. Latency histograms have four bins for each octave of cycles (xopt_octave).
	OccupancyBins, LatencyBins bool
	OccupancyShift             int
}

// binBits is the number of bits of a bin's number. 32 octaves of latencies have 128 bins.
const binBits = 7

// Bins is the maximum number of bins of a histogram.
const Bins = 1 << binBits

// Tap is a hardware monitor (package hdl) of a stream or queue in a partition. At and Hist are the indices of the tap's
// figures and histogram in the records of the FPGA's agent.
type Tap struct {
	Kind  hdl.TapKind
	Wire  int  // index of the wire; -1 for none
	Outer int  // index of the outer; -1 for none
	Put   bool // for activity and gaps: observe words that enter the wire, not words that leave it
	Bytes int  // bytes per word
	At    int  // index of the tap's first word in a record
	Hist  int  // index of the tap's histogram in a record; -1 for none
	Shift int  // an occupancy bin is 2^Shift wide
}

// TapWords returns the number of words of figures in a record of the agent, or 0 without taps.
func (p *Partition) TapWords() int {
	n := 0
	for i := range p.Taps {
		n += len(p.Taps[i].Kind.Figures())
	}
	return n
}

// Histograms returns the number of histograms in a record. The histograms of taps precede the histograms of state
// monitors.
func (p *Partition) Histograms() int { return p.tapHistograms() + len(p.Monitors) }

// Bins returns the number of bins of each histogram.
func (p *Partition) Bins() int { return 1 << p.binBits() }

// binBits returns the number of bits of a bin index.
func (p *Partition) binBits() int {
	if p.tapHistograms() > 0 {
		return binBits
	}
	n := 1
	for i := range p.Monitors {
		n = max(n, p.bitsOf(&p.Monitors[i]))
	}
	return n
}

func (p *Partition) tapHistograms() int {
	n := 0
	for i := range p.Taps {
		n = max(n, p.Taps[i].Hist+1)
	}
	return n
}

// taps returns the C++ definitions of the taps (record.h). They contain the numbers of figures, bins and histograms in
// a record, and the rules for merging figures of several frames.
func (p *Partition) taps() string {
	var merges []string
	for i := range p.Taps {
		for _, f := range p.Taps[i].Kind.Figures() {
			merges = append(merges, f.Merge.Name())
		}
	}
	merges = append(merges, hdl.MergeNone.Name()) // the array must not be empty
	taps := 0
	if p.TapWords()+p.Histograms() > 0 {
		taps = 1
	}
	return fmt.Sprintf("#define TAPS %d\n#define TAP_WORDS %d\n#define TAP_BINS %d\n#define TAP_HISTOGRAMS %d\n"+
		"static const enum record_merge tap_merge[] = {%s};\n", taps, p.TapWords(), p.Bins(), p.Histograms(),
		strings.Join(merges, ", "))
}

// tap appends a tap to the chain and returns its index.
func (w *partitionWriter) tap(t Tap) chainText {
	t.At, t.Hist = w.p.TapWords(), -1
	i := len(w.p.Taps)
	w.p.Taps = append(w.p.Taps, t)
	return chainText{In: 32 * (i + 1), Out: 32 * i}
}

// activity adds a tap of the words of a stream.
func (w *partitionWriter) activity(net string, t Tap) {
	t.Kind = hdl.ActivityTap
	w.text.Activities = append(w.text.Activities, streamTapText{Chain: w.tap(t), Net: net})
}

// queue adds a tap of a queue between two nets.
func (w *partitionWriter) queue(from, to string, t Tap) {
	t.Kind = hdl.QueueTap
	w.text.QueueTaps = append(w.text.QueueTaps, streamTapText{Chain: w.tap(t), Net: from, To: to})
}

func (w *partitionWriter) agent() {
	n, h := w.p.TapWords(), w.p.Histograms()
	if n+h == 0 {
		return
	}
	slots := max(h, 1)
	w.text.Agent = &agentText{Words: n, Histograms: h, BinBits: w.p.binBits(), LogBuffer: agentBuffer(n, h*w.p.Bins()),
		ChainHigh: 32*len(w.p.Taps) + 31, ChainEnd: 32 * len(w.p.Taps),
		SlotsHigh: slots - 1, BinHigh: w.p.binBits() - 1, CountsHigh: 32*slots - 1}
}

// agentBuffer returns the binary logarithm of the number of words in an agent's queue. The queue has space for more
// than one record.
func agentBuffer(words, bins int) int { return log(hdl.AgentRecord().Words(words, bins)+1) + 1 }

// occupancyBits is the number of bits of the occupancy that taps count.
const occupancyBits = 24

// elements adds a tap of the elements of a wire between its input net a and its output net b.
func (w *partitionWriter) elements(i int, x Wire, a, b string) {
	name := x.net(i)
	for _, port := range []struct {
		name, net string
		width     int
	}{{"enter", a, x.fromWidth}, {"leave", b, x.toWidth}} {
		words := max(x.Element*8/port.width, 1)
		w.text.Counters = append(w.text.Counters, counterText{name + "_" + port.name, port.net, words,
			max(log(words), 1)})
	}
	if x.Monitors.Occupancy {
		w.text.Occupancies = append(w.text.Occupancies, elementTapText{Chain: w.tap(Tap{Kind: hdl.OccupancyTap,
			Wire: i, Outer: -1}), Wire: name})
	}
	if x.Monitors.Occupancy && x.Monitors.OccupancyBins {
		shift := x.Monitors.OccupancyShift
		bin := fmt.Sprintf("%s_found[%d:%d]", name, shift+binBits-1, shift)
		if excess := shift + binBits; excess < occupancyBits { // the last bin includes all larger values
			bin = fmt.Sprintf("(%s_found[%d:%d] != 0 ? {%d{1'b1}} : %s)", name, occupancyBits-1, excess, binBits, bin)
		}
		w.p.Taps[len(w.p.Taps)-1].Shift = shift
		w.histogram(name+"_occupancy", "tap_frame", name+"_came", bin)
	}
	if x.Monitors.Latency {
		const inConverters = 4 // maximum number of elements in converters, in addition to the queue
		inQueue := (1 << log(max(x.Words, 2))) * x.toWidth / (8 * max(x.Element, 1))
		w.text.Latencies = append(w.text.Latencies, elementTapText{Chain: w.tap(Tap{Kind: hdl.LatencyTap, Wire: i,
			Outer: -1}), Wire: name, LogDepth: log(inQueue + inConverters)})
	}
	if x.Monitors.Latency && x.Monitors.LatencyBins {
		w.text.Octaves = append(w.text.Octaves, octaveText{name, binBits - 1})
		w.histogram(name+"_latency", name+"_frame[4]", name+"_stay_valid", name+"_stay_bin")
	}
}

// gaps adds a tap that measures the times between successive elements on a net. An element has the given size in bytes.
// At the output of a wire, the tap measures only gaps during which elements wait for the reader.
func (w *partitionWriter) gaps(name, net string, element, width int, t Tap) {
	words := max(element*8/width, 1)
	w.text.Counters = append(w.text.Counters, counterText{name + "_pass", net, words, max(log(words), 1)})
	t.Kind = hdl.GapTap
	broken := "!" + net + "_valid"
	if t.Put {
		broken = "1'b0"
	}
	w.text.Gaps = append(w.text.Gaps, gapText{Chain: w.tap(t), Name: name, Broken: broken, BinHigh: binBits - 1})
	w.histogram(name, name+"_frame[4]", name+"_gap_valid", name+"_gap_bin")
}

// histogram adds a histogram for the tap that was added last.
func (w *partitionWriter) histogram(name, frame, sample, bin string) {
	h := w.p.tapHistograms()
	w.p.Taps[len(w.p.Taps)-1].Hist = h
	w.text.Histograms = append(w.text.Histograms, histogramText{Name: name, Frame: frame, Sample: sample, Bin: bin,
		BinBits: binBits, Slot: h, Bits: 32 * h})
}
