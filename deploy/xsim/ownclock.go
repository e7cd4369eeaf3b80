package xsim

import (
	"fmt"
	"strings"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// HasOwnClock reports whether a kernel has its own clock on an FPGA.
func HasOwnClock(p *xlang.Program, k, resource int) bool {
	hertz, err := design.OwnClock(p.Implementation(p.Kernels[k].Block, p.Ancestors(p.Resources[resource].Platform)))
	return err == nil && hertz > 0
}

// OwnClock returns the frequency in Hz of a kernel's own clock on the FPGA; 0 if it uses the clock of the FPGA.
func (f FPGA) OwnClock(p *xlang.Program, k int) (float64, error) {
	return design.OwnClock(f.Implementation(p, p.Kernels[k].Block))
}

// hasNoClock returns an error for a kernel with its own clock in a context that supports only the FPGA's clock. why is
// the reason.
func hasNoClock(f FPGA, p *xlang.Program, k int, why string) error {
	if hertz, err := f.OwnClock(p, k); err != nil || hertz == 0 {
		return err
	}
	return program.NewInputError(fault.OwnClockUnsupported.Errorf("kernel %s has its own clock on %s: %s",
		p.Kernels[k].Name, f.Name, why))
}

// addClock adds queues between a kernel with its own clock and the clock of the FPGA. The kernel's clock
// derives from the oscillator of the FPGA, and has the same relative deviation.
func (p *partition) addClock(k int, m *rtl.Module, machines []rtl.Machine) (*rtl.Module, []rtl.Machine, error) {
	hertz, err := p.fpga.OwnClock(p.d.Program, k)
	if err != nil {
		return nil, nil, err
	}
	if hertz == 0 {
		p.Periods = append(p.Periods, 0)
		return m, machines, nil
	}
	if p.points && len(p.d.Program.Kernels[k].Testpoints) > 0 {
		return nil, nil, hasNoClock(p.fpga, p.d.Program, k, "xopt cannot trace its testpoints (to record events, "+
			"remove this clock)")
	}
	p.Periods = append(p.Periods, 1/(hertz*design.Drift(p.fpga.PPM)))
	if m, err = m.OwnClock(); err != nil {
		return nil, nil, fmt.Errorf("adding its own clock: %w", err)
	}
	if p.exposed { // monitors in the FPGA's clock domain show states
		return m, nil, nil
	}
	return m, rtl.OfOwnClock(machines), nil
}

// clocksText lists the kernels with their own clocks; "" if there are none.
func (p *partition) clocksText() string {
	var reported []string
	for i, period := range p.Periods {
		if period > 0 {
			reported = append(reported, fmt.Sprintf("%s at %s", p.d.Program.Kernels[p.Parts[i]].Name,
				units.Frequency(1/(period*design.Drift(p.fpga.PPM)))))
		}
	}
	if len(reported) == 0 {
		return ""
	}
	return "; own clocks: " + strings.Join(reported, ", ")
}
