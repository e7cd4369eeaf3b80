package result

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"xopt/flow/profile"
)

// Measured contains the measurements of one run of a mapping. Only the capacities of buffers are inputs of the run.
type Measured struct {
	Machine profile.Machine `json:"machine"`
	Clock   Clock           `json:"clock"`
	// Partial describes the fault or limit that ended the run early; "" if the run ended by itself.
	Partial string `json:"partial,omitempty"`
	// Disturbed describes how other programs disturbed the machine during the run; "" for no disturbance.
	Disturbed string `json:"disturbed,omitempty"`
	FaultOf   string `json:"faultOf,omitempty"` // kernel with the fault
	// Fault is the kind of the fault that ended the run, such as "crash". It is set even if the faulty kernel is
	// unknown.
	Fault     string      `json:"fault,omitempty"`
	Place     []Placement `json:"place"`
	Processes []Process   `json:"processes"`
	// All times and rates of a run in virtual time refer to the simulated machine, except WallSeconds, which was
	// measured on this machine.
	Simulated   string  `json:"simulated,omitempty"` // the simulated part, and the simulation method
	WallSeconds float64 `json:"wallSeconds,omitempty"`
	// Board describes the board, or model of a board, that sent the measurements, and its connection; "" for a run of
	// xopt. Seconds are then seconds of the board's clock.
	Board      string  `json:"board,omitempty"`
	Seconds    float64 `json:"seconds"`
	Throughput float64 `json:"throughput"` // output of the sources over the complete run, bytes/s
	SinkRate   float64 `json:"sinkRate"`   // input of the sinks over the complete run, bytes/s
	// Steady is the steady-state part of the run, whose throughput counts as the throughput of the mapping. It is nil
	// if unknown, and in files of earlier versions.
	Steady *SteadyPart `json:"steady,omitempty"`
	// Slowed is the predicted throughput at the machine's speed in the steady part, divided by the predicted throughput
	// of an undisturbed machine. The reference load, which alternates with the kernels, measures this speed. Slowed is
	// 0 if unknown.
	Slowed float64 `json:"slowed,omitempty"`
	// Filling is the part of Throughput, in bytes/s, that only filled the first buffers before the run was stopped, and
	// is not sustainable.
	Filling float64 `json:"filling,omitempty"`

	// Buffers is the memory of the buffers; nil in files of earlier versions. Paths contains latencies from sources to
	// sinks, if requested.
	Buffers *MeasuredBuffers `json:"buffers,omitempty"`
	Paths   []PathLatency    `json:"paths,omitempty"`

	// Used contains the utilization of each resource and link with kernels or edges; absent in files of earlier
	// versions.
	Used []MeasuredUse `json:"used,omitempty"`

	Kernels []MeasuredKernel `json:"kernels"`
	Edges   []MeasuredEdge   `json:"edges"`
	// Hardware contains the counters of the taps in FPGAs.
	Hardware []HardwareTap `json:"hardware,omitempty"`
	// Packets describes the packets that links transferred in virtual time, by link and edge.
	Packets []LinkPackets `json:"packets,omitempty"`
	// Monitors contains the cycle counts of kernels in hardware.
	Monitors   []Monitor       `json:"monitors,omitempty"`
	Frames     []MeasuredFrame `json:"frames,omitempty"` // absent unless several frames were requested
	Queries    []Query         `json:"queries,omitempty"`
	Assertions []Assertion     `json:"assertions,omitempty"`
}

// Stall is an interval in which a run made little or no progress.
type Stall struct {
	At      float64 `json:"at"` // seconds of the run
	Seconds float64 `json:"seconds"`
	// Waited reports that processes of the run waited for a processor for at least half of the interval.
	Waited bool `json:"waited,omitempty"`
}

// SteadyPart is the part of a run that remains after MSER-5 truncation (deploy/run).
type SteadyPart struct {
	StartUp    float64 `json:"startUp"`    // start in seconds
	Seconds    float64 `json:"seconds"`    // duration, including stalls
	Batches    int     `json:"batches"`    // number of batches of five samples in the steady part
	Throughput float64 `json:"throughput"` // output of the sources, bytes/s
	SinkRate   float64 `json:"sinkRate"`   // input of the sinks, bytes/s
	// Stalls lists the stalls of the complete run. Stalled is the stall time in the steady part, which its rates
	// exclude.
	Stalls  []Stall `json:"stalls,omitempty"`
	Stalled float64 `json:"stalled,omitempty"`
	// Slower reports that the complete run moved more data than explained by its steady rate and the filling of
	// buffers.
	Slower bool `json:"slower,omitempty"`
	// Short is the reason why the rates of this part are not the throughput of the mapping; "" if they are.
	Short string `json:"short,omitempty"`
	// Unsteady reports that less than half of the run was steady.
	Unsteady bool `json:"unsteady,omitempty"`
	// Filling reports that the buffers were still filling when the sources ended.
	Filling bool `json:"filling,omitempty"`
	// Few reports that too few elements moved to measure a throughput, regardless of the length of the run.
	Few bool `json:"few,omitempty"`
	// Enough is the number of elements that each source must send for a sufficiently long run; 0 if the run was long
	// enough, or if unknown.
	Enough uint64 `json:"enough,omitempty"`
	// Once is the reason why xopt did not repeat a run that was too short with more elements; "" if it did, or if
	// unknown.
	Once string `json:"once,omitempty"`
}

// Until returns the end of the steady part, in seconds of the run.
func (s *SteadyPart) Until() float64 { return s.StartUp + s.Seconds }

// longRun is the duration in s above which a longer run would not help to measure the throughput.
const longRun = 1

// Uneven reports whether a run was long enough, but has no throughput because it was not steady.
func (m *Measured) Uneven() bool {
	return m.Steady != nil && m.Steady.Short != "" && !m.Steady.Few && !m.Steady.Filling && m.Seconds >= longRun
}

// Inconclusive reports whether a run cannot show its bottleneck, because a fault ended it or it was too short. Runs in
// virtual time are never too short, because nothing disturbs them.
func (m *Measured) Inconclusive() bool {
	return m.Faulted() || m.Simulated == "" && m.Steady != nil && m.Steady.Short != "" && m.Seconds < longRun
}

// Faulted reports whether a fault ended the run.
func (m *Measured) Faulted() bool { return m.Fault != "" || m.FaultOf != "" }

// Rates returns the output rate of the sources and the input rate of the sinks, in bytes/s. They are the rates of the
// steady part or, if Steady is nil, of the complete run. reported is false if a fault ended the run, or if the steady
// part has no throughput. The rates are then averages of the complete run, including its start and end.
func (m *Measured) Rates() (out, in float64, reported bool) {
	switch s := m.Steady; {
	case s == nil:
		return m.Throughput, m.SinkRate, true
	case s.Short != "" || m.Faulted():
		return m.Throughput, m.SinkRate, false
	default:
		return s.Throughput, s.SinkRate, true
	}
}

// Clock describes the clock that measured the times of a run.
type Clock struct {
	Name  string  `json:"name"`
	Hertz float64 `json:"hertz,omitempty"` // ticks/s, measured in the run; 0 if not measured
	// Resolution is the clock's smallest step in seconds, which limits the precision of short times. It is 0 in virtual
	// time.
	Resolution float64 `json:"-"`
}

// Process is an operating-system process of a run.
type Process struct {
	Name      string `json:"name"`
	Processor int    `json:"processor"` // -1 for any
	Wait      string `json:"wait"`
	Scheduler string `json:"scheduler"`
	// Schedule is the rule that selects the next kernel of the process. The schedule fused moves at most Batch bytes
	// through all kernels before the next batch. The schedule sinks prefers kernels near the sinks. BatchFrom is the
	// origin of Batch.
	Schedule  string  `json:"schedule,omitempty"`
	Batch     uint64  `json:"batch,omitempty"`
	BatchFrom string  `json:"batchFrom,omitempty"`
	CPU       float64 `json:"-"` // seconds of processor time, including start-up
}

// MeasuredUse is the utilization of a resource or link in a run.
type MeasuredUse struct {
	Name    string `json:"name"`
	IsLink  bool   `json:"isLink,omitempty"`
	Sharers int    `json:"sharers"` // number of kernels or edges
	// Utilization is the fraction of the run in which a core, or the busiest kernel of an FPGA, worked. For a link, it
	// is the traffic divided by the bandwidth, without transfer costs. It is at most 1. Estimated reports that the
	// counted value was higher.
	Utilization float64 `json:"utilization"`
	Estimated   bool    `json:"estimated,omitempty"`
	// Exceeded is the ratio of a link's traffic to its bandwidth if this ratio is impossibly large, so that the stated
	// bandwidth must be wrong. Utilization is then 0.
	Exceeded  float64 `json:"exceeded,omitempty"`
	Busiest   string  `json:"busiest,omitempty"`   // busiest kernel of a resource
	Rate      float64 `json:"rate,omitempty"`      // traffic of a link
	Bandwidth float64 `json:"bandwidth,omitempty"` // bandwidth of a link, from the architecture or profile
	Origin    string  `json:"origin,omitempty"`    // origin of the bandwidth
}

// MeasuredKernel contains the measurements of one kernel in a run.
type MeasuredKernel struct {
	Kernel      string  `json:"kernel"`
	Process     string  `json:"process"`
	Calls       uint64  `json:"calls"`
	Firings     uint64  `json:"firings"` // rounds of joins plus elements of other ports; for sources, see docs/terms.md
	Busy        float64 `json:"busy"`    // seconds, without waiting for space
	Utilization float64 `json:"utilization"`
	ServiceRate float64 `json:"serviceRate,omitempty"` // bytes in (for a source: out) per busy second
	ServiceTime float64 `json:"serviceTime,omitempty"` // busy seconds per firing
	Gain        float64 `json:"gain,omitempty"`
	In, Out     float64 `json:"-"` // bytes, without initial elements
	// Wait is the mean time, including links, from the sending of an element until the kernel starts to process it. It
	// is nil if there are no samples. If WaitAtMost is set, Wait is an upper bound for a join: the wait of the input
	// with the shortest wait.
	Wait       *float64       `json:"wait,omitempty"`
	WaitAtMost bool           `json:"waitAtMost,omitempty"`
	Routing    []PortFraction `json:"routing,omitempty"` // absent for a single output port
	Service    *Distribution  `json:"service,omitempty"` // service times of sampled firings
	// Cycles counts the cycles of a kernel on an FPGA.
	Cycles *profile.Cycles `json:"cycles,omitempty"`
	// TimesFrom is the origin of the service times of a kernel on a core in virtual time, such as "assumed, times drawn
	// from assumed figures"; "" for times measured on this machine.
	TimesFrom string `json:"timesFrom,omitempty"`
	// Log contains the first firings, if requested: their end times and durations.
	Log []Logged `json:"log,omitempty"`
}

// HardwareTap contains the counters of one tap in an FPGA, on the words of an edge, or on the queue of an edge inside
// the FPGA.
type HardwareTap struct {
	FPGA  string `json:"fpga"`
	Edge  string `json:"edge"`
	Place string `json:"place"` // "into", "out of", "queue"
	// WordBytes is the size of a word, and Cycles the number of counted cycles.
	WordBytes int    `json:"wordBytes"`
	Cycles    uint64 `json:"cycles"`
	// Moved, Waited and Idle count the cycles in which a word moved, waited for space, or was absent.
	Moved  uint64 `json:"moved,omitempty"`
	Waited uint64 `json:"waited,omitempty"`
	Idle   uint64 `json:"idle,omitempty"`
	// Min, Mean and Max are the minimum, mean and maximum number of words in the queue.
	Min  uint64  `json:"least,omitempty"`
	Mean float64 `json:"mean,omitempty"`
	Max  uint64  `json:"most,omitempty"`
}

// LinkPackets describes the packets that a link transferred for an edge in virtual time. Packets are transfers that
// have a cost, or that wait until they are full. The latency of a packet is the time from the arrival of its first
// element at the link to the arrival of the packet at the other end.
type LinkPackets struct {
	Link     string  `json:"link"`
	Edge     string  `json:"edge"`
	Index    int     `json:"-"`  // index of the edge in the program
	To       string  `json:"to"` // resource of the edge's reader
	Packets  uint64  `json:"packets"`
	Rate     float64 `json:"rate"` // packets/s during the run
	Bytes    uint64  `json:"bytes"`
	Smallest uint64  `json:"smallest,omitempty"` // bytes
	Largest  uint64  `json:"largest,omitempty"`
	Latency  float64 `json:"latency,omitempty"` // mean, s
	Quickest float64 `json:"quickest,omitempty"`
	Slowest  float64 `json:"slowest,omitempty"`
}

// Monitor contains the counts of one monitor of a kernel's cycles in an FPGA, and the area of the monitor if it is
// synthesized alone.
type Monitor struct {
	FPGA   string         `json:"fpga"`
	Kernel string         `json:"kernel"`
	Of     string         `json:"of"` // the register of a state machine, the kernel's activity, or both
	LUT    float64        `json:"lut"`
	FF     float64        `json:"ff"`
	BRAM   float64        `json:"bram"`
	Cycles uint64         `json:"cycles"` // number of counted cycles
	Counts []MonitorCount `json:"counts"`
	// MaxDifference is the largest difference, over all states, between the counted and the simulated fraction of
	// cycles; nil without states.
	MaxDifference *float64 `json:"apart,omitempty"`
}

// MonitorCount is a monitor's count of one state or activity.
type MonitorCount struct {
	What   string `json:"what"`
	Cycles uint64 `json:"cycles"`
}

// PortFraction is the fraction of a kernel's output on one port.
type PortFraction struct {
	Port     string  `json:"port"`
	Fraction float64 `json:"fraction"`
}

// MeasuredEdge contains the measurements of one edge in a run.
type MeasuredEdge struct {
	Edge          string        `json:"edge"`
	Elements      uint64        `json:"elements"`
	Initial       uint64        `json:"initial,omitempty"` // initial elements, which Elements excludes
	Left          uint64        `json:"left"`              // elements that were never read
	ElementRate   float64       `json:"elementRate"`
	Rate          float64       `json:"rate"`
	Utilization   float64       `json:"utilization"`  // utilization of the reader
	Waits         uint64        `json:"waits"`        // number of times that the writer found no space
	Blocked       float64       `json:"-"`            // time for which the writer waited for space, s
	Backpressure  float64       `json:"backpressure"` // Blocked divided by the duration of the run
	Capacity      int           `json:"capacity"`
	MeanOccupancy float64       `json:"meanOccupancy"` // mean of samples every 10 ms, elements
	MaxOccupancy  uint64        `json:"maxOccupancy"`  // maximum over these samples and the lengths that elements found
	Looks         int           `json:"looks"`
	Occupancy     *Distribution `json:"occupancy,omitempty"` // queue length found by arriving elements, in elements
	Latency       *Distribution `json:"latency,omitempty"`   // time from send to release, in seconds
	Links         []string      `json:"over,omitempty"`      // links that the edge crosses
	// Log contains, if requested, the queue lengths that the first elements found when they were sent. Released
	// contains their release times, and their ages at this time in seconds.
	Log      []Logged `json:"log,omitempty"`
	Released []Logged `json:"released,omitempty"`
}

// MaxElements returns the maximum observed number of elements on the edge. It considers periodic samples and, if
// available, the queue lengths that arriving elements found, which earlier versions stored separately.
func (e *MeasuredEdge) MaxElements() uint64 {
	if d := e.Occupancy; d != nil {
		return max(e.MaxOccupancy, uint64(d.Max))
	}
	return e.MaxOccupancy
}

// Consumed returns the number of elements that the reader consumed.
func (e *MeasuredEdge) Consumed() uint64 {
	if all := e.Initial + e.Elements; all > e.Left {
		return all - e.Left
	}
	return 0
}

// Distribution is the distribution of a sampled quantity. Each sample represents the elements since the previous
// sample.
type Distribution struct {
	Every    uint64  `json:"every"` // elements per sample; 0 for one sample per approximately 300 us
	Samples  uint64  `json:"samples"`
	Elements float64 `json:"elements"` // number of elements that the samples represent
	Mean     float64 `json:"mean"`
	// SCV is the squared coefficient of variation; nil if the mean is 0, or if squares were not recorded, as in
	// hardware taps.
	SCV  *float64 `json:"scv,omitempty"`
	Min  float64  `json:"min"`
	Max  float64  `json:"max"`
	Bins []Bin    `json:"bins,omitempty"` // non-empty bins, ascending
}

// Bin counts elements with From ≤ value < To.
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Elements float64 `json:"elements"`
}

// Quantile returns the value below which a fraction p of the elements lies, computed from the bins; NaN without bins.
func (d *Distribution) Quantile(p float64) float64 {
	if d == nil || len(d.Bins) == 0 {
		return math.NaN()
	}
	left := p * d.Elements
	for _, b := range d.Bins {
		if n := b.Elements; left <= n {
			at := b.From + (b.To-b.From)*left/n
			return min(max(at, d.Min), d.Max)
		}
		left -= b.Elements
	}
	return d.Max
}

// CountQuantile returns the quantile p as an integer number of elements; NaN if the quantile's bin is wider than one
// element and wider than a quarter of the value.
func (d *Distribution) CountQuantile(p float64) float64 {
	v := d.Quantile(p)
	if math.IsNaN(v) {
		return v
	}
	for _, b := range d.Bins {
		if v >= b.From && v <= b.To {
			from, to := max(b.From, d.Min), min(b.To, d.Max+1)
			if wide := float64(to - from); wide > 1 && wide > to/4 {
				return math.NaN()
			}
			break
		}
	}
	return math.Floor(v)
}

// MeasuredFrame contains the measurements of one time frame of a run (Lancaster 2011 §3.3).
type MeasuredFrame struct {
	Frame   uint64        `json:"frame"`
	Start   float64       `json:"start"` // seconds since the start of the run
	End     float64       `json:"end"`
	Edges   []FrameEdge   `json:"edges"`
	Kernels []FrameKernel `json:"kernels"`
}

// FrameEdge contains the measurements of one edge in a frame.
type FrameEdge struct {
	Sent         uint64   `json:"sent"`
	Consumed     uint64   `json:"taken"`
	Rate         float64  `json:"rate"`
	Backpressure float64  `json:"backpressure"`
	Occupancy    *float64 `json:"occupancy,omitempty"` // mean, elements
	Latency      *float64 `json:"latency,omitempty"`   // mean, s
}

// FrameKernel contains the measurements of one kernel in a frame.
type FrameKernel struct {
	Utilization float64  `json:"utilization"`
	ServiceTime *float64 `json:"serviceTime,omitempty"` // mean of samples, s
	// Cycles counts the cycles of a kernel on an FPGA.
	Cycles *profile.Cycles `json:"cycles,omitempty"`
}

// Box is a box-and-whisker summary (Tukey): the quartiles, and the extreme values within 1.5 times the interquartile
// range.
type Box struct {
	Min, Low, Q1, Median, Q3, High, Max float64
}

// NewBox returns the summary of at least one value.
func NewBox(values []float64) Box {
	s := slices.Sorted(slices.Values(values))
	q := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, s, nil) }
	b := Box{Min: s[0], Q1: q(0.25), Median: q(0.5), Q3: q(0.75), Max: s[len(s)-1]}
	reach := 1.5 * (b.Q3 - b.Q1)
	for _, v := range s {
		if v >= b.Q1-reach {
			b.Low = v
			break
		}
	}
	for _, v := range slices.Backward(s) {
		if v <= b.Q3+reach {
			b.High = v
			break
		}
	}
	return b
}

// MinBusy is the minimum utilization of a resource or link that may have limited a run. If all utilizations are lower,
// kernels waited for each other or for sources.
const MinBusy = 0.75
