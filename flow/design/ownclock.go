package design

import (
	"fmt"

	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// OwnClock returns the clock attribute of an implementation for FPGAs, in Hz. It is 0 if the kernel uses the clock of
// its FPGA, or if it has no implementation.
func OwnClock(impl *xlang.Impl) (float64, error) {
	if impl == nil {
		return 0, nil
	}
	v, ok := impl.Attrs["clock"]
	if !ok {
		return 0, nil
	}
	hertz, err := with(units.ParseFrequency)(v)
	if err == nil && !(hertz > 0) {
		err = fmt.Errorf("%s is not positive; expected a frequency such as 200MHz", v.Text)
	}
	if err != nil {
		return 0, fmt.Errorf("clock of the implementation of block %s: %w", impl.Block, err)
	}
	return hertz, nil
}

// ownClocks reports the clocks of implementations that run on processor cores, have no source, or run on an FPGA
// without a stated clock. Without the clock of the FPGA, the rate of words between the two clocks is unknown.
func (b *builder) ownClocks() {
	for i := range b.prog.Impls {
		impl := &b.prog.Impls[i]
		v, ok := impl.Attrs["clock"]
		if !ok {
			continue
		}
		_, err := OwnClock(impl)
		switch {
		case err != nil:
			b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s", err)
		case !IsFPGAPlatform(b.prog, impl.Platform):
			b.diag.errorf(faults.ConfigWithoutEffect, v.Pos, "clock applies only to kernels on FPGAs, and has no "+
				"effect on platform %s; remove it", impl.Platform)
		case impl.Attrs["src"].Text == "":
			b.diag.errorf(faults.ConfigWithoutEffect, v.Pos,
				`clock has no effect on an implementation without a source; state the source: src="….v"`)
		default:
			b.ownClockOn(impl, v)
		}
	}
}

// ownClockOn reports an FPGA of an implementation whose clock is unknown.
func (b *builder) ownClockOn(impl *xlang.Impl, v xlang.Value) {
	for r := range b.prog.Resources {
		chain := b.prog.Ancestors(b.prog.Resources[r].Platform)
		if b.clocks[r] > 0 || b.prog.Implementation(impl.Block, chain) != impl {
			continue
		}
		name := b.prog.Resources[r].Name
		b.diag.errorf(fault.ClockUnknown, v.Pos,
			`block %s has its own clock, but the clock of its FPGA %s is unknown; state it: resource %s is %s `+
				`(clock="100MHz")`,
			impl.Block, name, name,
			b.prog.Resources[r].Platform)
		return
	}
}

// ownClock returns the frequency of a kernel's own clock on a resource, including its drift; 0 if the kernel
// uses the clock of the FPGA.
func (b *builder) ownClock(k, r int) float64 {
	chain := b.prog.Ancestors(b.prog.Resources[r].Platform)
	hertz, err := OwnClock(b.prog.Implementation(b.prog.Kernels[k].Block, chain))
	if err != nil { // ownClocks reports it
		return 0
	}
	return hertz * b.drifts[r]
}
