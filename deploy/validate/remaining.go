package validate

import (
	"time"

	"xopt/flow/design"
)

// runTimes estimates the remaining time of the planned runs from the predictions, scaled by the durations of completed
// runs.
type runTimes struct {
	each           []float64 // predicted duration of a run of each case in s
	ran, predicted float64   // sums over completed runs
	divided        int       // number of cases whose error has been attributed to causes
}

// newRunTimes returns the predicted durations of runs. If only the number of elements is given, a run ends when the
// sources have sent them at the predicted throughput. Otherwise, it lasts for the warm-up and the window.
func newRunTimes(d *design.Design, cases []Case, o Options) *runTimes {
	t := &runTimes{}
	for i := range cases {
		seconds := o.limits().Time.Seconds()
		if x := cases[i].Design(d).Program; o.untilEnd {
			bytes := 0.0
			for k := range x.Kernels {
				if len(x.Kernels[k].Inputs) == 0 {
					for _, port := range x.Kernels[k].Outputs {
						bytes += float64(o.Elements) * port.ElementBytes
					}
				}
			}
			seconds = bytes / cases[i].Predicted
		}
		t.each = append(t.each, seconds)
	}
	return t
}

// add adds a completed run of a case.
func (t *runTimes) add(i int, elapsed time.Duration) {
	t.ran, t.predicted = t.ran+elapsed.Seconds(), t.predicted+t.each[i]
}

// left returns the remaining time of the planned runs and of the simulations that attribute errors to causes; 0 if
// unknown, as in virtual time before the first run.
func (t *runTimes) left(cases []Case, o Options) time.Duration {
	sum := 0.0
	for i := range cases {
		if cases[i].Fail == "" {
			n := max(0, o.Runs-len(cases[i].Runs))
			if cases[i].Virtual && i >= t.divided {
				n += o.dividing()
			}
			sum += float64(n) * t.each[i]
		}
	}
	switch {
	case t.predicted > 0:
		sum *= t.ran / t.predicted
	case len(cases) > 0 && cases[0].Virtual:
		return 0
	}
	return time.Duration(min(sum, maxLeft.Seconds()) * float64(time.Second))
}

// splitting returns the remaining time when the attribution of the error of case i starts.
func (t *runTimes) splitting(cases []Case, i int, o Options) time.Duration {
	t.divided = i
	return t.left(cases, o)
}

// dividing returns the number of simulations that attribute the error of a case to its causes: one without links, and
// one with random service times.
func (o *Options) dividing() int {
	if o.FromProfile { // its runs have drawn times
		return 1
	}
	return 2
}

// maxLeft is the maximum estimate of the remaining time.
const maxLeft = 1000 * time.Hour
