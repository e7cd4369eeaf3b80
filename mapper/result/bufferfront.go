package result

// BufferFront is the trade of buffer memory against throughput and latency of one mapping.
type BufferFront struct {
	// Level is "proven" where throughputs are exact, as counts and times are static, else "simulated";
	// then Why says why. It is "heuristic" where Doubts say why simulations do not tell.
	Level  string   `json:"level"`
	Why    string   `json:"why,omitempty"`
	Doubts []string `json:"doubts,omitempty"`
	Keep   Number   `json:"keep"` // part of Most that is to be kept
	Bound  Number   `json:"bound"`
	Most   Number   `json:"most"` // throughput with large buffers
	// Low is what the chosen sizes have at the least, with 95 % confidence, by simulations with Seeds
	// other seeds; 0 where throughputs are exact.
	Low         Number `json:"low,omitempty"`
	Seeds       int    `json:"seeds,omitempty"`
	Seed        uint64 `json:"seed"`
	Simulations int    `json:"simulations"`
	Events      int64  `json:"events"` // of each simulation
	// Longer is the throughput of the chosen sizes by the rule of eval, which confirms them; nil where throughputs are
	// exact. Enlarged is the memory in bytes of the least sizes that the search found, where these were not confirmed
	// and larger ones are chosen.
	Longer   *LongerRun `json:"longer,omitempty"`
	Enlarged Number     `json:"enlarged,omitempty"`
	// Limited is the limit of work that ended the search for sizes early; "" for none.
	Limited string `json:"limited,omitempty"`
	// Least tells that no sizes of less memory keep as much: proven, not only the least that was found.
	Least  bool          `json:"least"`
	Points []BufferPoint `json:"points"`
	Chosen int           `json:"chosen"` // index of a point
	Edges  []BufferSize  `json:"edges"`
}

// LongerRun is what a simulation of one choice of sizes says.
type LongerRun struct {
	Throughput Number     `json:"throughput"`
	Interval   *[2]Number `json:"interval"` // with 95 % confidence
	Events     int64      `json:"events"`
	Seed       uint64     `json:"seed"`
}

// keptRounding is by which part of the most throughput sizes may miss what is to be kept.
const keptRounding = 5e-4

// Kept reports whether the chosen sizes surely keep what is asked for: exactly, or with 95 % confidence by
// seeds that the search for sizes did not use.
func (f *BufferFront) Kept() bool {
	return f.Level == "proven" || f.Low >= (f.Keep-keptRounding)*f.Most
}

// BufferPoint is one choice of sizes.
type BufferPoint struct {
	Memory     Number            `json:"memory"` // bytes of all buffers
	Throughput Number            `json:"throughput"`
	Latency    *SimulatedLatency `json:"latency,omitempty"`
	Elements   []int             `json:"elements"` // of each edge
}

// BufferSize is the chosen size of an edge.
type BufferSize struct {
	Edge     string `json:"edge"`
	Elements Number `json:"elements"`
	Bytes    Number `json:"bytes"`
	Least    Number `json:"least"` // with less, data does not move
	// Floor is the least that sizes are looked for from: no less than Least, and what a run needs beside it
	// for batches and turns; Why is its reason.
	Floor       Number `json:"floor"`
	Why         string `json:"why"`
	Recommended Number `json:"recommended"`
}
