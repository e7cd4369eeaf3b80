package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// noWidth is the relative width of an interval up to which the interval is only a rounding error.
const noWidth = 1e-9

// interval adds the interval of the throughput. Its ends are the throughputs with all figures at the bad ends, or all
// at the good ends, of their 95 % confidence intervals. This interval is pessimistic, because all errors add up.
// interval also adds the expected range of runs on the profile's machine, and other possible bottlenecks. It adds no
// intervals if the throughput depends only on assumed figures.
func (b *builder) interval() error {
	ends, err := b.network.Uncertainty(b.solution)
	if err != nil {
		return fmt.Errorf("computing the interval of the throughput: %w", err)
	}
	if ends == nil {
		return nil
	}
	// Rounding in the three solutions may put the predicted throughput slightly outside the interval.
	between := [2]float64{min(ends.Throughput[flow.Bad], b.solution.Throughput),
		max(ends.Throughput[flow.Good], b.solution.Throughput)}
	if between[1] <= between[0]*(1+noWidth) && !b.measuredLimit() {
		return nil // an assumed figure with an unknown error limits the throughput
	}
	b.out.Interval = &[2]result.Number{result.Number(between[0]), result.Number(between[1])}
	b.out.IntervalAssumedOf = b.assumed(ends.Assumed)
	for i := range b.out.IntervalAssumedOf {
		b.out.IntervalAssumed += len(b.out.IntervalAssumedOf[i].Figures)
	}
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
	for _, i := range ends.Possible {
		name := b.network.Limits[i].Name
		if !slices.ContainsFunc(first.Limits, func(l result.Limit) bool { return l.Name == name }) {
			first.Possible = append(first.Possible, name)
		}
	}
	return nil
}

// measuredLimit reports whether a measured figure contributes to the first bottleneck.
func (b *builder) measuredLimit() bool {
	if len(b.out.Bottlenecks) == 0 {
		return true
	}
	for i := range b.out.Bottlenecks[0].Limits {
		for _, name := range b.out.Bottlenecks[0].Limits[i].Members {
			if slices.ContainsFunc(b.out.Stations, func(s result.Station) bool {
				return s.Name == name && s.Origin == "measured"
			}) {
				return true
			}
		}
	}
	return false
}

// assumed lists the kernels and links of the given stations that have figures with assumed intervals. Each entry names
// these figures, and contains the fraction of the first bottleneck's load that they cause.
func (b *builder) assumed(stations []int) (list []result.Assumed) {
	part := make(map[string]result.Number)
	if len(b.out.Bottlenecks) > 0 {
		for i := range b.out.Bottlenecks[0].Limits { // the largest part in any of the equal limits
			limit, total := &b.out.Bottlenecks[0].Limits[i], result.Number(0)
			for _, p := range limit.Parts {
				total += p
			}
			for j, name := range limit.Members {
				if total > 0 {
					part[name] = max(part[name], limit.Parts[j]/total)
				}
			}
		}
	}
	for _, i := range stations {
		st := &b.network.Stations[i]
		if st.Kind != flow.LinkStation {
			names, share := assumedFigures(&b.design.Problem.Figures[st.Kernel][st.Resource],
				&b.solution.Stations[i].Parts)
			if len(names) > 0 {
				list = append(list, result.Assumed{Name: st.Name, Part: part[st.Name] * result.Number(share),
					Figures: names})
			}
			continue
		}
		x := result.Assumed{Name: b.design.Problem.Architecture.Links[st.Link].Name, Figures: []string{"bandwidth"}}
		for j := range b.network.Stations { // the bandwidth of a link affects all of its edges
			if other := &b.network.Stations[j]; other.Kind == flow.LinkStation && other.Link == st.Link {
				x.Part += part[b.design.Problem.Application.Edges[other.Edge].Name]
			}
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(x, y result.Assumed) int { return -cmp.Compare(x.Part, y.Part) })
	return list
}

// assumedFigures names the figures with assumed intervals that contribute to a kernel's load, and returns the fraction
// of the load that they cause. parts contains the parts of the load.
func assumedFigures(f *flow.Figures, parts *[flow.NumParts]float64) (names []string, share float64) {
	add := func(name string, part flow.Part) {
		if parts[part] > 0 {
			names, share = append(names, name), share+parts[part]
		}
	}
	if f.Unusable {
		add("service rate", flow.Compute)
	}
	for _, part := range f.CostsAssumed {
		add(part.String()+" cost", part)
	}
	return names, share / max(floats.Sum(parts[:]), math.SmallestNonzeroFloat64)
}

// oftenFar is the fraction of the time above which far cores are frequent: a range for 95 % of the runs must then
// include this state.
const oftenFar = 0.025

// farApart returns the throughput while the cores of the profile's machine are far from each other; 0 if this state is
// rare or unknown.
func (b *builder) farApart() (float64, error) {
	d := b.design.Distance()
	if d == nil || d.FarApart == 0 || 1-d.Undisturbed < oftenFar {
		return 0, nil
	}
	far, err := b.network.ThroughputOf(b.design.In(&design.MachineState{Distance: d.FarApart}))
	if err != nil {
		return 0, fmt.Errorf("computing the throughput between distant cores: %w", err)
	}
	return far, nil
}

// ModelError is the relative error of predicted undisturbed throughputs that the model itself causes, in addition to
// the intervals of the figures. In 95 % of cases, the error is smaller. It is 1.96 times a standard deviation of 2.5 %.
// The combined interval then contains 92 of 96 mappings of ten applications (docs/results/unseen.md, seeds 340 to 349).
// These applications were not used to develop the model.
const ModelError = 0.05

// GoodInterval returns the range that contains the throughput of 95 % of the mappings on an undisturbed machine. It
// widens figures, the interval from the figures, by the model's error.
func GoodInterval(throughput float64, figures [2]float64) (low, high float64) {
	return widened(throughput, figures, ModelError)
}

// RunInterval returns the range that contains the throughput of 95 % of the runs of a mapping. It widens figures, the
// interval from the figures, by the model's error and the machine's repeatability.
func RunInterval(throughput float64, figures [2]float64, repeatability float64) (low, high float64) {
	return widened(throughput, figures, ModelError, repeatability)
}

// widened returns an interval widened by independent relative errors. Errors are factors; their logarithms add in
// quadrature.
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
