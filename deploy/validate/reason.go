package validate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"xopt/flow/design"
	"xopt/internal/units"
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
	greatError = 0.03 // where it is not known how well runs repeat
	greatDrift = 0.02
	greatGain  = 0.02
)

// explain splits a significant error into its parts, by what was measured in the runs, and says what disturbed them.
func (c *Case) explain(ctx context.Context, d *design.Design) error {
	c.Reason, c.Parts = "", nil
	if !c.Significant() && !c.Unsteady() {
		return nil
	}
	var texts []string
	if c.Work != nil && c.network != nil && c.Significant() {
		parts, err := c.partsOf(ctx, d)
		if err != nil {
			return err
		}
		c.Parts = parts
		texts = append(texts, c.reasonOf(parts))
	}
	if c.Unsteady() {
		texts = append(texts, "too short to tell: of most runs less than half was steady; lengthen --window")
	}
	if c.Drift > greatDrift {
		texts = append(texts, fmt.Sprintf("inflow and outflow of %s differ by %.0f %%: lengthen --window", c.DriftEdge,
			100*c.Drift))
	}
	if c.Disturbed > 0 {
		text := fmt.Sprintf("the machine was disturbed in %d of %s", c.Disturbed,
			units.Counted(len(c.Runs), "run", "runs"))
		if c.Disturbance != "" {
			text += ": " + c.Disturbance
		}
		texts = append(texts, text)
	}
	c.Reason = strings.Join(texts, "; ")
	return nil
}
