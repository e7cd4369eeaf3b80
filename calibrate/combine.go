package calibrate

import (
	"math"
	"slices"

	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Settle completes a profile after the measurement of its kernels and links. It estimates the additional costs of all
// kernels with one model, and replaces implausible rates and costs by the nearest plausible values. It returns a
// warning for each replaced rate, and the kernels to measure again.
func Settle(d *design.Design, p *profile.Profile) (warnings []fault.Note, again []Doubt) {
	warnings = boundRates(p)
	combine(d, p)
	return warnings, bound(d, p)
}

// costGroup contains the costs of one kind of all kernels.
type costGroup struct {
	figures []*profile.Figure
	units   []float64 // bytes of an element, or rate of a kernel in bytes/s
	list    []estimated
}

// add adds a measured cost in s/byte. unit converts the cost to the unit of the scales. add ignores costs that were
// refined from runs of the application.
func (g *costGroup) add(f *profile.Figure, unit float64, scales [2]float64) {
	if f == nil || f.Measured == nil || len(f.Refined) > 0 || math.IsInf(unit, 0) || !(unit > 0) ||
		!(scales[0]+scales[1] > 0) {
		return
	}
	x := estimated{f.Measured.Value * unit, f.Measured.Error * unit, scales}
	x.err = max(x.err, smallestError*math.Abs(x.value), smallestError*(scales[0]+scales[1]))
	g.figures, g.units, g.list = append(g.figures, f), append(g.units, unit), append(g.list, x)
}

// smallestError is the minimum standard error of a cost, relative to the cost and to its scales, because windows may
// agree by chance.
const smallestError = 1e-3

// estimate replaces each cost by its estimate from the measurements of all kernels.
func (g *costGroup) estimate(p *hyperPrior) {
	for i, x := range p.together(g.list) {
		f, unit := g.figures[i], g.units[i]
		f.Value, f.CI95, f.Bounded = x.median/unit, [2]float64{x.low / unit, x.high / unit}, 0
	}
}

// combine estimates the additional costs of all kernels on cores with one model. The costs of sending and receiving are
// estimated relative to the costs of messages on this machine, and co-location costs relative to the time of the
// kernels alone. If the link between cores was not measured, combine does not change the costs of sending and
// receiving.
func combine(d *design.Design, p *profile.Profile) {
	memory, hasRing := ringOf(p)
	var coLocation, receive, send, receiveFar, sendFar costGroup
	for i := range p.Kernels {
		k := &p.Kernels[i]
		x := onCore(d, k)
		if x == nil || k.ServiceRate == nil {
			continue
		}
		coLocation.add(k.CoLocationCost, k.ServiceRate.Value, [2]float64{1, 0})
		if !hasRing {
			continue
		}
		in, out := smallestElement(x.Inputs), smallestElement(x.Outputs)
		receive.add(k.ReceiveCost, in, memory.scales(in))
		receiveFar.add(k.ReceiveFar, in, memory.scales(in))
		send.add(k.SendCost, out, memory.scales(out))
		sendFar.add(k.SendFar, out, memory.scales(out))
	}
	coLocation.estimate(&coLocationPrior)
	for _, g := range []*costGroup{&receive, &send, &receiveFar, &sendFar} {
		g.estimate(&movingPrior)
	}
}

// onCore returns the kernel that an entry of a profile describes. It returns nil if the design has no such kernel, or
// if the entry was not measured on a core of this machine.
func onCore(d *design.Design, k *profile.Kernel) *xlang.Kernel {
	at := slices.IndexFunc(d.Program.Kernels, func(x xlang.Kernel) bool { return x.Name == k.Instance })
	if at < 0 || k.How != "" || k.Elsewhere != "" {
		return nil
	}
	return &d.Program.Kernels[at]
}

// scales returns the time of a message and the time of the bytes of an element, in s.
func (r *ring) scales(bytes float64) [2]float64 { return [2]float64{r.message, bytes * r.perByte} }

// smallestElement returns the size of the smallest element of ports in bytes; +Inf without ports.
func smallestElement(ports []xlang.Port) float64 {
	bytes := math.Inf(1)
	for i := range ports {
		bytes = math.Min(bytes, ports[i].ElementBytes)
	}
	return bytes
}
