package hdl

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// sources writes all Verilog to a folder and returns its paths.
func sources(t *testing.T) []string {
	t.Helper()
	paths, err := Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// compile compiles a test bench with Icarus Verilog.
func compile(t *testing.T, bench string, defines []string, parameters map[string]int) string {
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
	if text, err := exec.Command(testkit.Tool(t, "iverilog", "iverilog"), args...).CombinedOutput(); err != nil ||
		len(text) > 0 {
		t.Fatalf("iverilog %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return out
}

// run runs a test bench with arguments, such as seed=1. It must print PASS.
func run(t *testing.T, bench string, arguments ...string) string {
	t.Helper()
	args := []string{"-n", bench}
	for _, a := range arguments {
		args = append(args, "+"+a)
	}
	text, err := exec.Command(testkit.Tool(t, "vvp", "iverilog"), args...).CombinedOutput()
	if err != nil || !bytes.Contains(text, []byte("PASS")) || bytes.Contains(text, []byte("FAIL")) {
		t.Fatalf("with %v: %v\n%s", arguments, err, text)
	}
	return string(text)
}

// TestStreams sends words through every stream module, over widths, depths and stalls. Without stalls a word moves in
// every cycle.
func TestStreams(t *testing.T) {
	sizes, widths, stalls := []int{2, 3, 5}, []int{1, 8, 33}, [][2]int{{0, 0}, {5, 0}, {0, 5}, {3, 3}, {6, 6}}
	if testing.Short() {
		sizes, widths, stalls = sizes[1:2], widths[1:2], [][2]int{{0, 0}, {3, 3}}
	}
	for _, module := range []string{"FIFO", "UPSIZER", "DOWNSIZER", "GEARBOX", "GEARBOX_DOWN", "FORK", "INITIAL",
		"TURNS"} {
		for _, size := range sizes {
			for _, width := range widths {
				t.Run(fmt.Sprintf("%s/%d/%d", module, size, width), func(t *testing.T) {
					t.Parallel()
					bench := compile(t, "testdata/stream.v", []string{module}, map[string]int{"WIDTH": width,
						"SIZE": size})
					for _, stall := range stalls {
						text := run(t, bench, fmt.Sprint("stall_in=", stall[0]), fmt.Sprint("stall_out=", stall[1]),
							fmt.Sprint("seed=", width+size))
						if stall == [2]int{} {
							throughput(t, text, module, size)
						}
					}
				})
			}
		}
	}
}

// TestAsyncFIFO sends words between clocks of different rates, with drift and jitter. Without stalls, and with room for
// the latency of the pointers, a word moves in every cycle of the slower clock.
func TestAsyncFIFO(t *testing.T) {
	clocks := [][2]int{{500, 170}, {500, 500}, {500, 499}, {170, 500}, {1500, 70}, {70, 1500}}
	depths := []int{4, 2}
	if testing.Short() {
		clocks, depths = clocks[:2], depths[:1]
	}
	for _, depth := range depths {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			t.Parallel()
			bench := compile(t, "testdata/async_fifo.v", nil, map[string]int{"WIDTH": 4*depth + 1,
				"LOG_DEPTH": depth})
			for seed, c := range clocks {
				for _, x := range []struct{ jitter, in, out int }{{0, 0, 0}, {60, 0, 0}, {60, 4, 0}, {60, 0, 4},
					{3, 3, 3}} {
					text := run(t, bench, fmt.Sprint("s_half=", c[0]), fmt.Sprint("m_half=", c[1]),
						fmt.Sprint("jitter=", x.jitter), fmt.Sprint("stall_in=", x.in), fmt.Sprint("stall_out=", x.out),
						fmt.Sprint("seed=", seed+1))
					if x.in+x.out > 0 || depth < 4 {
						continue
					}
					const words, start, tolerance = 1000, 20, 0.01
					slower := float64(2 * max(c[0], c[1]))
					elapsed := float64(number(t, text, "took ")) / slower
					if elapsed < words*(1-tolerance) || elapsed > (words+start)*(1+tolerance) {
						t.Errorf("half periods of %v, jitter %d: %d words took %.1f cycles of the slower clock", c,
							x.jitter, words, elapsed)
					}
					full := number(t, text, "full ")
					if (full > 0) != (c[0] < c[1]) && c[0] != c[1] && x.jitter == 0 {
						t.Errorf("half periods of %v: the writer found the queue full %d times", c, full)
					}
				}
			}
		})
	}
}

// throughput fails a test unless a word moved in every cycle.
func throughput(t *testing.T, text, module string, size int) {
	t.Helper()
	words := 1000
	switch module {
	case "DOWNSIZER":
		words *= size
	case "GEARBOX_DOWN": // of the narrower words
		words = words * (2*size + 1) / size
	}
	cycles := number(t, text, "cycles ")
	if cycles < words || cycles > words+40 {
		t.Errorf("%d words took %d cycles", words, cycles)
	}
}

// number returns the number after a word in a test bench's output.
func number(t *testing.T, text, word string) (n int) {
	t.Helper()
	_, after, ok := strings.Cut(text, word)
	if _, err := fmt.Sscanf(after, "%d", &n); !ok || err != nil {
		t.Fatalf("a test bench says %q, and no %q", text, word)
	}
	return n
}

// TestTaps compares every figure of every frame with a model.
func TestTaps(t *testing.T) {
	loads, frames := []int{1, 4, 8, 4, 8, 1}, 40 // by seed: how often of 8 a word comes
	if testing.Short() {
		loads, frames = loads[1:2], 8
	}
	for seed, busy := range loads {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			bench := compile(t, "testdata/taps.v", nil, map[string]int{"LOG_DEPTH": 1 + seed%4,
				"CHUNK": 4 << (seed % 3), "FRAMES": frames})
			run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("busy=", busy))
		})
	}
}

// TestStates compares the cycles of each state, frame by frame, with a count, for different rates of state changes.
func TestStates(t *testing.T) {
	sizes, changes := []int{3, 1, 5}, []int{8, 1, 0, 4}
	if testing.Short() {
		sizes, changes = sizes[:1], changes[:2]
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bench := compile(t, "testdata/states.v", nil, map[string]int{"BITS": n, "COUNT_WIDTH": 12})
			for seed, change := range changes {
				run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("change=", change), fmt.Sprint("gaps=", seed%2))
			}
		})
	}
}

// TestTrace reconstructs the values from the records of changes, and compares each cycle with the true value. It covers
// conditions, triggers, slow readers and reports of lost records. TestTraceAXI does the same for a memory behind a bus.
func TestTrace(t *testing.T) {
	traceBench(t, "testdata/trace.v", "xopt_trace")
}

// TestTraceAXI is TestTrace with records that are written to memory in bursts.
func TestTraceAXI(t *testing.T) {
	traceBench(t, "testdata/traceaxi.v", "xopt_trace_axi")
}

// traceBench runs a test bench over widths of times, stalls and rates of changes.
func traceBench(t *testing.T, path, module string) {
	t.Helper()
	sizes := []int{8, 10, 12}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, bits := range sizes {
		t.Run(fmt.Sprintf("%s/%d", module, bits), func(t *testing.T) {
			t.Parallel()
			bench := compile(t, path, nil, map[string]int{"TIME_BITS": bits})
			lost := 0
			for seed, c := range []struct{ change, stall, gate, trigger int }{{2, 0, 0, 0}, {8, 7, 0, 0},
				{1, 2, 3, 0}, {0, 4, 0, 40}, {3, 5, 4, 700}} {
				text := run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("change=", c.change),
					fmt.Sprint("stall=", c.stall), fmt.Sprint("gate=", c.gate), fmt.Sprint("trigger=", c.trigger))
				n := number(t, text, "dropped ")
				if c.change == 8 && n == 0 || c.stall == 0 && n > 0 {
					t.Errorf("%+v: %d changes were dropped", c, n)
				}
				lost += n
			}
			if lost == 0 {
				t.Error("no change was ever dropped: the test does not see what happens then")
			}
		})
	}
}

// TestSynchronization checks that the error of a slave's time is at most half of the difference of the latencies, and
// that its time never runs backward. Responses are lost or late, and other words are interleaved.
func TestSynchronization(t *testing.T) {
	ways := [][2]int{{7, 7}, {1, 30}, {30, 1}, {90, 90}, {12, 13}}
	if testing.Short() {
		ways = ways[1:2]
	}
	for _, way := range ways {
		t.Run(fmt.Sprint(way), func(t *testing.T) {
			t.Parallel()
			bench := compile(t, "testdata/ptp.v", nil, map[string]int{"UP": way[0], "DOWN": way[1]})
			for seed, x := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("lost=", x[0]), fmt.Sprint("foreign=", x[1]))
			}
		})
	}
}

// TestProbes checks that a sink of probes forwards other words unchanged, and that its figures for each source are
// correct. A probe is sent in each period, with the time at which it was offered.
func TestProbes(t *testing.T) {
	bench := compile(t, "testdata/probe.v", nil, nil)
	for seed, stall := range []int{0, 2, 5, 6, 0, 4} {
		if testing.Short() && seed > 1 {
			break
		}
		run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("stall=", stall))
	}
}

// TestPackets compares the counts of the monitors of packets and events with a model.
func TestPackets(t *testing.T) {
	bench := compile(t, "testdata/packets.v", nil, nil)
	// stalls, and whether times are recorded slowly
	for seed, x := range [][2]int{{0, 0}, {0, 1}, {3, 0}, {6, 0}, {1, 1}} {
		run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("stall=", x[0]), fmt.Sprint("slow=", x[1]))
	}
}

// TestAgent compares every record with a model. If the queue has room, no record is lost, whatever stalls there are.
// Otherwise the lost records are reported.
func TestAgent(t *testing.T) {
	type load struct {
		stall, frame int
		lossless     bool
	}
	for buffer, loads := range map[int][]load{ // by queue size
		5: {{7, 100, false}},
		// a record of 27 words is shorter than a frame
		6: {{4, 100, true}, {0, 100, true}, {6, 150, true}, {7, 40, false},
			{4, 1<<16 + 70, true}}, // a frame that is longer than half of its counter
		7: {{2, 1, true}},
		8: {{7, 300, true}},
		9: {{7, 60, false}},
	} {
		seeds := 2
		if testing.Short() {
			seeds, loads = 1, loads[:1]
			if buffer > 6 {
				continue
			}
		}
		t.Run(fmt.Sprint(buffer), func(t *testing.T) {
			t.Parallel()
			bench := compile(t, "testdata/agent.v", nil, map[string]int{"LOG_BUFFER": buffer})
			for _, c := range loads {
				for seed := range seeds {
					frames := 80
					if c.frame >= 1<<16 {
						if frames = 2; seed > 0 {
							break
						}
					}
					text := run(t, bench, fmt.Sprint("seed=", seed+1), fmt.Sprint("stall=", c.stall),
						fmt.Sprint("frame=", c.frame), fmt.Sprint("frames=", frames), "shown=0")
					records, lost := number(t, text, "records "), number(t, text, "lost ")
					if (lost == 0) != c.lossless || c.lossless && records != frames {
						t.Errorf("stalls of %d in 8, frames of %d cycles: %d records, %d lost", c.stall, c.frame,
							records, lost)
					}
				}
			}
		})
	}
}

// TestLint checks that Verilator and Yosys accept the Verilog without warnings.
func TestLint(t *testing.T) {
	verilator := testkit.Tool(t, "verilator", "verilator")
	// Yosys checks these as parts of others.
	parts := []string{"xopt_fifo", "xopt_count", "xopt_words", "xopt_sum", "xopt_compare", "xopt_extremes",
		"xopt_value",
		"xopt_bins", "xopt_bin_chunk", "xopt_turns"}
	files := sources(t)
	for _, f := range files {
		top := strings.TrimSuffix(filepath.Base(f), ".v")
		t.Run(top, func(t *testing.T) {
			t.Parallel()
			// This language has the most reserved words of all.
			args := append([]string{"--lint-only", "-Wall", "--language", "1800-2017", "--top-module", top,
				"-Wno-MULTITOP"}, files...)
			if text, err := exec.Command(verilator, args...).CombinedOutput(); err != nil || len(text) > 0 {
				t.Errorf("verilator: %v\n%s", err, text)
			}
			if testing.Short() || slices.Contains(parts, top) {
				return
			}
			text, err := exec.Command(testkit.Tool(t, "yosys", "yosys"), "-q", "-p",
				fmt.Sprintf("read_verilog %s; hierarchy "+
					"-check -top %s; proc; check -assert; synth_ice40 -top %s", strings.Join(files, " "), top,
					top)).CombinedOutput()
			if err != nil || bytes.Contains(text, []byte("Warning")) {
				t.Errorf("yosys: %v\n%s", err, text)
			}
		})
	}
}

// TestParameters checks that an invalid parameter ends a simulation with an error that names it, and ends synthesis
// before it starts.
func TestParameters(t *testing.T) {
	files := sources(t)
	for _, c := range []struct {
		module, parameter string
		value             int
	}{
		{"xopt_gearbox", "LOG", 3}, {"xopt_downsizer", "RATIO", 9}, {"xopt_upsizer", "RATIO", 5},
		{"xopt_async_fifo", "LOG_DEPTH", 1},
		{"xopt_fork", "WAYS", 1}, {"xopt_splitter", "WAYS", 1}, {"xopt_joiner", "WAYS", 1},
		{"xopt_turns", "WORDS", 3}, {"xopt_initial", "WORDS", 3}, {"xopt_initial", "TABLE", 2},
		{"xopt_activity", "CHUNK", 12}, {"xopt_queue", "CHUNK", 12}, {"xopt_extremes", "WIDTH", 33},
		{"xopt_histogram", "CHUNK", 12}, {"xopt_every", "N", 3}, {"xopt_agent", "LOG_BUFFER", 3},
		{"xopt_states", "COUNT_WIDTH", 33}, {"xopt_trace", "TIME_BITS", 1}, {"xopt_trace_axi", "LOG_BURST", 9},
		{"xopt_agent", "WORDS", 1 << 16},
		{"xopt_control", "QUIET", 1}, {"xopt_serial", "DIVISOR", 3}, {"xopt_port_in", "LOG_DEPTH", 15},
		{"xopt_port_out", "BEATS", 2},
		{"xopt_timer", "LOG_SLEW", 17}, {"xopt_ptp_slave", "DATA_WIDTH", 132},
		{"xopt_ptp_slave", "LOG_STEP", 32}, {"xopt_ptp_master", "DATA_WIDTH", 132}, {"xopt_probe", "DATA_WIDTH", 132},
		{"xopt_probe_sink", "DATA_WIDTH", 132}, {"xopt_packets", "KEEP_WIDTH", 12}, {"xopt_event", "DATA_WIDTH", 48},
	} {
		t.Run(c.module+"/"+c.parameter, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			args := append([]string{"-g2005", "-s", c.module, fmt.Sprintf("-P%s.%s=%d", c.module, c.parameter, c.value),
				"-o", out}, files...)
			if text, err := exec.Command(testkit.Tool(t, "iverilog", "iverilog"),
				args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			text, err := exec.Command(testkit.Tool(t, "vvp", "iverilog"), "-n", out).CombinedOutput()
			if err == nil || !strings.Contains(string(text), "FATAL") || !strings.Contains(string(text), c.parameter+
				" is") {
				t.Errorf("a simulation says %v\n%s", err, text)
			}
			if testing.Short() {
				return
			}
			text, err = exec.Command(testkit.Tool(t, "yosys", "yosys"), "-q", "-p",
				fmt.Sprintf("read_verilog %s; hierarchy "+
					"-check -top %s -chparam %s %d; proc", strings.Join(files, " "), c.module, c.parameter,
					c.value)).CombinedOutput()
			if err == nil {
				t.Errorf("yosys takes it: %s", text)
			}
		})
	}
}

// provenCycles is the number of first cycles that proofs cover.
const provenCycles = 20

// prove searches the first cycles for a violation of a property with abc, and returns the end of abc's output.
// change, if not "", is replaced by to in the module.
func prove(t *testing.T, module, change, to string) string {
	t.Helper()
	yosys, abc := testkit.Tool(t, "yosys", "yosys"), testkit.Tool(t, "yosys-abc", "yosys")
	files := sources(t)
	for _, f := range files {
		if change != "" && strings.HasSuffix(f, "xopt_"+strings.ToLower(module)+".v") {
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
	out := filepath.Join(t.TempDir(), "properties.aig")
	// -zinit has registers without an initial value begin with any value.
	script := fmt.Sprintf("read_verilog -formal -sv -D%s testdata/properties.v %s; prep -top properties -flatten; "+
		"memory_map; async2sync; dffunmap; setundef -undriven -anyseq; opt -fast -nodffe -nosdff; techmap; "+
		"abc -g AND -fast; opt_clean; write_aiger -zinit %s", module, strings.Join(files, " "), out)
	if text, err := exec.Command(yosys, "-q", "-p", script).CombinedOutput(); err != nil {
		t.Fatalf("yosys: %v\n%s", err, text)
	}
	text, err := exec.Command(abc, "-c", fmt.Sprintf("read_aiger %s; fold; strash; bmc3 -F %d", out,
		provenCycles)).CombinedOutput()
	if err != nil {
		t.Fatalf("yosys-abc: %v\n%s", err, text)
	}
	return string(text[max(0, len(text)-400):])
}

// TestProven proves for the first cycles of any traffic that no word is lost, duplicated or changed, and that data stay
// while valid waits. A FIFO of three words is full and empty several times in these cycles. Faulty modules must fail.
func TestProven(t *testing.T) {
	for _, module := range []string{"FIFO", "UPSIZER", "DOWNSIZER"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			if output := prove(t, module, "", ""); !strings.Contains(output,
				fmt.Sprintf("No output asserted in %d frames.", provenCycles)) {
				t.Error(output)
			}
		})
	}
	for _, c := range []struct{ module, change, to string }{
		// words are lost
		{"FIFO", "assign s_axis_tready = !full;", "assign s_axis_tready = 1'b1;"},
		{"UPSIZER", "!last || !m_axis_tvalid || m_axis_tready", "1'b1"},
		{"DOWNSIZER", "count_reg == 0 || (count_reg == 1 && m_axis_tready)", "1'b1"},
		// a word is withdrawn
		{"FIFO", "not_empty && (!m_axis_tvalid || m_axis_tready)",
			"not_empty && (!m_axis_tvalid || write_pointer[0])"},
	} {
		t.Run(c.module+" not "+c.to, func(t *testing.T) {
			t.Parallel()
			if output := prove(t, c.module, c.change, c.to); !strings.Contains(output, "was asserted in frame") {
				t.Error(output)
			}
		})
	}
}
