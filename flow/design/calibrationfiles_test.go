package design

import (
	"testing"

	"xopt/flow"
	"xopt/flow/xlang"
)

// TestCalibrationFiles checks that the command that measures a mapping to an FPGA leaves out the file of the mapping.
func TestCalibrationFiles(t *testing.T) {
	at := func(file string) xlang.Pos { return xlang.Pos{File: file} }
	p := &xlang.Program{Kernels: []xlang.Kernel{{Pos: at("app.x")}},
		Resources: []xlang.Resource{{Platform: "C", Pos: at("arch.x")}, {Platform: "HDL", Pos: at("arch.x")}},
		Maps:      []xlang.Map{{Pos: at("map.x")}}}
	files := []string{"app.x", "arch.x", "map.x"}
	for place, want := range []int{3, 2} {
		d := &flow.Mapping{Place: []int{place}}
		if got := CalibrationFiles(p, d, files); len(got) != want {
			t.Errorf("on resource %d: %v", place, got)
		}
	}
}
