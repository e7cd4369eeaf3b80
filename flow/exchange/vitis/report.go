// Package vitis reads synthesis reports of kernels from Vitis HLS or Vivado HLS (csynth.xml).
package vitis

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"xopt/flow/exchange/timed"
	"xopt/flow/faults"
)

// FPGA is the name of the resource for all reports.
const FPGA = "fpga"

const maxBytes = 64 << 20

type reportXML struct {
	XMLName xml.Name `xml:"profile"`
	Name    string   `xml:"UserAssignments>TopModelName"`
	Part    string   `xml:"UserAssignments>Part"`
	Unit    string   `xml:"UserAssignments>unit"`
	Target  string   `xml:"UserAssignments>TargetClockPeriod"`
	Clock   string   `xml:"PerformanceEstimates>SummaryOfTimingAnalysis>EstimatedClockPeriod"`
	Latency string   `xml:"PerformanceEstimates>SummaryOfOverallLatency>Worst-caseLatency"`
	Min     string   `xml:"PerformanceEstimates>SummaryOfOverallLatency>Interval-min"`
	Max     string   `xml:"PerformanceEstimates>SummaryOfOverallLatency>Interval-max"`
	Used    areaXML  `xml:"AreaEstimates>Resources"`
	All     areaXML  `xml:"AreaEstimates>AvailableResources"`
}

type areaXML struct {
	LUT   int64 `xml:"LUT"`
	FF    int64 `xml:"FF"`
	BRAM  int64 `xml:"BRAM_18K"`
	DSP   int64 `xml:"DSP"`
	DSP48 int64 `xml:"DSP48E"` // name before Vitis HLS
	URAM  int64 `xml:"URAM"`
}

func (a *areaXML) area() map[string]int64 {
	return map[string]int64{"lut": a.LUT, "ff": a.FF, "bram": a.BRAM, "dsp": a.DSP + a.DSP48}
}

// Read adds the report of one kernel to a graph: its time on the FPGA, which is the initiation interval, and its area.
func Read(g *timed.Graph, name string, r io.Reader) error {
	var x reportXML
	if err := xml.NewDecoder(io.LimitReader(r, maxBytes)).Decode(&x); err != nil {
		return faults.WrongImportedTimes.Errorf("%s: not a csynth.xml report: %w", name, err)
	}
	k, err := g.Kernel(name, x.Name)
	if err != nil {
		return err
	}
	target, clock := number(x.Target), number(x.Clock)
	cycles := number(x.Max)
	switch {
	case x.Unit != "ns" || !(max(target, clock) >= minPeriod && max(target, clock) <= maxPeriod):
		return faults.WrongImportedTimes.Errorf("%s: the clock period of %s is %.60q %.10s, expected a period in ns",
			name,
			x.Name, x.Target, x.Unit)
	case !(cycles > 0 && timed.IsTime(cycles*max(target, clock)*1e-9)):
		return faults.WrongImportedTimes.Errorf("%s: the maximum interval of %s is %.60q, expected clock cycles "+
			"(bound its "+
			"loops with a LOOP_TRIPCOUNT directive, and repeat the synthesis)", name, x.Name, x.Max)
	}
	notef := func(format string, args ...any) {
		g.Notes = append(g.Notes, faults.LeftOut.Notef("%s: "+format, append([]any{name}, args...)...))
	}
	if clock > target {
		notef("the estimated clock period of %s is %g ns, longer than the target of %g ns; xopt uses the estimated "+
			"period", x.Name, clock, target)
	}
	if x.Min != x.Max {
		notef("the interval of %s is from %s to %s cycles; xopt uses the longest interval", x.Name, x.Min, x.Max)
	}
	if n := number(x.Latency); n > cycles {
		notef("the latency of %s is %s cycles, but xopt only uses its interval of %s cycles: predicted latencies of "+
			"streams are too short", x.Name, x.Latency, x.Max)
	}
	if x.Used.URAM > 0 {
		notef("%s uses URAM (blocks: %d), but xopt does not check whether the FPGA has enough URAM (compare with "+
			"the data sheet of the part)", x.Name, x.Used.URAM)
	}
	fpga := g.Resource(FPGA)
	switch all := x.All.area(); {
	case fpga.Area == nil:
		fpga.Area = all
	case fmt.Sprint(fpga.Area) != fmt.Sprint(all):
		return faults.WrongImportedTimes.Errorf("%s: the report is for part %s, but earlier reports are for another "+
			"part "+
			"(synthesize all kernels for one part)", name, x.Part)
	}
	g.Kernels[k].Times[FPGA] = timed.Time{Seconds: cycles * max(target, clock) * 1e-9, SCV: 0, Area: x.Used.area(),
		From: timed.Imported("simulated", name)}
	return nil
}

// minPeriod and maxPeriod limit clock periods, in ns.
const (
	minPeriod = 1e9 * timed.MinSeconds
	maxPeriod = 1e9
)

// number returns the value of a text; NaN for texts that are not numbers, such as "undef".
func number(text string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
