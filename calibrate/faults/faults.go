// Package faults is the catalogue of the errors and findings that the packages of calibrate report to users.
package faults

import "xopt/internal/fault"

// The identifiers, in alphabetical order.
const (
	ApplicationEnded      fault.ID = "application-ended"
	ContentionNotMeasured fault.ID = "contention-not-measured"
	EarlierKept           fault.ID = "earlier-kept"
	EdgeWithoutData       fault.ID = "edge-without-data"
	GainsDiffer           fault.ID = "gains-differ"
	HardwareDeadlock      fault.ID = "hardware-deadlock"
	KernelFailsAlone      fault.ID = "kernel-fails-alone"
	KernelLeftOut         fault.ID = "kernel-left-out"
	MachineTooBusy        fault.ID = "machine-too-busy"
	NoElementConsumed     fault.ID = "no-element-consumed"
	NoRuleFits            fault.ID = "no-rule-fits"
	NoServiceTime         fault.ID = "no-service-time"
	NothingArrived        fault.ID = "nothing-arrived"
	NothingMoved          fault.ID = "nothing-moved"
	OneProcessor          fault.ID = "one-processor"
	OutputUndriven        fault.ID = "output-undriven"
	PlaceNotNamed         fault.ID = "place-not-named"
	PlatformNotDeclared   fault.ID = "platform-not-declared"
	PlatformNotMeasured   fault.ID = "platform-not-measured"
	ProcessorTaken        fault.ID = "processor-taken"
	ProfileWithoutRates   fault.ID = "profile-without-rates"
	RateImplausible       fault.ID = "rate-implausible"
	RateInDoubt           fault.ID = "rate-in-doubt"
	RecordCut             fault.ID = "record-cut"
	RecordedFigureDiffers fault.ID = "recorded-figure-differs"
	RulesNotUsed          fault.ID = "rules-not-used"
	StatesNotCounted      fault.ID = "states-not-counted"
	TooLargeForFPGA       fault.ID = "too-large-for-fpga"
	UnknownPlace          fault.ID = "unknown-place"
	WindowsDisagree       fault.ID = "windows-disagree"
	WindowsLeftOut        fault.ID = "windows-left-out"
)
