package result

// Validation compares what was predicted of mappings with runs of them.
type Validation struct {
	Simulated bool `json:"simulated,omitempty"` // the runs were in virtual time
	// FromProfile is that service times on cores were drawn from the profile, and Unranked that none of
	// the mappings was the best of a search.
	FromProfile bool            `json:"fromProfile,omitempty"`
	Unranked    bool            `json:"unranked,omitempty"`
	Cases       []ValidatedCase `json:"cases"`
	Summary     Summary         `json:"summary"`
}

// ValidatedCase is one mapping. Rates are in bytes/s.
type ValidatedCase struct {
	Name      string   `json:"name"`
	Candidate int      `json:"candidate"` // of the result, with its prediction; -1 for none
	Predicted Number   `json:"predicted"`
	Equal     Number   `json:"equal"` // predicted under equal sharing
	Measured  Number   `json:"measured"`
	Runs      []Number `json:"runs"`
	Busiest   Number   `json:"busiest"` // utilization of the busiest resource, measured
	// BusyEstimated is that Busiest is not exactly known, Disturbed in how many of the runs the machine
	// was disturbed.
	BusyEstimated bool             `json:"busyEstimated,omitempty"`
	Disturbed     int              `json:"disturbed,omitempty"`
	Bottleneck    []string         `json:"bottleneck"`
	MostUsed      string           `json:"maxUsed,omitempty"`
	Holds         bool             `json:"holds"` // the bottleneck was predicted right
	Slow          string           `json:"slow,omitempty"`
	SlowRatio     Number           `json:"slowRatio,omitempty"` // its time over what its μ says
	Reason        string           `json:"reason,omitempty"`    // for a great error
	Fail          string           `json:"fail,omitempty"`
	Shares        *Shares          `json:"shares,omitempty"`
	Edges         []ValidatedEdge  `json:"edges"`
	Queues        []ValidatedQueue `json:"queues,omitempty"`
	Sizes         []ValidatedSize  `json:"sizes,omitempty"`
}

// ValidatedSize is the recommended size of one edge, in elements.
type ValidatedSize struct {
	Edge        string `json:"edge"`
	Recommended Number `json:"recommended"`
	Level       string `json:"level"`
	Certified   Number `json:"certified,omitempty"` // by measured times; 0 where Refused says why not
	Refused     string `json:"refused,omitempty"`
	Measured    Number `json:"measured"` // the most that was seen
	Buffer      Number `json:"buffer"`
}

// ValidatedEdge is the flow on one edge.
type ValidatedEdge struct {
	Edge      string `json:"edge"`
	Predicted Number `json:"predicted"`
	Equal     Number `json:"equal"`
	Measured  Number `json:"measured"`
}

// ValidatedQueue is the queue before one kernel, in elements.
type ValidatedQueue struct {
	Kernel      string `json:"kernel"`
	Predicted   Number `json:"predicted"` // M/M/1 size, Beard 2013, Eq. 8; 0 for none
	Measured    Number `json:"measured"`  // the most that was seen
	Buffer      Number `json:"buffer"`
	Utilization Number `json:"utilization"` // predicted
}

// Error is (predicted - measured) / measured.
func (c *ValidatedCase) Error() float64 {
	return float64(c.Predicted-c.Measured) / float64(c.Measured)
}

// Summary compares all cases.
type Summary struct {
	Cases                        int
	Mean, Median, P95, Worst     float64 // of the errors' magnitudes
	EdgeMedian, EdgeP95, RSquare float64 // of the flows on all edges of all cases; R² is 0 where flows do not differ
	Kendall                      float64 // τ between predicted and measured throughputs
	Regret                       float64 // how much slower the first case is than the best, relatively
	// EqualMean and the others are those of the prediction under equal sharing.
	EqualMean, EqualMedian, EqualP95, EqualWorst float64
	EqualRSquare                                 float64
}

// Shares are the parts of a case's error, which they add up to. They come of two more
// simulations: one in which kernels on cores take the times that the profile says, so that
// what is left is of FPGAs, links and queues; and one in which links take no time either.
type Shares struct {
	Cores float64 // kernels on cores took another time than their figures say
	Links float64 // links, as the model has them
	FPGA  float64 // FPGAs, queues, and all else
}
