package validate

import (
	"context"
	"fmt"
	"math"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile/goodtime"
	"xopt/mapper/result"
)

// The speed of a machine varies between runs. Other programs use its caches, its memory and the other threads of its
// cores, and the host of a virtual machine moves its processors. The reference load alternates with the kernels and
// measures this speed, as in a calibration. The figures that depend on the speed determine its effect on the throughput
// of a mapping.

// Slowed returns the predicted throughput of the design's mapping at the machine's speed in the steady part of a run,
// relative to an undisturbed machine. It is at most 1, and 0 if unknown.
func Slowed(ctx context.Context, d *design.Design, p *program.Program, m *run.Measurement) (float64, error) {
	during := period{0, math.Inf(1)}
	if m.Steady != nil {
		during = period{m.Steady.StartUp, m.Steady.Until()}
	}
	if d.Mapping == nil {
		return 0, nil
	}
	s := stateOf(d, d.Mapping, p, m, during)
	if s == nil {
		return 0, nil
	}
	_, was, err := solvedWith(ctx, d.In(s), d.Mapping)
	if err != nil {
		return 0, fmt.Errorf("predicting the run with the measured slowdown: %w", err)
	}
	_, good, err := solvedWith(ctx, d.In(&design.MachineState{}), d.Mapping)
	if err != nil {
		return 0, fmt.Errorf("predicting the run without a slowdown: %w", err)
	}
	return min(1, was.Throughput/good.Throughput), nil
}

// period is a part of a run, in s.
type period struct{ from, to float64 }

// stateOf returns the speed of the machine in a period of a mapping's run; nil if it was not measured.
func stateOf(d *design.Design, mapping *flow.Mapping, p *program.Program, m *run.Measurement,
	during period) *design.MachineState {
	r := d.Reference()
	names := goodtime.ProbeNames()
	if r == nil || len(r.Probes) != len(names) || len(m.Reference) == 0 {
		return nil
	}
	s := &design.MachineState{Slow: make([][]float64, len(d.Program.Resources))}
	sum, lines, seen := 0.0, 0, false
	description := p.Description()
	for process, turns := range m.Reference {
		slow, n := make([]float64, len(names)), 0
		for i := range turns {
			t := &turns[i]
			if i == 0 || t.Time < during.from || t.Time > during.to { // the data of the first turn are in no cache
				continue
			}
			if t.Distance > 0 {
				sum, lines = sum+t.Distance, lines+1
			}
			n++
			for probe, elapsed := range t.Probes {
				if elapsed > 0 && r.Probes[probe].Good > 0 {
					slow[probe] += math.Log(elapsed / r.Probes[probe].Good)
				}
			}
		}
		if n == 0 {
			continue
		}
		seen = true
		for probe := range slow {
			slow[probe] /= float64(n)
		}
		for k := range d.Program.Kernels {
			if description.Kernels[k].Process == process {
				s.Slow[mapping.Place[k]] = slow
			}
		}
	}
	if lines > 0 {
		s.Distance = sum / float64(lines)
		separated := d.Distance()
		s.FarApart = separated != nil && !separated.Near(s.Distance)
	}
	if !seen {
		return nil
	}
	return s
}

// meanState returns the mean of several states.
func meanState(states []*design.MachineState) *design.MachineState {
	mean := &design.MachineState{}
	separated := 0
	for _, s := range states {
		if s.Distance > 0 {
			mean.Distance, separated = mean.Distance+s.Distance, separated+1
		}
		if mean.Slow == nil {
			mean.Slow = make([][]float64, len(s.Slow))
		}
		for r, slow := range s.Slow {
			if mean.Slow[r] == nil && slow != nil {
				mean.Slow[r] = make([]float64, len(slow))
			}
			for probe, x := range slow {
				mean.Slow[r][probe] += x / float64(len(states))
			}
		}
	}
	mean.Distance /= float64(max(separated, 1))
	return mean
}

// storeState stores the speed of the machine in the latest run.
func (c *Case) storeState(ctx context.Context, d *design.Design, s *design.MachineState) error {
	if s == nil {
		return nil
	}
	_, solution, err := solvedWith(ctx, d.In(s), c.Mapping)
	if err != nil {
		return fmt.Errorf("predicting mapping %s with the measured slowdown: %w", c.Name, err)
	}
	c.States = append(c.States, s)
	c.Slowed = append(c.Slowed, solution.Throughput/c.solution.Throughput)
	return nil
}

// undisturbedTimes returns the throughputs of the runs, corrected to an undisturbed machine. If at least fewestGood
// runs were undisturbed, it returns only these runs. A correction never lowers a throughput, because a machine that is
// faster than in the undisturbed state of the profile is not disturbed. undisturbedTimes returns the runs unchanged if
// the speed of the machine is unknown, or if the runs do not support a correction. It also returns the runs unchanged
// if the corrected undisturbed runs are slower than the uncorrected runs.
func (c *Case) undisturbedTimes() []float64 {
	if len(c.Slowed) != len(c.Runs) || c.asMeasured {
		return c.Runs
	}
	var good, all []float64
	for i, r := range c.Runs {
		x := r / min(1, c.Slowed[i])
		if all = append(all, x); c.good(i) {
			good = append(good, x)
		}
	}
	switch {
	case len(good) < fewestGood:
		return all
	case median(good) < median(c.Runs):
		return c.Runs
	}
	return good
}

// correct computes the throughput of a case on an undisturbed machine, and its prediction for the speed in the runs.
func (c *Case) correct(ctx context.Context) (err error) {
	c.Undisturbed, c.Uncorrected, c.WouldBe, c.asMeasured = 0, "", 0, false
	c.wasNetwork, c.wasSolution = nil, nil
	if len(c.Slowed) != len(c.Runs) {
		return nil
	}
	c.Undisturbed = median(c.undisturbedTimes())
	if c.wasNetwork, c.wasSolution, err = solvedWith(ctx, c.design.In(meanState(c.States)), c.Mapping); err != nil {
		return fmt.Errorf("predicting mapping %s with the measured slowdown: %w", c.Name, err)
	}
	if c.Undisturbed <= c.Measured || c.wasSolution.Throughput > c.solution.Throughput { // nothing is corrected
		c.wasNetwork, c.wasSolution = nil, nil
	}
	return nil
}

// discardUnsupported discards the corrections that the runs do not support. These are the corrections of bounded cases
// and of single runs. A correction with a wide 95 % confidence interval that contains the measured throughput is also
// unsupported.
func discardUnsupported(cases []Case) {
	r := Repeatability(cases)
	why := make([]result.Uncorrected, len(cases))
	for i := range cases {
		why[i] = cases[i].unsupported(r)
	}
	for i := range cases {
		c := &cases[i]
		if why[i] == "" && !c.Bounded() {
			continue
		}
		if c.Undisturbed > c.Measured*(1+littleSlower) && !c.Bounded() {
			c.Uncorrected = why[i]
		}
		c.WouldBe = c.Undisturbed
		c.Undisturbed, c.wasNetwork, c.wasSolution, c.asMeasured = 0, nil, nil, true
	}
}

// unsupported returns the reason why the runs of a case do not support its correction; "" if they do or if there is no
// correction.
func (c *Case) unsupported(r *result.Repeatability) result.Uncorrected {
	if !(c.Undisturbed > 0) {
		return ""
	}
	if len(c.Runs) < 2 {
		return result.SingleRun
	}
	if x := c.interval(r); x != nil && x[1] > widest*x[0] && x[0] <= c.Measured && c.Measured <= x[1] {
		return result.WideInterval
	}
	return ""
}

// faster returns the relative speed-up of the machine in the runs compared with the undisturbed state; 0 if it is
// small.
func (c *Case) faster() float64 {
	if len(c.Slowed) != len(c.Runs) || len(c.Runs) == 0 {
		return 0
	}
	if x := median(c.Slowed) - 1; x > littleSlower {
		return x
	}
	return 0
}

// good reports whether a run was undisturbed: the cores were not farther apart than usual, the correction is small, and
// no other programs were busy.
func (c *Case) good(run int) bool {
	return c.Slowed[run] >= 1-littleSlower && !c.States[run].FarApart && !c.crowded(run)
}

// crowded reports whether other programs were busy during a run.
func (c *Case) crowded(run int) bool { return run < len(c.Crowded) && c.Crowded[run] }

// Bounded reports whether the measured throughput is only a lower bound, because other programs were busy in most of
// the runs that count. The reference measures the speed of the processors, but not the processor time that other
// programs used.
func (c *Case) Bounded() bool {
	crowded := 0
	for i := range c.Runs {
		if c.crowded(i) {
			crowded++
		}
	}
	return 2*crowded > len(c.Runs) && (len(c.Slowed) != len(c.Runs) || !c.enoughGood())
}

const (
	fewestGood   = 2    // minimum number of undisturbed runs to ignore the disturbed runs
	littleSlower = 0.03 // maximum relative correction of an undisturbed run
	widest       = 2    // maximum ratio of the ends of an interval that supports a correction
)

// Ran returns the throughput to compare with the prediction, in bytes/s. It is the undisturbed throughput or, if the
// speed of the machine is unknown, the measured throughput.
func (c *Case) Ran() float64 {
	if c.Undisturbed > 0 {
		return c.Undisturbed
	}
	return c.Measured
}
