// Package faults is the catalogue of the errors and findings that the packages of mapper report to users.
package faults

import "xopt/internal/fault"

// The identifiers, in alphabetical order.
const (
	AnswerOfOtherFiles  fault.ID = "answer-of-other-files"
	BufferAboveLimit    fault.ID = "buffer-above-limit"
	BufferBelowLeast    fault.ID = "buffer-below-least"
	BufferImpossible    fault.ID = "buffer-impossible"
	BuffersNotSimulated fault.ID = "buffers-not-simulated"
	BuffersUnchecked    fault.ID = "buffers-unchecked"
	CopiesBetter        fault.ID = "copies-better"
	DamagedResult       fault.ID = "damaged-result"
	DamagedState        fault.ID = "damaged-state"
	Infeasible          fault.ID = "infeasible"
	MappingStops        fault.ID = "mapping-stops"
	MethodUnsuited      fault.ID = "method-unsuited"
	MismatchPlaced      fault.ID = "mismatch-placed"
	NegativeCosts       fault.ID = "negative-costs"
	NoAreaStated        fault.ID = "no-area-stated"
	NoIntervals         fault.ID = "no-intervals"
	NoPower             fault.ID = "no-power"
	NoPrice             fault.ID = "no-price"
	NoResourceLeft      fault.ID = "no-resource-left"
	NothingToRun        fault.ID = "nothing-to-run"
	OtherState          fault.ID = "other-state"
	SolverDisagrees     fault.ID = "solver-disagrees"
	SolverFailed        fault.ID = "solver-failed"
	StepsLeftOut        fault.ID = "steps-left-out"
	TransfersEarly      fault.ID = "transfers-early"
	WindowTooSmall      fault.ID = "window-too-small"
	WrongLimit          fault.ID = "wrong-limit"
	WrongMethod         fault.ID = "wrong-method"
	WrongObjective      fault.ID = "wrong-objective"
	WrongSolver         fault.ID = "wrong-solver"
	WrongVary           fault.ID = "wrong-vary"
)
