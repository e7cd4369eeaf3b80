package result

// BufferFront is the trade-off between buffer memory, throughput and latency of one mapping.
type BufferFront struct {
	// Level is the evidence for the throughputs: "proven" if counts and times are static, so that throughputs are
	// exact; otherwise "simulated", with the reason in Why, or "heuristic", with the reasons in Doubts.
	Level  string   `json:"level"`
	Why    string   `json:"why,omitempty"`
	Doubts []string `json:"doubts,omitempty"`
	Keep   Number   `json:"keep"` // requested fraction of Max
	Bound  Number   `json:"bound"`
	Max    Number   `json:"most"` // throughput with large buffers
	// MaxInterval is the 95 % confidence interval of Max; nil if throughputs are exact.
	MaxInterval *[2]Number `json:"mostInterval,omitempty"`
	// Low is the lower 95 % confidence bound of the chosen sizes' throughput, from simulations with Seeds seeds that
	// the search did not use; 0 if throughputs are exact.
	Low         Number `json:"low,omitempty"`
	Seeds       int    `json:"seeds,omitempty"`
	Seed        uint64 `json:"seed"`
	Simulations int    `json:"simulations"`
	Events      int64  `json:"events"` // number of events of each simulation
	// Longer is the throughput of the chosen sizes in the longer simulation of eval, which confirms them; nil if
	// throughputs are exact. If this simulation did not confirm the smallest sizes found, larger sizes were chosen, and
	// Enlarged is the memory of the smallest sizes in bytes.
	Longer   *LongerRun `json:"longer,omitempty"`
	Enlarged Number     `json:"enlarged,omitempty"`
	// Insufficient is the largest memory in bytes, below the memory of the chosen sizes, that certainly preserves less
	// than the requested throughput; 0 if none was tried.
	Insufficient Number `json:"insufficient,omitempty"`
	// Recommended contains the recommended sizes if they need less memory than the chosen sizes, but no simulation
	// confirmed that they preserve the requested throughput; else nil. RecommendedLow is the lower 95 % confidence
	// bound of their throughput.
	Recommended    *BufferPoint `json:"recommended,omitempty"`
	RecommendedLow Number       `json:"recommendedLow,omitempty"`
	// Limited is the limit that ended the search for sizes early; "" for none.
	Limited string `json:"limited,omitempty"`
	// Minimal reports a proof that less memory does not preserve the requested throughput.
	Minimal bool          `json:"least"`
	Points  []BufferPoint `json:"points"`
	Chosen  int           `json:"chosen"` // index of a point
	Edges   []BufferSize  `json:"edges"`
}

// LongerRun is the throughput of a longer simulation, in bytes/s.
type LongerRun struct {
	Throughput Number     `json:"throughput"`
	Interval   *[2]Number `json:"interval"` // 95 % confidence interval
	Events     int64      `json:"events"`
	Seed       uint64     `json:"seed"`
}

// keptRounding is the tolerance within which Low may be below the requested fraction of Max.
const keptRounding = 5e-4

// Kept reports whether the chosen sizes preserve the requested throughput: exactly, or with 95 % confidence in
// simulations with seeds that the search did not use.
func (f *BufferFront) Kept() bool {
	return f.Level == "proven" || f.Low >= (f.Keep-keptRounding)*f.Max
}

// BufferPoint is one choice of buffer sizes with its throughput and latency.
type BufferPoint struct {
	Memory     Number            `json:"memory"` // bytes of all buffers
	Throughput Number            `json:"throughput"`
	Latency    *SimulatedLatency `json:"latency,omitempty"`
	Elements   []int             `json:"elements"` // size of each edge's buffer
}

// BufferSize is the chosen buffer size of an edge.
type BufferSize struct {
	Edge     string `json:"edge"`
	Elements Number `json:"elements"`
	Bytes    Number `json:"bytes"`
	Min      Number `json:"least"` // minimum number of elements without a deadlock
	// Floor is the smallest size that the search tries: at least Min, and sufficient for the batches and turns of a
	// run. Why is the reason for Floor.
	Floor       Number `json:"floor"`
	Why         string `json:"why"`
	Recommended Number `json:"recommended"`
}
