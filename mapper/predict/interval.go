package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
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
	// The estimate lies between the ends, up to the rounding of three solutions.
	between := [2]float64{min(ends.Throughput[flow.Bad], b.solution.Throughput),
		max(ends.Throughput[flow.Good], b.solution.Throughput)}
	b.out.Interval = &[2]result.Number{result.Number(between[0]), result.Number(between[1])}
	b.out.IntervalAssumed, b.out.IntervalAssumedOf = len(ends.Assumed), b.assumed(ends.Assumed)
	low, high := GoodInterval(b.solution.Throughput, between)
	b.out.GoodInterval = &[2]result.Number{result.Number(low), result.Number(high)}
	if repeats, ok := b.design.Reference().Repeats(); ok {
		low, high := RunInterval(b.solution.Throughput, between, repeats)
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

// assumed names stations whose interval is assumed, with their parts of the load of the first bottleneck.
func (b *builder) assumed(stations []int) (list []result.Assumed) {
	part := make(map[string]result.Number)
	if len(b.out.Bottlenecks) > 0 && len(b.out.Bottlenecks[0].Limits) > 0 {
		limit, total := &b.out.Bottlenecks[0].Limits[0], result.Number(0)
		for _, p := range limit.Parts {
			total += p
		}
		for i, name := range limit.Members {
			if total > 0 {
				part[name] = limit.Parts[i] / total
			}
		}
	}
	for _, i := range stations {
		st := &b.network.Stations[i]
		if st.Kind != flow.LinkStation {
			list = append(list, result.Assumed{Name: st.Name, Part: part[st.Name]})
			continue
		}
		x := result.Assumed{Name: b.design.Problem.Architecture.Links[st.Link].Name}
		for j := range b.network.Stations { // all its edges wait for its bandwidth
			if other := &b.network.Stations[j]; other.Kind == flow.LinkStation && other.Link == st.Link {
				x.Part += part[b.design.Problem.Application.Edges[other.Edge].Name]
			}
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(x, y result.Assumed) int { return -cmp.Compare(x.Part, y.Part) })
	return list
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

// ModelError is within what part the model itself is of a throughput in good time, in 95 % of cases, beyond what the
// figures leave open: 1.96 times the standard deviation of 2.5 % with which both together hold 92 of 96 mappings of ten
// applications that were never seen before (docs/results/unseen.md, seeds 340 to 349).
const ModelError = 0.05

// GoodInterval is between which throughputs 95 % of the mappings are expected in good time: what their figures leave
// open, and what the model does not know.
func GoodInterval(throughput float64, figures [2]float64) (low, high float64) {
	return widened(throughput, figures, ModelError)
}

// RunInterval is between which throughputs 95 % of the runs of a mapping are expected: what its figures leave open,
// what the model does not know, and what the machine does not repeat.
func RunInterval(throughput float64, figures [2]float64, repeatability float64) (low, high float64) {
	return widened(throughput, figures, ModelError, repeatability)
}

// widened is an interval with relative errors that are independent of it and of each other. Errors are factors: they
// add up in quadrature on the log scale.
func widened(throughput float64, interval [2]float64, errors ...float64) (low, high float64) {
	down, up := math.Log(throughput/interval[0]), math.Log(interval[1]/throughput)
	if !(throughput > 0) || math.IsInf(throughput, 1) {
		return interval[0], interval[1]
	}
	for _, e := range errors {
		down, up = math.Hypot(down, math.Log1p(e)), math.Hypot(up, math.Log1p(e))
	}
	return throughput * math.Exp(-down), throughput * math.Exp(up)
}
