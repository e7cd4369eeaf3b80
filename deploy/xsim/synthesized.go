package xsim

import (
	"context"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/hdl/rtl"
)

// Synthesized builds the kernels of a mapping on an FPGA for synthesis, with the monitors of states that fit into the
// given share; none if it is 0. The note describes them.
func Synthesized(ctx context.Context, d *design.Design, r int, share float64) (_ *rtl.Partition, note string,
	err error) {
	fpga, err := NewFPGA(d.Program, r)
	if err != nil {
		return nil, "", err
	}
	p := &partition{d: d, fpga: fpga, seen: seen{taps: make([]rtl.Monitors, len(d.Program.Edges)), area: share},
		unwatched: share <= 0, exposed: share > 0, part: make(map[int]int),
		Federate: &program.Federate{Name: fpga.Name}}
	hardware, err := p.join(ctx, rtl.UserCache(ctx))
	return hardware, p.told, err
}
