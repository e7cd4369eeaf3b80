package xsim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/hdl/rtl"
	"xopt/internal/units"
)

// spareMemory is the fraction of an FPGA's block RAM that xopt assumes to be unused by kernels. Monitors may use it
// even if their share of the FPGA is smaller.
const spareMemory = 0.2

// monitors selects the monitors of states and activities that fit into a share of the FPGA, with the agent that
// collects them. If not all monitors fit, it selects the monitors of the first kernels. The note contains their area
// and the omitted monitors (Koehler 2007, §4.1).
func (p *partition) monitors(ctx context.Context, cache *rtl.Cache, share float64) ([]rtl.StateMonitor, string, error) {
	device := func(what string) float64 { return p.d.Program.Resources[p.fpga.Resource].Config[what].Number }
	lut, ff, bram := share*device("lut"), share*device("ff"), max(share, spareMemory)*device("bram")
	if !(lut > 0 && ff > 0) {
		return nil, "", faults.AreaUnknown.Errorf("--monitor-area needs the area of %[1]s, which is unknown: "+
			"set it, as in resource %[1]s is %[2]s (lut=7680, ff=7680, bram=32)", p.fpga.Name, p.fpga.Platform)
	}
	all, left := p.candidates()
	all, err := p.chosen(all, left)
	if err != nil {
		return nil, "", err
	}
	var list []program.FederateMonitor
	for i := range all {
		a, err := cache.MonitorArea(ctx, p.bits(&all[i]), p.fpga.Family)
		if err != nil {
			return nil, "", fmt.Errorf("finding the area of monitors on %s: %w", p.fpga.Name, err)
		}
		list = append(list, program.FederateMonitor{StateMonitor: all[i], LUT: a.LUT, FF: a.FF, BRAM: a.BRAM})
	}
	area := func(n int) (sum rtl.Area, err error) {
		maximum := 1
		for _, m := range list[:n] {
			maximum = max(maximum, p.bits(&m.StateMonitor))
			sum.LUT, sum.FF, sum.BRAM = sum.LUT+m.LUT, sum.FF+m.FF, sum.BRAM+m.BRAM
		}
		agent, err := cache.AgentArea(ctx, n, maximum, p.fpga.Family)
		if err != nil {
			return sum, fmt.Errorf("finding the area of the agent on %s: %w", p.fpga.Name, err)
		}
		sum.LUT, sum.FF, sum.BRAM = sum.LUT+agent.LUT, sum.FF+agent.FF, sum.BRAM+agent.BRAM
		return sum, nil
	}
	n := len(list)
	var sum rtl.Area
	for ; n > 0; n-- {
		var err error
		if sum, err = area(n); err != nil {
			return nil, "", err
		}
		if sum.LUT <= lut && sum.FF <= ff && sum.BRAM <= bram {
			break
		}
		// Monitors cause the excess area; remove at least one.
		excess := max((sum.LUT-lut)/max(list[n-1].LUT, 1), (sum.FF-ff)/max(list[n-1].FF, 1))
		n = max(n-max(int(excess)-1, 0), 1)
	}
	for _, m := range list[n:] {
		left = append(left, p.monitorName(&m.StateMonitor))
	}
	p.Monitors = list[:n]
	note := fmt.Sprintf("%s in the hardware and the agent need %.0f LUT (%.1f %% of the LUT of %s), %.0f FF, %g "+
		"block RAMs, each synthesized separately", units.Counted(n, "monitor", "monitors"), sum.LUT,
		100*sum.LUT/device("lut"), p.fpga.Name, sum.FF, sum.BRAM)
	if n == 0 {
		note = fmt.Sprintf("no monitor fits: one monitor and its agent need %.0f LUT, %.0f FF, %g block RAMs "+
			"(available: %.0f LUT, %.0f FF, %g block RAMs)", sum.LUT, sum.FF, sum.BRAM, lut, ff, bram)
	}
	if len(left) > 0 {
		note += "; omitted monitors: " + strings.Join(left, ", ")
	}
	var chosen []rtl.StateMonitor
	for _, m := range p.Monitors {
		chosen = append(chosen, m.StateMonitor)
	}
	return chosen, note, nil
}

// candidates returns all possible monitors, with the monitors of kernels' activity first. left contains the names of
// kernels without a possible monitor.
func (p *partition) candidates() (list []rtl.StateMonitor, left []string) {
	for i := range p.parts {
		if p.parts[i].Module.Clocked() {
			left = append(left, strings.TrimPrefix(p.parts[i].Name, "kernel ")+" (its own clock)")
			continue
		}
		more, without := rtl.StateMonitors(i, &p.parts[i])
		list = append(list, more...)
		for _, path := range without {
			left = append(left, strings.TrimPrefix(p.parts[i].Name, "kernel ")+":"+path+" (too many states)")
		}
	}
	slices.SortStableFunc(list, func(a, b rtl.StateMonitor) int {
		switch {
		case a.Does && !b.Does:
			return -1
		case b.Does && !a.Does:
			return 1
		}
		return 0
	})
	return list, left
}

// bits returns the width of a monitor's code.
func (p *partition) bits(s *rtl.StateMonitor) int {
	x := &p.parts[s.Part]
	return s.Bits(len(x.Module.Streams), x.Machines)
}

// monitorName returns the name of the monitored kernel or state machine.
func (p *partition) monitorName(s *rtl.StateMonitor) string {
	x := &p.parts[s.Part]
	name := strings.TrimPrefix(x.Name, "kernel ")
	if s.Machine >= 0 {
		name += ":" + x.Machines[s.Machine].Path
	}
	return name
}
