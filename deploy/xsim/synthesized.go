package xsim

import (
	"context"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/hdl/rtl"
)

// Synthesized puts the kernels that a mapping has on an FPGA together for synthesis, with the monitors of states that
// fit into a share of it; none where that is 0. The note tells of them.
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
