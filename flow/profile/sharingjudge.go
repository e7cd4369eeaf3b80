package profile

import (
	"math"

	"xopt/flow"
)

const (
	// tellingFactor is the minimum ratio of the rates under the two rules at which a pipeline distinguishes the rules.
	tellingFactor = 1.5
	// sharingSlack is the permitted relative error of a rule beyond the intervals. On a quiet machine, the error of the
	// rules is at most 8 % (docs/results/sharing.md).
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
// Judge replaces prior only if the machine had no other load and at least two pipelines distinguish the rules. All
// these pipelines must exclude prior, and no pipeline may exclude the other rule.
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
