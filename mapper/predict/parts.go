package predict

import (
	"math"

	"xopt/flow"
	"xopt/mapper/result"
)

// part returns one part of a station's load on its resource or link. For a kernel, it includes the time per byte and
// the interval of this time.
func (b *builder) part(part flow.Part, st *flow.Station, state *flow.StationState) result.LoadPart {
	x := result.LoadPart{Part: part.String(), Value: result.Number(state.Parts[part])}
	if st.Kind != flow.KernelStation || part == flow.Unused || !(state.ArrivalRate > 0) {
		return x
	}
	perByte := state.Parts[part] / state.ArrivalRate
	x.PerByte = result.Number(perByte)
	f := &b.design.Problem.Figures[st.Kernel][st.Resource]
	sharing := &b.design.Problem.Architecture.Resources[st.Resource].Sharing
	of := func(value float64, i flow.Interval) {
		if value > 0 && i != (flow.Interval{}) && i.Low <= value && value <= i.High && !math.IsInf(i.High, 1) {
			x.Interval = &[2]result.Number{result.Number(perByte * i.Low / value),
				result.Number(perByte * i.High / value)}
		}
	}
	switch part {
	case flow.Compute:
		if f.Low > 0 && f.High > 0 { // a low rate corresponds to a long time
			of(1/f.ServiceRate, flow.Interval{Low: 1 / f.High, High: 1 / f.Low})
		}
	case flow.CoLocation:
		of(f.CoLocationCost, f.CoLocationInterval)
	case flow.Receiving:
		of(f.ReceiveCost, f.ReceiveInterval)
	case flow.Sending:
		of(f.SendCost, f.SendInterval)
	case flow.Switching:
		if b.design.Problem.OwnSwitchCost(st.Kernel, st.Resource) {
			of(f.SwitchCost, f.SwitchInterval)
			break
		}
		of(sharing.SwitchCost, sharing.SwitchInterval)
	}
	return x
}

// balanced is the relative difference below which the throughputs of two consecutive bottlenecks count as equal.
const balanced = 1e-4

// merged merges steps with nearly equal throughputs, such as the steps of cores with equal loads, because removing only
// one of their limits has no visible gain.
func merged(steps []result.Step) []result.Step {
	var list []result.Step
	for _, s := range steps {
		if n := len(list); n > 0 && s.Throughput <= list[n-1].Throughput*(1+balanced) {
			list[n-1].Limits = append(list[n-1].Limits, s.Limits...)
			continue
		}
		list = append(list, s)
	}
	return list
}
