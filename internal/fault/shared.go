package fault

import ()

import ()

// The identifiers of errors that several rooms report, in alphabetical order.
const (
	AlreadyExists       ID = "already-exists"
	ClockUnknown        ID = "clock-unknown"
	CopiesUnsupported   ID = "copies-unsupported"
	DeclaredTwice       ID = "declared-twice"
	KernelMismatched    ID = "kernel-mismatched"
	NeedsSimulate       ID = "needs-simulate"
	NestedTooDeep       ID = "nested-too-deep"
	NoFile              ID = "no-file"
	NoKernelOnFPGA      ID = "no-kernel-on-fpga"
	NoMapping           ID = "no-mapping"
	NoRule              ID = "no-rule"
	NoRun               ID = "no-run"
	OtherVersion        ID = "other-version"
	OwnClockUnsupported ID = "own-clock-unsupported"
	PortUnconnected     ID = "port-unconnected"
	RulesDoNotFit       ID = "rules-do-not-fit"
	SeveralFreeSources  ID = "several-free-sources"
	Syntax              ID = "syntax"
	TimesNotMeasured    ID = "times-not-measured"
	TooManyFirings      ID = "too-many-firings"
	UnknownEdge         ID = "unknown-edge"
	UnknownPort         ID = "unknown-port"
	WrongOptionValue    ID = "wrong-option-value"
	WrongTraceFormat    ID = "wrong-trace-format"
)
