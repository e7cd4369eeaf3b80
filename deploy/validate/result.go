package validate

import (
	"cmp"

	"xopt/flow/design"
	"xopt/mapper/result"
)

// Result converts cases to a result. how describes the validation.
func Result(d *design.Design, cases []Case, how Kind) *result.Validation {
	v := &result.Validation{Summary: Summarize(cases), Repeatability: Repeatability(cases),
		NotRepeatable: NotRepeatable(cases), FromProfile: how.FromProfile, Unranked: how.Unranked}
	for i := range cases {
		c := &cases[i]
		v.Simulated = v.Simulated || c.Virtual || c.Shares != nil
		x := result.ValidatedCase{Name: c.Name, Candidate: -1, Predicted: result.Number(c.Predicted),
			Unlimited: c.Unlimited, Equal: result.Number(c.Equal), Fail: c.Fail,
			Bottleneck: c.Bottleneck, Possible: c.Possible}
		if c.Fail == "" {
			x.Measured, x.Runs, x.Undisturbed = c.Measured, c.Runs, c.Undisturbed
			x.Uncorrected = c.Uncorrected
			x.Disturbed, x.Disturbance, x.Others = c.Disturbed, c.Disturbance, c.Others
			x.Busiest, x.BusyEstimated, x.Idle = c.Busy, c.BusyEstimated, c.Idle
			x.MostUsed, x.Holds, x.Reason, x.Shares = c.MostUsed, c.BottleneckHolds, c.Reason, c.Shares
			x.Significant, x.Unsteady, x.Parts = c.Significant(), c.Unsteady(), c.Parts
			x.Slow, x.SlowRatio, x.InPlace = c.Slow, c.SlowRatio, c.InPlace(c.Design(d))
			x.Edges, x.Queues, x.EdgeQueues, x.Sizes = c.Edges, c.Queues, c.EdgeQueues, c.Sizes
			x.Bounded = c.Bounded()
			if good := cmp.Or(c.Undisturbed, c.WouldBe); good > 0 && !x.Bounded {
				x.Slowed, x.Faster = c.Measured/good, c.faster()
			}
			if c.Repeated95 {
				x.Repeats = &c.Repeats
			}
			if x.Interval = c.interval(v.Repeatability); x.Interval != nil {
				x.IntervalOf = "measured"
				if c.Undisturbed > 0 {
					x.IntervalOf = "undisturbed"
				}
			}
		}
		v.Cases = append(v.Cases, x)
	}
	conclude(v)
	return v
}

// conclude sets the verdict.
func conclude(v *result.Validation) {
	v.Verdict = Judge(v)
	v.Summary.Kendall, v.Summary.Regret = v.Verdict.Kendall, v.Verdict.Regret
}

// SetCandidates assigns the candidates of a validation's cases, in the same order, with the expected ranges of their
// runs.
func SetCandidates(v *result.Validation, candidates []result.Candidate) {
	for i := range candidates {
		v.Cases[i].Candidate = i
		expect(&v.Cases[i], &candidates[i])
	}
	conclude(v)
}

// Kind describes a validation: whether it used service times from the profile, and whether the best mapping of a search
// is missing.
type Kind struct{ FromProfile, Unranked bool }
