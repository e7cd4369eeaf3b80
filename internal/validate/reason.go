package validate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/internal/design"
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
	greatError  = 0.03
	greatDrift  = 0.02
	greatGain   = 0.02
	idleCore    = 0.97
	muchBlocked = 0.02
	muchSlower  = 0.01 // of the time of its core
)

// reason is an assumption of the model, or a figure, that a case with a great error did not meet, and the error
// that would be left if it had.
type reason struct {
	text string
	left float64
}

// told is how much of an error a reason must explain to be told, relatively.
const told = 0.05

// explain says which assumptions of the model (Beard 2013 §3.3), and which figure, a case with a great error did
// not meet, by what was measured in it: first the one that explains most of the error, then the others that apply.
func (c *Case) explain(ctx context.Context, d *design.Design) error {
	c.Reason, c.Culprit = "", nil
	if math.Abs(c.Error()) < greatError {
		return nil
	}
	figures, err := c.figureReasons(ctx, d)
	if err != nil {
		return err
	}
	list := append(c.assumptions(figures), figures.best(c.Error())...)
	slices.SortStableFunc(list, func(a, b reason) int { return cmp.Compare(math.Abs(a.left), math.Abs(b.left)) })
	explained := func(r *reason) float64 { return math.Abs(c.Error()) - math.Abs(r.left) }
	var texts []string
	for i := range list {
		if r := &list[i]; explained(r) >= told*math.Abs(c.Error()) {
			texts = append(texts, fmt.Sprintf("%s (with that corrected, the error is %+.1f %%)", r.text, 100*r.left))
		}
	}
	if len(texts) == 0 {
		c.Reason = "sharing model: each kernel took its own time, and the scheduling between them the rest"
		return nil
	}
	if explained(&list[0]) < maxOf*math.Abs(c.Error()) {
		texts[0] = "nothing explains most of it; the most is " + texts[0]
	}
	c.Reason = strings.Join(texts, "; also ")
	if f := figures.best(c.Error()); len(f) > 0 && math.Abs(f[0].left) <= (1-maxOf)*math.Abs(c.Error()) {
		c.Culprit = &Culprit{f[0].text, f[0].left}
	}
	return nil
}

// assumptions are those that a case did not meet, each with the error that would be left. That of a kernel that
// took another time than its figure says is known where the case was predicted again with that.
func (c *Case) assumptions(figures *figureReasons) []reason {
	e := c.Error()
	var list []reason
	add := func(left float64, format string, args ...any) {
		list = append(list, reason{fmt.Sprintf(format, args...), left})
	}
	low, high, nearest := math.Inf(1), 0.0, e
	for _, r := range c.Runs {
		low, high = math.Min(low, r), math.Max(high, r)
		if left := (c.Predicted - r) / r; math.Abs(left) < math.Abs(nearest) {
			nearest = left
		}
	}
	switch {
	case c.Disturbed > 0:
		add(nearest, "disturbed machine: in %s the reference spin stayed slow",
			units.Counted(c.Disturbed, "run", "runs"))
	case !c.settled():
		add(nearest, "disturbed machine: its %d runs differ by %.0f %%", len(c.Runs), 100*(high-low)/c.Measured)
	}
	if c.Drift > greatDrift {
		add(toward0(e, c.Drift), "not in steady state: inflow and outflow of %s differ by %.0f %%; lengthen --window",
			c.DriftEdge, 100*c.Drift)
	}
	if math.Abs(c.GainRatio-1) > greatGain {
		add(toward0(e, math.Abs(c.GainRatio-1)), "gain that depends on data: that of %s was %.3f times its figure",
			c.Gain, c.GainRatio)
	}
	if idle := max(0, (1+e)*c.Busy-1); c.Busy < idleCore && e > 0 { // a core was predicted to be busy all of the time
		if c.BlockedPart > muchBlocked {
			add(idle, "blocked by a small buffer: no core was busy for more than %.0f %%, and the writer of %s waited "+
				"%.0f %% of the time", 100*c.Busy, c.Blocked, 100*c.BlockedPart)
		} else {
			add(idle, "not work-conserving: no core was busy for more than %.0f %%", 100*c.Busy)
		}
	}
	if math.Abs(c.SlowPart) > muchSlower {
		left, ok := figures.slow[c.Slow]
		if !ok && (c.SlowPart > 0) == (e > 0) {
			left, ok = toward0(e, math.Abs(c.SlowPart)), true
		}
		if ok {
			add(left, "sharing model: %s needed %.2f times its calibrated time per byte here, %+.1f %% of its core",
				c.Slow, c.SlowRatio, 100*c.SlowPart)
		}
	}
	return list
}

// toward0 brings an error nearer to 0, and not past it.
func toward0(e, by float64) float64 {
	return math.Copysign(math.Max(0, math.Abs(e)-by), e)
}
