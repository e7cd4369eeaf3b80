package profile

import (
	"testing"

	"xopt/flow"
)

// measuredAs returns measurements of a core that follows a sharing rule. The interval of each rate extends from
// 1/scatter to scatter times the rate. Other programs use the fraction measured of the core, during the pipelines only.
func measuredAs(rule flow.SharingRule, scatter, measured float64) *Sharing {
	s := &Sharing{Platform: "C", SwitchCost: &Figure{Value: 1e-8, N: 12, CI95: [2]float64{0, 2e-8}}}
	for _, times := range [][]float64{{20e-6, 5e-6, 2e-6}, {4e-6, 1e-6, 1e-6}, {3e-7, 3e-7, 3e-7}} {
		sum := 0.0
		for _, t := range times {
			sum += t
		}
		p := SharePipeline{Times: times}
		around := func(x float64) [2]float64 { return [2]float64{x / scatter, x * scatter} }
		p.Modelled.Conserving, p.Modelled.Equal = 1/sum, 1/(3*times[0])
		p.Modelled.ConservingCI95, p.Modelled.EqualCI95 = around(1/sum), around(1/(3*times[0]))
		p.Rate = p.Modelled.Equal
		if rule == flow.Conserving {
			p.Rate = p.withSwitches(1/sum, 1e-8)
		}
		p.Rate *= 1 - measured
		p.CI95 = around(p.Rate)
		s.Pipelines = append(s.Pipelines, p)
	}
	return s
}

// TestJudge: a noisy test never replaces the rule of the scheduler; one that excludes it in every pipeline that can
// distinguish the rules does.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name         string
		of           *Sharing
		others       float64
		prior        flow.SharingRule
		model        flow.SharingRule
		test         SharingTest
		min, noError float64 // bounds of Error
	}{
		{"quiet", measuredAs(flow.Conserving, 1.02, 0), 0, flow.Conserving, flow.Conserving, SharingConfirmed, 0, 1e-3},
		{"scatter", measuredAs(flow.Conserving, 2, 0.3), 0, flow.Conserving, flow.Conserving, SharingOpen, 0.3, 0.5},
		{"half taken", measuredAs(flow.Conserving, 1.02, 0.55), 1.3, flow.Conserving, flow.Conserving, SharingOpen,
			1, 1.5},
		{"equal on a busy machine", measuredAs(flow.Equal, 1.02, 0), 0.3, flow.Conserving, flow.Conserving, SharingOpen,
			1, 1.5},
		{"equal on a quiet machine", measuredAs(flow.Equal, 1.02, 0), 0.1, flow.Conserving, flow.Equal, SharingExcluded,
			0, 0.001},
		{"spinning", measuredAs(flow.Equal, 1.02, 0), 0, flow.Equal, flow.Equal, SharingConfirmed, 0, 0.001},
		{"spinning, scattered", measuredAs(flow.Conserving, 2, 0), 0, flow.Equal, flow.Equal, SharingOpen, 0.5, 1},
	} {
		c.of.Others = c.others
		c.of.Judge(c.prior)
		if c.of.Model != c.model.String() || c.of.Test != c.test || c.of.Error < c.min || c.of.Error > c.noError {
			t.Errorf("%s: %s, %s, within %g", c.name, c.of.Model, c.of.Test, c.of.Error)
		}
	}
	one := measuredAs(flow.Equal, 1.02, 0)
	one.Pipelines = one.Pipelines[1:]
	if one.Judge(flow.Conserving); one.Model != "conserving" {
		t.Error("one pipeline is enough to replace a rule")
	}
	old := measuredAs(flow.Equal, 1.02, 0)
	for i := range old.Pipelines {
		old.Pipelines[i].Modelled.ConservingCI95, old.Pipelines[i].Modelled.EqualCI95 = [2]float64{}, [2]float64{}
	}
	if old.Judge(flow.Conserving); old.Model != "conserving" || old.Test != SharingOpen {
		t.Error("pipelines without intervals replace a rule")
	}
}
