package result

import (
	"math"
)

// MeasuredBuffers is what the buffers of a run took, in bytes of memory, of which each takes whole pages.
type MeasuredBuffers struct {
	// Sizes says where the sizes are from: "default", "tuned", "raftlib", a file, or the X files.
	Sizes string `json:"sizes"`
	Start uint64 `json:"start"` // at the start
	Most  uint64 `json:"most"`  // at any time
	// Touched is what Linux had found memory for by the end.
	Touched uint64 `json:"touched"`
	// Limit is how much they may take; 0 where none grows.
	Limit uint64        `json:"limit,omitempty"`
	Grown []GrownBuffer `json:"grown,omitempty"` // in the order of time
}

// GrownBuffer is a buffer that was enlarged while the run went on.
type GrownBuffer struct {
	Edge  string  `json:"edge"`
	Index int     `json:"-"`    // of the edge in the program
	Time  float64 `json:"time"` // seconds since the start of the run
	From  int     `json:"from"` // elements
	To    int     `json:"to"`
	All   uint64  `json:"all"` // bytes that all buffers took then
	Why   string  `json:"why"`
}

// Last are the elements that the buffers which have grown held at the end, by edge, in the order in which
// they grew first.
func (b *MeasuredBuffers) Last() []GrownBuffer {
	var last []GrownBuffer
	at := make(map[string]int)
	for _, g := range b.Grown {
		i, ok := at[g.Edge]
		if !ok {
			at[g.Edge] = len(last)
			last = append(last, g)
			continue
		}
		first := last[i].From
		last[i] = g
		last[i].From = first
	}
	return last
}

// PathLatency is how old elements were when a sink released them, along one path from a source.
type PathLatency struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Edges []string `json:"edges"`
	// Latency is nil where no marked element came through.
	Latency *Distribution `json:"latency,omitempty"`
	// Quantiles are those of 50, 99 and 99.9 %, where there are samples enough: three above each.
	P50  *float64 `json:"p50,omitempty"`
	P99  *float64 `json:"p99,omitempty"`
	P999 *float64 `json:"p999,omitempty"`
}

// quantileSamples is how many samples must lie above a quantile for it to be told.
const quantileSamples = 3

// TailQuantile is the quantile of a distribution, nil where fewer than three samples lie above it.
func (d *Distribution) TailQuantile(p float64) *float64 {
	if d == nil || float64(d.Samples)*(1-p) < quantileSamples {
		return nil
	}
	q := d.Quantile(p)
	if math.IsNaN(q) {
		return nil
	}
	return &q
}

// VirtualQueue is all that lies between the two ends of an edge that crosses a link, estimated
// from what agents at the ends can see (Lancaster 2011 ch. 5), with the truth of the simulation
// beside it. Numbers are elements, as an element finds them when it is inserted.
type VirtualQueue struct {
	Link string `json:"link,omitempty"`
	Bulk int    `json:"bulk,omitempty"` // elements of a transfer; 0 where it moves what is there
	// Unknown is why there is no estimate; then nothing else is there.
	Unknown string `json:"unknown,omitempty"`
	// Refuted is why the run was not as the model assumes; then Estimated is not there, and only
	// what can be seen is known.
	Refuted   []string       `json:"refuted,omitempty"`
	Estimated *QueueEstimate `json:"estimated,omitempty"`
	True      *QueueEstimate `json:"true,omitempty"`
	// Distance is the total variation distance of the estimate from the truth, in [0, 1].
	Distance       *float64 `json:"distance,omitempty"`
	Ahead          SubQueue `json:"ahead"`  // before the link, as an insertion finds it
	Behind         SubQueue `json:"behind"` // behind it, as a removal leaves it
	GapCorrelation float64  `json:"gapCorrelation,omitempty"`
	// ServiceCorrelation, as GapCorrelation, is of the logarithms of times that follow each other.
	ServiceCorrelation float64 `json:"serviceCorrelation,omitempty"`
	Utilization        float64 `json:"utilization,omitempty"` // of the reader
	Sharers            int     `json:"sharers,omitempty"`     // edges on the link, where they are several
	// Late is how many elements more may be seen, and simulated, because an FPGA exchanges data only now and then.
	Late float64 `json:"late,omitempty"`
}

// QueueEstimate is a distribution in short.
type QueueEstimate struct {
	Mean float64 `json:"mean"`
	P99  float64 `json:"p99"`
}

// SubQueue is one of the two parts of a virtual queue that can be seen.
type SubQueue struct {
	Measured  float64 `json:"measured"`  // mean
	Predicted float64 `json:"predicted"` // mean, by the model
	Distance  float64 `json:"distance"`  // total variation distance of the two
	Most      float64 `json:"most"`      // that does not refute the model
}
