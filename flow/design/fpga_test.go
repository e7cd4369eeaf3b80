package design

import (
	"strings"
	"testing"

	"xopt/flow/xlang"
)

// TestFPGA: a platform derived from HDL is an FPGA, at any distance; one derived from C is a core. Its configs are
// read as in the lowering of resources.
func TestFPGA(t *testing.T) {
	p := &xlang.Program{
		Platforms: []xlang.Type{{Name: "C"}, {Name: "C_FAST", Base: "C"}, {Name: "HDL"}, {Name: "HDL_A", Base: "HDL"},
			{Name: "HDL_B", Base: "HDL_A"}, {Name: "GPU"}},
		Resources: []xlang.Resource{{Name: "core", Platform: "C"}, {Name: "fast", Platform: "C_FAST"},
			{Name: "gpu", Platform: "GPU"}, {Name: "a", Platform: "HDL_A"}, {Name: "b", Platform: "HDL_B"}},
	}
	for r, want := range []struct{ core, fpga bool }{{true, false}, {true, false}, {false, false}, {false, true},
		{false, true}} {
		if got := IsCore(p, r); got != want.core {
			t.Errorf("%s is a core: %v", p.Resources[r].Name, got)
		}
		if got := IsFPGA(p, r); got != want.fpga {
			t.Errorf("%s is an FPGA: %v", p.Resources[r].Name, got)
		}
	}
	for _, c := range []struct {
		config xlang.Values
		want   FPGA
		fails  string
	}{
		{xlang.Values{"clock": {Text: "100MHz"}, "family": {Text: "xc7"}}, FPGA{Given: 100e6, Family: "xc7"}, ""},
		{xlang.Values{"freq": {Text: "50", Number: 50, IsNumber: true}}, FPGA{Given: 50e6}, ""},
		{xlang.Values{"clock": {Text: "1MHz"}, "freq": {Text: "50"}}, FPGA{Given: 1e6}, ""},
		{xlang.Values{"clock": {Text: "0MHz"}, "freq": {Text: "50MHz"}}, FPGA{Given: 50e6}, ""},
		{xlang.Values{"clock": {Text: ""}}, FPGA{}, ""},
		{xlang.Values{"width": {Number: 16, IsNumber: true}}, FPGA{Width: 16}, ""},
		{xlang.Values{"ppm": {Number: -4.51, IsNumber: true}, "phase": {Text: "1us"}}, FPGA{PPM: -4.51, Phase: 1e-6},
			""},
		{xlang.Values{"ppm": {Number: 20000, IsNumber: true}}, FPGA{}, "parts per million"},
		{xlang.Values{"phase": {Text: "-3ns"}}, FPGA{}, "phase of resource"},
		{xlang.Values{"width": {Text: "12"}}, FPGA{}, "a multiple of 8 bits"},
		{xlang.Values{"width": {Text: "wide"}}, FPGA{}, "a multiple of 8 bits"},
		{xlang.Values{"clock": {Text: "fast"}}, FPGA{}, "clock of resource b"},
	} {
		p.Resources[4].Config = c.config
		f, err := NewFPGA(p, 4)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v: %v, want an error with %q", c.config, err, c.fails)
			}
			continue
		}
		c.want.Resource, c.want.Name, c.want.Platform = 4, "b", "HDL_B"
		if err != nil || f != c.want {
			t.Errorf("%v is %+v, %v, want %+v", c.config, f, err, c.want)
		}
	}
}
