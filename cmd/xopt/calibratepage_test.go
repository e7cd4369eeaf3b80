package main

import (
	"bytes"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// calibrated returns the result of a calibration of kernels on a core and on an FPGA, on a disturbed machine.
func calibrated() *result.Result {
	figure := func(v, low, high float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 6, CI95: [2]float64{low, high}, Windows: []float64{low, v, v, high}}
	}
	hardware := func(name string, lut float64) profile.Kernel {
		return profile.Kernel{Block: "F", Instance: name, Platform: "FPGA", ServiceRate: figure(400e6, 400e6, 400e6),
			ServiceSCV: figure(0, 0, 0), Gain: figure(2, 2, 2), Clock: 100e6, MaxClock: figure(212.5e6, 212.5e6,
				212.5e6),
			Area: &profile.Area{LUT: lut, FF: 65, BRAM: 1.5, DSP: 3},
			How:  "at 100 MHz; RTL simulation, Verilator 5.006"}
	}
	return &result.Result{Schema: result.Schema, Tool: "xopt", Application: "top", Candidates: []result.Candidate{},
		Profile: &profile.Profile{Schema: profile.Schema, Machine: profile.Machine{CPU: "a processor", Cores: 2},
			Conditions: &profile.Conditions{Disturbed: "something else used 1.5 processors"},
			Kernels: []profile.Kernel{
				{Block: "G", Instance: "top.g", Platform: "C", ServiceRate: figure(8e9, 2e9, 27e9)},
				{Block: "F", Instance: "top.f", Platform: "C", ServiceRate: figure(2e9, 1.9e9, 2.1e9),
					Gain: figure(2, 2, 2)},
				hardware("top.f", 1234), hardware("top.h", 77)},
			Links: []profile.Link{{Linktype: "memory", Bandwidth: figure(1e10, 9e9, 1.1e10)}}}}
}

// calibrationPage writes the page of a calibration.
func calibrationPage(t *testing.T) (path, text string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	var b bytes.Buffer
	if err := calibrated().Encode(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cal.result.json", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	typedLine(t, 0, "report", "cal.result.json")
	page, err := os.ReadFile("cal.html")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "cal.html"), string(page)
}

// TestCalibrationPage checks that the page of a calibration states the kernels measured in simulation and the
// machine's disturbance. It must show areas and clocks of hardware kernels, and not warn about areas.
func TestCalibrationPage(t *testing.T) {
	_, page := calibrationPage(t)
	has(t, "the page", page, ">3</", "measured alone, with 2 figures from RTL simulation", ">disturbed<",
		"something else used 1.5 processors", "!no area")
	g := pageGrids(page)["profile-hardware"]
	if g == nil {
		t.Fatal("no table of kernels in hardware")
	}
	if got := strings.Join(g.heads, "|"); got != "kernel|on|μ|scv|gain|LUT|FF|BRAM|DSP|f_max" {
		t.Errorf("columns %s", got)
	}
	if got := strings.Join(g.rows[0], "|"); got != "top.f|FPGA|400 MB/s|0|2|1234|65|1.5|3|212 MHz" {
		t.Errorf("row %s", got)
	}
	if cores := pageGrids(page)["profile"]; cores == nil || len(cores.rows) != 2 {
		t.Errorf("kernels on cores: %+v", cores)
	}
	out, _ := typedLine(t, 0, "report", "cal.result.json", "--format", "csv")
	has(t, "CSV", out, "top.f,FPGA,4e+08,0,2,1234,65,1.5,3,2.125e+08")
}

// TestCalibrationPageOpens opens the page in a browser: no console errors, its chart is drawn, axe-core finds
// nothing, and nothing is lost in print.
func TestCalibrationPageOpens(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	path, _ := calibrationPage(t)
	dom := opened(t, path)
	for _, want := range []string{"measured alone, with 2 figures from RTL", "212 MHz", "_echarts_instance_="} {
		if !strings.Contains(html.UnescapeString(dom), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	accessible(t, path)
	printed(t, path, dom)
}
