package result

// WithBuffers is what an event simulation says of a mapping whose buffers have an end; beside it the
// throughput of the candidate is the flow bound, with buffers without end.
type WithBuffers struct {
	Throughput Number    `json:"throughput"`
	Interval   [2]Number `json:"interval"` // 95 % confidence interval of the simulation
	Level      string    `json:"level"`    // "simulated"
	Sizes      string    `json:"sizes"`    // "given", "recommended", or "given, else recommended"
	Memory     Number    `json:"memory"`   // bytes of all buffers
	Events     int64     `json:"events"`
	Seed       uint64    `json:"seed"`
	// Exponential counts the kernels whose variation is not known: their service is drawn from the
	// exponential distribution. Measured counts those drawn from measured distributions.
	Exponential int               `json:"exponential,omitempty"`
	Measured    int               `json:"measured,omitempty"`
	Latency     *SimulatedLatency `json:"latency,omitempty"`
	Edges       []BufferedEdge    `json:"edges"`
	// Stopped says why the simulation came to a stop; empty where it did not.
	Stopped string `json:"stopped,omitempty"`
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
	for i := range w.Edges {
		if e := &w.Edges[i]; e.Unlimited > w.Interval[1] && (worst == nil || e.Unlimited > worst.Unlimited) {
			worst = e
		}
	}
	return worst
}
