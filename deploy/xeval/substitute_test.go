package xeval

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/deploy/trace"
)

// A chain of substituted blocks and edges, as the Makefiles of the thesis run xmodel2 and xmodel in sequence: the
// events of a port come from an earlier step.
type chain struct {
	t      *testing.T
	dir    string
	events map[string][]int64 // of each file, in ps
}

func newChain(t *testing.T) *chain { return &chain{t, t.TempDir(), make(map[string][]int64)} }

// nanoseconds returns the header of a file of times in ns.
func nanoseconds() []byte { return (&trace.TSHeader{Frequency: 1e9}).Text() }

// times writes the execution times of a block's only rule, in ns.
func (c *chain) times(block string, ns ...uint64) {
	c.t.Helper()
	text := nanoseconds()
	for _, t := range ns {
		text = binary.LittleEndian.AppendUint64(text, t)
	}
	if err := os.WriteFile(filepath.Join(c.dir, timesName(block, 0, execFile)), text, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// block substitutes a block; its ports are named as in a rule, "k.x0", their files after it.
func (c *chain) block(rule string, name string) *Substitution {
	c.t.Helper()
	var text strings.Builder
	text.WriteString("block " + name + "\n")
	left, right, _ := strings.Cut(rule, " -> ")
	for _, p := range strings.Split(strings.ReplaceAll(left, " and ", " or "), " or ") {
		kind := "avl"
		if strings.HasSuffix(p, ".src") {
			kind = "tpt"
		}
		base := strings.ReplaceAll(p, ".", "_")
		text.WriteString("port " + p + " in_port event " + base + "_" + kind + ".ts avl_event event " +
			"" + base + "_in.ts in_event\n")
	}
	for _, p := range strings.Split(strings.ReplaceAll(right, " and ", " or "), " or ") {
		text.WriteString("port " + p + " out_port event " + strings.ReplaceAll(p, ".", "_") + "_out.ts out_event\n")
	}
	text.WriteString("rule " + rule)
	f, err := Parse("chain.smx", text.String())
	if err != nil {
		c.t.Fatal(err)
	}
	times, err := OpenTimes(c.dir, name, 0, len(f.Blocks[0].Rules[0].Outputs), 1)
	if err != nil {
		c.t.Fatal(err)
	}
	defer times.Close()
	done, err := Substitute(c.t.Context(), &f.Blocks[0], c.table(f), []*Times{times}, func(p *Port, k Kind,
		time int64, n int) error {
		for range n {
			c.events[p.event(k).File] = append(c.events[p.event(k).File], time)
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return done
}

// table returns the trace of the events so far, for the inputs of a file's block.
func (c *chain) table(f *File) trace.Table {
	c.t.Helper()
	var list []trace.Event
	h := new(trace.Header)
	for _, p := range f.Blocks[0].Ports {
		if !p.Input || isTestpoint(&p) {
			continue
		}
		kernel, port, _ := strings.Cut(p.Name, ".")
		to := trace.Port{Kernel: kernel, Name: port}
		h.Series = append(h.Series, trace.Series{Name: p.Name, From: trace.Port{Kernel: "from", Name: p.Name}, To: to})
		for i, at := range c.events[p.event(Available).File] {
			list = append(list, trace.Event{Time: at, Index: uint64(i), Series: int32(len(h.Series) - 1),
				Kind: trace.Available})
		}
	}
	return tableOf(c.t, h, list)
}

// edge carries the elements sent at a port to another, with a delay in ps.
func (c *chain) edge(from, to string, delay int64) {
	e := Edge{Delay: delay}
	file := func(p, kind string) string { return strings.ReplaceAll(p, ".", "_") + "_" + kind + ".ts" }
	for _, t := range c.events[file(from, "out")] {
		c.events[file(to, "avl")] = append(c.events[file(to, "avl")], e.Available(t))
	}
}

// repeated returns n times the same value.
func repeated(v uint64, n int) []uint64 { return slices.Repeat([]uint64{v}, n) }

const second = 1_000_000_000_000 // ps

// TestTest2: ten runs of 1 s each (§5.1, §5.2.1). On a processor each, the application takes 12 s: it is
// a pipeline of three; with b on one processor, 42 s. The first run of c is triggered at 3 s and at 5 s, and
// finishes at 4 s and 6 s.
func TestTest2(t *testing.T) {
	run := func(shared bool) (*chain, *Substitution) {
		c := newChain(t)
		ones := repeated(1e9, 10)
		for _, b := range []string{"a", "b1", "b2", "b3", "b4", "c"} {
			c.times(b, ones...)
		}
		c.block("a.src -> a.y0 and a.y1 and a.y2 and a.y3", "a")
		for i, b := range []string{"b1", "b2", "b3", "b4"} {
			y := "a.y" + string(rune('0'+i))
			c.edge(y, b+".x0", 0)
			if !shared {
				c.block(b+".x0 -> "+b+".y0", b)
			}
		}
		if shared { // one processor runs the four in turn
			for i := range c.events["b1_x0_avl.ts"] {
				start := c.events["b1_x0_avl.ts"][i]
				if i > 0 {
					start = max(start, c.events["b4_y0_out.ts"][i-1])
				}
				for j := range int64(4) {
					name := "b" + string(rune('1'+j)) + "_y0_out.ts"
					c.events[name] = append(c.events[name], start+(j+1)*second)
				}
			}
		}
		for i, b := range []string{"b1", "b2", "b3", "b4"} {
			c.edge(b+".y0", "c.x"+string(rune('0'+i)), 0)
		}
		return c, c.block("c.x0 and c.x1 and c.x2 and c.x3 -> c.sink", "c")
	}
	for _, x := range []struct {
		shared             bool
		start, finish, all int64 // of c, s
	}{{false, 2, 3, 12}, {true, 5, 6, 42}} {
		c, done := run(x.shared)
		if in, out := c.events["c_x0_in.ts"][0], c.events["c_sink_out.ts"][0]; in != x.start*second ||
			out != x.finish*second || done.Last != x.all*second || done.Runs[0] != 10 {
			t.Errorf("shared %v: c starts at %d, finishes at %d ps; all takes %d ps, %d runs", x.shared, in, out,
				done.Last,
				done.Runs[0])
		}
		if n := len(c.events["a_src_in.ts"]); n != 10 {
			t.Errorf("a began %d times", n)
		}
	}
}

// TestHundredElements: §4.1. The first number takes 50 us, the other 199 together 150 us. With 5 us for each element
// over PCI the run takes about 560 us, without delay about 280 us: proc[2] needs 2.3 us for each.
func TestHundredElements(t *testing.T) {
	for _, x := range []struct{ delay, want, tolerance int64 }{{5 * us, 560, 6}, {0, 280, 6}} {
		c := newChain(t)
		each := uint64(150_000 / 199)
		first := append([]uint64{50_000}, repeated(2*each, 99)...)
		c.times("gen1", first...)
		c.block("gen1.src -> gen1.y0", "gen1")
		for i, y := range c.events["gen1_y0_out.ts"] { // proc[1] takes turns: the other source ends half a turn later
			c.events["gen2_y0_out.ts"] = append(c.events["gen2_y0_out.ts"], y+int64(each)*1000)
			if i > 0 && y-c.events["gen1_y0_out.ts"][i-1] != int64(2*each)*1000 {
				t.Fatalf("gen1 sent at %d and %d ps", c.events["gen1_y0_out.ts"][i-1], y)
			}
		}
		c.edge("gen1.y0", "sum.x0", x.delay)
		c.edge("gen2.y0", "sum.x1", x.delay)
		c.times("sum", repeated(10, 100)...)
		c.block("sum.x0 and sum.x1 -> sum.y0", "sum")
		c.edge("sum.y0", "half.x0", x.delay)
		c.times("proc2", repeated(2300, 100)...)
		done := c.block("half.x0 -> store.sink", "proc2")
		if got := done.Last / us; got < x.want-x.tolerance || got > x.want+x.tolerance {
			t.Errorf("with %d us: %d us, want about %d", x.delay/us, got, x.want)
		}
	}
}

// TestArrays: §6.1 in 10,000 arrays for a million. Store takes 138.2 of 267.5 us an array; the rest runs on the
// other core. X-Sim found 138.3 s and a speedup of 1.93; the run itself took 143.3 s, 1.87.
func TestArrays(t *testing.T) {
	const n = 10_000
	c := newChain(t)
	c.times("front", repeated(129_300, n)...)
	c.block("front.src -> half.y0", "front")
	c.edge("half.y0", "store.x0", 0)
	c.times("store", repeated(138_200, n)...)
	done := c.block("store.x0 -> store.sink", "store")
	per := float64(done.Last) / n / us
	if speedup := 267.5 / per; per < 138.2 || per > 138.3 || speedup < 1.925 || speedup > 1.945 {
		t.Errorf("%g us an array, speedup %g; want 138.2 to 138.3 and 1.93", per, speedup)
	}
	if off := (143.3 - per) / 143.3; off < 0.034 || off > 0.037 { // the thesis has 3.5 %
		t.Errorf("%g of the run deployed there", off)
	}
}

// TestDrawnTimes: a header with a mean has times drawn; those below 0 are 0, and counted.
func TestDrawnTimes(t *testing.T) {
	c := newChain(t)
	for _, x := range []struct {
		mean, deviation string
		clipped         bool
	}{{"1", "0.001", false}, {"1", "1", true}} {
		text := []byte("#XTSFile\nmean=" + x.mean + "\nstdev=" + x.deviation + "\nend")
		text = append(text, bytes.Repeat([]byte(" "), trace.TSHeaderBytes-len(text))...)
		if err := os.WriteFile(filepath.Join(c.dir, "c_rule1_exec.ts"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		times, err := OpenTimes(c.dir, "c", 0, 1, 7)
		if err != nil {
			t.Fatal(err)
		}
		var got collected
		for range 10_000 {
			elapsed, _, err := times.Next()
			if err != nil {
				t.Fatal(err)
			}
			got.add(elapsed)
		}
		s := got.statistics()
		if s.Min < 0 || x.clipped != (times.Clipped > 0) || !x.clipped && (s.Mean < 0.9999 || s.Mean > 1.0001 ||
			s.Deviation < 0.00095 || s.Deviation > 0.00105) {
			t.Errorf("mean %g, deviation %g, least %g, %d clipped", s.Mean, s.Deviation, s.Min, times.Clipped)
		}
		if err := times.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTimesEnd: runs beyond the number of times reuse them from the first, and are counted.
func TestTimesEnd(t *testing.T) {
	c := newChain(t)
	c.times("b", 1, 2, 3)
	times, err := OpenTimes(c.dir, "b", 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer times.Close()
	var got []int64
	for range 7 {
		elapsed, _, err := times.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, elapsed)
	}
	if d := cmp.Diff([]int64{1000, 2000, 3000, 1000, 2000, 3000, 1000}, got); d != "" || times.Repeated != 4 {
		t.Errorf("%s, %d repeated", d, times.Repeated)
	}
}

// TestBrokenTimes: files that are cut off, or no such files, are one error that names the file.
func TestBrokenTimes(t *testing.T) {
	complete := append(nanoseconds(), 1, 0, 0, 0, 0, 0, 0, 0)
	index := append(nanoseconds(), 3)
	for _, x := range []struct{ exec, index, want string }{
		{string(complete[:100]), "", "shorter than a header"},
		{string(complete[:len(complete)-1]), "", "the file is truncated"},
		{string(complete[:trace.TSHeaderBytes]), "", "contains no times"},
		{strings.Replace(string(complete), "end\n", "\n\n\n\n", 1), "", "no line \"end\""},
		{strings.Replace(string(complete), "#XTS", "#XXX", 1), "", "not a .ts file"},
		{strings.Replace(string(complete), "freq=1000000000", "freq=x         ", 1), "", "freq=x"},
		{string(complete), string(index), "ended with output conjunction 3"},
		{string(complete), string(index) + "\x01", "the file contains 2 runs"},
	} {
		c := newChain(t)
		if err := os.WriteFile(filepath.Join(c.dir, "b_rule1_exec.ts"), []byte(x.exec), 0o644); err != nil {
			t.Fatal(err)
		}
		if x.index != "" {
			if err := os.WriteFile(filepath.Join(c.dir, "b_rule1_index.ts"), []byte(x.index), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		times, err := OpenTimes(c.dir, "b", 0, 2, 1)
		if err == nil {
			_, _, err = times.Next()
			_ = times.Close()
		}
		if x.index == "" && x.want == "" || err == nil || !strings.Contains(err.Error(), x.want) ||
			!strings.Contains(err.Error(), "b_rule1_") {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
}

// FuzzTimes: reading any file ends, without a negative time.
func FuzzTimes(f *testing.F) {
	f.Add(append(nanoseconds(), 1, 0, 0, 0, 0, 0, 0, 0), append(nanoseconds(), 1))
	f.Add([]byte("#XTSFile\nmean=1\nstdev=0.1\nend"), []byte{})
	f.Fuzz(func(t *testing.T, exec, index []byte) {
		dir := t.TempDir()
		if os.WriteFile(filepath.Join(dir, "b_rule1_exec.ts"), exec, 0o644) != nil {
			t.Skip()
		}
		if len(index) > 0 && os.WriteFile(filepath.Join(dir, "b_rule1_index.ts"), index, 0o644) != nil {
			t.Skip()
		}
		times, err := OpenTimes(dir, "b", 0, 1, 1)
		if err != nil {
			return
		}
		defer times.Close()
		for range 100 {
			elapsed, output, err := times.Next()
			if err != nil {
				return
			}
			if elapsed < 0 || output != 0 {
				t.Fatalf("%d ps, output %d", elapsed, output)
			}
		}
	})
}

// Edge is an independent edge, as in xmodel of Gayen 2008 (§3.1, §4.1). Each element becomes available a delay after
// its send, or after the previous one, because transfers do not overlap. The zero value has no delay.
type Edge struct {
	Delay int64 // ps
	last  int64
	any   bool
}

// Available returns the time in ps at which an element that is sent at a time becomes available.
func (e *Edge) Available(sent int64) int64 {
	if !e.any {
		e.last, e.any = sent, true
	}
	e.last = max(sent, e.last) + e.Delay
	return e.last
}
