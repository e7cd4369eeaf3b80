package xsim

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
)

// FPGA is an FPGA with the tools that simulate and place its kernels.
type FPGA struct{ design.FPGA }

// NewFPGA reads the configs of an FPGA. If the configs name a device, the device determines the family.
func NewFPGA(p *xlang.Program, resource int) (FPGA, error) {
	of, err := design.NewFPGA(p, resource)
	if err != nil {
		return FPGA{of}, err
	}
	if of.Family == "" || of.Device != "" {
		of.Family = rtl.Placeable()[of.Device]
	}
	if of.Family == "" {
		return FPGA{of}, faults.UnknownFamily.Errorf("%s has no known family or device: expected family=%s, or "+
			"device=%s, in its declaration", of.Name, strings.Join(rtl.Families(), ", "), devices())
	}
	return FPGA{of}, nil
}

// AnyFPGA returns an unspecified FPGA with the sources common to all FPGAs.
func AnyFPGA() FPGA { return FPGA{design.AnyFPGA()} }

func devices() string { return strings.Join(slices.Sorted(maps.Keys(rtl.Placeable())), ", ") }

// Open reads the source of a kernel for an FPGA.
func (f FPGA) Open(ctx context.Context, cache *rtl.Cache, p *xlang.Program, k int) (*rtl.Module, error) {
	kernel := &p.Kernels[k]
	impl := f.Implementation(p, kernel.Block)
	if impl == nil {
		return nil, faults.NoSource.Errorf(
			`block %s has no source for %s: platform HDL { impl %s (src="….v", top="…"); };`,
			kernel.Block, f.Platform, kernel.Block)
	}
	return OpenSource(ctx, cache, impl, kernel)
}

// OpenSource reads the source of a kernel's block, for any FPGA.
func OpenSource(ctx context.Context, cache *rtl.Cache, impl *xlang.Impl, kernel *xlang.Kernel) (*rtl.Module, error) {
	source := rtl.Source{Files: impl.Sources(), Top: impl.Attrs["top"].Text}
	if source.Top == "" {
		source.Top = kernel.Block
	}
	for _, name := range slices.Sorted(maps.Keys(kernel.Config)) {
		v := kernel.Config[name]
		source.Parameters = append(source.Parameters, rtl.Parameter{Name: strings.ToUpper(name), Value: v.Text,
			Text: v.Type == "STRING"})
	}
	return cache.Open(ctx, source)
}

// clockSeeds is the number of placements from which a kernel's f_max is determined.
const clockSeeds = 3

// MaxClock returns the f_max of a kernel on the FPGA's device for each seed.
func (f FPGA) MaxClock(ctx context.Context, cache *rtl.Cache, m *rtl.Module) (*rtl.Clock, error) {
	return cache.MaxClock(ctx, m, f.Device, clockSeeds)
}

// Clock returns the clock of the FPGA in Hz. It is the clock in the X files or the lowest f_max (the median of the
// seeds) of the kernels placed on the FPGA. place is the resource of each kernel; if it is nil, all kernels that may be
// placed on the FPGA count. from names the origin.
func (f FPGA) Clock(ctx context.Context, cache *rtl.Cache, d *design.Design, place []int) (hertz float64, from string,
	err error) {
	if f.Given > 0 {
		return f.Given, "as stated in the architecture", nil
	}
	hertz = math.Inf(1)
	for k := range d.Program.Kernels {
		if place != nil && place[k] != f.Resource || f.Device == "" || f.Implementation(d.Program,
			d.Program.Kernels[k].Block) == nil {
			continue
		}
		m, err := f.Open(ctx, cache, d.Program, k)
		if err != nil {
			return 0, "", fmt.Errorf("finding the clock of %s: kernel %s: %w", f.Name, d.Program.Kernels[k].Name, err)
		}
		clock, err := f.MaxClock(ctx, cache, m)
		if err != nil {
			return 0, "", fmt.Errorf("finding the clock of %s: kernel %s: %w", f.Name, d.Program.Kernels[k].Name, err)
		}
		if median := profile.MedianOf(clock.Hertz).Value; median < hertz {
			minimum := "the lowest f_max of all kernels with a source for " + f.Name
			if place != nil {
				minimum = "the lowest f_max of the kernels on " + f.Name
			}
			hertz, from = median, "the f_max of "+d.Program.Kernels[k].Name+", "+minimum
		}
	}
	if math.IsInf(hertz, 1) {
		return 0, "",
			fault.ClockUnknown.Errorf(
				`the clock of %s is unknown: set it, as in resource %s is %s (clock="100MHz"), or name a device `+
					`that kernels can be placed on (%s)`,
				f.Name, f.Name, f.Platform, devices())
	}
	return hertz, from, nil
}
