package validate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
)

// inPlace contains the time of a kernel per input byte in s: measured in the runs, predicted in the mapping, and
// predicted for the kernel alone. measured is 0 if the runs did not measure it.
type inPlace struct{ measured, predicted, alone float64 }

// timesOf returns the times of the kernel of a station, given its state in a solution.
func (c *Case) timesOf(k int, state *flow.StationState) (x inPlace) {
	if !(state.ArrivalRate > 0) || k >= len(c.Work) {
		return x
	}
	x.predicted, x.alone = busyOf(state)/state.ArrivalRate, state.Parts[flow.Compute]/state.ArrivalRate
	if f := median(c.Flow[k]); f > 0 {
		if elapsed := median(c.Work[k]) / f; elapsed > 0 {
			x.measured = elapsed
		}
	}
	return x
}

// asItWas returns the network of a case and its solution, at the mean speed of the machine during the runs if known.
func (c *Case) asItWas() (*flow.Network, *flow.Solution) {
	if c.wasNetwork != nil {
		return c.wasNetwork, c.wasSolution
	}
	return c.network, c.solution
}

// blame finds the kernel whose time deviates most from its prediction in the mapping, relative to the time of its core.
func (c *Case) blame(d *design.Design) {
	c.Slow, c.SlowRatio, c.SlowPart = "", 0, 0
	n, s := c.asItWas()
	if n == nil {
		return
	}
	for i := range n.Stations {
		k := n.Stations[i].Kernel
		if n.Stations[i].Kind != flow.KernelStation || design.IsFPGA(d.Program, c.Mapping.Place[k]) {
			continue // on an FPGA the time per element is a fixed number of cycles
		}
		x := c.timesOf(k, &s.Stations[i])
		if !(x.measured > 0) || !(x.predicted > 0) {
			continue
		}
		extra := (x.measured - x.predicted) * median(c.Flow[k]) * c.Measured
		if math.Abs(extra) > math.Abs(c.SlowPart) {
			c.Slow, c.SlowRatio, c.SlowPart = d.Program.Kernels[k].Name, x.measured/x.predicted, extra
		}
	}
}

// gains finds the kernel whose gain deviates most from its figure.
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

// Minimum relative deviations to report in the explanation of a case.
const (
	greatError = 0.03 // if the repeatability is unknown
	greatDrift = 0.02
	greatGain  = 0.02
)

// explain splits an error beyond the repeatability into its parts, using the measurements of the runs, and names
// disturbances.
func (c *Case) explain(ctx context.Context, d *design.Design) error {
	c.Reason, c.Parts = "", nil
	beyond := c.beyond(c.Error()) && (!c.Bounded() || c.Significant())
	if !beyond && !c.Unsteady() {
		return nil
	}
	var texts []string
	if c.Work != nil && c.network != nil && beyond {
		parts, err := c.partsOf(ctx, d)
		if err != nil {
			return err
		}
		c.Parts = parts
		texts = append(texts, c.reasonOf(parts))
	}
	if c.Unsteady() {
		do := "use a longer --window"
		if 2*c.Disturbed > len(c.Runs) {
			do = "validate again on a quiet machine"
		}
		texts = append(texts, "the runs were not steady enough to measure: in most runs, less than half of the time "+
			"was steady ("+do+")")
	}
	if c.Drift > greatDrift {
		texts = append(texts, fmt.Sprintf("inflow and outflow of %s differ by %.0f %%: use a longer --window",
			c.DriftEdge,
			100*c.Drift))
	}
	if c.Disturbed > 0 {
		texts = append(texts, fmt.Sprintf("the machine was disturbed in %d of %s", c.Disturbed,
			units.Counted(len(c.Runs), "run", "runs")))
	}
	c.Reason = strings.Join(texts, "; ")
	return nil
}
