package xsim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/internal/design"
	"xopt/internal/rtl"
	"xopt/internal/units"
	"xopt/internal/xlang"
)

// hardwareRoot is the platform that FPGAs are derived from.
const hardwareRoot = "HDL"

// IsFPGA tells whether a resource is one.
func IsFPGA(p *xlang.Program, resource int) bool {
	return slices.Contains(p.Ancestors(p.Resources[resource].Platform), hardwareRoot)
}

// FPGA is what the X files say of one.
type FPGA struct {
	Resource int
	Name     string
	Platform string
	Family   string  // to synthesize for
	Device   string  // to place on, or ""
	Given    float64 // the clock in Hz, 0 where it is not given
	Width    int     // bits that a stream of a kernel moves in a cycle at most; 0 for as many as its port
}

// NewFPGA reads the configs of an FPGA.
func NewFPGA(p *xlang.Program, resource int) (FPGA, error) {
	res := &p.Resources[resource]
	f := FPGA{Resource: resource, Name: res.Name, Platform: res.Platform, Family: res.Config["family"].Text,
		Device: res.Config["device"].Text}
	if v := res.Config["clock"]; v.Text != "" {
		hertz, err := units.ParseFrequency(v.Text)
		if err != nil || !(hertz > 0) {
			return f, fmt.Errorf("clock of %s is %q, want a frequency such as 100MHz", res.Name, v.Text)
		}
		f.Given = hertz
	} else if v := res.Config["freq"]; v.Number > 0 { // a number of MHz
		f.Given = 1e6 * v.Number
	} else if hertz, err := units.ParseFrequency(v.Text); err == nil {
		f.Given = hertz
	}
	if v := res.Config["width"]; v.IsNumber || v.Text != "" {
		bits := v.Number
		if !v.IsNumber {
			var err error
			if bits, err = strconv.ParseFloat(v.Text, 64); err != nil {
				bits = -1
			}
		}
		if bits < 0 || bits > 1<<20 || bits != math.Trunc(bits) || int(bits)%8 != 0 {
			return f, fmt.Errorf("width of %s is %q, want whole bytes in bits, such as 32", res.Name,
				cmp.Or(v.Text, fmt.Sprint(v.Number)))
		}
		f.Width = int(bits)
	}
	if f.Family == "" || f.Device != "" {
		f.Family = rtl.Devices()[f.Device]
	}
	if f.Family == "" {
		return f, fmt.Errorf("%s has neither a family nor a device that is known here: want family=%s, or device=%s",
			res.Name,
			strings.Join(rtl.Families(), ", "), devices())
	}
	return f, nil
}

func devices() string { return strings.Join(slices.Sorted(maps.Keys(rtl.Devices())), ", ") }

// Alike tells whether two FPGAs are of one kind.
func (f FPGA) Alike(g FPGA) bool {
	return f.Platform == g.Platform && f.Family == g.Family && f.Device == g.Device && f.Given == g.Given
}

// Implementation is the source of a block for an FPGA; nil without one.
func (f FPGA) Implementation(p *xlang.Program, block string) *xlang.Impl {
	return p.Implementation(block, p.Ancestors(f.Platform))
}

// Open reads the source of a kernel for an FPGA.
func (f FPGA) Open(ctx context.Context, cache *rtl.Cache, p *xlang.Program, k int) (*rtl.Module, error) {
	kernel := &p.Kernels[k]
	impl := f.Implementation(p, kernel.Block)
	if impl == nil {
		return nil, fmt.Errorf(`block %s has no source for %s: platform HDL { impl %s (src="….v", top="…"); };`,
			kernel.Block, f.Platform, kernel.Block)
	}
	return OpenSource(ctx, cache, impl, kernel)
}

// OpenSource reads a source of a kernel's block, for any FPGA.
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

// clockSeeds is how often a kernel is placed to find its f_max.
const clockSeeds = 3

// MaxClock is the f_max of a kernel on the FPGA's device, of each seed.
func (f FPGA) MaxClock(ctx context.Context, cache *rtl.Cache, m *rtl.Module) (*rtl.Clock, error) {
	return cache.MaxClock(ctx, m, f.Device, clockSeeds)
}

// Clock is what the FPGA is clocked with: what the X files give, or the least of the f_max
// (the median of the seeds) of the kernels that are placed on it, or of all that may be where
// place, the resource of each kernel, is nil. from tells which.
func (f FPGA) Clock(ctx context.Context, cache *rtl.Cache, d *design.Design, place []int) (hertz float64, from string,
	err error) {
	if f.Given > 0 {
		return f.Given, "as the architecture gives it", nil
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
		sorted := slices.Sorted(slices.Values(clock.Hertz))
		if median := sorted[len(sorted)/2]; median < hertz {
			least := "the least of the kernels that may be there"
			if place != nil {
				least = "the least of the kernels there"
			}
			hertz, from = median, "the f_max of "+d.Program.Kernels[k].Name+", "+least
		}
	}
	if math.IsInf(hertz, 1) {
		return 0, "",
			fmt.Errorf(`the clock of %s is not known: give it, as in resource %s is %s (clock="100MHz"), or name a device that kernels can be placed on (%s)`, f.Name, f.Name, f.Platform, devices())
	}
	return hertz, from, nil
}
