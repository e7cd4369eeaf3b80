package result

import (
	"math"

	"xopt/flow/profile"
)

// Measured is what was measured in one run of a mapping. Every number in it was
// measured, but for capacities, which are the mapping's.
type Measured struct {
	Machine profile.Machine `json:"machine"`
	Clock   Clock           `json:"clock"`
	// Partial says why the run did not end by itself.
	Partial string `json:"partial,omitempty"`
	// Disturbed tells in what way the machine was disturbed in the run; "" for not.
	Disturbed string      `json:"disturbed,omitempty"`
	FaultOf   string      `json:"faultOf,omitempty"` // the kernel whose fault that is
	Place     []Placement `json:"place"`
	Processes []Process   `json:"processes"`
	// Simulated says that the run was one in virtual time: every time and rate is of the
	// simulated machine, but for WallSeconds, which it took here.
	Simulated   string  `json:"simulated,omitempty"` // what was simulated, and how
	WallSeconds float64 `json:"wallSeconds,omitempty"`
	// Board is what sent all of this, a board or a model of one, and how it was reached; "" for a run of xopt. Seconds
	// are those of its clock then.
	Board      string  `json:"board,omitempty"`
	Seconds    float64 `json:"seconds"`
	Throughput float64 `json:"throughput"` // out of the sources, over the whole run
	SinkRate   float64 `json:"sinkRate"`   // into the sinks, likewise
	// Steady is the part of the run in steady state, whose throughput is that of the mapping; nil where
	// nothing tells, and in files of earlier versions.
	Steady *SteadyPart `json:"steady,omitempty"`
	// Slowed is the throughput that is predicted for a machine as slow as it was in the steady part over that of good
	// time, by the reference that took turns with the kernels; 0 where nothing tells.
	Slowed float64 `json:"slowed,omitempty"`
	// Filling is the part of Throughput that was still in the first buffers when a run was cut
	// off, in bytes/s: no flow that lasts.
	Filling float64 `json:"filling,omitempty"`

	// Buffers is what the buffers took; nil in files of earlier versions. Paths are latencies from sources to
	// sinks, where they were asked for.
	Buffers *MeasuredBuffers `json:"buffers,omitempty"`
	Paths   []PathLatency    `json:"paths,omitempty"`

	// Used is how much of each resource and link with kernels or edges was used; none in files of earlier versions.
	Used []MeasuredUse `json:"used,omitempty"`

	Kernels []MeasuredKernel `json:"kernels"`
	Edges   []MeasuredEdge   `json:"edges"`
	// Hardware is what taps in the FPGAs have counted, and their agents have sent.
	Hardware []HardwareTap `json:"hardware,omitempty"`
	// Packets are what links of a run in virtual time have carried, by link and edge.
	Packets []LinkPackets `json:"packets,omitempty"`
	// Monitors are those of where the cycles of kernels go, in the hardware.
	Monitors   []Monitor       `json:"monitors,omitempty"`
	Frames     []MeasuredFrame `json:"frames,omitempty"` // when more than one was asked for
	Queries    []Query         `json:"queries,omitempty"`
	Assertions []Assertion     `json:"assertions,omitempty"`
}

// Stall is a time in which a run stood still, or nearly so while its processes waited for a processor.
type Stall struct {
	At      float64 `json:"at"` // seconds of the run
	Seconds float64 `json:"seconds"`
	// Waited reports whether processes of the run waited for a processor for at least half of it.
	Waited bool `json:"waited,omitempty"`
}

// SteadyPart is the part of a run that MSER-5 leaves (deploy/run).
type SteadyPart struct {
	StartUp    float64 `json:"startUp"`    // seconds until it began
	Seconds    float64 `json:"seconds"`    // that it lasted, with stalls
	Batches    int     `json:"batches"`    // of five looks at the run, in it
	Throughput float64 `json:"throughput"` // out of the sources
	SinkRate   float64 `json:"sinkRate"`   // into the sinks
	// Stalls are those of the whole run; Stalled is the time of those in the steady part, which its rates leave out.
	Stalls  []Stall `json:"stalls,omitempty"`
	Stalled float64 `json:"stalled,omitempty"`
	// Slower reports whether the whole run moved more than buffers that fill explain.
	Slower bool `json:"slower,omitempty"`
	// Short says why none of that is a throughput; "" where it is.
	Short string `json:"short,omitempty"`
	// Unsteady is that less than half of the run was steady.
	Unsteady bool `json:"unsteady,omitempty"`
	// Few is that hardly any elements moved, however long the run was.
	Few bool `json:"few,omitempty"`
	// Enough is the number of elements of each source with which the run would have been long enough; 0 where it was,
	// or where that is not known.
	Enough uint64 `json:"enough,omitempty"`
}

// End returns when the steady part ended, in seconds of the run.
func (s *SteadyPart) End() float64 { return s.StartUp + s.Seconds }

// longRun is how long a run lasts, in s, that is not to be longer for its throughput to be told.
const longRun = 1

// Uneven reports whether a run tells no throughput because it was not steady, though it was long enough.
func (m *Measured) Uneven() bool {
	return m.Steady != nil && m.Steady.Short != "" && !m.Steady.Few && m.Seconds >= longRun
}

// Rates are the throughput out of the sources and into the sinks: of the steady part, or, where that is not
// known, of the whole run. told is false of a run that is too short to tell them: then they are only what
// moved in it, start-up and end included.
func (m *Measured) Rates() (out, in float64, told bool) {
	switch s := m.Steady; {
	case s == nil:
		return m.Throughput, m.SinkRate, true
	case s.Short != "":
		return m.Throughput, m.SinkRate, false
	default:
		return s.Throughput, s.SinkRate, true
	}
}

// Clock is what times were taken with.
type Clock struct {
	Name  string  `json:"name"`
	Hertz float64 `json:"hertz,omitempty"` // ticks/s, measured in the run; 0 where it was not measured
	// Resolution is the shortest time that the clock shows, in seconds: a shorter time is only bounded by it. It is
	// 0 in virtual time.
	Resolution float64 `json:"-"`
}

// Process is a process of the run.
type Process struct {
	Name      string `json:"name"`
	Processor int    `json:"processor"` // -1 for any
	Wait      string `json:"wait"`
	Scheduler string `json:"scheduler"`
	// Schedule is the order in which its kernels take turns: fused, where Batch bytes pass through them before the
	// next, or sinks, where those nearest the sinks come first. BatchFrom says where the batch comes from.
	Schedule  string  `json:"schedule,omitempty"`
	Batch     uint64  `json:"batch,omitempty"`
	BatchFrom string  `json:"batchFrom,omitempty"`
	CPU       float64 `json:"-"` // seconds of processor time, start-up included
}

// MeasuredUse is a resource or link in a run.
type MeasuredUse struct {
	Name    string `json:"name"`
	IsLink  bool   `json:"isLink,omitempty"`
	Sharers int    `json:"sharers"` // kernels, or edges
	// Utilization is the part of the run that a core worked, or the busiest kernel of an FPGA; of a link, what it
	// carried over its bandwidth, without what transfers cost beside. It is never above 1: Estimated is that more
	// was counted, so that it is not exactly known.
	Utilization float64 `json:"utilization"`
	Estimated   bool    `json:"estimated,omitempty"`
	// Exceeded is what a link carried over its bandwidth, where that is more than it can be: the run disproves the
	// bandwidth, and the utilization is not known; it is 0.
	Exceeded  float64 `json:"exceeded,omitempty"`
	Busiest   string  `json:"busiest,omitempty"`   // the kernel of a resource that worked most
	Rate      float64 `json:"rate,omitempty"`      // what a link carried
	Bandwidth float64 `json:"bandwidth,omitempty"` // of a link, as the architecture or profile gives it
	Origin    string  `json:"origin,omitempty"`    // of the bandwidth
}

// MeasuredKernel is one kernel in a run, beside the others.
type MeasuredKernel struct {
	Kernel      string  `json:"kernel"`
	Process     string  `json:"process"`
	Calls       uint64  `json:"calls"`
	Firings     uint64  `json:"firings"` // rounds of joins, and elements of ports in none; a source's: docs/terms.md
	Busy        float64 `json:"busy"`    // seconds, without waiting for room
	Utilization float64 `json:"utilization"`
	ServiceRate float64 `json:"serviceRate,omitempty"` // bytes in (a source: out) per busy second
	ServiceTime float64 `json:"serviceTime,omitempty"` // busy seconds per firing
	Gain        float64 `json:"gain,omitempty"`
	In, Out     float64 `json:"-"` // bytes; none of what is sent once
	// Wait is the mean time from when an element was sent, links included, until the kernel began with it; of a
	// join, where WaitAtMost is set, that of the input that waits least, which the join does not wait
	// longer than. nil where samples do not tell it.
	Wait       *float64       `json:"wait,omitempty"`
	WaitAtMost bool           `json:"waitAtMost,omitempty"`
	Routing    []PortFraction `json:"routing,omitempty"` // where there are several output ports
	Service    *Distribution  `json:"service,omitempty"` // of sampled firings
	// Cycles is where the cycles of a kernel on an FPGA went.
	Cycles *profile.Cycles `json:"cycles,omitempty"`
	// TimesFrom is, of a kernel on a core in virtual time whose times were drawn from figures or replayed, where they
	// come from: "assumed, times drawn from assumed figures". "" for those that it took here, and for measured ones.
	TimesFrom string `json:"timesFrom,omitempty"`
	// Log is of the first firings, where that was asked for: when each ended, and what it
	// took.
	Log []Logged `json:"log,omitempty"`
}

// HardwareTap is one tap in an FPGA: of the words that pass a place on an edge, or of the
// queue of an edge inside it.
type HardwareTap struct {
	FPGA  string `json:"fpga"`
	Edge  string `json:"edge"`
	Place string `json:"place"` // "into", "out of", "queue"
	// WordBytes is the size of a word, Cycles how many were counted.
	WordBytes int    `json:"wordBytes"`
	Cycles    uint64 `json:"cycles"`
	// Moved, Waited and Idle are the cycles in which a word moved, waited for room, and was
	// not there.
	Moved  uint64 `json:"moved,omitempty"`
	Waited uint64 `json:"waited,omitempty"`
	Idle   uint64 `json:"idle,omitempty"`
	// Least, Mean and Most are words in the queue.
	Least uint64  `json:"least,omitempty"`
	Mean  float64 `json:"mean,omitempty"`
	Most  uint64  `json:"most,omitempty"`
}

// LinkPackets is what a link of a run in virtual time has carried for an edge in packets: transfers that cost
// something, or wait until they are full. Latencies are from when the first element of a packet came to the link until
// the packet arrived at its end.
type LinkPackets struct {
	Link     string  `json:"link"`
	Edge     string  `json:"edge"`
	Index    int     `json:"-"`  // of the edge in the program
	To       string  `json:"to"` // the resource of the edge's reader
	Packets  uint64  `json:"packets"`
	Rate     float64 `json:"rate"` // packets/s over the run
	Bytes    uint64  `json:"bytes"`
	Smallest uint64  `json:"smallest,omitempty"` // bytes
	Largest  uint64  `json:"largest,omitempty"`
	Latency  float64 `json:"latency,omitempty"` // the mean, s
	Quickest float64 `json:"quickest,omitempty"`
	Slowest  float64 `json:"slowest,omitempty"`
}

// Monitor is one in an FPGA, of where the cycles of a kernel go; and what it takes there, synthesized alone.
type Monitor struct {
	FPGA   string         `json:"fpga"`
	Kernel string         `json:"kernel"`
	Of     string         `json:"of"` // the register of a state machine, what the kernel does, or both
	LUT    float64        `json:"lut"`
	FF     float64        `json:"ff"`
	BRAM   float64        `json:"bram"`
	Cycles uint64         `json:"cycles"` // that were counted
	Counts []MonitorCount `json:"counts"`
	// Apart is the largest difference between the share of cycles of a state that it counted and the one that the
	// simulation saw; nil of one without states.
	Apart *float64 `json:"apart,omitempty"`
}

// MonitorCount is what a monitor has counted of one state, or of one thing that a kernel does.
type MonitorCount struct {
	What   string `json:"what"`
	Cycles uint64 `json:"cycles"`
}

// PortFraction is the fraction of a kernel's output on one port.
type PortFraction struct {
	Port     string  `json:"port"`
	Fraction float64 `json:"fraction"`
}

// MeasuredEdge is one edge in a run.
type MeasuredEdge struct {
	Edge         string        `json:"edge"`
	Elements     uint64        `json:"elements"`
	Initial      uint64        `json:"initial,omitempty"` // that it held at the start, which Elements has not
	Left         uint64        `json:"left"`              // never read
	ElementRate  float64       `json:"elementRate"`
	Rate         float64       `json:"rate"`
	Utilization  float64       `json:"utilization"`  // of the kernel that reads it
	Waits        uint64        `json:"waits"`        // times that the writer found no room
	Blocked      float64       `json:"-"`            // seconds that it waited then
	Backpressure float64       `json:"backpressure"` // Blocked over the run
	Capacity     int           `json:"capacity"`
	MeanHeld     float64       `json:"meanHeld"` // of looks every 10 ms
	MostHeld     uint64        `json:"maxHeld"`  // in looks and in samples
	Looks        int           `json:"looks"`
	Occupancy    *Distribution `json:"occupancy,omitempty"` // found by elements, in elements
	Latency      *Distribution `json:"latency,omitempty"`   // from send to release, in seconds
	Over         []string      `json:"over,omitempty"`      // links
	// Log is what the first elements found in the queue when they were sent, Released when they were
	// released and how many seconds after they were sent, where that was asked for.
	Log      []Logged `json:"log,omitempty"`
	Released []Logged `json:"released,omitempty"`
}

// Most is the most elements that were seen on the edge: in looks, or, where those were taken, by elements that
// found them there. Files of earlier versions have the two apart.
func (e *MeasuredEdge) Most() uint64 {
	if d := e.Occupancy; d != nil {
		return max(e.MostHeld, uint64(d.Max))
	}
	return e.MostHeld
}

// Taken returns the number of elements that came out of the edge.
func (e *MeasuredEdge) Taken() uint64 {
	if all := e.Initial + e.Elements; all > e.Left {
		return all - e.Left
	}
	return 0
}

// Distribution is what samples say of a quantity; each stands for the elements
// since the one before.
type Distribution struct {
	Every    uint64  `json:"every"` // one element in so many was taken; 0: one in about 300 us
	Samples  uint64  `json:"samples"`
	Elements float64 `json:"elements"` // that they stand for
	Mean     float64 `json:"mean"`
	// nil where squares were not taken, as by taps in hardware, or the mean is 0
	SCV  *float64 `json:"scv,omitempty"`
	Min  float64  `json:"min"`
	Max  float64  `json:"max"`
	Bins []Bin    `json:"bins,omitempty"` // those that hold something, ascending
}

// Bin counts elements from From up to, but not including, To.
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Elements float64 `json:"elements"`
}

// Quantile is the value below which a fraction p of the elements lies, from the
// bins; NaN without bins.
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

// CountQuantile is a quantile in whole elements; NaN where it is known to more than one element and to
// more than a quarter, for the bin that it lies in is wider.
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

// MeasuredFrame is one time frame of a run (Lancaster 2011 §3.3).
type MeasuredFrame struct {
	Frame   uint64        `json:"frame"`
	Start   float64       `json:"start"` // seconds since the start of the run
	End     float64       `json:"end"`
	Edges   []FrameEdge   `json:"edges"`
	Kernels []FrameKernel `json:"kernels"`
}

// FrameEdge is one edge in a frame.
type FrameEdge struct {
	Sent         uint64   `json:"sent"`
	Taken        uint64   `json:"taken"`
	Rate         float64  `json:"rate"`
	Backpressure float64  `json:"backpressure"`
	Occupancy    *float64 `json:"occupancy,omitempty"` // mean
	Latency      *float64 `json:"latency,omitempty"`   // mean
}

// FrameKernel is one kernel in a frame.
type FrameKernel struct {
	Utilization float64  `json:"utilization"`
	ServiceTime *float64 `json:"serviceTime,omitempty"` // mean of samples
	// Cycles is where the cycles of a kernel on an FPGA went.
	Cycles *profile.Cycles `json:"cycles,omitempty"`
}
