package record

import (
	"math"

	"xopt/deploy/run"
	"xopt/mapper/result"
)

// monitors takes in what the monitors in FPGAs have counted of where cycles went.
func (r *recorder) monitors() {
	for i := range r.from.Counted {
		c := &r.from.Counted[i]
		x := result.Monitor{FPGA: c.FPGA, Kernel: r.design.Program.Kernels[c.Kernel].Name, Cycles: c.Cycles,
			LUT: result.Number(c.Monitor.LUT), FF: result.Number(c.Monitor.FF), BRAM: result.Number(c.Monitor.BRAM)}
		if c.States != nil {
			x.Of = c.Machines[c.Monitor.Machine].Path
			if n := r.spentOf(c.Kernel); n >= 0 { // none saw into a board
				x.Apart = apart(c, &r.from.Spent[n])
			}
		}
		count := func(what string, cycles uint64) {
			x.Counts = append(x.Counts, result.MonitorCount{What: what, Cycles: cycles})
		}
		for j, cycles := range c.States {
			m := &c.Machines[c.Monitor.Machine]
			if j < len(m.States) {
				count(m.Label(&m.States[j]), cycles)
			} else if cycles > 0 {
				count("other values", cycles)
			}
		}
		if c.Does != nil {
			if x.Of != "" {
				x.Of += ", and "
			}
			x.Of += "what it does"
			count("works", c.Does[0])
			count("moves words", c.Does[1])
			for j, s := range c.Streams {
				count("waits at "+s.Name, c.Does[2+j])
			}
		}
		r.out.Monitors = append(r.out.Monitors, x)
	}
}

// apart is the largest difference of a state's share of cycles from what the simulation saw.
func apart(c *run.KernelCounted, seen *run.KernelSpent) *result.Number {
	all := float64(seen.Total())
	if c.Cycles == 0 || all == 0 {
		return nil
	}
	most := 0.0
	for j, n := range c.States {
		most = max(most, math.Abs(float64(n)/float64(c.Cycles)-float64(seen.States[c.Monitor.Machine].Cycles[j])/all))
	}
	out := result.Number(most)
	return &out
}
