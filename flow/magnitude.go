package flow

import (
	"fmt"
	"math"
)

// Figures that are not 0 lie between these, in SI units, far beyond anything real: within
// them no product or quotient of the model overflows or vanishes, so that no result is
// infinite or not a number.
const (
	LeastFigure = 1e-30
	MostFigure  = 1e30
)

// MostSCV is the greatest squared coefficient of variation that queues are worked out for.
const MostSCV = 1e6

// extremeFlow is the most that a kernel may be sent for one byte of a source: gains of
// kernels multiply along the edges.
const extremeFlow = 1e60

// InRange reports whether a figure can be computed with: it is 0, or not too small or large.
// +Inf, for what is unlimited, is.
func InRange(x float64) bool {
	return x == 0 || math.IsInf(x, 1) || x >= LeastFigure && x <= MostFigure
}

// checkFlows looks for flows that gains have made too large to compute with.
func (f *Flows) checkFlows(app *Application) error {
	for _, k := range f.Order {
		for _, x := range f.Arrival(k) {
			if !(math.Abs(x) <= extremeFlow) {
				return fmt.Errorf("%w: the gains of the kernels before %s multiply to %.3g, above the limit of %g",
					ErrInvalid, app.Kernels[k].Name, x, extremeFlow)
			}
		}
	}
	return nil
}
