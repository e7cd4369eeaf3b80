package design

import (
	"xopt/flow"
	"xopt/flow/profile"
)

// SharingFigures are how a core is shared, as measured.
type SharingFigures struct {
	Rule       flow.SharingRule
	SwitchCost float64 // seconds for each firing
	// SwitchKnown reports that SwitchCost was measured, also as 0.
	SwitchKnown bool
	Interval    flow.Interval // its
	Refined     string        // by which runs in place SwitchCost was refined; "" for none
	TestError   float64       // greatest relative error of Rule in the profile's test
}

// MeasuredJoinTolerance is how unequal, relatively, the inputs of a join may come when
// gains and routing were measured.
const MeasuredJoinTolerance = 0.02

// LinkFigures are the measured figures of a link.
type LinkFigures struct {
	Bandwidth        float64 // bytes/s, 0 when not measured
	Low, High        float64 // its 95 % confidence interval
	Unusable         bool    // the measured interval, so that Low and High are assumed
	TransferCost     float64 // seconds per transfer, 0 when none was found
	TransferInterval flow.Interval
	TransferBytes    float64           // size of one transfer; 0 for one element
	Latency          float64           // seconds that an element is on its way beside all work; 0 when not measured
	Sends, Receives  flow.Work         // of the cores at its ends; none when not measured
	Distance         *profile.Distance // how far the cores were apart; nil where nothing tells
	Far              *profile.LinkFar  // nil where they were never seen far apart
}
