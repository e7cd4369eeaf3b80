package design

import (
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/profile"
)

// unusedAreas reports stated areas that have no effect, because their resources share time and not area.
func (b *builder) unusedAreas() {
	stated := make(map[int]bool) // by statement with an area: whether a resource uses it
	for i := range b.stated {
		for kind := range b.stated[i].area {
			if b.stated[i].area[kind].set {
				stated[i] = false
			}
		}
	}
	if len(stated) == 0 {
		return
	}
	applied := make(map[int]int) // by statement: a resource that does not use the area
	chains := make([][]string, len(b.prog.Resources))
	for r := range chains {
		chains[r] = b.prog.Ancestors(b.prog.Resources[r].Platform)
	}
	for k := range b.byKernel {
		for _, i := range b.byKernel[k] {
			if counted, has := stated[i]; !has || counted {
				continue
			}
			for r := range b.prog.Resources {
				if _, applies := b.rankFor(&b.stated[i], r, chains[r]); !applies {
					continue
				}
				if b.p.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
					stated[i] = true
					break
				}
				applied[i] = r
			}
		}
	}
	for i := range b.stated {
		r, elsewhere := applied[i]
		if counted, has := stated[i]; !has || counted || !elsewhere {
			continue
		}
		b.diag.errorf(faults.ConfigWithoutEffect, b.stated[i].pos, "lut, ff, bram and dsp have no effect on %s, whose "+
			"kernels share time, not area (remove them, or state them for an FPGA)", b.prog.Resources[r].Name)
	}
}

// noteDropped adds a note about the measured costs that predictions ignore, because the files replace the rates to
// which these costs belong.
func (b *builder) noteDropped() {
	if len(b.dropped) == 0 {
		return
	}
	b.notef(faults.CostsNotCounted, "predictions ignore the measured costs of co-location, switching, crossing and "+
		"memory contention of %s, because the files state another rate (remove this rate to use the costs)",
		strings.Join(Ranges(b.dropped), ", "))
}

// dropCosts records that the measured costs of a kernel are not used.
func (b *builder) dropCosts(k int, measured *profile.Kernel) {
	if valueOr(measured.CoLocationCost, 0)+valueOr(measured.SwitchCost, 0)+valueOr(measured.ReceiveCost, 0)+
		valueOr(measured.SendCost, 0) == 0 && contentionOf(measured) == nil {
		return
	}
	if name := b.prog.Kernels[k].Name; len(b.dropped) == 0 || b.dropped[len(b.dropped)-1] != name {
		b.dropped = append(b.dropped, name)
	}
}

// uselessGain warns about a gain other than 1 that has no effect. This is a gain of a source, or a gain that the files
// state for an instance that is a sink.
func (b *builder) uselessGain(k int) {
	for _, g := range b.gainsStated[k] {
		switch {
		case !g.set || g.value == 1:
		case b.isSource(k):
			b.warnf(faults.GainNotUsed, "gain of %s has no effect: the kernel is a source, and mu is its output rate "+
				"(remove the gain)", b.prog.Kernels[k].Name)
			return
		case g.rank >= rankInstance:
			b.warnf(faults.GainNotUsed, "gain of %s has no effect: the kernel has no outputs (remove the gain)",
				b.prog.Kernels[k].Name)
			return
		}
	}
}
