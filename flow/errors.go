package flow

import (
	"errors"
	"fmt"
	"strings"

	"xopt/flow/faults"
)

// These are the sentinel errors for errors.Is. The concrete errors name the constraint.
var (
	// ErrInfeasible is the error for an impossible mapping, or for a mapping that no positive flow satisfies.
	ErrInfeasible = errors.New("infeasible")
	// ErrUnbounded is the error for an unlimited throughput.
	ErrUnbounded = errors.New("unbounded")
	// ErrCycle is the error for an application with a directed cycle in which no data can flow.
	ErrCycle = faults.DirectedCycle.Errorf("directed cycle")
	// ErrInvalid is the error for a problem with invalid or contradictory values.
	ErrInvalid = faults.InvalidProblem.Errorf("invalid problem")
)

// CycleError is the error for a directed cycle of the application without initial elements. The kernels of this cycle
// wait for each other forever.
type CycleError struct {
	Kernels []string // in order; the last kernel feeds the first kernel
	Edge    string   // an edge that could have initial elements
}

func (e *CycleError) Error() string {
	return fmt.Sprintf("deadlock in cycle %s: no edge has initial elements, so the kernels wait for each other "+
		"forever (set initial=1 or more on an edge, such as %s)", cycleText(e.Kernels), e.Edge)
}

// cycleText formats a cycle, from its first kernel back to this kernel.
func cycleText(kernels []string) string { return strings.Join(kernels, " -> ") + " -> " + kernels[0] }

func (e *CycleError) Is(target error) bool { return target == ErrCycle }

// InitialError is the error for a cycle with too few initial elements for each kernel to fire once.
type InitialError struct {
	Kernels  []string // in order; the last kernel feeds the first kernel
	Edge     string
	Reader   string
	Consumes int // elements per firing of the reader
	Initial  int
	Needed   int // sufficient initial elements on Edge, if the other edges stay unchanged
}

// elements formats a number of elements in words.
func elements(n float64) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%.16g elements", n)
}

func (e *InitialError) Error() string {
	return fmt.Sprintf("deadlock in cycle %s: edge %s starts with %s, but %s consumes %d elements at once (set "+
		"initial=%d or more on this edge)", cycleText(e.Kernels), e.Edge, elements(float64(e.Initial)), e.Reader,
		e.Consumes, e.Needed)
}

func (e *InitialError) Is(target error) bool { return target == ErrCycle }

// LoopGainError is the error for a loop in which no steady flow is possible.
type LoopGainError struct {
	Kernels []string // of a cycle in the loop, in order; the last kernel feeds the first kernel
	Gain    float64  // bytes that return to the kernel per byte that it sends into the loop
	// Closed is true if no source feeds the loop. A closed loop preserves its data only if Gain is 1; other loops need
	// a Gain below 1.
	Closed bool
}

func (e *LoopGainError) Error() string {
	if e.Closed {
		return fmt.Sprintf("loop %s has no source and returns %.6g bytes for each byte of a round, expected exactly "+
			"1 byte (check the gain and routing of its kernels)",
			cycleText(e.Kernels), e.Gain)
	}
	return fmt.Sprintf("loop %s returns %.6g bytes for each byte of a round, expected less than 1 byte: the data of "+
		"its sources accumulates, and no steady flow exists (check the gain and routing of its kernels)",
		cycleText(e.Kernels), e.Gain)
}

func (e *LoopGainError) Is(target error) bool { return target == ErrInfeasible }

// JoinError is the error for a join whose inputs can never arrive in the ratio that the join requires.
type JoinError struct {
	Kernel string
	Ports  [2]string
	// Ratio is the number of arriving bytes on Ports[1] per byte on Ports[0]. Want is the ratio in which the join
	// consumes these bytes. Ratio is NaN if it depends on the sources.
	Ratio, Want float64
}

func (e *JoinError) Error() string {
	if e.Ratio == e.Ratio {
		return fmt.Sprintf("no steady flow exists: a join of kernel %s consumes %.6g bytes of %s for each byte of %s, "+
			"but %.6g bytes arrive (check the gain and routing upstream, or the counts of the join)",
			e.Kernel, e.Want, e.Ports[1], e.Ports[0], e.Ratio)
	}
	return fmt.Sprintf("no steady flow exists: a join of kernel %s consumes %.6g bytes of %s for each byte of %s, but "+
		"no source rates supply this ratio (check the gain and routing upstream, or the counts of the join)",
		e.Kernel, e.Want, e.Ports[1], e.Ports[0])
}

func (e *JoinError) Is(target error) bool { return target == ErrInfeasible }

// Violation is one reason why a mapping is infeasible.
type Violation struct {
	Kind     ViolationKind
	Kernel   int // -1 if none
	Edge     int // -1 if none
	Resource int // -1 if none
	Text     string
}

// ViolationKind classifies violations.
type ViolationKind uint8

// These are the kinds of violation.
const (
	NoImplementation ViolationKind = iota // the kernel has no implementation for its resource
	NoRoute                               // no links connect the two resources
	BadRoute                              // the given links do not connect the two resources
	AreaExceeded                          // the kernels on a resource need more than its area
	StuckCycle                            // a link waits for more elements than a cycle contains
)

// InfeasibleError is the error for an infeasible mapping. It lists all violations.
type InfeasibleError struct {
	Violations []Violation
}

func (e *InfeasibleError) Error() string {
	texts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		texts[i] = v.Text
	}
	return "mapping is infeasible: " + strings.Join(texts, "; ")
}

func (e *InfeasibleError) Is(target error) bool { return target == ErrInfeasible }

// UnboundedError is the error for sources whose flow has no limit.
type UnboundedError struct {
	Sources []string
}

func (e *UnboundedError) Error() string {
	return fmt.Sprintf("throughput is unbounded: %s and all kernels after it have no finite service rate (set the "+
		"service rate of one of these kernels)",
		strings.Join(e.Sources, ", "))
}

func (e *UnboundedError) Is(target error) bool { return target == ErrUnbounded }
