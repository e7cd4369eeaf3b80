// Package faults is the catalogue of errors and findings that the packages of hdl report.
package faults

import "xopt/internal/fault"

// The identifiers, in alphabetical order.
const (
	CopiesWithoutTurns      fault.ID = "copies-without-turns"
	DeviceNotPlaceable      fault.ID = "device-not-placeable"
	FamilyNotSynthesizable  fault.ID = "family-not-synthesizable"
	InitialTooLarge         fault.ID = "initial-too-large"
	NoClockPorts            fault.ID = "no-clock-ports"
	NoNet                   fault.ID = "no-net"
	NoRegisterPath          fault.ID = "no-register-path"
	NoStream                fault.ID = "no-stream"
	SourceIncludes          fault.ID = "source-includes"
	StreamIncomplete        fault.ID = "stream-incomplete"
	StreamWithoutEdge       fault.ID = "stream-without-edge"
	TooManyCopies           fault.ID = "too-many-copies"
	UnknownHardwareLanguage fault.ID = "unknown-hardware-language"
	WidthDoesNotDivide      fault.ID = "width-does-not-divide"
	WrongPortWidth          fault.ID = "wrong-port-width"
	WrongSignal             fault.ID = "wrong-signal"
)
