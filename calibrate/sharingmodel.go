package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/profile"
)

// recommendPipelines returns the pipelines of [RecommendSharing], as the times of their kernels in us. For the first
// two pipelines, the rates under the two sharing rules differ by a factor of at least 2. The other pipelines have
// firings so short that the switch cost is measurable.
func recommendPipelines() [][]float64 {
	return [][]float64{{20, 5, 2}, {4, 1, 1}, {0.3, 0.3, 0.3}, {0.05, 0.05, 0.05}}
}

// priorRule returns the expected sharing rule of a deployment. Sharing is conserving if one process runs all kernels in
// turn, or if processes sleep or yield while they wait. A process that spins keeps its equal share of the processor
// even without work.
func priorRule(style program.Style, wait program.Wait) flow.SharingRule {
	if style == program.PerKernel && (wait == program.WaitSpin || wait == program.WaitSpinBlock) {
		return flow.Equal
	}
	return flow.Conserving
}

// ErrTooBusy reports that no element left a pipeline during an entire window.
var ErrTooBusy = faults.MachineTooBusy.Errorf("the machine is too busy to measure how " +
	"kernels share a core: stop other programs and retry")

// RecommendSharing determines the sharing rule of a platform's cores, and the overhead of a firing, for one deployment.
// See [profile.Sharing.Judge].
func RecommendSharing(ctx context.Context, platform string, way SharingCase,
	progress func(done, all int)) (*profile.Sharing, error) {
	watch := profile.NewWatch()
	cases, err := Sharing(ctx, SharingOptions{Runs: 3, Window: 300 * time.Millisecond, Pipelines: recommendPipelines(),
		Progress: progress, Ways: []SharingCase{way}})
	if err != nil {
		return nil, err
	}
	load := watch.Foreign()
	s := &profile.Sharing{Platform: platform, Processes: string(way.Style), Wait: string(way.Wait),
		Scheduler: string(way.Scheduler), Others: load.Processors()}
	runs := 0
	for i := range cases {
		c := &cases[i]
		if err := c.usable(); err != nil {
			return nil, err
		}
		p := profile.SharePipeline{Rate: c.Rate.Value, CI95: [2]float64{c.Rate.Low, c.Rate.High}}
		for _, t := range c.Times {
			p.Times = append(p.Times, t*1e-6)
		}
		p.Modelled.Conserving, p.Modelled.Equal = c.Conserving, c.Equal
		p.Modelled.ConservingCI95, p.Modelled.EqualCI95 = c.conservingEnds, c.equalEnds
		s.Pipelines = append(s.Pipelines, p)
		runs += c.Rate.N
	}
	cost, low, high := switchCost(cases)
	s.SwitchCost = &profile.Figure{Value: cost, N: runs, CI95: [2]float64{low, high}}
	s.Judge(priorRule(way.Style, way.Wait))
	return s, nil
}

// usable returns an error if the rate of a case, or of its kernels alone, was not measured, for example because the
// machine was busy.
func (c *SharingCase) usable() error {
	switch {
	case c.Fail != "":
		return errors.New(c.Fail)
	case !(c.Rate.Value > 0 && c.Conserving > 0 && c.Equal > 0) ||
		math.IsInf(c.Rate.Value+c.Conserving+c.Equal, 0):
		return fmt.Errorf("%w: in one window, kernels of %v us processed no data", ErrTooBusy, c.Times)
	}
	return nil
}

// switchCost returns the cost of a firing in s that fits the pipelines best, with an interval from the intervals of the
// rates. It minimizes the squared relative differences between the measured time of an element and the sum of the
// kernels' times and costs. Pipelines with long firings have little weight. If the time between kernels was measured
// directly in all cases, switchCost uses this time with the same weights.
func switchCost(cases []SharingCase) (value, low, high float64) {
	if !slices.ContainsFunc(cases, func(c SharingCase) bool { return c.Between.N == 0 }) {
		mean := func(of func(m profile.Median) float64) float64 {
			var above, below float64
			for i := range cases {
				x := float64(len(cases[i].Times)) * cases[i].Rate.Value
				above, below = above+x*x*of(cases[i].Between), below+x*x
			}
			return above / below
		}
		value = mean(func(m profile.Median) float64 { return m.Value })
		return value, math.Min(value, mean(func(m profile.Median) float64 { return m.Low })),
			math.Max(value, mean(func(m profile.Median) float64 { return m.High }))
	}
	fit := func(rate func(m profile.Median) float64) float64 {
		var above, below float64
		for i := range cases {
			c := &cases[i]
			r := rate(c.Rate)
			x := float64(len(c.Times)) * r
			above += x * (1 - r/c.Conserving)
			below += x * x
		}
		return math.Max(above/below, 0)
	}
	value = fit(func(m profile.Median) float64 { return m.Value })
	return value, math.Min(value, fit(func(m profile.Median) float64 { return m.High })),
		math.Max(value, fit(func(m profile.Median) float64 { return m.Low }))
}
