// Package measure executes statements of the TimeTrial language (Lancaster 2011 §3.4) on a deployment. It requests the
// necessary taps from package deploy. During the run it combines their data frame by frame into measurements, and
// evaluates assertions.
//
// Package deploy runs the program, and package report shows the measurements. Conditions are evaluated online, which
// chapter 8 of the thesis left to future work:
//
//   - The process that sends or consumes an element compares the element's value at its sample.
//   - A value of a frame is compared at the end of the frame. The result decides whether the frame's statistics count.
//   - An expression with both kinds of comparison is compiled once for each outcome of the frame comparisons. The
//     values at the end of the frame select the outcome.
//   - A rate under a condition is the number of matching elements divided by the time in which the condition was true.
//     The supervisor estimates this time by sampling.
package measure

import (
	"xopt/deploy/program"
	"xopt/deploy/timetrial"
)

// partial is an expression in which outcomes replace the comparisons of frames. It is a truth value, or a condition for
// each element.
type partial struct {
	steps program.Condition // empty if truth is valid for all elements
	truth timetrial.Truth
}

func (p partial) constant() bool { return len(p.steps) == 0 }

// compiler translates expressions to conditions of package program.
type compiler struct {
	plan    *Plan
	outcome map[*timetrial.Expr]timetrial.Truth // outcomes of the comparisons of frames
	this    *timetrial.Measurement              // quantity of the current sample; may be nil
}

func (c *compiler) expression(e *timetrial.Expr) partial {
	switch e.Op {
	case timetrial.Not:
		p := c.expression(e.Args[0])
		if p.constant() {
			return partial{truth: e.Evaluate(func(*timetrial.Expr) timetrial.Truth { return p.truth })}
		}
		return partial{steps: append(p.steps, program.Step{Op: program.Not})}
	case timetrial.And, timetrial.Or:
		return c.combine(e)
	}
	if e.PerFrame() {
		return partial{truth: c.outcome[e]}
	}
	return partial{steps: c.comparison(e)}
}

// combine folds the arguments of And and Or: a constant either decides the result or is dropped.
func (c *compiler) combine(e *timetrial.Expr) partial {
	op, decides := program.And, timetrial.False
	if e.Op == timetrial.Or {
		op, decides = program.Or, timetrial.True
	}
	var out program.Condition
	unknown := false
	for _, a := range e.Args {
		p := c.expression(a)
		switch {
		case p.constant() && p.truth == decides:
			return partial{truth: decides}
		case p.constant():
			unknown = unknown || p.truth == timetrial.Unknown
		case len(out) == 0:
			out = p.steps
		default:
			out = append(append(out, p.steps...), program.Step{Op: op})
		}
	}
	switch {
	case unknown: // if a frame is unknown, no element counts
		return partial{truth: timetrial.Unknown}
	case len(out) == 0:
		return partial{truth: timetrial.TruthOf(e.Op == timetrial.And)}
	}
	return partial{steps: out}
}

func (c *compiler) comparison(e *timetrial.Expr) program.Condition {
	if e.Op == timetrial.Waiting {
		return program.Condition{{Op: program.Waiting, Object: e.Left.Measurement.Target.Edges[0]}}
	}
	op := map[timetrial.Op]program.Op{timetrial.Less: program.Less, timetrial.LessEqual: program.LessEqual,
		timetrial.Equal: program.Equal}[e.Op]
	return program.Condition{c.operand(e.Left), c.operand(e.Right), {Op: op}}
}

func (c *compiler) operand(o timetrial.Operand) program.Step {
	m := o.Measurement
	switch {
	case m == nil:
		return program.Step{Op: program.Number, Number: o.Number}
	case c.this != nil && same(m, c.this):
		return program.Step{Op: program.This}
	case m.Type == timetrial.Occupancy && m.When == nil:
		c.plan.refuseShared(m)
		return program.Step{Op: program.Queued, Object: m.Target.Edges[0]}
	}
	return program.Step{Op: program.Latest, Object: c.plan.instanceTap(m)}
}

// same reports whether two measurements concern the same elements.
func same(a, b *timetrial.Measurement) bool {
	if a == b {
		return true
	}
	if a.Target.Probe != nil || b.Target.Probe != nil || a.Target.Packets != nil || b.Target.Packets != nil {
		return false // they have separate samples
	}
	if a.Type != b.Type || a.When != nil || b.When != nil || len(a.Target.Edges) != len(b.Target.Edges) ||
		a.Target.Point != b.Target.Point || a.Target.Point != "" && a.Target.Kernel != b.Target.Kernel {
		return false
	}
	for i, e := range a.Target.Edges {
		if b.Target.Edges[i] != e {
			return false
		}
	}
	return true
}

// frameComparisons lists the frame comparisons in an expression.
func frameComparisons(e *timetrial.Expr) []*timetrial.Expr {
	var list []*timetrial.Expr
	for _, x := range e.Comparisons(nil) {
		if x.PerFrame() {
			list = append(list, x)
		}
	}
	return list
}

// perElement reports whether an expression contains a comparison of elements.
func perElement(e *timetrial.Expr) bool {
	return len(e.Comparisons(nil)) > len(frameComparisons(e))
}
