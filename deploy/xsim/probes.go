package xsim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// placedProbe contains the signals that a tap of a run observes on an FPGA.
type placedProbe struct {
	tap, resource int
	rtl.Probe
}

// CheckProbes resolves the names in signal taps before the build. The error is xlang.Diagnostics for unknown names.
func CheckProbes(ctx context.Context, d *design.Design, taps []program.Tap) error {
	_, err := findProbes(ctx, d, taps)
	return err
}

// findProbes finds the signals for all signal taps.
func findProbes(ctx context.Context, d *design.Design, taps []program.Tap) ([]placedProbe, error) {
	cache := rtl.UserCache(ctx)
	seen := make(map[int]*rtl.SeenPart) // by opened kernel
	var list []placedProbe
	var faults xlang.Diagnostics
	for i := range taps {
		t := &taps[i]
		if t.Kind != program.Probed {
			continue
		}
		for _, s := range t.Probe.Signals() {
			if seen[s.Kernel] != nil || !design.IsFPGA(d.Program, d.Mapping.Place[s.Kernel]) {
				continue
			}
			x, err := seePart(ctx, cache, d, s.Kernel)
			if err != nil {
				return nil, err
			}
			seen[s.Kernel] = x
		}
		resource := d.Mapping.Place[t.Kernel]
		probe, err := rtl.NewProbe(t.Probe, func(k int) (int, *rtl.SeenPart, bool) {
			return partOf(d, k), seen[k], d.Mapping.Place[k] == resource && seen[k] != nil
		})
		var found xlang.Diagnostics
		switch {
		case errors.As(err, &found):
			faults = append(faults, found...)
		case err != nil:
			return nil, err
		}
		list = append(list, placedProbe{i, resource, probe})
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return list, nil
}

// seePart reads the visible signals of a kernel.
func seePart(ctx context.Context, cache *rtl.Cache, d *design.Design, k int) (*rtl.SeenPart, error) {
	name := d.Program.Kernels[k].Name
	fpga, err := NewFPGA(d.Program, d.Mapping.Place[k])
	if err != nil {
		return nil, err
	}
	if n := d.Program.Kernels[k].Instances; n > 1 {
		return nil, program.NewInputError(faults.SignalsOfCopies.Errorf("kernel %s has %d copies on %s, each with "+
			"its own signals (to measure signals, map only one copy there)", name, n, fpga.Name))
	}
	if err := hasNoClock(fpga, d.Program, k, "probes sample signals in cycles of the FPGA (to measure signals, "+
		"remove this clock)"); err != nil {
		return nil, err
	}
	m, err := fpga.Open(ctx, cache, d.Program, k)
	if err != nil {
		return nil, fmt.Errorf("kernel %s on %s: %w", name, fpga.Name, err)
	}
	x := &rtl.SeenPart{Kernel: name}
	if x.Signals, err = cache.Signals(ctx, m); err == nil {
		x.Machines, err = cache.Machines(ctx, m)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %s on %s: %w", name, fpga.Name, err)
	}
	return x, nil
}

// partOf returns the index of a kernel among the kernels of its FPGA.
func partOf(d *design.Design, kernel int) int {
	n := 0
	for k := range kernel {
		if d.Mapping.Place[k] == d.Mapping.Place[kernel] {
			n++
		}
	}
	return n
}

// probeBits is the binary logarithm of the default maximum number of bins in the histogram of a value. Each bin
// contains one value, or a power of two of values.
const probeBits = 6

// binProbes sets the widths of signal taps. Unless bins are given, it sets their histograms to bins for all values.
func binProbes(taps []program.Tap, probes []placedProbe) {
	for _, p := range probes {
		t := &taps[p.tap]
		probe := *t.Probe
		probe.Width, t.Probe = p.Width, &probe
		if t.Histogram == nil || t.Histogram.Width > 0 {
			continue
		}
		bits := probeBits
		if n := t.Histogram.N; n > 0 {
			bits = max(int(math.Ceil(math.Log2(float64(n)))), 1)
		}
		h := program.Bins{Width: math.Ldexp(1, max(p.Width-bits, 0)), N: 1 << min(bits, p.Width)}
		if p.Signed {
			h.Low = -math.Ldexp(1, p.Width-1)
		}
		if n := t.Histogram.N; n > 0 {
			h.N = min(n, h.N)
		}
		t.Histogram = &h
	}
}

// KernelSignals contains the signals found in a source for FPGAs.
type KernelSignals struct {
	Block, Platform string
	Streams         []rtl.Stream
	Machines        []rtl.Machine
	Signals         []rtl.Signal
}

// SourceSignals reads the sources for FPGAs of a program, and returns their state machines and streams. It runs no
// kernel.
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
			return nil, fmt.Errorf("finding the signals of block %s on %s: %w", impl.Block, impl.Platform, err)
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
