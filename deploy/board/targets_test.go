package board

import (
	"context"
	"slices"
	"strings"
	"testing"

	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// TestDMAWidth: widths are those that AXI DMA supports; a wider one is unchanged.
func TestDMAWidth(t *testing.T) {
	for width, want := range map[int]int{1: 8, 8: 8, 24: 32, 32: 32, 40: 64, 72: 128,
		1000: 1024, 1024: 1024, 1032: 1032} {
		if got := dmaWidth(width); got != want {
			t.Errorf("%d bits: %d, want %d", width, got, want)
		}
	}
}

// TestEstimate: a target is offered where the design may fit, and refused by the resource that is too small. Other
// families are synthesized for where the first leaves that open.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		name, device, family string
		areas                map[string]flow.Area // by family
		refused              []int
		synthesized          int
	}{
		{"small", "hx8k", "xc7", map[string]flow.Area{"xc7": {1000, 1000, 0.5, 0}}, nil, 1},
		{"just fits", "hx8k", "ice40hx", map[string]flow.Area{"ice40hx": {7680, 7680, 32, 0},
			"xc7": {4000, 5000, 4, 0}}, nil, 2},
		{"up5k is smaller", "up5k", "ice40", map[string]flow.Area{"ice40": {7000, 7000, 0, 0},
			"xc7": {4000, 5000, 4, 0}}, []int{targetICE40}, 2},
		{"more LUTs than the iCE40", "hx8k", "xc7", map[string]flow.Area{"xc7": {9000, 100, 0, 0}},
			[]int{targetICE40}, 1},
		{"multipliers become LUTs", "hx8k", "xc7", map[string]flow.Area{"xc7": {1000, 100, 0, 25},
			"ice40hx": {19000, 200, 0, 0}}, []int{targetICE40}, 2},
		{"block RAM", "hx8k", "xc7", map[string]flow.Area{"xc7": {100, 100, 10, 0}, "ice40hx": {200, 100, 90, 0}},
			[]int{targetICE40}, 2},
		{"more than the default part", "hx8k", "xc7", map[string]flow.Area{"xc7": {21000, 100, 0, 0},
			"ecp5": {50000, 100, 0, 0}}, []int{targetICE40, targetVivado}, 2},
		{"too large for all", "hx8k", "xc7", map[string]flow.Area{"xc7": {1e5, 1e5, 0, 0}},
			[]int{targetICE40, targetECP5, targetVivado}, 1},
		{"too large for ECP5 only when synthesized for it", "hx8k", "xc7", map[string]flow.Area{
			"xc7": {2e4, 4e4, 0, 80}, "ecp5": {9e4, 4e4, 0, 0}}, []int{targetICE40, targetECP5}, 2},
		{"no yosys", "hx8k", "xc7", nil, nil, 1},
	} {
		text := &projectText{boardText: boardOf(c.device)}
		r := &Run{Hardware: &xsim.Hardware{FPGA: xsim.FPGA{FPGA: design.FPGA{Name: "fpga", Family: c.family}}},
			Design: &design.Design{Program: &xlang.Program{Resources: []xlang.Resource{{Name: "fpga"}}}}}
		synthesized := 0
		e, err := estimateOf(context.Background(), r, text, func(_, family string) (flow.Area, error) {
			synthesized++
			if a, ok := c.areas[family]; ok {
				return a, nil
			}
			return flow.Area{}, &rtl.MissingError{Tool: "yosys", Package: "yosys"}
		})
		if err != nil {
			t.Fatal(err)
		}
		text.estimate = *e
		for i, reason := range e.refused {
			if (reason != "") != slices.Contains(c.refused, i) {
				t.Errorf("%s: target %d: %q", c.name, i, reason)
			}
		}
		if len(text.NotOffered()) != len(c.refused) || synthesized != c.synthesized || e.Area == "" || e.Speed == "" ||
			(c.areas == nil) != strings.Contains(e.Area, "unknown") {
			t.Errorf("%s: synthesized %d times, want %d: %+v", c.name, synthesized, c.synthesized, e)
		}
	}
}
