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

// KernelFigures are the measured figures of a kernel on a resource.
type KernelFigures struct {
	ServiceRate    float64 // bytes/s, 0 when not measured
	Low, High      float64 // its 95 % confidence interval
	Unusable       bool    // the measured interval, so that Low and High are assumed
	Gain           float64 // negative when not measured
	ServiceSCV     float64 // negative when not measured
	Times          *flow.Times
	CoLocationCost float64 // s/byte, 0 when not measured
	SwitchCost     float64 // s/byte, of a process for each core; 0 with SwitchKnown is a measured 0
	SwitchKnown    bool
	ReceiveCost    float64 // s/byte, likewise
	SendCost       float64 // s/byte, likewise
	// ReceiveFar and SendFar are what a byte costs more, in s, while the cores are far apart; negative where that was
	// not seen.
	ReceiveFar, SendFar float64
	// Sensitivity is, by the name of a face of the reference, what ln(time) grows by with its; nil when not known.
	Sensitivity map[string]float64
	Contention  *flow.Contention
	Area        flow.Area
	HasArea     bool
	// DivideArea is what dividing a stream among copies on an FPGA and collecting it takes: in all, and for each copy.
	DivideArea    [2]flow.Area
	HasDivideArea bool
	// BusiestPort is the part of the cycles in which words move at the busiest port on an FPGA; 0 where not known.
	BusiestPort float64
	Stale       string  // in what the sources at hand differ from those it was measured of
	Unchecked   string  // why that cannot be told
	Mismatch    string  // in what a kernel on an FPGA computes something else than on a core
	Clock       float64 // Hz, at which ServiceRate holds; 0 when it has none
	MaxClock    float64 // f_max, Hz; 0 when not known
	How         string  // in words, where it is not the usual way
	Elsewhere   string  // the trace that the figures are of, where they were not measured by this program
	Reason      string  // what bounds the rate of a kernel on an FPGA; "" where that is not known
	Refined     string  // by which runs in place ServiceRate was refined; "" for none

	// The intervals of the costs, and the contention at the ends of its own.
	CoLocationInterval, SwitchInterval, ReceiveInterval, SendInterval flow.Interval

	CostAssumed bool // one of them reaches too far to be of use, so that a nearer end is assumed

	ContentionEnds [flow.NumEnds]*flow.Contention
}

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
