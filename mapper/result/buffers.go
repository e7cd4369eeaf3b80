package result

import (
	"math"
)

// MeasuredBuffers contains the memory of a run's buffers, in bytes. Each buffer uses complete pages.
type MeasuredBuffers struct {
	// Sizes is the origin of the sizes: "default", "tuned", "raftlib", a file, or the X files.
	Sizes string `json:"sizes"`
	Start uint64 `json:"start"` // memory at the start of the run
	Max   uint64 `json:"most"`  // maximum memory during the run
	// Touched is the part of the memory that Linux had physically allocated by the end of the run.
	Touched uint64 `json:"touched"`
	// Limit is the maximum memory of growing buffers; 0 if no buffer may grow.
	Limit uint64        `json:"limit,omitempty"`
	Grown []GrownBuffer `json:"grown,omitempty"` // in order of time
}

// GrownBuffer is one enlargement of a buffer in a run.
type GrownBuffer struct {
	Edge  string  `json:"edge"`
	Index int     `json:"-"`    // index of the edge in the program
	Time  float64 `json:"time"` // seconds since the start of the run
	From  int     `json:"from"` // elements
	To    int     `json:"to"`
	All   uint64  `json:"all"` // bytes of all buffers after this growth
	Why   string  `json:"why"`
}

// Last returns the final sizes of the buffers that grew, in the order of their first growth.
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

// PathLatency is the latency of elements along one path, from a source until a sink releases them.
type PathLatency struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Edges []string `json:"edges"`
	// Latency is nil if no marked element arrived.
	Latency *Distribution `json:"latency,omitempty"`
	// P50, P99 and P999 are the quantiles at 50, 99 and 99.9 %, in s. Each requires at least three samples above it.
	P50  *float64 `json:"p50,omitempty"`
	P99  *float64 `json:"p99,omitempty"`
	P999 *float64 `json:"p999,omitempty"`
}

// quantileSamples is the minimum number of samples above a reported quantile.
const quantileSamples = 3

// TailQuantile returns the quantile at fraction p; nil if fewer than quantileSamples samples are above it.
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

// VirtualQueue is the distribution of the number of elements between the ends of an edge that crosses a link. Agents at
// the ends estimate it (Lancaster 2011 ch. 5), for comparison with the true distribution in the simulation.
// Each distribution counts the elements that an arriving element finds.
type VirtualQueue struct {
	Link string `json:"link,omitempty"`
	Bulk int    `json:"bulk,omitempty"` // elements per transfer; 0 if the link moves all available elements
	// Unknown is the reason why there is no estimate. If it is set, all other fields are empty.
	Unknown string `json:"unknown,omitempty"`
	// Refuted lists the assumptions of the estimate that the run violated. If there are any, Estimated is nil.
	Refuted   []string       `json:"refuted,omitempty"`
	Estimated *QueueEstimate `json:"estimated,omitempty"`
	True      *QueueEstimate `json:"true,omitempty"`
	// Distance is the total variation distance between the estimate and the true distribution, in [0, 1].
	Distance       *float64 `json:"distance,omitempty"`
	Ahead          SubQueue `json:"ahead"`  // before the link, as found by an insertion
	Behind         SubQueue `json:"behind"` // after the link, as found by a removal
	GapCorrelation float64  `json:"gapCorrelation,omitempty"`
	// ServiceCorrelation and GapCorrelation are the correlations of the logarithms of successive service times and of
	// successive times between arrivals.
	ServiceCorrelation float64 `json:"serviceCorrelation,omitempty"`
	Utilization        float64 `json:"utilization,omitempty"` // utilization of the reader
	Sharers            int     `json:"sharers,omitempty"`     // number of edges on the link, if there are several
	// Late is the number of additional elements, in observation and simulation, due to the periodic exchange of data
	// with an FPGA.
	Late float64 `json:"late,omitempty"`
}

// QueueEstimate contains the mean and the 99 % quantile of an estimated queue length, in elements.
type QueueEstimate struct {
	Mean float64 `json:"mean"`
	P99  float64 `json:"p99"`
}

// SubQueue is one of the two observable parts of a virtual queue.
type SubQueue struct {
	Measured  float64 `json:"measured"`  // mean
	Predicted float64 `json:"predicted"` // mean in the model
	Distance  float64 `json:"distance"`  // total variation distance of the two distributions
	Max       float64 `json:"most"`      // limit above which the model is refuted
}

// RecommendedOf returns the recommended size of an edge's buffer in elements; 0 if there is none.
func (c *Candidate) RecommendedOf(edge string) int {
	if c == nil {
		return 0
	}
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Edge == edge && q.Recommended != nil && q.Recommended.Elements > 0 {
			return int(math.Ceil(float64(q.Recommended.Elements)))
		}
	}
	return 0
}
