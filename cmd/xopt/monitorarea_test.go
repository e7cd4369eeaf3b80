package main

import (
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"

	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// smallFPGA is a machine with an FPGA that has room for all monitors of the cores.
const smallFPGA = `#include "std.x"
resource proc is C;
resource fpga is HDL (lut=20800, ff=41600, bram=50, family="xc7", clock="50MHz");
resource PCI is bus ({ proc, fpga }, bandwidth="640MB/s", from="assumed");
`

// TestMonitorArea compares the monitors' counts of states and moved words with the simulation. They lack only the
// cycles before the agent started to count, in which the kernels wait for their first words. Their number depends on
// the machine, so the test checks no number of cycles.
func TestMonitorArea(t *testing.T) {
	testkit.Long(t, "it synthesizes monitors, and builds two simulations")
	testkit.Tools(t, "verilator", "g++", "cc", "yosys")
	t.Chdir(t.TempDir())
	typedLine(t, 0, "examples", "queens")
	if err := os.WriteFile("small.x", []byte(smallFPGA), 0o644); err != nil {
		t.Fatal(err)
	}
	deploy := []string{"deploy", "queens/app.x", "small.x", "queens/hardware.x", "--elements", "64", "--sink", "ways",
		"--set", "top.n=6", "--frame", "2ms"}
	_, errs := typedLine(t, 0, append(deploy, "-o", "r.json", "--monitor-area", "10%")...)
	has(t, "what they take", errs, "4 monitors", " % of the LUT of fpga)")
	f, err := os.Open("r.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := result.Decode("r.json", f)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Measured.Monitors) != 4 {
		t.Fatalf("%d monitors, want 4", len(r.Measured.Monitors))
	}
	for _, x := range r.Measured.Monitors {
		seen, all, moving := make(map[string]uint64), uint64(0), uint64(0)
		for _, k := range r.Measured.Kernels {
			if k.Kernel != x.Kernel {
				continue
			}
			moving = k.Cycles.Moving
			for _, s := range k.Cycles.Machines[0].States {
				seen[s.State] = s.Cycles
				all += s.Cycles
			}
		}
		sum, separate := uint64(0), 0.0
		for _, c := range x.Counts {
			if c.What == "moves words" && c.Cycles != moving {
				t.Errorf("%s: %d cycles moved words in the hardware, %d seen", x.Kernel, c.Cycles, moving)
			}
			want, isKnown := seen[c.What]
			if !isKnown {
				continue
			}
			if c.What != "IDLE" && c.Cycles != want {
				t.Errorf("%s: %d cycles of %s in the hardware, %d seen", x.Kernel, c.Cycles, c.What, want)
			}
			sum += c.Cycles
			separate = max(separate, math.Abs(float64(c.Cycles)/float64(x.Cycles)-float64(want)/float64(all)))
		}
		if sum != x.Cycles || x.LUT < 10 || x.BRAM <= 0 || x.MaxDifference == nil ||
			math.Abs(*x.MaxDifference-separate) > 1e-9 {
			t.Errorf("%d cycles in states, shares %v apart: %+v", sum, separate, x)
		}
	}
	_, errs = typedLine(t, 0, append(deploy, "--monitor-area", "1%", "--full")...)
	has(t, "too small a share", errs, "one monitor and its agent need ",
		"omitted monitors: top.queens[1]:state, ")
	_, errs = typedLine(t, 2, "deploy", "queens/app.x", "queens/arch.x", "queens/map.x", "--monitor-area", "5%")
	has(t, "no FPGA", errs, "--monitor-area 5%: the mapping has no kernel on an FPGA")
}

// monitorsIn returns the monitors in a file of results.
func monitorsIn(t *testing.T, name string) []result.Monitor {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := result.Decode(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return r.Measured.Monitors
}

// TestMonitorExport exports a design with the selected monitors. Its model must count the same as the run, record by
// record, and --from board must show it.
func TestMonitorExport(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	testkit.Long(t, "it synthesizes monitors, and builds a simulation and the model of a board")
	testkit.Tools(t, "verilator", "g++", "cc", "yosys", "make")
	t.Chdir(t.TempDir())
	typedLine(t, 0, "examples", "queens")
	if err := os.WriteFile("small.x", []byte(smallFPGA), 0o644); err != nil {
		t.Fatal(err)
	}
	deploy := []string{"deploy", "queens/app.x", "small.x", "queens/hardware.x", "--set", "top.n=6", "--set",
		"top.cores=2"}
	run := append(slices.Clone(deploy), "--elements", "36", "--taps", "none", "--monitor-area", "10%")
	_, errs := typedLine(t, 2, append(slices.Clone(run), "--monitors", "queen[1]")...)
	has(t, "a name of no kernel", errs, "--monitors names queen[1], which has no monitor: did you mean queens[1]?")
	_, errs = typedLine(t, 2, append(slices.Clone(deploy), "--monitors", "queens[1]")...)
	has(t, "no share", errs, "--monitors queens[1] requires --monitor-area")
	_, errs = typedLine(t, 0, append(slices.Clone(run), "--monitors", "queens[2]:state,-queens[1]", "--frame", "2ms",
		"--export", "board", "-o", "run.json")...)
	has(t, "one monitor", errs, "1 monitor in the hardware")
	if text, err := exec.Command("make", "-C", "board", "OPT=-O0", "build/host",
		"build/stream.so").CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, text)
	}
	host := exec.Command("build/host", "--board", "model:build/stream.so,schedule=run/schedule", "--in", "run", "--out",
		"out", "--replay")
	host.Dir = "board"
	if err := os.Mkdir("board/out", 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := host.CombinedOutput(); err != nil {
		t.Fatalf("the host: %v\n%s", err, text)
	}
	sent, err := os.ReadFile("board/out/records")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("board/run/records")
	if err != nil || len(sent) == 0 || !slices.Equal(sent, recorded) {
		t.Errorf("%d bytes of records, in the run %d: %v", len(sent), len(recorded), err)
	}
	out, _ := typedLine(t, 0, append(slices.Clone(deploy), "--from", "board:board/out", "-o", "board.json")...)
	has(t, "what it shows", out, "by monitors in the FPGA", "ATTACK_CHECK", "moves words")
	was, is := monitorsIn(t, "run.json"), monitorsIn(t, "board.json")
	if len(was) != 1 || len(is) != 1 || is[0].Kernel != "top.queens[2]" || is[0].MaxDifference != nil ||
		is[0].Of != was[0].Of || is[0].LUT != was[0].LUT || is[0].Cycles != was[0].Cycles || is[0].Cycles < 1000 ||
		!slices.Equal(is[0].Counts, was[0].Counts) {
		t.Errorf("the run counted %+v, and the model of the board %+v", was, is)
	}
}
