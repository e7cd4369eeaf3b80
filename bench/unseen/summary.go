package unseen

import (
	"fmt"
	"math"
	"slices"

	"xopt/deploy/validate"
	"xopt/flow/profile"
	"xopt/mapper/result"

	"gonum.org/v1/gonum/stat"
)

// Results contains the results of all applications.
type Results struct {
	Machine profile.Machine `json:"machine"`
	Apps    []Study         `json:"applications"`
	Overall *Overall        `json:"overall,omitempty"`
	Partial bool            `json:"partial,omitempty"` // the run was interrupted
}

// Study contains the results for one application.
type Study struct {
	Seed    uint64         `json:"seed"`
	Kind    Kind           `json:"kind"`
	Kernels int            `json:"kernels"`
	Edges   int            `json:"edges"`
	Blocks  []string       `json:"blocks,omitempty"`
	Cases   []Case         `json:"mappings,omitempty"`
	Summary result.Summary `json:"summary"`
	// FirstRan reports that the mapping with the best prediction ran, so that the regret is known.
	FirstRan      bool    `json:"firstRan"`
	Holds         Share   `json:"bottleneckRight"`      // correct bottleneck predictions, if the runs show one
	HoldsAlone    Share   `json:"bottleneckAloneRight"` // the same, for predictions of a single bottleneck
	Idle          int     `json:"bottleneckUntold"`     // mappings whose runs show no bottleneck
	Inside        Share   `json:"inRunInterval"`        // measurements in their RunInterval
	InUndisturbed Share   `json:"inGoodInterval"`       // corrected measurements in their GoodInterval
	Repeats       Spread  `json:"repeatability"`        // repeatability limits of the mappings, if known
	Significant   Share   `json:"significant"`          // errors above the repeatability limit
	Disturbed     string  `json:"disturbed,omitempty"`  // disturbances during the calibration
	Seconds       float64 `json:"seconds"`
	Fail          string  `json:"fail,omitempty"` // reason why the study failed; "" if it did not
}

// Case contains the prediction and the measurement of a mapping. Rates are in bytes/s.
type Case struct {
	Name      string      `json:"name"`
	Place     [][2]string `json:"place,omitempty"` // each kernel and its resource
	Predicted float64     `json:"predicted"`
	// Interval is the interval of Predicted that follows from the intervals of the figures. RunInterval is the expected
	// range of 95 % of the runs, including the repeatability of the machine. Both are nil if unknown.
	Interval    *[2]float64 `json:"interval,omitempty"`
	RunInterval *[2]float64 `json:"runInterval,omitempty"`
	// GoodInterval is the expected range for 95 % of the mappings on an undisturbed machine; nil if unknown.
	GoodInterval *[2]float64 `json:"goodInterval,omitempty"`
	Measured     float64     `json:"measured"` // median of the runs
	Runs         []float64   `json:"runs,omitempty"`
	// Slowed is the predicted throughput at the machine's speed in the runs, divided by the predicted throughput on an
	// undisturbed machine. It is the median of RunSlowed; nil if unknown. Undisturbed is the measured throughput,
	// corrected for this slowdown.
	Slowed              *float64  `json:"slowed,omitempty"`
	RunSlowed           []float64 `json:"runSlowed,omitempty"`
	Undisturbed         float64   `json:"undisturbed,omitempty"`
	Bottleneck          []string  `json:"bottleneck,omitempty"`
	PossibleBottlenecks []string  `json:"perhapsBottleneck,omitempty"` // other possible bottlenecks
	MostUsed            string    `json:"mostUsed,omitempty"`
	Holds               bool      `json:"holds"`          // the most utilized part is a predicted bottleneck
	Idle                bool      `json:"idle,omitempty"` // utilizations were too low, so that Holds is meaningless
	// Repeats is the 95 % repeatability limit as a fraction: 95 % of pairs of measurements of the mapping differ by
	// less. It is nil if unknown. Significant reports that the error exceeds this limit.
	Repeats     *float64 `json:"repeatability,omitempty"`
	Significant bool     `json:"significant"`
	Unsteady    bool     `json:"unsteady,omitempty"` // less than half of a run was in steady state
	Reason      string   `json:"reason,omitempty"`
	Fail        string   `json:"fail,omitempty"`
}

// Ran returns the throughput to compare with the prediction: corrected for the machine's slowdown or, if this is
// unknown, as measured.
func (c *Case) Ran() float64 {
	if c.Undisturbed > 0 {
		return c.Undisturbed
	}
	return c.Measured
}

// Error returns (predicted - measured) / measured, with the measured throughput corrected for the machine's slowdown
// (Ran).
func (c *Case) Error() float64 { return (c.Predicted - c.Ran()) / c.Ran() }

// RawError returns (predicted - measured) / measured, without a correction.
func (c *Case) RawError() float64 { return (c.Predicted - c.Measured) / c.Measured }

// Inside reports whether the measured throughput is in RunInterval.
func (c *Case) Inside() bool {
	return c.RunInterval != nil && c.RunInterval[0] <= c.Measured && c.Measured <= c.RunInterval[1]
}

// InUndisturbed reports whether the corrected throughput is in GoodInterval.
func (c *Case) InUndisturbed() bool {
	return c.GoodInterval != nil && c.GoodInterval[0] <= c.Ran() && c.Ran() <= c.GoodInterval[1]
}

// alone reports whether the prediction names at most one bottleneck.
func (c *Case) alone() bool { return len(c.Bottleneck)+len(c.PossibleBottlenecks) <= 1 }

// Share is the number of cases with a property (Are) out of all cases (Of).
type Share struct {
	Of  int `json:"of"`
	Are int `json:"are"`
}

// Part returns the share as a fraction; NaN if there are no cases.
func (s Share) Part() float64 { return float64(s.Are) / float64(s.Of) }

func (s *Share) add(is bool) {
	s.Of++
	if is {
		s.Are++
	}
}

func (s *Share) join(x Share) { s.Of, s.Are = s.Of+x.Of, s.Are+x.Are }

// Spread is a summary of relative deviations.
type Spread struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Worst  float64 `json:"worst"`
}

// spreadOf sorts deviations, and returns their spread; zero if there are none.
func spreadOf(deviations []float64) Spread {
	if len(deviations) == 0 {
		return Spread{}
	}
	slices.Sort(deviations)
	return Spread{profile.MedianOf(deviations).Value, stat.Quantile(0.95, stat.Empirical, deviations, nil),
		deviations[len(deviations)-1]}
}

// addCases sets Summary and FirstRan from the cases of a validation.
func (s *Study) addCases(cases []validate.Case) {
	s.Summary = validate.Summarize(cases)
	first := validate.FirstChoice(len(cases), func(i int) float64 { return cases[i].Predicted })
	s.FirstRan = first >= 0 && cases[first].Fail == ""
}

// Excluded returns the reason why the results of an application do not count, because no mapping has a usable run; ""
// if some mapping has one, or if no mapping ran.
func (s *Study) Excluded() string {
	if s.Summary.Cases > 0 || len(s.Cases) == 0 {
		return ""
	}
	return fmt.Sprintf("none of the %d mappings has a usable run (%s: %s)", len(s.Cases), s.Cases[0].Name,
		s.Cases[0].Fail)
}

// summarize computes the shares and spreads of a study from its cases.
func (s *Study) summarize() {
	s.Holds, s.HoldsAlone, s.Inside, s.InUndisturbed = Share{}, Share{}, Share{}, Share{}
	s.Significant, s.Idle = Share{}, 0
	var repeats []float64
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Fail != "" {
			continue
		}
		s.bottleneck(c)
		s.Significant.add(c.Significant)
		if c.RunInterval != nil {
			s.Inside.add(c.Inside())
		}
		if c.GoodInterval != nil {
			s.InUndisturbed.add(c.InUndisturbed())
		}
		if c.Repeats != nil {
			repeats = append(repeats, *c.Repeats)
		}
	}
	s.Repeats = spreadOf(repeats)
}

// bottleneck adds a mapping to Holds and HoldsAlone or, if its runs do not show the bottleneck, to Idle.
func (s *Study) bottleneck(c *Case) {
	if c.Idle {
		s.Idle++
		return
	}
	s.Holds.add(c.Holds)
	if c.alone() {
		s.HoldsAlone.add(c.Holds)
	}
}

// KindErrors contains the errors of all mappings of the applications of one kind.
type KindErrors struct {
	Kind     Kind
	Apps     int // number of applications with at least one mapping that ran
	Mappings int
	Errors   Spread
}

// Kinds returns the errors by kind of application, in the order in which the kinds first occur.
func (r *Results) Kinds() []KindErrors {
	var list []KindErrors
	errs := make(map[Kind][]float64)
	for i := range r.Apps {
		s := &r.Apps[i]
		at := slices.IndexFunc(list, func(k KindErrors) bool { return k.Kind == s.Kind })
		if s.Summary.Cases > 0 && at < 0 {
			at, list = len(list), append(list, KindErrors{Kind: s.Kind})
		}
		for j := range s.Cases {
			if c := &s.Cases[j]; c.Fail == "" {
				errs[s.Kind] = append(errs[s.Kind], math.Abs(c.Error()))
			}
		}
		if s.Summary.Cases > 0 {
			list[at].Apps++
		}
	}
	for i := range list {
		k := &list[i]
		k.Mappings, k.Errors = len(errs[k.Kind]), spreadOf(errs[k.Kind])
	}
	return list
}

// Overall is the summary of all applications. Kendall's τ and the regret are statistics over applications, all other
// values over mappings.
type Overall struct {
	Apps          int     `json:"applications"` // number of applications with at least one mapping that ran
	Mappings      int     `json:"mappings"`
	Errors        Spread  `json:"errors"`
	RawErrors     Spread  `json:"rawErrors"` // errors without correction of the measurements
	Repeats       Spread  `json:"repeatability"`
	Kendall       float64 `json:"kendall"`      // median over the applications
	MinKendall    float64 `json:"leastKendall"` // minimum over the applications
	Regret        Spread  `json:"regret"`
	Regrets       int     `json:"regrets"`              // number of applications whose first candidate ran
	Holds         Share   `json:"bottleneckRight"`      // correct bottleneck predictions, if the runs show one
	HoldsAlone    Share   `json:"bottleneckAloneRight"` // the same, for predictions of a single bottleneck
	Idle          int     `json:"bottleneckUntold"`     // mappings whose runs show no bottleneck
	Inside        Share   `json:"inRunInterval"`        // measurements in their RunInterval
	InUndisturbed Share   `json:"inGoodInterval"`       // corrected measurements in their GoodInterval
	Significant   Share   `json:"significant"`          // errors above the repeatability limit
}

// Summarize computes the summaries of each application and of all applications together.
func (r *Results) Summarize() {
	o := &Overall{}
	var errs, raw, repeats, kendalls, regrets []float64
	for i := range r.Apps {
		s := &r.Apps[i]
		s.summarize()
		if s.Summary.Cases == 0 {
			continue
		}
		o.Apps++
		kendalls = append(kendalls, *s.Summary.Kendall)
		if s.FirstRan && s.Summary.Regret != nil {
			regrets = append(regrets, *s.Summary.Regret)
		}
		o.Holds.join(s.Holds)
		o.HoldsAlone.join(s.HoldsAlone)
		o.Significant.join(s.Significant)
		o.Inside.join(s.Inside)
		o.InUndisturbed.join(s.InUndisturbed)
		o.Idle += s.Idle
		for j := range s.Cases {
			if c := &s.Cases[j]; c.Fail == "" {
				errs, raw = append(errs, math.Abs(c.Error())), append(raw, math.Abs(c.RawError()))
				if c.Repeats != nil {
					repeats = append(repeats, *c.Repeats)
				}
			}
		}
	}
	if o.Apps == 0 {
		return
	}
	o.Mappings, o.Regrets = len(errs), len(regrets)
	o.RawErrors = spreadOf(raw)
	o.Errors, o.Repeats, o.Regret = spreadOf(errs), spreadOf(repeats), spreadOf(regrets)
	o.Kendall, o.MinKendall = profile.MedianOf(kendalls).Value, slices.Min(kendalls)
	r.Overall = o
}
