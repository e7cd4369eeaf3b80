package flow

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinel errors, for errors.Is. The concrete errors name the constraint.
var (
	// ErrInfeasible: the mapping cannot be, or no positive flow satisfies it.
	ErrInfeasible = errors.New("infeasible")
	// ErrUnbounded: nothing limits the throughput.
	ErrUnbounded = errors.New("unbounded")
	// ErrCycle: the application has a directed cycle.
	ErrCycle = errors.New("directed cycle")
	// ErrInvalid: the problem contradicts itself.
	ErrInvalid = errors.New("invalid problem")
)

// CycleError names a directed cycle of the application. A flow bound ignores
// what feedback costs and would promise too much, so cycles are refused
// (Beard 2013 §3.1 asks for an acyclic graph).
type CycleError struct {
	Kernels []string // the kernels of the cycle, in order; the last feeds the first
}

// Error names the kernels of the cycle.
func (e *CycleError) Error() string {
	return fmt.Sprintf("directed cycle: %s -> %s; the flow model needs an acyclic application, because it ignores "+
		"what feedback costs",
		strings.Join(e.Kernels, " -> "), e.Kernels[0])
}

// Is reports whether target is ErrCycle.
func (e *CycleError) Is(target error) bool { return target == ErrCycle }

// JoinError names a join whose inputs can never arrive in the ratio in which
// they are consumed.
type JoinError struct {
	Kernel string
	Ports  [2]string
	// Ratio is bytes that arrive on Ports[1] per byte on Ports[0]; Want is what
	// the join consumes. Ratio is NaN where it depends on the sources.
	Ratio, Want float64
}

// Error says what arrives and what would be consumed.
func (e *JoinError) Error() string {
	if e.Ratio == e.Ratio {
		return fmt.Sprintf("kernel %s consumes %s and %s together, %.6g bytes of %s for each byte of %s, but %.6g "+
			"arrive: no steady flow exists; check gain and routing upstream, or the join's counts",
			e.Kernel, e.Ports[0], e.Ports[1], e.Want, e.Ports[1], e.Ports[0], e.Ratio)
	}
	return fmt.Sprintf("kernel %s consumes %s and %s together, but no combination of source rates feeds them in the "+
		"ratio 1 : %.6g bytes; check gain and routing upstream, or the join's counts",
		e.Kernel, e.Ports[0], e.Ports[1], e.Want)
}

// Is reports whether target is ErrInfeasible.
func (e *JoinError) Is(target error) bool { return target == ErrInfeasible }

// Violation is one reason why a mapping cannot be.
type Violation struct {
	Kind     ViolationKind
	Kernel   int // -1 where none
	Edge     int // -1 where none
	Resource int // -1 where none
	Text     string
}

// ViolationKind classifies violations.
type ViolationKind uint8

// The kinds of violation.
const (
	NoImplementation ViolationKind = iota // the kernel has none for its resource
	NoRoute                               // no links join the two resources
	BadRoute                              // the given links do not join the two resources
	AreaExceeded                          // the kernels placed on a resource need more than it has
)

// InfeasibleError lists everything that is wrong with a mapping.
type InfeasibleError struct {
	Violations []Violation
}

// Error joins the violations.
func (e *InfeasibleError) Error() string {
	texts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		texts[i] = v.Text
	}
	return "mapping is infeasible: " + strings.Join(texts, "; ")
}

// Is reports whether target is ErrInfeasible.
func (e *InfeasibleError) Is(target error) bool { return target == ErrInfeasible }

// UnboundedError names the sources whose flow nothing limits.
type UnboundedError struct {
	Sources []string
}

// Error names the sources.
func (e *UnboundedError) Error() string {
	return fmt.Sprintf("throughput is unbounded: nothing on the way of the data from %s has a finite rate; give the "+
		"source or any station after it a service rate",
		strings.Join(e.Sources, ", "))
}

// Is reports whether target is ErrUnbounded.
func (e *UnboundedError) Is(target error) bool { return target == ErrUnbounded }
