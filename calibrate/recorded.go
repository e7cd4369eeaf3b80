package calibrate

import (
	"fmt"
	"maps"
	"math"

	"xopt/calibrate/faults"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// recorded contains the volumes of a kernel in the recorded run, in which it receives each element once and in order. A
// kernel that runs alone receives the same data repeatedly, so that a stateful kernel may produce different output.
type recorded struct {
	volumes
	firings  float64   // for a source: elements of the port that sent most
	elements []float64 // sent elements by port
	cut      bool      // only a part of an input's data was recorded
}

// recordedOf returns the volumes of kernel k in a run.
func recordedOf(p *xlang.Program, k int, once, copies []bool, m *run.Measurement) recorded {
	kernel := &p.Kernels[k]
	consumed, sent := make([]float64, len(kernel.Inputs)), make([]float64, len(kernel.Outputs))
	for e, edge := range p.Edges {
		if edge.To == k && !once[edge.ToPort] {
			consumed[edge.ToPort] += float64(m.Edges[e].Consumed())
		}
		if edge.From == k && !copies[e] {
			sent[edge.FromPort] += float64(m.Edges[e].Elements)
		}
	}
	r := recorded{firings: float64(m.Kernels[k].Firings), elements: sent}
	if isSource(kernel) {
		r.firings = 0
		for _, n := range sent {
			r.firings = max(r.firings, n)
		}
	}
	if r.firings > 0 {
		r.volumes = volumesOf(kernel, r.firings, consumed, sent, 2)
	}
	return r
}

// stateful is the relative difference in gain or routing between the recorded run and runs alone, beyond both
// intervals, above which a kernel counts as stateful.
const stateful = 0.05

// normal95 is the half-width of the 95 % interval of a normal distribution in standard deviations.
const normal95 = 1.96

// counted returns a figure from the counts of one run: n elements in the given number of firings. Its interval assumes
// that both are counts of independent events.
func counted(value, n, firings float64) profile.Figure {
	half := value * normal95 * math.Sqrt(1/n+1/firings)
	return profile.Figure{Value: value, CI95: [2]float64{max(0, value-half), value + half}}
}

// differ reports whether a figure of the kernel alone differs significantly from the figure in the recorded run.
func differ(alone, run *profile.Figure) bool {
	low, high := alone.Spread()
	return (low > run.CI95[1] || high < run.CI95[0]) && math.Abs(alone.Value-run.Value) > stateful*max(alone.Value,
		run.Value)
}

// settle replaces the gain and routing of a kernel by the values in the recorded run if they differ significantly. It
// then notes the difference in the profile and in the report.
func (r *recorded) settle(kernel *xlang.Kernel, k *profile.Kernel, report *Report) {
	note := func() {
		report.Notes = append(report.Notes, faults.RecordedFigureDiffers.Notef("kernel %s: %s. Its service rate was "+
			"measured with the kernel alone", k.Instance, k.Recorded))
	}
	if k.Recorded != "" { // the earlier profile already contains the values of the recorded run
		note()
		return
	}
	total := 0.0
	for _, n := range r.elements {
		total += n
	}
	if total == 0 || r.firings == 0 {
		return
	}
	why := "the kernel has state"
	if r.cut {
		why = "the kernel has state, or received too little of its recorded input"
	}
	gain, routing := false, ""
	var run profile.Figure
	if k.Gain != nil && r.in > 0 {
		run = counted(r.out/r.in, total, r.firings)
		gain = differ(k.Gain, &run)
	}
	shares := make(map[string]profile.Figure)
	for i, port := range kernel.Outputs {
		alone, ok := k.Routing[port.Name]
		if !ok || !(r.out > 0) {
			continue
		}
		share := r.sent[i] / r.out
		half := normal95 * math.Sqrt(share*(1-share)/total)
		f := profile.Figure{Value: share, CI95: [2]float64{max(0, share-half), min(1, share+half)}}
		shares[port.Name] = f
		if routing == "" && differ(&alone, &f) {
			routing = fmt.Sprintf("the share sent to %s is %.3g if the kernel runs alone, but %.3g in the recorded "+
				"run", port.Name, alone.Value, share)
		}
	}
	switch {
	case gain:
		k.Recorded = fmt.Sprintf("the gain is %.3g if the kernel runs alone, but %.3g in the recorded run: %s; "+
			"xopt uses the recorded value", k.Gain.Value, run.Value, why)
	case routing != "":
		k.Recorded = fmt.Sprintf("%s: %s; xopt uses the recorded value", routing, why)
	default:
		return
	}
	if gain {
		k.Gain = &run
	}
	if len(shares) == len(k.Routing) && len(shares) > 0 {
		k.Routing = shares
	}
	if !isSource(kernel) { // the batch of a source is one call
		k.Batch = maps.Clone(k.Batch) // clone, because the earlier profile shares the map
		for i, port := range kernel.Outputs {
			if _, ok := k.Batch[port.Name]; ok {
				k.Batch[port.Name] = profile.Figure{Value: max(r.elements[i]/r.firings, 1)}
			}
		}
	}
	note()
}
