package result

import "encoding/json"

// Validation compares what was predicted of mappings with runs of them.
type Validation struct {
	Simulated bool `json:"simulated,omitempty"` // the runs were in virtual time
	// FromProfile is that service times on cores were drawn from the profile, and Unranked that none of
	// the mappings was the best of a search.
	FromProfile bool `json:"fromProfile,omitempty"`
	Unranked    bool `json:"unranked,omitempty"`
	// Repeatability is how far runs of one mapping differ; nil where that could not be computed, which NotRepeatable
	// explains.
	Repeatability *Repeatability  `json:"repeatability,omitempty"`
	NotRepeatable string          `json:"notRepeatable,omitempty"`
	Cases         []ValidatedCase `json:"cases"`
	Summary       Summary         `json:"summary"`
	// Verdict is absent from older files: validate.Judge computes it from the cases.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Runs are all measurements of a point of a campaign, from which validate computes the rest.
	Runs json.RawMessage `json:"runs,omitempty"`
}

// Verdict is the conclusion that the runs of a validation allow. First and Fastest are indices of cases; -1 for none.
type Verdict struct {
	First   int `json:"first"`   // the mapping predicted best
	Fastest int `json:"fastest"` // among the steady, undisturbed mappings
	// Unknown is why the runs rank no mappings: "" if they do. Kendall and Regret are absent then.
	Unknown   Unknown    `json:"unknown,omitempty"`
	Standings []Standing `json:"standings"` // of each case
	Disturbed int        `json:"disturbed"` // runs in which the machine was disturbed
	Runs      int        `json:"runs"`
	// Disturbance describes what other programs used in the worst run.
	Disturbance string `json:"disturbance,omitempty"`
	// Kendall is τ over the pairs of mappings whose intervals do not overlap: Separate of Pairs. Regret is how much
	// slower the first choice ran than the fastest, relatively; nil if the runs do not distinguish the two, or if no
	// case was the best of a search. In files both are in the summary.
	Kendall  *float64 `json:"-"`
	Separate int      `json:"separate"`
	Pairs    int      `json:"pairs"`
	Regret   *float64 `json:"-"`
}

// Unknown is a reason why runs rank no mappings.
type Unknown string

// The reasons.
const (
	SingleMapping Unknown = "single-mapping" // fewer than two mappings were measured
	MostDisturbed Unknown = "disturbed"      // in most runs the machine was disturbed
	MostUnsteady  Unknown = "unsteady"       // fewer than two mappings ran steadily
	NoInterval    Unknown = "no-interval"    // fewer than two mappings ran twice
	AllOverlap    Unknown = "overlap"        // the intervals of all mappings overlap
)

// Standing is the place of a mapping beside the fastest one.
type Standing string

// The standings; "" of a mapping that was not measured, or that the runs do not rank.
const (
	Fastest      Standing = "fastest"
	AmongFastest Standing = "among fastest" // the intervals of several overlap with that of the fastest
	Slower       Standing = "slower"
	Disturbed    Standing = "disturbed" // most of its runs
	Unsteady     Standing = "not steady"
)

// ValidatedCase is one mapping. Rates are in bytes/s.
type ValidatedCase struct {
	Name      string    `json:"name"`
	Candidate int       `json:"candidate"` // of the result, with its prediction; -1 for none
	Predicted Number    `json:"predicted"`
	Equal     Number    `json:"equal"` // predicted under equal sharing
	Measured  float64   `json:"measured"`
	Runs      []float64 `json:"runs"`
	// GoodTime is the measured throughput without what slowed the machine, and Slowed is Measured over it. 0 where
	// nothing tells.
	Slowed   float64 `json:"slowed,omitempty"`
	GoodTime float64 `json:"goodTime,omitempty"`
	Busiest  float64 `json:"busiest"` // utilization of the busiest resource, measured
	// BusyEstimated is that Busiest is not exactly known, Disturbed in how many of the runs the machine
	// was disturbed, and Disturbance what other programs used in the worst of them.
	BusyEstimated bool     `json:"busyEstimated,omitempty"`
	Disturbed     int      `json:"disturbed,omitempty"`
	Disturbance   string   `json:"disturbance,omitempty"`
	Others        float64  `json:"others,omitempty"` // the processors that other programs used in that run
	Bottleneck    []string `json:"bottleneck"`
	Perhaps       []string `json:"perhapsBottleneck,omitempty"` // as Step.Perhaps
	MostUsed      string   `json:"maxUsed,omitempty"`
	Holds         bool     `json:"holds"`          // what was used most is among Bottleneck and Perhaps
	Idle          bool     `json:"idle,omitempty"` // nothing was busy enough to limit the run: Holds tells nothing
	Slow          string   `json:"slow,omitempty"`
	SlowRatio     float64  `json:"slowRatio,omitempty"` // its time in place over the predicted one
	Reason        string   `json:"reason,omitempty"`    // for a great error
	Fail          string   `json:"fail,omitempty"`
	// Interval is the 95 % confidence interval of [ValidatedCase.Ran]; nil where it is not known.
	Interval *[2]float64 `json:"ci95,omitempty"`
	// IntervalOf is the field that Interval and the error are of: "goodTime" or "measured"; "" without an interval.
	IntervalOf string `json:"ci95Of,omitempty"`
	// Repeats is how far two measurements of the mapping differ at the most, relatively, in 95 % of cases; nil where
	// that is not known. Significant is that the error is greater. Parts are those of such an error.
	Repeats     *float64         `json:"repeats,omitempty"`
	Significant bool             `json:"significant,omitempty"`
	Unsteady    bool             `json:"unsteady,omitempty"` // most runs were not steady: they tell no throughput
	Parts       []ErrorPart      `json:"parts,omitempty"`
	InPlace     []InPlace        `json:"inPlace,omitempty"` // kernels on cores
	Shares      *Shares          `json:"shares,omitempty"`
	Edges       []ValidatedEdge  `json:"edges"`
	Queues      []ValidatedQueue `json:"queues,omitempty"`
	Sizes       []ValidatedSize  `json:"sizes,omitempty"`
	EdgeQueues  []EdgeQueue      `json:"edgeQueues,omitempty"`
}

// Repeatability is the machine's own while mappings ran: the standard deviation of a run of a mapping, relatively, with
// its 95 % interval, from the spread of the same mapping between rounds.
type Repeatability struct {
	Spread   float64    `json:"spread"`
	Interval [2]float64 `json:"ci95"`
	Freedom  int        `json:"freedom"` // degrees of it: runs less mappings
}

// ErrorPart is a part of an error: all add up to it.
type ErrorPart struct {
	// Kind is "kernel" for its service time in place, "flow" for the bytes that come to it, "sharing" for what a
	// core does beside its kernels, "link", "waits", "rule" for that of sharing, or "rest" for what is not explained.
	Kind string  `json:"kind"`
	Of   string  `json:"of,omitempty"`
	Part float64 `json:"part"`
	Text string  `json:"text"`
}

// InPlace is what a kernel took for a byte that came to it, in s, in each run, beside what was predicted of it there
// and of it alone.
type InPlace struct {
	Kernel    string    `json:"kernel"`
	Platform  string    `json:"platform"`
	Predicted float64   `json:"predicted"`
	Alone     float64   `json:"alone"`
	Runs      []float64 `json:"runs"`
}

// ValidatedSize is the recommended size of one edge, in elements.
type ValidatedSize struct {
	Edge        string  `json:"edge"`
	Recommended float64 `json:"recommended"`
	Level       string  `json:"level"` // how sure that is ([buffers.Level])
	Reason      string  `json:"-"`
	Measured    float64 `json:"measured"` // the most that was seen
	Buffer      float64 `json:"buffer"`
}

// OverMost returns a size over the most that was measured; of a queue that was always empty, over one element.
func (s *ValidatedSize) OverMost(size float64) float64 { return size / max(s.Measured, 1) }

// ValidatedEdge is the flow on one edge.
type ValidatedEdge struct {
	Edge      string  `json:"edge"`
	Predicted float64 `json:"predicted"`
	Equal     float64 `json:"equal"`
	Measured  float64 `json:"measured"`
}

// ValidatedQueue is the queue before one kernel, in elements.
type ValidatedQueue struct {
	Kernel      string  `json:"kernel"`
	Predicted   float64 `json:"predicted"` // M/M/1 size, Beard 2013, Eq. 8; 0 for none
	Measured    float64 `json:"measured"`  // the most that was seen
	Buffer      float64 `json:"buffer"`
	Utilization float64 `json:"utilization"` // predicted
}

// EdgeQueue is the longest queue of one edge, in elements, beside what a simulation with the buffers of the run says.
type EdgeQueue struct {
	Edge      string  `json:"edge"`
	Predicted float64 `json:"predicted"` // simulated; 0 where Unknown says why it could not be
	Measured  float64 `json:"measured"`  // the most that was seen
	Buffer    float64 `json:"buffer"`
	// Full is that the run and the simulation both fill the buffer: nothing can be told of the prediction.
	Full    bool   `json:"full,omitempty"`
	Unknown string `json:"unknown,omitempty"`
	Why     string `json:"why,omitempty"` // what makes it as long, and why the two differ
}

// Near reports whether the queue was predicted within a factor of 2.
func (q *EdgeQueue) Near() bool { return NearQueue(q.Predicted, q.Measured) }

// NearQueue reports whether two lengths of a queue are within a factor of 2; an empty one counts as one element.
func NearQueue(predicted, measured float64) bool {
	a, b := max(predicted, 1), max(measured, 1)
	return a <= 2*b && b <= 2*a
}

// Ran is the throughput that is compared with the prediction: that of good time, or the measured one where nothing
// tells how fast the machine was.
func (c *ValidatedCase) Ran() float64 {
	if c.GoodTime > 0 {
		return c.GoodTime
	}
	return c.Measured
}

// Error is (predicted - measured) / measured, of what was measured in good time.
func (c *ValidatedCase) Error() float64 { return (float64(c.Predicted) - c.Ran()) / c.Ran() }

// Summary compares all cases.
type Summary struct {
	Cases                        int
	Mean, Median, P95, Worst     float64 // of the errors' magnitudes
	EdgeMedian, EdgeP95, RSquare float64 // of the flows on all edges of all cases; R² is 0 for none
	// Kendall and Regret are those of a [Verdict]; [deploy/validate.Summarize] alone ignores intervals.
	Kendall *float64 `json:",omitempty"`
	Regret  *float64 `json:",omitempty"`
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
