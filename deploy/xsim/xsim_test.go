package xsim

import (
	"slices"
	"strings"
	"testing"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// TestMonitors: the requested taps determine the monitors in hardware, and there are no others.
func TestMonitors(t *testing.T) {
	p := &xlang.Program{Kernels: make([]xlang.Kernel, 4), Edges: []xlang.Edge{{From: 0, To: 1}, {From: 1, To: 2},
		{From: 2, To: 3}}}
	none, streams := rtl.Monitors{}, rtl.Monitors{Streams: true}
	queue, latency := rtl.Monitors{Queue: true, Occupancy: true}, rtl.Monitors{Latency: true}
	bins := func(shift int) rtl.Monitors {
		return rtl.Monitors{Queue: true, Occupancy: true, OccupancyBins: true, OccupancyShift: shift}
	}
	all := func(shift int) rtl.Monitors {
		return rtl.Monitors{Streams: true, Queue: true, Occupancy: true, Latency: true, OccupancyBins: true,
			LatencyBins: true, OccupancyShift: shift}
	}
	hist := func(b program.Bins) []program.Tap {
		return []program.Tap{{Kind: program.Occupancy, Edge: 0, Histogram: &b}}
	}
	for name, c := range map[string]struct {
		taps []program.Tap
		want []rtl.Monitors
	}{
		"nothing":      {nil, []rtl.Monitors{none, none, none}},
		"occupancy":    {[]program.Tap{{Kind: program.Occupancy, Edge: 1}}, []rtl.Monitors{none, queue, none}},
		"service time": {[]program.Tap{{Kind: program.Service, Kernel: 1}}, []rtl.Monitors{streams, streams, none}},
		"latency":      {[]program.Tap{{Kind: program.Latency, Edge: 2}}, []rtl.Monitors{none, none, latency}},
		"path":         {[]program.Tap{{Kind: program.Latency, Path: []int{0, 1}}}, []rtl.Monitors{none, none, none}},
		"all":          {program.StandardTaps(p, 0), []rtl.Monitors{all(0), all(1), all(6)}},
		"histogram":    {hist(program.Bins{Width: 4, N: 100}), []rtl.Monitors{bins(2), none, none}},
		"odd bins":     {hist(program.Bins{Width: 3, N: 100}), []rtl.Monitors{bins(0), none, none}},
		"many bins":    {hist(program.Bins{Width: 1, N: 1000}), []rtl.Monitors{bins(0), none, none}},
		"path of one":  {[]program.Tap{{Kind: program.Latency, Path: []int{1}}}, []rtl.Monitors{none, latency, none}},
	} {
		if got := monitors(&design.Design{Program: p, Buffers: map[int]int{0: 126, 1: 127, 2: 4096}},
			c.taps); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestNewFPGA: the family is the given one, or that of the device; one of the two is required.
func TestNewFPGA(t *testing.T) {
	p := &xlang.Program{
		Platforms: []xlang.Type{{Name: "HDL"}},
		Resources: []xlang.Resource{
			{Name: "family", Platform: "HDL", Config: xlang.Values{"family": {Text: "xc7"}}},
			{Name: "unknown", Platform: "HDL", Config: xlang.Values{"clock": {Text: "1MHz"}}},
			{Name: "device", Platform: "HDL", Config: xlang.Values{"device": {Text: "none such"}}},
		},
	}
	if f, err := NewFPGA(p, 0); err != nil || f.Family != "xc7" {
		t.Errorf("%+v, %v", f, err)
	}
	for _, r := range []int{1, 2} {
		if _, err := NewFPGA(p, r); err == nil || !strings.Contains(err.Error(), "expected family=") {
			t.Errorf("%s: %v", p.Resources[r].Name, err)
		}
	}
	for device, family := range rtl.Placeable() {
		p.Resources[2].Config["device"] = xlang.Value{Text: device}
		if f, err := NewFPGA(p, 2); err != nil || f.Family != family || f.Device != device {
			t.Errorf("%s: %+v, %v", device, f, err)
		}
	}
}
