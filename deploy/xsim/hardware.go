package xsim

import (
	"context"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/hdl/rtl"
)

// Hardware is what one FPGA has of a mapping, as it can be synthesized: the kernels, their edges and the taps as a run
// has them, with nothing in it that looks into kernels.
type Hardware struct {
	FPGA      FPGA
	Clock     float64 // Hz
	ClockFrom string
	Partition *rtl.Partition
	// Federate tells which kernels, edges and taps those of the partition are. It has no program.
	Federate *program.Federate
}

// NewHardware puts together what FPGA r has of a mapping, with the taps and monitors that a run with these options has,
// and with rings in the place of what a run logs of signals.
func NewHardware(ctx context.Context, d *design.Design, o program.Options, x Options, r int) (*Hardware, error) {
	d = o.Sized(d)
	fpga, err := NewFPGA(d.Program, r)
	if err != nil {
		return nil, err
	}
	cache := rtl.UserCache(ctx)
	clock, from, err := fpga.Clock(ctx, cache, d, d.Mapping.Place)
	if err != nil {
		return nil, err
	}
	p := &partition{d: d, fpga: fpga, seen: seen{taps: monitors(d, o.Taps), area: x.MonitorArea,
		choice: x.MonitorChoice, traced: o.Taps}, unwatched: x.MonitorArea <= 0, exposed: true, part: make(map[int]int),
		Federate: &program.Federate{Name: fpga.Name, Period: 1 / clock}}
	hardware, err := p.join(ctx, cache)
	if err != nil {
		return nil, err
	}
	p.ports()
	return &Hardware{fpga, clock, from, hardware, p.Federate}, nil
}

// FPGAs are the resources of a mapping that are FPGAs and have kernels.
func FPGAs(d *design.Design) (list []int) {
	used := make(map[int]bool)
	for _, r := range d.Mapping.Place {
		if design.IsFPGA(d.Program, r) && !used[r] {
			used[r] = true
			list = append(list, r)
		}
	}
	return list
}
