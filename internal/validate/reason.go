package validate

import (
	"fmt"
	"math"

	"xopt/internal/design"
)

// blame finds the kernel that deviates most from its figure.
func (c *Case) blame(d *design.Design, busy, in, out []float64, seconds float64) {
	c.SlowPart = 0
	for k := range busy {
		if design.IsFPGA(d.Program, c.Mapping.Place[k]) { // it takes its cycles, and no others
			continue
		}
		bytes := in[k]
		if len(d.Program.Kernels[k].Inputs) == 0 {
			bytes = out[k]
		}
		rate := d.Problem.Figures[k][c.Mapping.Place[k]].ServiceRate
		if !(bytes > 0) || !(rate > 0) || math.IsInf(rate, 1) {
			continue
		}
		if extra := (busy[k] - bytes/rate) / seconds; math.Abs(extra) > math.Abs(c.SlowPart) {
			c.SlowPart = extra
			c.Slow, c.SlowRatio = d.Program.Kernels[k].Name, busy[k]/(bytes/rate)
		}
	}
}

// gains finds the kernel whose gain differs most from its figure.
func (c *Case) gains(d *design.Design, in, out []float64) {
	c.GainRatio = 1
	for k := range in {
		want := d.Problem.Application.Kernels[k].Gain
		if !(in[k] > 0) || !(out[k] > 0) || !(want > 0) {
			continue
		}
		if ratio := out[k] / in[k] / want; math.Abs(ratio-1) > math.Abs(c.GainRatio-1) {
			c.Gain, c.GainRatio = d.Program.Kernels[k].Name, ratio
		}
	}
}

// What counts as much, relatively, when a case is explained.
const (
	greatError  = 0.03
	greatDrift  = 0.02
	greatGain   = 0.02
	idleCore    = 0.97
	muchBlocked = 0.02
	muchSlower  = 0.01 // of the time of its core
)

// explain says which assumption of the model (Beard 2013 §3.3) a case with a great
// error did not meet, by what was measured in it. The first that applies is told: what
// comes later would follow from it.
func (c *Case) explain() {
	if math.Abs(c.Error()) < greatError {
		return
	}
	low, high := math.Inf(1), 0.0
	for _, r := range c.Runs {
		low, high = math.Min(low, r), math.Max(high, r)
	}
	switch {
	case c.Disturbed > 0:
		c.Reason = fmt.Sprintf("disturbed machine: in %d runs the reference spin stayed slow", c.Disturbed)
	case !c.settled():
		c.Reason = fmt.Sprintf("disturbed machine: its %d runs differ by %.0f %%", len(c.Runs),
			100*(high-low)/c.Measured)
	case c.Drift > greatDrift:
		c.Reason = fmt.Sprintf("not in steady state: inflow and outflow of %s differ by %.0f %%; lengthen "+
			"--window", c.DriftEdge, 100*c.Drift)
	case math.Abs(c.GainRatio-1) > greatGain:
		c.Reason = fmt.Sprintf("gain that depends on data: that of %s was %.3f times its figure", c.Gain, c.GainRatio)
	case c.Busy < idleCore && c.BlockedPart > muchBlocked:
		c.Reason = fmt.Sprintf("blocked by a small buffer: no core was busy for more than %.0f %%, and the writer "+
			"of %s waited %.0f %% of the time", 100*c.Busy, c.Blocked, 100*c.BlockedPart)
	case c.Busy < idleCore:
		c.Reason = fmt.Sprintf("not work-conserving: no core was busy for more than %.0f %%", 100*c.Busy)
	case math.Abs(c.SlowPart) > muchSlower:
		c.Reason = fmt.Sprintf("sharing model: %s needed %.2f times its calibrated time per byte here, %+.1f %% "+
			"of its core", c.Slow, c.SlowRatio, 100*c.SlowPart)
	default:
		c.Reason = "sharing model: each kernel took its own time, and the scheduling between them the rest"
	}
}
