package program

import (
	"errors"
	"fmt"
	"math"

	"xopt/deploy/abi"
)

// Op is the operation of a step of a condition.
type Op int

// enum x_op in layout.h defines the operations. The first six operations push a number, and the other operations use
// the stack. True is 1, false is 0, and unknown is NaN.
const (
	Number    Op = abi.OpNumber    // Step.Number
	Queued    Op = abi.OpHeld      // number of elements on edge Object
	Waiting   Op = abi.OpWaiting   // whether the writer of edge Object waits for space
	Running   Op = abi.OpRunning   // whether kernel Object runs
	Latest    Op = abi.OpLatest    // value that tap Object recorded last
	This      Op = abi.OpThis      // the value being recorded
	Less      Op = abi.OpLess      // compares the top two numbers (the right operand is on top)
	LessEqual Op = abi.OpLessEqual // compares the top two numbers, as Less does
	Equal     Op = abi.OpEqual     // compares the top two numbers
	Not       Op = abi.OpNot       // negates the top number
	And       Op = abi.OpAnd       // combines the top two numbers (Kleene's logic)
	Or        Op = abi.OpOr        // combines the top two numbers (Kleene's logic)
)

// Step is one step of a condition.
type Step struct {
	Op     Op
	Object int
	Number float64
}

// Condition is a postfix program. It is evaluated at each sample, with the current counters of all processes. The queue
// of an edge excludes an element during its send, and includes an element during its release. An empty condition is
// always true.
type Condition []Step

// MaxConditionDepth is the maximum number of values on the stack.
const MaxConditionDepth = 64

// check returns an error if a condition cannot be evaluated. taps is the number of taps. sampled reports whether the
// tap with the condition has samples.
func (c Condition) check(p *plan, taps int, sampled bool) error {
	depth := 0
	for _, s := range c {
		limit := math.MaxInt
		switch s.Op {
		case Number:
			if math.IsNaN(s.Number) || math.IsInf(s.Number, 0) {
				return fmt.Errorf("the condition compares with %g, which is not a finite number", s.Number)
			}
		case This:
			if !sampled {
				return errors.New("the condition uses the value of a sample, but this tap has no samples")
			}
		case Queued, Waiting:
			limit = len(p.program.Edges)
		case Running:
			limit = len(p.program.Kernels)
		case Latest:
			limit = taps
		case Not:
			depth--
		case Less, LessEqual, Equal, And, Or:
			depth -= 2
		default:
			return fmt.Errorf("the condition contains the unknown operation %d", int(s.Op))
		}
		if s.Object < 0 || s.Object >= limit {
			return fmt.Errorf("operation %d of the condition refers to object %d, expected a number below %d",
				int(s.Op), s.Object, limit)
		}
		if depth < 0 {
			return errors.New("an operation of the condition has too few operands")
		}
		if depth++; depth > MaxConditionDepth {
			return fmt.Errorf("the condition needs a stack of more than %d numbers (simplify the condition)",
				MaxConditionDepth)
		}
	}
	if len(c) > 0 && depth != 1 {
		return fmt.Errorf("the condition leaves %d numbers on the stack, expected 1", depth)
	}
	return nil
}
