package main

import (
	"context"
	"fmt"
	"slices"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// signals looks through the sources for FPGAs. Nothing of them is run.
func (a *app) signals(ctx context.Context, p *xlang.Program) ([]report.KernelSignals, error) {
	cache := rtl.UserCache(ctx)
	var list []report.KernelSignals
	for i := range p.Impls {
		impl := &p.Impls[i]
		k := slices.IndexFunc(p.Kernels, func(k xlang.Kernel) bool { return k.Block == impl.Block })
		if k < 0 || impl.Attrs["src"].Text == "" || !design.IsFPGAPlatform(p, impl.Platform) {
			continue
		}
		m, err := xsim.OpenSource(ctx, cache, impl, &p.Kernels[k])
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
		list = append(list, report.KernelSignals{Block: impl.Block, Platform: impl.Platform, Streams: m.Streams,
			Machines: machines, Signals: all})
	}
	if len(list) == 0 {
		return nil, faults.NoHardwareSource.Usagef("--signals: no block has a source in Verilog or VHDL")
	}
	return list, nil
}
