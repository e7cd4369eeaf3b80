package apps_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// waveCycles is the number of cycles for which a kernel runs.
const waveCycles = 6000

// TestCycles compares the simulation's cycle counts of every kernel in Verilog with counts in a waveform of another
// simulator, Icarus Verilog, under the same random stalls. The counts must sum to all cycles.
func TestCycles(t *testing.T) {
	testkit.Tools(t, "verilator", "g++", "iverilog", "vvp")
	cache := rtl.UserCache(t.Context())
	kernels := 0
	for _, app := range []apptest.App{{Dir: "jpeg"}, {Dir: "des"}, {Dir: "test1"}, {Dir: "iir"}, {Dir: "blastn"},
		{Dir: "veritas", Files: []string{"fixed.x", "hybrid.x"}}, {Dir: "broadcast"}, {Dir: "queue"}} {
		if app.Files == nil {
			app.Files = []string{"app.x", "hybrid.x"}
		}
		d := app.Load(t, "")
		for i := range d.Program.Impls {
			impl := &d.Program.Impls[i]
			k := slices.IndexFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Block == impl.Block })
			if k < 0 || !design.IsFPGAPlatform(d.Program, impl.Platform) {
				continue
			}
			kernels++
			t.Run(app.Dir+"/"+impl.Block, func(t *testing.T) {
				t.Parallel()
				if impl.Block != "HALF" && impl.Block != "ZigZag" {
					testkit.Long(t, "it compiles a simulation of each kernel")
				}
				compareCycles(t, cache, impl, &d.Program.Kernels[k])
			})
		}
	}
	if kernels < 17 {
		t.Errorf("there are %d kernels in Verilog, want 17 at least", kernels)
	}
}

// compareCycles runs a kernel in both simulators.
func compareCycles(t *testing.T, cache *rtl.Cache, impl *xlang.Impl, kernel *xlang.Kernel) {
	module, err := xsim.OpenSource(context.Background(), cache, impl, kernel)
	if err != nil {
		t.Fatal(err)
	}
	simulation, err := cache.Simulate(context.Background(), module)
	if err != nil {
		t.Fatal(err)
	}
	for seed, stall := range []float64{0, 0.3, 0.8} {
		w := wave{dir: t.TempDir(), module: module, impl: impl, kernel: kernel,
			random: rand.New(rand.NewPCG(uint64(seed), 1))}
		feeds := w.feeds(t, stall)
		r, err := simulation.Run(context.Background(), feeds, rtl.Options{Cycles: waveCycles, Quiet: 1 << 40})
		if err != nil {
			t.Fatal(err)
		}
		want := w.count(t)
		if got := r.Spent; got.Moving != want.Moving || got.Working != want.Working ||
			!slices.Equal(got.Waiting, want.Waiting) || !slices.Equal(got.Moved, want.Moved) {
			t.Errorf("with stalls in %g of the cycles: %+v, in the waveform %+v", stall, got, want)
		}
		if r.Spent.Total() != waveCycles {
			t.Errorf("with stalls in %g of the cycles, %d of %d are reported", stall, r.Spent.Total(), waveCycles)
		}
	}
}

// wave is a run of a kernel in Icarus Verilog.
type wave struct {
	dir    string
	module *rtl.Module
	impl   *xlang.Impl
	kernel *xlang.Kernel
	random *rand.Rand
	words  []int // of each input stream
}

// feeds draws the inputs and the stalls of streams for both simulators.
func (w *wave) feeds(t *testing.T, stall float64) (feeds []rtl.Feed) {
	write := func(name string, data []byte) string {
		path := filepath.Join(w.dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	w.words = make([]int, len(w.module.Streams))
	for i, s := range w.module.Streams {
		f := rtl.Feed{Input: s.Input}
		for _, port := range slices.Concat(w.kernel.Inputs, w.kernel.Outputs) {
			if x, ok := w.module.Stream(port.Name, s.Input); ok && x == s {
				f.Port, f.Element = port.Name, int(port.ElementBytes)
			}
		}
		part := stall * w.random.Float64() * 1.2
		stalls, text := make([]byte, waveCycles), ""
		for c := range stalls {
			if w.random.Float64() < part {
				stalls[c] = 1
			}
			text += fmt.Sprintf("%d\n", stalls[c])
		}
		f.Stalls = write(fmt.Sprintf("stalls%d", i), stalls)
		write(fmt.Sprintf("stalls%d.hex", i), []byte(text))
		if s.Input {
			data := make([]byte, max(1, 8192/f.Element)*f.Element)
			for j := range data {
				data[j] = byte(w.random.Uint32())
			}
			f.File = write(fmt.Sprintf("words%d", i), data)
			var hex strings.Builder
			for at := 0; at < len(data); at += s.Width / 8 {
				word := slices.Clone(data[at : at+s.Width/8])
				slices.Reverse(word)
				fmt.Fprintf(&hex, "%x\n", word)
				w.words[i]++
			}
			write(fmt.Sprintf("words%d.hex", i), []byte(hex.String()))
		}
		feeds = append(feeds, f)
	}
	return feeds
}

// bench returns a test bench that acts like the harness of the simulation. In each cycle it offers words and room and
// samples. It then shows the kernel additional words and room, samples again, withdraws them, and raises the clock.
func (w *wave) bench() string {
	var declare, offer, ask, back, after, ports strings.Builder
	for i, s := range w.module.Streams {
		fmt.Fprintf(&declare, "  reg [7:0] stalls%d [0:%d]; initial $readmemh(\"stalls%d.hex\", stalls%d);\n", i,
			waveCycles-1, i, i)
		side := "m_axis_"
		if s.Input {
			side = "s_axis_"
			fmt.Fprintf(&declare, "  reg [%d:0] data%d, words%d [0:%d];\n", s.Width-1, i, i, w.words[i]-1)
			fmt.Fprintf(&declare, "  initial $readmemh(\"words%d.hex\", words%d);\n", i, i)
			fmt.Fprintf(&declare, "  reg valid%d = 0, lacked%d = 0, taken%d = 0;\n", i, i, i)
			fmt.Fprintf(&declare, "  wire ready%d; integer at%d = 0;\n", i, i)
			fmt.Fprintf(&offer, "    if (!valid%d && stalls%d[c] == 0)\n", i, i)
			fmt.Fprintf(&offer, "      begin data%d = words%d[at%d]; valid%d = 1; end\n", i, i, i, i)
			fmt.Fprintf(&ask, "    lacked%d = !valid%d; taken%d = valid%d && ready%d; valid%d = 1;\n", i, i, i, i, i, i)
			fmt.Fprintf(&back, "    if (lacked%d) valid%d = 0;\n", i, i)
			fmt.Fprintf(&after, "    if (taken%d) begin valid%d = 0; at%d = (at%d + 1) %% %d; end\n", i, i, i, i,
				w.words[i])
		} else {
			fmt.Fprintf(&declare, "  wire [%d:0] data%d; wire valid%d;\n", s.Width-1, i, i)
			fmt.Fprintf(&declare, "  reg ready%d = 0, closed%d = 0;\n", i, i)
			fmt.Fprintf(&offer, "    ready%d = stalls%d[c] == 0;\n", i, i)
			fmt.Fprintf(&ask, "    closed%d = !ready%d; ready%d = 1;\n", i, i, i)
			fmt.Fprintf(&back, "    if (closed%d) ready%d = 0;\n", i, i)
		}
		fmt.Fprintf(&ports, ", .%s%s_tdata(data%d), .%s%s_tvalid(valid%d), .%s%s_tready(ready%d)", side, s.Name, i,
			side, s.Name, i, side, s.Name, i)
	}
	if w.module.Drains {
		ports.WriteString(", .drain(1'b0)")
	}
	var parameters []string
	for name, v := range w.kernel.Config {
		if name = strings.ToUpper(name); slices.Contains(w.module.Parameters, name) {
			text := v.Text
			if v.Type == "STRING" {
				text = strconv.Quote(text)
			}
			parameters = append(parameters, fmt.Sprintf(".%s(%s)", name, text))
		}
	}
	return fmt.Sprintf("`timescale 1ns/1ns\nmodule bench;\n  reg clk = 0, rst = 1; reg [1:0] phase = 0; integer c;\n%s"+
		"  %s #(%s) kernel (.clk(clk), .rst(rst)%s);\n"+
		"  initial begin\n    $dumpfile(\"wave.vcd\");\n    $dumpvars(1, bench);\n"+
		"    repeat (16) begin clk = 0; #1 clk = 1; #1; end\n    rst = 0;\n"+
		"    for (c = 0; c < %d; c = c + 1) begin\n    clk = 0;\n%s    #1 phase = 1; #1 phase = 0;\n%s"+
		"    #1 phase = 2; #1 phase = 0;\n%s    #1 clk = 1; #1;\n%s    end\n    $finish;\n  end\nendmodule\n",
		declare.String(), w.module.Top, strings.Join(parameters, ", "), ports.String(), waveCycles,
		offer.String(), ask.String(), back.String(), after.String())
}

// count runs the test bench and counts in its waveform.
func (w *wave) count(t *testing.T) rtl.Spent {
	path := filepath.Join(w.dir, "bench.v")
	if err := os.WriteFile(path, []byte(w.bench()), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-g2012", "-s", "bench", "-o", filepath.Join(w.dir, "bench"), path}, w.impl.Sources()...)
	if out, err := exec.Command("iverilog", args...).CombinedOutput(); err != nil {
		t.Fatalf("iverilog: %v\n%s", err, out)
	}
	run := exec.Command("vvp", "-n", "bench")
	run.Dir = w.dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("vvp: %v\n%s", err, out)
	}
	n := len(w.module.Streams)
	s := rtl.Spent{Waiting: make([]uint64, n), Moved: make([]uint64, n)}
	var before map[string]byte
	samples(t, filepath.Join(w.dir, "wave.vcd"), func(phase byte, now map[string]byte) {
		if phase == '1' {
			before = now
			return
		}
		w.classify(t, &s, before, now)
	})
	return s
}

// classify counts a cycle by the signals of the kernel's streams: as they are, and as they would be with words and
// room.
func (w *wave) classify(t *testing.T, s *rtl.Spent, is, would map[string]byte) {
	at := func(values map[string]byte, name string, i int) bool {
		v := values[name+strconv.Itoa(i)]
		if v != '0' && v != '1' {
			t.Fatalf("%s of %s is %q", name, w.module.Streams[i].Name, v)
		}
		return v == '1'
	}
	moves, blocked, hungry, asks, first, wakes := false, -1, -1, -1, -1, false
	for i, x := range w.module.Streams {
		valid, ready := at(is, "valid", i), at(is, "ready", i)
		switch {
		case valid && ready:
			moves = true
			s.Moved[i]++
		case !x.Input && valid && blocked < 0:
			blocked = i
		case x.Input && !valid && ready && hungry < 0:
			hungry = i
		}
		if x.Input && !valid && at(would, "ready", i) && asks < 0 {
			asks = i
		}
		if !x.Input && !ready && first < 0 {
			first = i
		}
		wakes = wakes || at(would, "valid", i) && at(would, "ready", i)
	}
	switch {
	case moves:
		s.Moving++
	case blocked >= 0:
		s.Waiting[blocked]++
	case hungry >= 0:
		s.Waiting[hungry]++
	case asks >= 0:
		s.Waiting[asks]++
	case wakes && first >= 0:
		s.Waiting[first]++
	default:
		s.Working++
	}
}

// samples reads a waveform and calls f with the values of the bench's signals at the end of each time at which phase is
// not 0.
func samples(t *testing.T, path string, f func(phase byte, values map[string]byte)) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	names, now := make(map[string]string), make(map[string]byte)
	phase := byte('0')
	report := func() {
		if phase != '0' {
			copied := make(map[string]byte, len(now))
			for name, v := range now {
				copied[name] = v
			}
			f(phase, copied)
		}
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case words[0] == "$var":
			names[words[3]] = words[4]
		case line[0] == '#':
			report()
		case line[0] == 'b' && names[words[1]] == "phase":
			phase = map[string]byte{"b0": '0', "b1": '1', "b10": '2'}[words[0]]
		case strings.IndexByte("01xz", line[0]) >= 0:
			now[names[line[1:]]] = line[0]
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
