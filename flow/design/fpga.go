package design

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"xopt/flow/xlang"
	"xopt/internal/units"
)

// These platforms of lib/std.x are the ancestors of all platforms of processor cores and FPGAs.
const (
	// CorePlatform is the platform of processor cores. The sources of their kernels are in C.
	CorePlatform = "C"
	// FPGAPlatform is the platform of FPGAs. The sources of their kernels are in Verilog or VHDL. The kernels work in
	// parallel and share the area.
	FPGAPlatform = "HDL"
)

// IsCorePlatform reports whether a platform consists of processor cores.
func IsCorePlatform(p *xlang.Program, platform string) bool {
	return slices.Contains(p.Ancestors(platform), CorePlatform)
}

// IsFPGAPlatform reports whether a platform consists of FPGAs.
func IsFPGAPlatform(p *xlang.Program, platform string) bool {
	return slices.Contains(p.Ancestors(platform), FPGAPlatform)
}

// IsCore reports whether a resource is a processor core.
func IsCore(p *xlang.Program, resource int) bool {
	return IsCorePlatform(p, p.Resources[resource].Platform)
}

// IsFPGA reports whether a resource is an FPGA.
func IsFPGA(p *xlang.Program, resource int) bool {
	return IsFPGAPlatform(p, p.Resources[resource].Platform)
}

// FPGA is the description of an FPGA in the X files.
type FPGA struct {
	Resource int
	Name     string
	Platform string
	Family   string  // target family of the synthesis; "" for the family of the device
	Device   string  // target device of the placement; "" for none
	Given    float64 // stated clock in Hz; 0 if none is stated
	PPM      float64 // excess over the clock's nominal or placement frequency, in parts per million
	Phase    float64 // time in seconds from the start of a run to the first cycle
	Width    int     // maximum bits per cycle of a kernel's stream; 0 for the width of its port
}

// NewFPGA reads the configs of an FPGA.
func NewFPGA(p *xlang.Program, resource int) (FPGA, error) {
	res := &p.Resources[resource]
	f := FPGA{Resource: resource, Name: res.Name, Platform: res.Platform, Family: res.Config["family"].Text,
		Device: res.Config["device"].Text}
	var err error
	if c := clockOf(res); isSet(c.Value) {
		if f.Given, err = c.read(c.Value); err != nil {
			return f, fmt.Errorf("%s: %w", c.what, err)
		}
	}
	if f.PPM, err = ppmOf(res); err != nil {
		return f, err
	}
	if f.Phase, err = phaseOf(res); err != nil {
		return f, err
	}
	if v := res.Config["width"]; isSet(v) {
		bits, err := number(v)
		if err != nil || bits < 0 || bits > 1<<20 || bits != math.Trunc(bits) || int(bits)%8 != 0 {
			return f, fmt.Errorf("width of resource %s is %q; expected a multiple of 8 bits, such as 32", res.Name,
				cmp.Or(v.Text, fmt.Sprint(v.Number)))
		}
		f.Width = int(bits)
	}
	return f, nil
}

// Drift returns the factor on a clock that is fast by ppm parts per million.
func Drift(ppm float64) float64 { return 1 + ppm*1e-6 }

// maxPPM exceeds the error of any working oscillator.
const maxPPM = 1e4

// ppmOf reads the config ppm: the parts per million by which a clock exceeds its frequency in the X files.
func ppmOf(res *xlang.Resource) (float64, error) {
	v := res.Config["ppm"]
	if !isSet(v) {
		return 0, nil
	}
	if !v.IsNumber || !(math.Abs(v.Number) <= maxPPM) {
		return 0, fmt.Errorf("ppm of resource %s is %q; expected the deviation of its clock in parts per million, "+
			"from %g to %g", res.Name, cmp.Or(v.Text, fmt.Sprint(v.Number)), -maxPPM, maxPPM)
	}
	return v.Number, nil
}

// phaseOf reads the config phase: the time in seconds from the start of a run to the first cycle of a clock.
func phaseOf(res *xlang.Resource) (float64, error) {
	v := res.Config["phase"]
	if !isSet(v) {
		return 0, nil
	}
	s, err := with(units.ParseTime)(v)
	if err == nil && !(s >= 0 && s <= maxPhase) {
		err = fmt.Errorf("%g s is outside the range from 0 to %g s", s, maxPhase)
	}
	if err != nil {
		return 0, fmt.Errorf("phase of resource %s: %w", res.Name, err)
	}
	return s, nil
}

// maxPhase is the maximum time in seconds before the first cycle of a clock.
const maxPhase = 3600.0

// AnyFPGA returns an unspecified FPGA. Its kernels use the implementations for all FPGAs.
func AnyFPGA() FPGA { return FPGA{Resource: -1, Platform: FPGAPlatform} }

// Alike reports whether two FPGAs have the same platform, family, device and stated clock.
func (f FPGA) Alike(g FPGA) bool {
	return f.Platform == g.Platform && f.Family == g.Family && f.Device == g.Device && f.Given == g.Given
}

// Implementation returns the implementation of a block for an FPGA; nil if there is none.
func (f FPGA) Implementation(p *xlang.Program, block string) *xlang.Impl {
	return p.Implementation(block, p.Ancestors(f.Platform))
}

// clock is the config with the clock of a resource.
type clock struct {
	xlang.Value        // not set if none is stated
	what        string // for messages: "clock of resource fpga"
	read        func(xlang.Value) (float64, error)
}

// clockOf finds the config with the clock of a resource: clock, as a frequency, or else freq. A clock of 0 counts as
// not stated.
func clockOf(res *xlang.Resource) clock {
	frequency := with(units.ParseFrequency)
	if v := res.Config["clock"]; isSet(v) {
		if hertz, err := frequency(v); err != nil || hertz != 0 {
			return clock{v, "clock of resource " + res.Name, frequency}
		}
	}
	return clock{res.Config["freq"], "freq of resource " + res.Name, with(megahertz)}
}

// megahertz reads the config freq: a number of MHz (Gayen 2008, Fig. 2.6), or a frequency with its unit.
func megahertz(text string) (float64, error) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return 1e6 * x, nil
	}
	return units.ParseFrequency(text)
}
