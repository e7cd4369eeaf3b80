package predict

import (
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/result"
)

// interval tells between which throughputs the candidate lies when every figure is at the bad, or at the good, end of
// its 95 % confidence interval: all errors working together, so the truth is likely well inside. It tells also between
// which a run on the machine of the profile is expected, and which limits could be the bottleneck as well.
func (b *builder) interval() error {
	ends, err := b.network.Ends(b.solution)
	if err != nil {
		return fmt.Errorf("finding between which throughputs the mapping lies: %w", err)
	}
	if ends == nil {
		return nil
	}
	between := [2]float64{ends.Throughput[flow.Bad], ends.Throughput[flow.Good]}
	b.out.Interval = &[2]result.Number{result.Number(between[0]), result.Number(between[1])}
	b.out.IntervalAssumed = ends.Assumed
	if r := b.design.Reference(); r != nil {
		low, high := RunInterval(b.solution.Throughput, between, r.Repeatability)
		far, err := b.farApart()
		if err != nil {
			return err
		}
		if far > 0 && far < b.solution.Throughput {
			low *= far / b.solution.Throughput
			b.out.FarApart = result.Number(far)
		}
		b.out.RunInterval = &[2]result.Number{result.Number(low), result.Number(high)}
	}
	if len(b.out.Bottlenecks) == 0 {
		return nil
	}
	first := &b.out.Bottlenecks[0]
	for _, i := range ends.Perhaps {
		name := b.network.Limits[i].Name
		if !slices.ContainsFunc(first.Limits, func(l result.Limit) bool { return l.Name == name }) {
			first.Perhaps = append(first.Perhaps, name)
		}
	}
	return nil
}

// oftenFar is from which part of the time on, in which cores are not as near as in good time, runs of 95 % hold some
// in which they are far apart.
const oftenFar = 0.025

// farApart is the throughput while the cores of the profile's machine are far apart; 0 where they are so seldom, or
// where nothing tells.
func (b *builder) farApart() (float64, error) {
	d := b.design.Distance()
	if d == nil || d.FarApart == 0 || 1-d.GoodTime < oftenFar {
		return 0, nil
	}
	far, err := b.network.ThroughputOf(b.design.In(&design.MachineState{Distance: d.FarApart}))
	if err != nil {
		return 0, fmt.Errorf("finding the throughput while cores are far apart: %w", err)
	}
	return far, nil
}

// RunInterval is between which throughputs 95 % of the runs of a mapping are expected: what its figures leave open, and
// what the machine does not repeat, which are independent of each other. So their errors, which are factors, add up in
// quadrature on the log scale.
func RunInterval(throughput float64, figures [2]float64, repeatability float64) (low, high float64) {
	again := math.Log1p(repeatability)
	return throughput * math.Exp(-math.Hypot(math.Log(throughput/figures[0]), again)),
		throughput * math.Exp(math.Hypot(math.Log(figures[1]/throughput), again))
}
