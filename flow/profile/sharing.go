package profile

import (
	"fmt"
	"math"

	"xopt/flow"
)

// Sharing describes how kernels share a core of a platform on this machine.
type Sharing struct {
	Platform  string `json:"platform"`
	Processes string `json:"processes"` // the platform's config: "core" or "kernel"
	Wait      string `json:"wait"`      // likewise
	Scheduler string `json:"scheduler"`
	// Model is the sharing rule of predictions, "conserving" or "equal". Error is the maximum relative error of Model
	// on the pipelines.
	Model string  `json:"model"`
	Error float64 `json:"error"`
	// Test is the result of testing Model with the pipelines; "" in profiles of earlier versions.
	Test SharingTest `json:"test,omitempty"`
	// Others is the mean number of processors that other programs used during the test.
	Others float64 `json:"others,omitempty"`
	// SwitchCost is the additional time in s of each firing on a shared core.
	SwitchCost *Figure         `json:"switchCost,omitempty"`
	Pipelines  []SharePipeline `json:"pipelines"`
}

// SharingTest is the result of testing a sharing rule.
type SharingTest string

// The results. The scheduler determines the rule; only [SharingExcluded] replaces it.
const (
	// SharingConfirmed: every pipeline that distinguishes the rules excludes the other rule, and only the other rule.
	SharingConfirmed SharingTest = "confirmed"
	// SharingOpen: the pipelines exclude neither rule, or each rule is excluded by some pipeline.
	SharingOpen SharingTest = "open"
	// SharingExcluded: the pipelines exclude the scheduler's rule, and Model is the other rule.
	SharingExcluded SharingTest = "excluded"
)

// Rule returns the sharing rule that Model names.
func (s *Sharing) Rule() (flow.SharingRule, error) {
	rule, err := flow.ParseSharingRule(s.Model, flow.CommonSharingRules()...)
	if err != nil {
		return 0, fmt.Errorf("model is %w", err)
	}
	return rule, nil
}

// SharePipeline is a measured pipeline of kernels on one core.
type SharePipeline struct {
	Times []float64  `json:"times"` // work of each kernel in s
	Rate  float64    `json:"rate"`  // elements/s
	CI95  [2]float64 `json:"ci95"`  // contains all runs if there are only a few
	// Modelled contains the rates under both rules, in elements/s, without switch costs.
	Modelled struct {
		Conserving float64 `json:"conserving"`
		Equal      float64 `json:"equal"`
		// ConservingCI95 and EqualCI95 are the intervals of these rates. They follow from the intervals of the rates of
		// the kernels alone, and are [0, 0] in profiles of earlier versions.
		ConservingCI95 [2]float64 `json:"conservingCI95,omitzero"`
		EqualCI95      [2]float64 `json:"equalCI95,omitzero"`
	} `json:"modelled"`
}

// validate reports impossible rates, and rates outside their intervals.
func (p *SharePipeline) validate(path string) error {
	for _, x := range []struct {
		name  string
		value float64
		ci95  [2]float64
	}{{"rate", p.Rate, p.CI95}, {"modelled.conserving", p.Modelled.Conserving, p.Modelled.ConservingCI95},
		{"modelled.equal", p.Modelled.Equal, p.Modelled.EqualCI95}} {
		if !(x.value > 0) || math.IsInf(x.value, 1) {
			return fmt.Errorf("%s.%s is %g, expected above 0", path, x.name, x.value)
		}
		if x.ci95 != [2]float64{} && !(x.ci95[0] <= x.value && x.value <= x.ci95[1]) {
			return fmt.Errorf("%s.%s is %g, outside its interval [%g, %g]", path, x.name, x.value, x.ci95[0], x.ci95[1])
		}
	}
	return nil
}

const (
	// tellingFactor is the minimum ratio of the rates under the two rules at which a pipeline distinguishes the rules.
	tellingFactor = 1.5
	// sharingSlack is the permitted relative error of a rule beyond the intervals. On a quiet machine, the rules are
	// within 8 % of the pipelines (docs/results/sharing.md).
	sharingSlack = 0.10
	// excludingPipelines is the minimum number of pipelines that must exclude the scheduler's rule.
	excludingPipelines = 2
)

// withSwitches returns a rate under conserving sharing that includes the switch cost of each firing.
func (p *SharePipeline) withSwitches(rate, cost float64) float64 {
	return 1 / (1/rate + cost*float64(len(p.Times)))
}

// excludes reports whether the interval of the measured rate excludes a rule. A pipeline without intervals of the
// modeled rates excludes neither rule.
func (p *SharePipeline) excludes(rule flow.SharingRule, cost *Figure) bool {
	model := p.Modelled.EqualCI95
	if rule == flow.Conserving {
		model = p.Modelled.ConservingCI95
		if cost != nil && model[0] > 0 {
			low, high := cost.Spread()
			model = [2]float64{p.withSwitches(model[0], high), p.withSwitches(model[1], low)}
		}
	}
	if !(model[0] > 0) {
		return false
	}
	return p.CI95[1] < model[0]/(1+sharingSlack) || p.CI95[0] > model[1]*(1+sharingSlack)
}

// telling reports whether the two rules predict clearly different rates.
func (p *SharePipeline) telling() bool {
	return p.Modelled.Conserving >= tellingFactor*p.Modelled.Equal
}

// Judge sets Model, Error and Test from the pipelines. prior is the rule that the scheduler follows by construction.
// Judge replaces prior only if the machine had no other load and at least two pipelines distinguish the rules. All of
// these pipelines must exclude prior, and none may exclude the other rule.
func (s *Sharing) Judge(prior flow.SharingRule) {
	other := flow.Equal
	if prior == flow.Equal {
		other = flow.Conserving
	}
	telling, against, confirm := 0, 0, 0
	for i := range s.Pipelines {
		p := &s.Pipelines[i]
		if !p.telling() {
			continue
		}
		telling++
		switch first, second := p.excludes(prior, s.SwitchCost), p.excludes(other, s.SwitchCost); {
		case first && !second:
			against++
		case second && !first:
			confirm++
		}
	}
	rule := prior
	switch {
	case telling > 0 && confirm == telling:
		s.Test = SharingConfirmed
	case against >= excludingPipelines && against == telling && !IsCrowded(s.Others):
		s.Test, rule = SharingExcluded, other
	default:
		s.Test = SharingOpen
	}
	s.Model, s.Error = rule.String(), 0
	for i := range s.Pipelines {
		p := &s.Pipelines[i]
		rate := p.Modelled.Equal
		if rule == flow.Conserving {
			rate = p.Modelled.Conserving
			if s.SwitchCost != nil {
				rate = p.withSwitches(rate, s.SwitchCost.Value)
			}
		}
		s.Error = math.Max(s.Error, math.Abs(rate/p.Rate-1))
	}
	if rule == flow.Equal {
		s.SwitchCost = nil
	}
}
