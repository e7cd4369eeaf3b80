package run

import (
	"math"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// Looked contains the number of polls of a condition, and the numbers of polls that found it true and unknown.
type Looked struct {
	Looks, Held, Unknown uint64
}

// evaluate computes the current value of a condition, like condition.c does for samples.
func (r *run) evaluate(c program.Condition) float64 {
	var stack [program.MaxConditionDepth + 2]float64
	n := 2 // two extra values at the bottom, so that the top two always exist
	truth := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for _, s := range c {
		a, b := stack[n-2], stack[n-1]
		isKnown := !math.IsNaN(a) && !math.IsNaN(b)
		v := math.NaN()
		switch s.Op {
		case program.Number:
			v = s.Number
		case program.Queued:
			v = float64(r.queued(s.Object))
		case program.Waiting:
			v = truth(r.load64(r.prog.Edges[s.Object].Control+abi.RingBlockedSince) != 0)
		case program.Running:
			v = truth(r.kernelIn(r.prog.Kernels[s.Object].Process) == s.Object)
		case program.Latest:
			if at := r.prog.Taps[s.Object].At; r.load32(at+abi.TapMeasured) != 0 {
				v = math.Float64frombits(r.load64(at + abi.TapLatest))
			}
		case program.Not:
			if n--; !math.IsNaN(b) {
				v = truth(b == 0)
			}
		case program.Less, program.LessEqual, program.Equal:
			if n -= 2; isKnown {
				v = truth(s.Op == program.Less && a < b || s.Op == program.LessEqual && a <= b ||
					s.Op == program.Equal &&
						a == b)
			}
		case program.And:
			if n -= 2; a == 0 || b == 0 {
				v = 0
			} else if isKnown {
				v = 1
			}
		case program.Or:
			if n -= 2; a == 1 || b == 1 {
				v = 1
			} else if isKnown {
				v = 0
			}
		}
		stack[n] = v
		n++
	}
	return stack[2]
}

// lookConditions evaluates the conditions at a sample.
func (c *collector) lookConditions() {
	for i := range c.prog.Conditions {
		l := &c.conditions[i]
		l.Looks++
		switch v := c.evaluate(c.prog.Conditions[i]); {
		case math.IsNaN(v):
			l.Unknown++
		case v == 1:
			l.Held++
		}
	}
}
