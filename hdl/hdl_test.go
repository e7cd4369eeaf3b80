package hdl

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool is the path of a program, without which the test cannot be.
func tool(t *testing.T, name, debian string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", name, debian)
	}
	return p
}

// sources writes all Verilog to a folder, and returns its files.
func sources(t *testing.T) []string {
	t.Helper()
	paths, err := Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// simulate runs a test bench under Icarus Verilog; it must say PASS.
func simulate(t *testing.T, bench string, defines []string, parameters map[string]int) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bench")
	args := []string{"-g2005", "-Wall", "-Wno-timescale", "-s", "bench", "-o", out, "-I", layout(t, AgentRecord())}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	for name, v := range parameters {
		args = append(args, fmt.Sprintf("-Pbench.%s=%d", name, v))
	}
	args = append(append(args, bench), sources(t)...)
	if text, err := exec.Command(tool(t, "iverilog", "iverilog"), args...).CombinedOutput(); err != nil ||
		len(text) > 0 {
		t.Fatalf("iverilog %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	text, err := exec.Command(tool(t, "vvp", "iverilog"), "-n", out).CombinedOutput()
	if err != nil || !bytes.Contains(text, []byte("PASS")) || bytes.Contains(text, []byte("FAIL")) {
		t.Fatalf("%s with %v, %v: %v\n%s", bench, defines, parameters, err, text)
	}
	return string(text)
}

// TestStreams sends words through every module of streams, over widths, depths and
// stalls; without stalls a word moves in every cycle.
func TestStreams(t *testing.T) {
	for _, module := range []string{"FIFO", "UPSIZER", "DOWNSIZER", "GEARBOX", "GEARBOX_DOWN", "FORK"} {
		sizes := []int{2, 3, 5}
		for _, size := range sizes {
			for _, width := range []int{1, 8, 33} {
				for _, stall := range [][2]int{{0, 0}, {5, 0}, {0, 5}, {3, 3}, {6, 6}} {
					text := simulate(t, "testdata/stream.v", []string{module}, map[string]int{"WIDTH": width,
						"SIZE": size, "STALL_IN": stall[0], "STALL_OUT": stall[1], "SEED": width + size})
					var cycles int
					if i := strings.Index(text, "cycles "); i >= 0 {
						if _, err := fmt.Sscanf(text[i:], "cycles %d", &cycles); err != nil {
							t.Fatal(err)
						}
					}
					words := 3000
					if module == "DOWNSIZER" {
						words *= size
					}
					if module == "GEARBOX_DOWN" { // of the narrower words
						words = words * (2*size + 1) / size
					}
					if stall == [2]int{0, 0} && (cycles < words || cycles > words+40) {
						t.Errorf("%s of size %d: %d words took %d cycles", module, size, words, cycles)
					}
				}
			}
		}
	}
}

// TestTaps holds every figure of every frame against a model.
func TestTaps(t *testing.T) {
	for seed := range 6 {
		for _, busy := range []int{1, 4, 8} {
			simulate(t, "testdata/taps.v", nil, map[string]int{"SEED": seed + 1, "BUSY": busy, "LOG_DEPTH": 1 + seed%4,
				"CHUNK": 4 << (seed % 3)})
		}
	}
}

// TestAgent holds every record against what was counted. No record is lost where the
// queue takes what comes, whatever stalls there are; else those that are lost are told of.
func TestAgent(t *testing.T) {
	for seed := range 4 {
		for _, c := range []struct {
			stall, buffer, frame int
			lossless             bool
		}{
			// a record of 27 words takes less than a frame
			{0, 6, 100, true}, {4, 6, 100, true}, {6, 6, 150, true}, {7, 8, 300, true},
			{7, 5, 100, false}, {7, 6, 40, false}, {7, 9, 60, false}, {2, 7, 1, true},
			{4, 6, 1<<16 + 70, true}, // a frame that is longer than half of its counter
		} {
			frames := 80
			if c.frame >= 1<<16 {
				frames = 3
				if seed > 0 {
					continue
				}
			}
			text := simulate(t, "testdata/agent.v", nil, map[string]int{"SEED": seed + 1, "STALL": c.stall,
				"LOG_BUFFER": c.buffer, "FRAME": c.frame, "FRAMES": frames})
			var records, lost int
			if i := strings.Index(text, "records "); i < 0 {
				t.Fatal(text)
			} else if _, err := fmt.Sscanf(text[i:], "records %d lost %d", &records, &lost); err != nil {
				t.Fatal(err)
			}
			if (lost == 0) != c.lossless || c.lossless && records != frames {
				t.Errorf("stalls of %d in 8, a queue of %d words, frames of %d cycles: %d records, %d lost", c.stall,
					1<<c.buffer, c.frame, records, lost)
			}
		}
	}
}

// TestLint: Verilator and Yosys take the Verilog without a warning.
func TestLint(t *testing.T) {
	verilator, yosys := tool(t, "verilator", "verilator"), tool(t, "yosys", "yosys")
	files := sources(t)
	for _, f := range files {
		top := strings.TrimSuffix(filepath.Base(f), ".v")
		for _, language := range []string{"1364-2005", "1800-2017"} { // the second has more words that are reserved
			args := append([]string{"--lint-only", "-Wall", "--language", language, "--top-module", top,
				"-Wno-MULTITOP", "-Wno-DECLFILENAME"}, files...)
			if text, err := exec.Command(verilator, args...).CombinedOutput(); err != nil || len(text) > 0 {
				t.Errorf("verilator on %s as %s: %v\n%s", top, language, err, text)
			}
		}
		text, err := exec.Command(yosys, "-q", "-p", fmt.Sprintf("read_verilog %s; hierarchy -check -top %s; proc; "+
			"check -assert; synth_ice40 -top %s", strings.Join(files, " "), top, top)).CombinedOutput()
		if err != nil || bytes.Contains(text, []byte("Warning")) {
			t.Errorf("yosys on %s: %v\n%s", top, err, text)
		}
	}
}

// prove has yosys-smtbmc look for a way to break a property within some cycles, and returns
// what it says at the end. change, if not "", is replaced in the FIFO by to.
func prove(t *testing.T, module string, cycles int, change, to string) string {
	t.Helper()
	yosys, smtbmc := tool(t, "yosys", "yosys"), tool(t, "yosys-smtbmc", "yosys")
	tool(t, "z3", "z3")
	files := sources(t)
	for _, f := range files {
		if change != "" && strings.HasSuffix(f, "xopt_fifo.v") {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte(change)) {
				t.Fatalf("%s does not hold %q", f, change)
			}
			if err := os.WriteFile(f, bytes.ReplaceAll(text, []byte(change), []byte(to)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := filepath.Join(t.TempDir(), "properties.smt2")
	script := fmt.Sprintf("read_verilog -formal -sv -D%s testdata/properties.v %s; prep -top properties -flatten; "+
		"memory_map; async2sync; dffunmap; write_smt2 -wires %s", module, strings.Join(files, " "), out)
	if text, err := exec.Command(yosys, "-q", "-p", script).CombinedOutput(); err != nil {
		t.Fatalf("yosys: %v\n%s", err, text)
	}
	// it fails where a property does
	text, _ := exec.Command(smtbmc, "-s", "z3", "-t", fmt.Sprint(cycles), out).CombinedOutput()
	return string(text[max(0, len(text)-400):])
}

// TestProven: no word is lost, doubled or changed, and data stay while valid waits, in the
// first cycles of any traffic (a FIFO of three words is full and empty several times in
// them); and a FIFO with a mistake is found out.
func TestProven(t *testing.T) {
	for module, cycles := range map[string]int{"FIFO": 14, "UPSIZER": 20, "DOWNSIZER": 20} {
		if said := prove(t, module, cycles, "", ""); !strings.Contains(said, "Status: PASSED") {
			t.Errorf("%s: %s", module, said)
		}
	}
	for _, c := range [][2]string{
		{"assign s_ready = !full;", "assign s_ready = 1'b1;"},                            // a word is lost
		{"read = some && (!m_valid || m_ready)", "read = some && (!m_valid || head[0])"}, // a word is taken back
	} {
		if said := prove(t, "FIFO", 14, c[0], c[1]); !strings.Contains(said, "Status: FAILED") {
			t.Errorf("with %q: %s", c[1], said)
		}
	}
}
