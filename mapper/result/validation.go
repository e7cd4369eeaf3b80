package result

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Validation compares predictions of mappings with measurements of their runs.
type Validation struct {
	Simulated bool `json:"simulated,omitempty"` // the runs used virtual time
	// FromProfile reports that service times on cores were drawn from the profile. Unranked reports that the mappings
	// are not from a search.
	FromProfile bool   `json:"fromProfile,omitempty"`
	Unranked    bool   `json:"unranked,omitempty"`
	Resume      string `json:"resume,omitempty"`
	// Repeatability describes the differences between runs of the same mapping. It is nil if unknown; NotRepeatable is
	// then the reason.
	Repeatability *Repeatability  `json:"repeatability,omitempty"`
	NotRepeatable string          `json:"notRepeatable,omitempty"`
	Cases         []ValidatedCase `json:"cases"`
	Summary       Summary         `json:"summary"`
	// Verdict is nil in files of earlier versions. validate.Judge computes it from the cases.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Race is the race between the mappings of a search, which are the cases; nil for a validation.
	Race *Race `json:"race,omitempty"`
	// Runs contains all measurements of one point of a campaign. Package validate computes the other fields from Runs.
	Runs json.RawMessage `json:"runs,omitempty"`
}

// Race compares the best mappings of a search by runs that alternate between the mappings. Its indices refer to the
// cases.
type Race struct {
	Limit       float64 `json:"limit"`   // requested duration of the runs in s
	Seconds     float64 `json:"seconds"` // actual duration of the runs in s
	Rounds      int     `json:"rounds"`  // complete rounds; in a round, each remaining mapping runs once
	Interrupted bool    `json:"interrupted,omitempty"`
	// Undecided is the reason why the runs do not rank the mappings; "" if they do. If it is set, the candidates keep
	// the order of their predictions.
	Undecided Unknown `json:"undecided,omitempty"`
	// Winner is the mapping with the highest measured throughput; -1 if undecided. Order contains the ranked mappings,
	// the fastest first. Alike contains the winner and the mappings that the runs do not distinguish from the winner.
	Winner int     `json:"winner"`
	Order  []int   `json:"order,omitempty"`
	Alike  []int   `json:"alike,omitempty"`
	Racers []Racer `json:"mappings"` // by case
}

// checkRace returns an error if the race refers to missing cases.
func (v *Validation) checkRace() error {
	x := v.Race
	if x == nil {
		return nil
	}
	if len(x.Racers) != len(v.Cases) || v.Verdict == nil || len(v.Verdict.Standings) != len(v.Cases) {
		return fmt.Errorf("the race has %d mappings, but there are %d cases with a verdict", len(x.Racers),
			len(v.Cases))
	}
	list := slices.Concat(x.Order, x.Alike)
	if x.Undecided == "" {
		list = append(list, x.Winner)
	}
	for _, i := range list {
		if i < 0 || i >= len(v.Cases) {
			return fmt.Errorf("the race refers to mapping %d, but there are only %d mappings", i+1, len(v.Cases))
		}
	}
	return nil
}

// Racer contains the structure of a mapping in a race, and whether it left the race.
type Racer struct {
	Structure string `json:"structure"`      // text with the copies and the number of cores of the mapping
	Left      int    `json:"left,omitempty"` // round after which the mapping left the race as slower; 0 for none
}

// Verdict is the ranking of the mappings by the runs of a validation. First and Fastest are indices of cases; -1 for
// none.
type Verdict struct {
	First   int `json:"first"`   // the mapping with the best prediction
	Fastest int `json:"fastest"` // the fastest of the steady, undisturbed mappings
	// Unknown is the reason why the runs do not rank the mappings; "" if they do. If it is set, Kendall and Regret are
	// absent.
	Unknown   Unknown    `json:"unknown,omitempty"`
	Standings []Standing `json:"standings"` // standing of each case
	Disturbed int        `json:"disturbed"` // number of runs on a disturbed machine
	Runs      int        `json:"runs"`
	// Disturbance describes how other programs used the machine in the most disturbed run.
	Disturbance string `json:"disturbance,omitempty"`
	// Kendall is Kendall's τ between prediction and measurement, over the pairs of mappings whose intervals do not
	// overlap. Separate is the number of these pairs, and Pairs the number of all pairs. Regret is the relative
	// slowdown of the first candidate compared with the fastest. It is nil if the runs do not distinguish the two, or
	// if the mappings are not from a search. In files, Kendall and Regret are part of the summary.
	Kendall  *float64 `json:"-"`
	Separate int      `json:"separate"`
	Pairs    int      `json:"pairs"`
	Regret   *float64 `json:"-"`
}

// Unknown is a reason why runs do not rank the mappings; "" if they do.
type Unknown string

// The values of Unknown.
const (
	SingleMapping Unknown = "single-mapping" // fewer than two mappings were measured
	MostDisturbed Unknown = "disturbed"      // the machine was disturbed in most runs
	MostUnsteady  Unknown = "unsteady"       // fewer than two mappings ran steadily
	NoInterval    Unknown = "no-interval"    // fewer than two mappings ran twice
	FewCorrected  Unknown = "not-corrected"  // fewer than two mappings could be corrected for the slow machine
	AllOverlap    Unknown = "overlap"        // the intervals of all mappings overlap
	FewRounds     Unknown = "rounds"         // a race had fewer than two complete rounds
	NoneRan       Unknown = "none-ran"       // no mapping of a race could be measured
)

// Standing is the position of a mapping relative to the fastest mapping.
type Standing string

// The standings; "" for a mapping that was not measured or not ranked.
const (
	Fastest      Standing = "fastest"
	AmongFastest Standing = "among fastest" // its interval overlaps with the interval of the fastest
	Slower       Standing = "slower"
	Disturbed    Standing = "disturbed"     // the machine was disturbed in most runs
	Unsteady     Standing = "not steady"    // most runs were not steady
	NotCorrected Standing = "not corrected" // not corrected for the slow machine, although others are corrected
)

// Uncorrected is the reason why the runs of a mapping do not support a correction for the machine's slowdown.
type Uncorrected string

// The values of Uncorrected; "" if the throughput is corrected, or if the correction would be small.
const (
	SingleRun    Uncorrected = "single-run"    // a single run has no interval
	WideInterval Uncorrected = "wide-interval" // the interval includes the measured throughput
)

// ValidatedCase contains the prediction and the measurements of one mapping. Rates are in bytes/s.
type ValidatedCase struct {
	Name      string `json:"name"`
	Candidate int    `json:"candidate"` // index of the result's candidate with the prediction; -1 for none
	Predicted Number `json:"predicted"`
	// Unlimited reports that Predicted assumes unlimited buffers, because the simulation with the buffers of the runs
	// has no result.
	Unlimited bool      `json:"unlimited,omitempty"`
	Equal     Number    `json:"equal"` // predicted throughput under equal sharing
	Measured  float64   `json:"measured"`
	Runs      []float64 `json:"runs"`
	// Bounded reports that Measured is only a lower bound on the throughput of an undisturbed machine, because other
	// programs disturbed most runs.
	Bounded bool `json:"bounded,omitempty"`
	// Undisturbed is the measured throughput, corrected for the machine's slowdown. It is 0 if the slowdown is unknown,
	// or if the runs do not support a correction. Uncorrected is the reason why the runs do not support a large
	// correction. Slowed is the measured throughput divided by the corrected throughput, even if the correction was
	// discarded: at most 1; 0 if unknown. Faster is the relative increase in the machine's speed in the runs over its
	// undisturbed state.
	Slowed      float64     `json:"slowed,omitempty"`
	Undisturbed float64     `json:"undisturbed,omitempty"`
	Uncorrected Uncorrected `json:"uncorrected,omitempty"`
	Faster      float64     `json:"faster,omitempty"`
	Busiest     float64     `json:"busiest"` // mean utilization of MostUsed in the runs
	// BusyEstimated reports that Busiest is not exact. Disturbed is the number of disturbed runs. Disturbance describes
	// how other programs used the machine in the most disturbed run.
	BusyEstimated bool     `json:"busyEstimated,omitempty"`
	Disturbed     int      `json:"disturbed,omitempty"`
	Disturbance   string   `json:"disturbance,omitempty"`
	Others        float64  `json:"others,omitempty"` // number of processors that other programs used in this run
	Bottleneck    []string `json:"bottleneck"`
	Possible      []string `json:"perhapsBottleneck,omitempty"` // like Step.Possible
	MostUsed      string   `json:"maxUsed,omitempty"`
	Holds         bool     `json:"holds"`          // the part with the highest utilization is in Bottleneck or Possible
	Idle          bool     `json:"idle,omitempty"` // no part was busy enough to limit the run
	Slow          string   `json:"slow,omitempty"`
	SlowRatio     float64  `json:"slowRatio,omitempty"` // measured / predicted time per byte in the run
	Reason        string   `json:"reason,omitempty"`    // text with the parts of a large error
	Fail          string   `json:"fail,omitempty"`
	// Interval is the 95 % confidence interval of [ValidatedCase.Ran]; nil if unknown.
	Interval *[2]float64 `json:"ci95,omitempty"`
	// IntervalOf is the field to which Interval and the error refer: "undisturbed" or "measured"; "" without an
	// interval.
	IntervalOf string `json:"ci95Of,omitempty"`
	// Expected is the predicted range of 95 % of the runs: the interval of the prediction, widened by the
	// repeatability; nil if the prediction has no interval.
	Expected *[2]Number `json:"expected,omitempty"`
	// Repeats is the repeatability limit: 95 % of pairs of measurements of the mapping differ by less than this
	// fraction. It is nil if unknown. Significant reports that the error exceeds Repeats. Parts then contains the
	// causes of the error.
	Repeats     *float64         `json:"repeats,omitempty"`
	Significant bool             `json:"significant,omitempty"`
	Unsteady    bool             `json:"unsteady,omitempty"` // most runs were not steady, and have no throughput
	Parts       []ErrorPart      `json:"parts,omitempty"`
	InPlace     []InPlace        `json:"inPlace,omitempty"` // kernels on cores
	Shares      *Shares          `json:"shares,omitempty"`
	Edges       []ValidatedEdge  `json:"edges"`
	Queues      []ValidatedQueue `json:"queues,omitempty"`
	Sizes       []ValidatedSize  `json:"sizes,omitempty"`
	EdgeQueues  []EdgeQueue      `json:"edgeQueues,omitempty"`
}

// Beyond reports whether the error exceeds the repeatability limit and the throughput is outside the expected range.
func (c *ValidatedCase) Beyond() bool {
	if x := c.Expected; x != nil && c.Ran() >= float64(x[0]) && c.Ran() <= float64(x[1]) {
		return false
	}
	return c.Significant
}

// Repeatability is the run-to-run variation during a validation. Spread is the relative standard deviation of the runs
// of one mapping, computed from the spread between rounds, and Interval its 95 % confidence interval.
type Repeatability struct {
	Spread   float64    `json:"spread"`
	Interval [2]float64 `json:"ci95"`
	Freedom  int        `json:"freedom"` // degrees of freedom: runs minus mappings
}

// ErrorPart is a part of an error. The parts add up to the error.
type ErrorPart struct {
	// Kind is the cause:
	//   - "kernel": its service time in the run
	//   - "flow": the bytes that it receives
	//   - "sharing": a core's other work
	//   - "link" and "waits"
	//   - "rule": the sharing rule
	//   - "rest": the unexplained part
	Kind string  `json:"kind"`
	Of   string  `json:"of,omitempty"`
	Part float64 `json:"part"`
	Text string  `json:"text"`
}

// InPlace contains the service time of a kernel on a core, in s per byte of input: in each run, predicted for the
// mapping, and alone.
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
	Level       string  `json:"level"` // evidence for the size ([buffers.Level])
	Reason      string  `json:"-"`
	Measured    float64 `json:"measured"` // largest observed queue
	Buffer      float64 `json:"buffer"`
}

// RatioToMax returns the ratio of a size to the largest measured queue, which counts as at least one element.
func (s *ValidatedSize) RatioToMax(size float64) float64 { return size / max(s.Measured, 1) }

// ValidatedEdge is the predicted and the measured flow on one edge, in bytes/s.
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
	Measured    float64 `json:"measured"`  // largest observed queue
	Buffer      float64 `json:"buffer"`
	Utilization float64 `json:"utilization"` // predicted utilization
}

// EdgeQueue is the longest queue of one edge in elements: measured, and simulated with the same buffers.
type EdgeQueue struct {
	Edge      string  `json:"edge"`
	Predicted float64 `json:"predicted"` // simulated; 0 if Unknown is not empty
	Measured  float64 `json:"measured"`  // largest observed queue
	Buffer    float64 `json:"buffer"`
	// Full reports that both the run and the simulation fill the buffer, so that the prediction is not tested.
	Full    bool   `json:"full,omitempty"`
	Unknown string `json:"unknown,omitempty"`
	Why     string `json:"why,omitempty"` // reason for the length and for the difference
}

// Near reports whether the predicted and the measured queue differ by at most a factor of 2.
func (q *EdgeQueue) Near() bool { return NearQueue(q.Predicted, q.Measured) }

// NearQueue reports whether two queue lengths differ by at most a factor of 2. An empty queue counts as one element.
func NearQueue(predicted, measured float64) bool {
	a, b := max(predicted, 1), max(measured, 1)
	return a <= 2*b && b <= 2*a
}

// Ran returns the throughput to compare with the prediction: corrected for the machine's slowdown if possible,
// otherwise as measured.
func (c *ValidatedCase) Ran() float64 {
	if c.Undisturbed > 0 {
		return c.Undisturbed
	}
	return c.Measured
}

// Error returns (predicted - measured) / measured for the throughput of Ran.
func (c *ValidatedCase) Error() float64 { return (float64(c.Predicted) - c.Ran()) / c.Ran() }

// Summary contains the statistics of the errors of all cases.
type Summary struct {
	Cases                        int
	Bounded                      int     `json:",omitempty"` // number of other cases, with a lower bound only
	Mean, Median, P95, Worst     float64 // absolute values of the relative errors of the throughputs
	EdgeMedian, EdgeP95, RSquare float64 // errors and R² of the flows on all edges of all cases; R² is 0 if unknown
	// Kendall and Regret are copied from a [Verdict], which considers intervals. The values that
	// [deploy/validate.Summarize] computes ignore intervals.
	Kendall *float64 `json:",omitempty"`
	Regret  *float64 `json:",omitempty"`
	// EqualMean and the following fields are the same statistics for the prediction under equal sharing.
	EqualMean, EqualMedian, EqualP95, EqualWorst float64
	EqualRSquare                                 float64
}

// Shares contains the parts of a case's error; their sum is the error. Two further simulations determine these parts.
// The first uses the profile's service times for kernels on cores, so that its error is due to FPGAs, links and queues.
// In the second, transfers on links also need no time.
type Shares struct {
	Cores float64 // difference between kernels' service times on cores and their figures
	Links float64 // the model of links
	FPGA  float64 // FPGAs, queues, and unexplained differences
}
