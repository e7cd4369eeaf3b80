// Package faults is the catalogue of the errors and findings that the packages of calibrate report to users.
package faults

import "xopt/internal/fault"

// The identifiers, in alphabetical order.
const (
	ApplicationEnded    fault.ID = "application-ended"
	EdgeWithoutData     fault.ID = "edge-without-data"
	HardwareDeadlock    fault.ID = "hardware-deadlock"
	KernelFailsAlone    fault.ID = "kernel-fails-alone"
	MachineTooBusy      fault.ID = "machine-too-busy"
	NoElementConsumed   fault.ID = "no-element-consumed"
	NoRuleFits          fault.ID = "no-rule-fits"
	NothingArrived      fault.ID = "nothing-arrived"
	NothingMoved        fault.ID = "nothing-moved"
	OutputUndriven      fault.ID = "output-undriven"
	PlaceNotNamed       fault.ID = "place-not-named"
	ProfileWithoutRates fault.ID = "profile-without-rates"
	TooLargeForFPGA     fault.ID = "too-large-for-fpga"
	UnknownPlace        fault.ID = "unknown-place"
)
