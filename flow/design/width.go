package design

import (
	"slices"

	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// widthLimit is the maximum rate in bytes/s that a width in bits permits.
type widthLimit struct{ bits, rate float64 }

// widths limits kernels on an FPGA with a config width, so that no stream carries more bits per cycle than the width:
// 8 λ a ≤ width · clock. a is the number of bytes in the stream per byte of the kernel's input (for a source: of its
// output).
func (b *builder) widths() {
	resources := b.prog.Resources
	if !slices.ContainsFunc(resources, func(r xlang.Resource) bool { return isSet(r.Config["width"]) }) {
		return
	}
	flows, err := flow.NewFlows(&b.p.Application, b.p.JoinTolerance)
	if err != nil {
		return // validate reports it
	}
	for r := range resources {
		width := resources[r].Config["width"]
		if b.p.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly || !isSet(width) {
			continue
		}
		bits := b.quantity(width, number, "width of resource "+resources[r].Name)
		if bits == 0 {
			continue
		}
		given := b.clocks[r]
		for k := range b.prog.Kernels {
			fig := &b.p.Figures[k][r]
			clock := given
			if clock == 0 {
				clock = fig.MaxClock
			}
			if !fig.Available || !(fig.ServiceRate > 0) {
				continue
			}
			if !(clock > 0) {
				b.diag.errorf(fault.ClockUnknown, width.Pos,
					`width of resource %s is in bits per clock cycle, but the clock is unknown; state clock="100MHz"`,
					resources[r].Name)
				break
			}
			b.widthLimits[pair{k, r}] = widthLimit{bits, bits / 8 * clock / b.largestStream(flows, k)}
		}
	}
}

// largestStream returns the maximum, over a kernel's streams, of the bytes in a stream per byte of its service rate.
func (b *builder) largestStream(flows *flow.Flows, k int) float64 {
	maximum := 0.0
	for _, edges := range [][]int{b.in[k], b.out[k]} {
		for _, e := range edges {
			for f, through := range flows.Arrival(k) {
				if through > 0 {
					maximum = max(maximum, flows.Edge(e)[f]/through)
				}
			}
		}
	}
	return maximum
}
