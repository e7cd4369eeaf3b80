package xsim

import (
	"context"
	"fmt"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// KernelSignals are the signals found in a source for FPGAs.
type KernelSignals struct {
	Block, Platform string
	Streams         []rtl.Stream
	Machines        []rtl.Machine
	Signals         []rtl.Signal
}

// SourceSignals reads the sources for FPGAs of a program, and returns their state machines and streams. Nothing is run.
func SourceSignals(ctx context.Context, p *xlang.Program) ([]KernelSignals, error) {
	cache := rtl.UserCache(ctx)
	var list []KernelSignals
	for i := range p.Impls {
		impl := &p.Impls[i]
		k := slices.IndexFunc(p.Kernels, func(k xlang.Kernel) bool { return k.Block == impl.Block })
		if k < 0 || impl.Attrs["src"].Text == "" || !design.IsFPGAPlatform(p, impl.Platform) {
			continue
		}
		m, err := OpenSource(ctx, cache, impl, &p.Kernels[k])
		if err != nil {
			return nil, fmt.Errorf("looking for the signals of block %s on %s: %w", impl.Block, impl.Platform, err)
		}
		machines, err := cache.Machines(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("block %s on %s: %w", impl.Block, impl.Platform, err)
		}
		all, err := cache.Signals(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("block %s on %s: %w", impl.Block, impl.Platform, err)
		}
		list = append(list, KernelSignals{Block: impl.Block, Platform: impl.Platform, Streams: m.Streams,
			Machines: machines, Signals: all})
	}
	if len(list) == 0 {
		return nil, faults.NoHardwareSource.Usagef("--signals: no block has a source in Verilog or VHDL")
	}
	return list, nil
}
