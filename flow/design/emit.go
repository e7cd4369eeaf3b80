package design

import (
	"fmt"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// emittedOn returns the elements per firing in the emit statement of an output; 0 if there is no emit statement.
func (b *builder) emittedOn(k, port int) xlang.Emit {
	if emits := b.prog.Kernels[k].Emits; emits != nil {
		return emits[port]
	}
	return xlang.Emit{}
}

// emitted returns the bytes that one firing of a kernel sends on all of its connected outputs together. It returns
// false if a connected output has no emit statement.
func (b *builder) emitted(k int) (float64, bool) {
	bytes := 0.0
	for _, port := range b.connectedPorts(k) {
		n := b.emittedOn(k, port).Elements
		if n == 0 {
			return 0, false
		}
		bytes += float64(n) * b.prog.Kernels[k].Outputs[port].ElementBytes
	}
	return bytes, bytes > 0
}

// derivedGain returns the gain computed from the input and the output of a firing, if both are known.
func (b *builder) derivedGain(k int) figure {
	sent, ok := b.emitted(k)
	if !ok {
		return figure{}
	}
	consumed, ok := b.firing(k)
	if !ok {
		return figure{}
	}
	return figure{value: sent / consumed, set: true, origin: flow.Derived, pos: b.emitPos(k),
		note: fmt.Sprintf("a firing consumes %g bytes and emits %g bytes", consumed, sent)}
}

// emitPos returns the position of the first emit statement of a kernel.
func (b *builder) emitPos(k int) xlang.Pos {
	for _, e := range b.prog.Kernels[k].Emits {
		if e.Elements > 0 {
			return e.Pos
		}
	}
	return b.prog.Kernels[k].Pos
}

// againstEmit reports an error if a stated gain differs from the derived gain, and a warning if a measured gain
// differs.
func (b *builder) againstEmit(k int, derived, g figure) {
	name := b.prog.Kernels[k].Name
	switch difference := relativeDifference(derived.value, g.value); {
	case !g.set || difference <= statedGainTolerance:
	case g.rank != rankProfile:
		if !b.gainConflicts[g.pos] {
			b.gainConflicts[g.pos] = true
			b.diag.errorf(faults.GainConflict, g.pos, "gain of %s is stated as %g, but %s, which implies a gain of "+
				"%.6g", name,
				g.value, derived.note, derived.value).Relate(derived.pos, "remove the gain, or correct the emit or "+
				"the join")
		}
	case difference > measuredGainTolerance:
		b.warnf(faults.GainDiffers, "the measured gain of %s is %.6g, but %s; xopt uses a gain of %.6g (correct the "+
			"emit, the join or the kernel)", name, g.value, derived.note, derived.value)
	}
}

// derivedFraction returns the routing computed from the emitted elements on each port.
func (b *builder) derivedFraction(k, port int, ports []int, sent float64) figure {
	if len(ports) < 2 || sent == 0 {
		return figure{}
	}
	own := b.emittedOn(k, port)
	part := float64(own.Elements) * b.prog.Kernels[k].Outputs[port].ElementBytes
	return figure{value: part / sent, set: true, origin: flow.Derived, pos: own.Pos,
		note: fmt.Sprintf("a firing emits %g bytes on this port and %g bytes in total", part, sent)}
}

// fractionAgainstEmit reports an error if a stated fraction differs from the derived fraction, and a warning if a
// measured fraction differs.
func (b *builder) fractionAgainstEmit(k, port int, derived, stated figure) {
	kernel := &b.prog.Kernels[k]
	name := kernel.Outputs[port].Name
	if !stated.set && b.opt.Profile != nil {
		x, _, ok := b.opt.Profile.Routing(kernel.Declared(), kernel.Block, name)
		if ok && relativeDifference(derived.value, x) > measuredGainTolerance {
			b.warnf(faults.RoutingDiffers, "the measured routing fraction of %s.%s is %.6g, but %s; xopt uses a "+
				"fraction of %.6g (correct the emit or the kernel)", kernel.Name, name, x, derived.note, derived.value)
		}
	}
	if !stated.set || relativeDifference(derived.value, stated.value) <= sameTolerance || b.gainConflicts[stated.pos] {
		return
	}
	b.gainConflicts[stated.pos] = true
	b.diag.errorf(faults.RoutingConflict, stated.pos, "routing fraction of %s.%s is stated as %g, but %s, which "+
		"implies a fraction of "+
		"%.6g", kernel.Name, name, stated.value, derived.note, derived.value).Relate(derived.pos, "remove the "+
		"route, or correct the emit")
}
