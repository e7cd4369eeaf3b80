package result

import "fmt"

// WithBuffers is what an event simulation says of a mapping whose buffers have an end; beside it the
// throughput of the candidate is the flow bound, with buffers without end.
type WithBuffers struct {
	Throughput Number `json:"throughput"` // 0 where it stops
	// Interval is the 95 % confidence interval of the simulation; nil where the throughput is exact.
	Interval *[2]Number `json:"interval,omitempty"`
	// Level is "proven" where counts and times are static, so that the throughput is exact, or where it
	// is proven to stop; else "simulated". What edges are blocked, and latency, are simulated always.
	Level  string `json:"level"`
	Sizes  string `json:"sizes"`  // "given", "recommended", or "given, else recommended"
	Memory Number `json:"memory"` // bytes of all buffers
	Events int64  `json:"events"`
	Seed   uint64 `json:"seed"`
	// Exponential counts the kernels whose variation is not known: their service is drawn from the
	// exponential distribution. Measured counts those drawn from measured distributions.
	Exponential int               `json:"exponential,omitempty"`
	Measured    int               `json:"measured,omitempty"`
	Latency     *SimulatedLatency `json:"latency,omitempty"`
	Edges       []BufferedEdge    `json:"edges"`
	// Stopped says who waits for whom where it comes to a stop; empty where it does not. It is proven where
	// Level is, else it was so in the simulation.
	Stopped string `json:"stopped,omitempty"`
	// Unsettled says why the throughput is not sure, and the level "heuristic": buffers still filled when the
	// simulation ended.
	Unsettled string `json:"unsettled,omitempty"`
}

// SimulatedLatency is the time of elements from source to sink in a simulation, in s.
type SimulatedLatency struct {
	Mean Number `json:"mean"`
	P50  Number `json:"p50"`
	P99  Number `json:"p99"`
	P999 Number `json:"p999"`
	// Growing says that buffers were still filling when the simulation ended: the latency of a long run
	// is longer.
	Growing bool `json:"growing,omitempty"`
}

// BufferedEdge is an edge with its buffer.
type BufferedEdge struct {
	Edge     string `json:"edge"`
	Elements Number `json:"elements"`
	Bytes    Number `json:"bytes"`
	Blocked  Number `json:"blocked"` // fraction of the time that the writer waits for room there
	// Unlimited is the throughput with this buffer alone without end; 0 where that was not simulated,
	// because the writer hardly waits, or others wait longer.
	Unlimited Number `json:"unlimited,omitempty"`
}

// Worst is the edge whose buffer costs most throughput; nil where none costs more than the simulation
// can tell.
func (w *WithBuffers) Worst() *BufferedEdge {
	var worst *BufferedEdge
	above := w.Throughput * (1 + exactGain)
	if w.Interval != nil {
		above = w.Interval[1]
	}
	for i := range w.Edges {
		if e := &w.Edges[i]; e.Unlimited > above && (worst == nil || e.Unlimited > worst.Unlimited) {
			worst = e
		}
	}
	return worst
}

// exactGain is how much more, relatively, counts as more where throughputs are exact.
const exactGain = 1e-6

// Exact reports whether the throughput is exact.
func (w *WithBuffers) Exact() bool { return w.Interval == nil && w.Stopped == "" }

// WhyStopped says in a line that a mapping stops with its buffers, and how sure that is; "" where it does
// not.
func (w *WithBuffers) WhyStopped() string {
	switch {
	case w.Stopped == "":
		return ""
	case w.Interval == nil:
		return "with these buffers it is proven to stop: " + w.Stopped
	}
	return fmt.Sprintf("with these buffers it stopped in simulation, after %d firings with seed %d: %s", w.Events,
		w.Seed,
		w.Stopped)
}

// buffersCost is the part of the flow bound from which on it is not told what buffers with an end leave of it.
const buffersCost = 0.99

// Costs reports whether the buffers leave less than almost all of the throughput that unlimited ones give.
func (w *WithBuffers) Costs(unlimited Number) bool {
	return w.Stopped != "" || float64(w.Throughput) < buffersCost*float64(unlimited)
}
