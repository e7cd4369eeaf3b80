package gnuradio

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestModel compares the model with numbers computed by hand. The threads use 0.9, 0.3 and 0.2 s/s on two processors:
// the thread of block 0 limits, because 1.4 / 2 = 0.7 is less than 0.9.
func TestModel(t *testing.T) {
	thread := Load{Shares: []float64{0.9, 0.3, 0.2}, Processors: 2}
	idle := Load{Shares: []float64{0.4, 0.1}, Processors: 2, Limit: LimitIdle}
	waiting := Load{Shares: []float64{0.5, 0.4}, Processors: 2, Limit: LimitWaiting}
	overlapping := Load{Shares: []float64{0.8, 0.7}, Processors: 2, Limit: LimitWaiting}
	all := Load{Shares: []float64{0.8, 0.7, 0.4}, Processors: 2} // 1.9 / 2 = 0.95: the processors limit
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"busy thread", thread.Busy(), 0.9},
		{"busy processors", all.Busy(), 0.95},
		{"faster, next is the sum", thread.Faster(0, 2), 0.9/0.475 - 1}, // (0.45 + 0.5) / 2 = 0.475
		{"faster, not the limit", thread.Faster(1, 2), 0},
		{"faster on full processors", all.Faster(2, 2), 0.95/0.85 - 1},         // (0.8 + 0.7 + 0.2) / 2
		{"copies share the thread", thread.Replicated(0, 2), 0.9/0.7 - 1},      // the sum stays 1.4
		{"copies on full processors", all.Replicated(0, 2), 0},                 // the sum stays 1.9
		{"slowed limit", thread.Slowed(0, 0.25), (0.9-0.25)/0.9 - 1},           // 0.65 of 0.9
		{"slowed other thread", thread.Slowed(2, 0.25), 0},                     // 0.9 * 2 - 0.25 = 1.55 > 1.4
		{"slowed on full processors", all.Slowed(2, 0.19), (1.9-0.19)/1.9 - 1}, // any block takes 10 %
		{"slowed idle graph", idle.Slowed(0, 0.25), 0},                         // 0.4 + 0.25 < 0.85
		{"slowed idle thread", idle.Slowed(0, 0.65), 0.2/0.4 - 1},              // 0.85 - 0.65 of 0.4
		{"faster idle graph", idle.Faster(0, 2), 0},
		{"slowed waiting graph", waiting.Slowed(1, 0.3), -0.3}, // the blocks take turns
		{"slowed two at once", overlapping.Slowed(1, 0.3), -0.2},
		{"pinned", thread.Pinned([]int{0, 1, 1}, 2), 0.9},
		{"pinned together", thread.Pinned([]int{0, 0, 1}, 2), 1.2},
	} {
		if !near(x.got, x.want) {
			t.Errorf("%s: %g, want %g", x.name, x.got, x.want)
		}
	}
}

// TestPinnings compares the pinnings with the best of all assignments of small random graphs. The division into
// neighbors is the best of all divisions, and the even distribution is within the bound of Graham, 4/3 - 1/(3p).
func TestPinnings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, p := 2+r.IntN(6), 2+r.IntN(2)
		g := &groups{}
		for k := range n {
			g.names, g.shares, g.order = append(g.names, string(rune('a'+k))), append(g.shares, r.Float64()),
				append(g.order, k)
		}
		best, divided := math.Inf(1), math.Inf(1)
		at := make([]int, n)
		for code := range int(math.Pow(float64(p), float64(n))) {
			for k := range at {
				at[k] = code % p
				code /= p
			}
			b := Load{Shares: g.shares}.Pinned(at, p)
			best = min(best, b)
			if slices.IsSorted(at) {
				divided = min(divided, b)
			}
		}
		if got := (Load{Shares: g.shares}).Pinned(g.neighbors(p), p); !near(got, divided) {
			t.Errorf("neighbors: %g, want %g for %v", got, divided, g.shares)
		}
		limit := 4./3 - 1/(3*float64(p))
		if got := (Load{Shares: g.shares}).Pinned(g.even(p), p); got > best*limit+1e-9 {
			t.Errorf("even: %g, the best is %g for %v", got, best, g.shares)
		}
	}
}

// stored returns a measurement from the counters of a real run of testdata/chain.grc on two virtual processors beside
// other programs: GNU Radio 3.10.5.1 of Debian 12, recorded by runner.py on 2026-11-28.
func stored(t *testing.T) *Measurement {
	t.Helper()
	text, err := os.ReadFile("testdata/chain.record.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	g, err := Read("testdata/chain.grc")
	if err != nil {
		t.Fatal(err)
	}
	m := newMeasurement(g, r, Options{})
	m.add(&record{Windows: byVariant(r, 2)[0]}, r, []Trial{{Name: "pin1", Affinity: map[string][]int{"noise": {0},
		"fir": {1}, "sink": {1}}}})
	return m
}

// TestStored computes the figures of a stored run. The expected numbers are sums over the windows of variant 0 in the
// file: items of the filter 1191792 + 2730656 + 1579232, and its processor time 28.59 + 79.43 + 47.17 ms.
func TestStored(t *testing.T) {
	m := stored(t)
	if m.Sink.Name != "sink" || m.Sink.Bytes != 8 {
		t.Errorf("the sink is %+v", m.Sink)
	}
	at := slices.IndexFunc(m.Blocks, func(b Block) bool { return b.Name == "fir" })
	f := m.Figures[at]
	want := (28.592616 + 79.425399 + 47.169610) * 1e-3 / (1191792 + 2730656 + 1579232)
	if math.Abs(f.PerItem/want-1) > 0.02 { // the windows differ by up to 5 % in length
		t.Errorf("the filter uses %g s per item, want %g", f.PerItem, want)
	}
	if ratio := f.Read[0] / f.Written[0]; math.Abs(ratio-4) > 0.01 {
		t.Errorf("the filter reads %g items for each item that it writes, want 4", ratio)
	}
	if calls := f.Items / f.Calls; calls < 1000 || calls > 5000 { // buffers of 32 KiB and items of 8 bytes
		t.Errorf("a call of the filter consumes %g items", calls)
	}
	if b := m.Blocks[m.ByShare()[0]].Label(); b != "noise" {
		t.Errorf("the busiest block is %s", b)
	}
	// Three pairs of windows, by hand: log ratios of the sink's rates.
	if len(m.Trials) != 1 || m.Trials[0].Gain.N != 3 || m.Trials[0].Gain.Low >= m.Trials[0].Gain.Mean {
		t.Errorf("the trial is %+v", m.Trials)
	}
	if m.Best() != nil {
		t.Errorf("three pairs that differ by a factor of two advise %+v", m.Best())
	}
	if _, err := m.Choose(""); fault.Of(err) != faults.NothingToApply {
		t.Errorf("got %v", err)
	}
	if a, err := m.Choose("pin1"); err != nil || a.Pins["noise"][0] != 0 {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := m.Choose("pin9"); fault.Of(err) != fault.WrongOptionValue {
		t.Errorf("got %v", err)
	}
}

// TestLimit checks the limits of graphs with a throttle, with hardware, with full processors and without a busy thread.
func TestLimit(t *testing.T) {
	for _, x := range []struct {
		shares   []float64
		throttle float64
		hardware []string
		others   float64
		want     LimitKind
	}{
		{[]float64{0.95, 0.2}, 0, nil, 0, LimitThread},
		{[]float64{0.95, 0.2}, 1000, nil, 0, LimitThread},
		{[]float64{0.9, 0.6, 0.45}, 0, nil, 0, LimitProcessors},
		{[]float64{0.5, 0.45}, 0, nil, 1, LimitProcessors}, // other programs leave one processor
		{[]float64{0.3, 0.2}, 1000, nil, 0, LimitThrottle},
		{[]float64{0.03, 0.02}, 1000, nil, 2, LimitThrottle},
		{[]float64{0.3, 0.2}, 0, []string{"radio"}, 0, LimitHardware},
		{[]float64{0.6, 0.5}, 0, nil, 0, LimitWaiting},
		{[]float64{0.2, 0.05}, 0, nil, 0, LimitIdle},
	} {
		m := &Measurement{CPUs: []int{0, 1}, Hardware: x.hardware, Others: x.others, Sink: Sink{UID: "a"},
			Edges: []Edge{{From: "b", To: "a"}, {From: "c", To: "b"}}}
		for i, s := range x.shares {
			b := Block{UID: string(rune('a' + i))}
			if i == 0 {
				b.Throttle = x.throttle
			}
			m.Blocks = append(m.Blocks, b)
			m.Figures = append(m.Figures, Figures{Share: Estimate{Mean: s}})
		}
		if got := m.Limit().Kind; got != x.want {
			t.Errorf("%v: %s, want %s", x.shares, got, x.want)
		}
	}
}

// TestLimitElastic: if additional work in another block than the busiest has no effect, the limit is the busiest
// thread, although the sum of the threads is larger. Additional work in this thread then lowers the rate by as much.
func TestLimitElastic(t *testing.T) {
	m := &Measurement{CPUs: []int{0, 1}, Sink: Sink{UID: "a"},
		Edges:  []Edge{{From: "b", To: "a"}, {From: "c", To: "b"}},
		Blocks: []Block{{UID: "a"}, {UID: "b"}, {UID: "c"}}}
	for _, share := range []float64{0.8, 0.5, 0.5} {
		m.Figures = append(m.Figures, Figures{Share: Estimate{Mean: share}})
	}
	for _, x := range []struct {
		busiest, other float64 // measured effects of 0.25 s/s
		want           LimitKind
		slowed         [2]float64 // predicted effects: (0.9 - 0.25) / 0.8 and (2 * 0.9 - 0.25) / 1.8 of the rate
	}{
		{-0.3, 0, LimitThread, [2]float64{-0.25, 0}},
		{-0.15, -0.15, LimitProcessors, [2]float64{-0.1875, -0.25 / 1.8}},
		{-0.1, -0.02, LimitThread, [2]float64{-0.25, 0}},
		{-0.25, -0.1, LimitThread, [2]float64{-0.25, 0}}, // by less than half
		{-0.05, 0.01, LimitProcessors, [2]float64{-0.1875, -0.25 / 1.8}},
	} {
		m.Slowed = []Slowed{{Work: 0.25, Measured: Estimate{Mean: x.busiest}},
			{Work: 0.25, Measured: Estimate{Mean: x.other}}}
		l := m.Load()
		l.Limit = m.Limit().Kind
		if l.Limit != x.want {
			t.Errorf("%+v: %s", x, l.Limit)
		}
		for block, want := range x.slowed {
			if got := l.Slowed(block, 0.25); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: work in block %d changes the rate by %g, want %g", l.Limit, block, got, want)
			}
		}
	}
}

// TestLimitConnected: a block without a connection to the sink is no limit of its rate, unless it exchanges messages
// with the graph. An unsteady rate has no named limit.
func TestLimitConnected(t *testing.T) {
	m := &Measurement{CPUs: []int{0, 1}, Sink: Sink{UID: "sink0"}, Edges: []Edge{{From: "source0", To: "sink0"}},
		Blocks:  []Block{{UID: "source0"}, {UID: "sink0"}, {UID: "decoder:0"}},
		Figures: []Figures{{Share: Estimate{Mean: 0.3}}, {Share: Estimate{Mean: 0.1}}, {Share: Estimate{Mean: 0.95}}}}
	if l := m.Limit(); l.Block != "source0" || l.Kind == LimitThread {
		t.Errorf("%+v", l)
	}
	m.Messages = []string{"decoder:0:out->source0:in"}
	if l := m.Limit(); l.Block != "decoder:0" || l.Kind != LimitThread {
		t.Errorf("with messages: %+v", l)
	}
	m.Blocks[2].UID, m.Messages = "bits -> symbols", []string{"bits -> symbols:out->source0:in"}
	if l := m.Limit(); l.Block != "bits -> symbols" {
		t.Errorf("with an arrow in a name: %+v", l)
	}
	m.Rate = Estimate{Mean: 10, Low: 7, High: 13, N: 16}
	if l := m.Limit(); l.Kind != LimitUnsteady {
		t.Errorf("with an unsteady rate: %+v", l)
	}
	if list := m.WhatIfs(); len(list) > 0 {
		t.Errorf("predictions without a limit: %+v", list)
	}
	m.Messages, m.Blocks[0].Throttle, m.Figures[2] = nil, 10, Figures{} // an idle graph in bursts
	if l := m.Limit(); l.Kind != LimitThrottle {
		t.Errorf("with a throttle: %+v", l)
	}
}

// TestEdges checks the expression for GNU Radio's list of edges, in which names of blocks may contain an arrow.
func TestEdges(t *testing.T) {
	python := testkit.Tool(t, "python3", "python3")
	dir := testkit.Files(t, map[string]string{"runner.py": string(runnerSource)})
	cmd := exec.Command(python, "-c", "import runner\n"+
		"for e in ['throttle0:0->Bit -> Symbol Map0:1', 'a:b0:12->c0:3']:\n"+
		"    print(*runner.EDGE.match(e).groups(), sep='|')")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if want := "throttle0|0|Bit -> Symbol Map0|1\na:b0|12|c0|3\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v", out, err)
	}
}

// TestWorthwhile checks the limits of an advice, and when new runs of a trial end.
func TestWorthwhile(t *testing.T) {
	for _, x := range []struct {
		mean, low, high float64
		confirmed       bool
		pairs           int
		worth, decided  bool
	}{
		{0.2, 0.16, 0.24, true, minPairs, true, true},
		{0.2, 0.16, 0.24, false, minPairs - 1, false, false},
		{0.2, 0.1, 0.3, true, maxPairs - 1, true, false},
		{0.2, 0.1, 0.3, true, maxPairs, true, true},
		{0.2, -0.01, 0.5, true, maxPairs, false, true},
		{0.029, 0.02, 0.04, true, minPairs, false, true},
		{-0.1, -0.3, 0.02, true, minPairs, false, true},
	} {
		g := Estimate{Mean: x.mean, Low: x.low, High: x.high, N: x.pairs}
		a := &Advice{Gain: g, Confirmed: x.confirmed}
		if a.IsWorthwhile() != x.worth || (&Trial{Gain: g}).isDecided(x.pairs) != x.decided {
			t.Errorf("%+v: worthwhile %t, decided %t", x, !x.worth, !x.decided)
		}
	}
}

// TestPromising checks the order of new runs: the unconfirmed trial with the largest gain is next.
func TestPromising(t *testing.T) {
	m := &Measurement{Trials: []Trial{{Name: "a", Gain: Estimate{Mean: 0.1, Low: 0.05}},
		{Name: "b", Gain: Estimate{Mean: 0.3, Low: -0.1}}, {Name: "c", Gain: Estimate{Mean: 0.2, Low: 0.1}},
		{Name: "d", Gain: Estimate{Mean: 0.4, Low: 0.3}, Confirmed: true}}}
	for _, name := range []string{"c", "a"} {
		p := m.promising()
		if p == nil || p.Name != name {
			t.Fatalf("%+v, want %s", p, name)
		}
		p.Confirmed = true
	}
	if p := m.promising(); p != nil {
		t.Errorf("%+v", p)
	}
}

// TestUnassigned: a display uses 0.6 s of each second beside a block with 0.9 s, so that two processors are the limit.
func TestUnassigned(t *testing.T) {
	w := []Window{{Seconds: 0.5, Own: 0.75, Blocks: map[string]Used{"a": {CPU: 0.45}, "b": {}}}}
	m := &Measurement{CPUs: []int{0, 1}, Sink: Sink{UID: "b"}, Edges: []Edge{{From: "a", To: "b"}},
		Blocks:  []Block{{UID: "a"}, {UID: "b"}},
		Figures: []Figures{{Share: Estimate{Mean: 0.7}}, {Share: Estimate{Mean: 0.5}}}, Unassigned: unassigned(w)}
	if math.Abs(m.Unassigned-0.6) > 1e-12 {
		t.Errorf("%g processors of threads without a block", m.Unassigned)
	}
	if l := m.Limit(); l.Kind != LimitProcessors {
		t.Errorf("%+v", l)
	}
	if m.Unassigned = 0; m.Limit().Kind == LimitProcessors {
		t.Errorf("without a display: %+v", m.Limit())
	}
}

// TestEstimate compares an interval with the table of Student's distribution, t = 4.303 for three values, and checks
// that estimates of few or of extreme values are valid JSON.
func TestEstimate(t *testing.T) {
	e := estimate([]float64{1, 2, 3}) // the standard error is 1/sqrt(3)
	if e.Mean != 2 || math.Abs(e.High-2-4.303/math.Sqrt(3)) > 1e-3 || math.Abs(e.Low+e.High-4) > 1e-9 {
		t.Errorf("got %+v", e)
	}
	for _, logs := range [][]float64{nil, {0.1}, {-300, 300}} {
		if _, err := json.Marshal(gains(logs)); err != nil {
			t.Errorf("%v: %v", logs, err)
		}
	}
}

// TestSeparate checks the costs of an item and of a call with the times of two sizes: 10 ns + 2 us / n.
func TestSeparate(t *testing.T) {
	window := func(n float64) []Window {
		const items = 1e6
		cpu := items*10e-9 + items/n*2e-6
		return []Window{{Seconds: 1, Blocks: map[string]Used{"a": {Read: []float64{items}, CPU: cpu, Work: cpu / 2,
			Call: cpu / 2 / (items / n)}}}}
	}
	m := &Measurement{Blocks: []Block{{UID: "a"}}, Figures: make([]Figures, 1)}
	m.separate(window(1000), window(4000))
	if f := m.Figures[0]; math.Abs(f.ItemCost-10e-9) > 1e-12 || math.Abs(f.CallCost-2e-6) > 1e-9 {
		t.Errorf("got %g s per item and %g s per call", f.ItemCost, f.CallCost)
	}
}

// TestExplain checks that each error of the runner has its identifier and a text without a stack trace.
func TestExplain(t *testing.T) {
	g := &FlowGraph{Path: "a.grc", Blocks: []GRCBlock{{Name: "radio", ID: "uhd_usrp_source"}}}
	for kind, want := range map[string]fault.ID{"no-gnuradio": fault.NotInstalled, "counters-off": faults.CountersOff,
		"import": faults.FlowGraphRejected, "construct": faults.FlowGraphRejected, "ended": faults.FlowGraphEnded,
		"no-items": faults.FlowGraphIdle, "slow": faults.DelayUnsupported, "runner": faults.FlowGraphRejected} {
		err := g.explain(&runError{Kind: kind, Text: "t"},
			"Traceback (most recent call last):\n  File \"x\"\nValueError: v\n", Options{})
		if fault.Of(err) != want || strings.Contains(err.Error(), "Traceback") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, x := range []struct {
		text           string
		headless, want bool // --headless is an option of the run; the error recommends it
	}{{"", false, true}, {"", true, false}, {"can't open file", false, false}} {
		err := g.explain(&runError{Kind: "construct", Text: x.text}, "", Options{Headless: x.headless})
		if strings.Contains(err.Error(), "--headless") != x.want {
			t.Errorf("%+v: %v", x, err)
		}
	}
	disabled := &runError{Kind: "import", Text: "NameError: name 'gr' is not defined"}
	if err := g.explain(disabled, "", Options{}); fault.Of(err) != faults.FlowGraphIdle {
		t.Errorf("without enabled blocks: %v", err)
	}
}

// TestFillRates: the rates of both ends of an edge are equal, and blocks with an unknown rate are assumed to produce as
// many items as they consume. Figures without a known neighbor stay unknown.
func TestFillRates(t *testing.T) {
	port := []int{0}
	m := &Measurement{Edges: []Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "c", To: "d"}},
		Blocks: []Block{{UID: "a", Outputs: port, OutPorts: port},
			{UID: "b", Inputs: port, InPorts: port, Outputs: port, OutPorts: port},
			{UID: "c", Inputs: port, InPorts: port, Outputs: port, OutPorts: port},
			{UID: "d", Inputs: port, InPorts: port}, {UID: "e", Inputs: port, InPorts: port}},
		Figures: []Figures{{Written: []float64{10}}, {Read: []float64{-1}, Written: []float64{-1}},
			{Read: []float64{-1}, Written: []float64{-1}}, {Read: []float64{4}}, {Read: []float64{-1}}}}
	m.Figures[1].Share.Mean = 0.5
	m.fillRates()
	b, c := m.Figures[1], m.Figures[2]
	if b.Read[0] != 10 || b.Written[0] != 10 || !b.Assumed || b.Items != 10 || b.PerItem != 0.05 {
		t.Errorf("b: %+v", b)
	}
	if c.Read[0] != 10 || c.Written[0] != 4 || c.Assumed || m.Figures[4].Read[0] != -1 {
		t.Errorf("c: %+v, e: %+v", c, m.Figures[4])
	}
}

// TestFillSizes: blocks inside of hierarchical blocks in C++ have no known sizes of items, but their neighbors have.
func TestFillSizes(t *testing.T) {
	m := &Measurement{Blocks: []Block{{UID: "a", Outputs: []int{8}, OutPorts: []int{0}},
		{UID: "b", Inputs: []int{4, 0}, InPorts: []int{0, 1}, Outputs: []int{0}, OutPorts: []int{0}},
		{UID: "c", Inputs: []int{2}, InPorts: []int{0}}},
		Edges: []Edge{{From: "a", To: "b", In: 1}, {From: "b", To: "c"}, {From: "unknown", To: "c", In: 5}}}
	m.fillSizes()
	if b := m.Blocks[1]; !slices.Equal(b.Inputs, []int{4, 8}) || !slices.Equal(b.Outputs, []int{2}) {
		t.Errorf("got %+v", b)
	}
}

// TestInterrupted checks that a cancelled run leaves neither a process nor a folder.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	fake := filepath.Join(dir, "grcc")
	mark := filepath.Join(dir, "mark")
	script := "#!/bin/sh\nsleep 1000 &\necho $! > " + mark + "\nwait\n"
	if err := os.WriteFile(fake, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	g, err := Read("testdata/chain.grc")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Measure(ctx, g, Options{Time: time.Second})
		ended <- err
	}()
	var pid []byte
	for len(pid) == 0 {
		time.Sleep(5 * time.Millisecond)
		pid, _ = os.ReadFile(mark)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for range 1000 { // init reaps the process
		if exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil &&
		!strings.Contains(string(stat), ") Z") {
		t.Errorf("process %s lives: %s", pid, stat)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "xopt-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// slowed returns an experiment with work of 0.2 s/s and the given relative losses.
func slowed(losses ...float64) *Experiment {
	x := &Experiment{Work: 0.2}
	for _, loss := range losses {
		x.Cases = append(x.Cases, Slowed{Work: x.Work, Measured: Estimate{Mean: -loss}})
	}
	return x
}

// TestAgrees: work of 0.2 s/s in the limiting thread costs 20 % of the rate, on two limiting processors 10 %, and
// otherwise nothing; half of that is the boundary.
func TestAgrees(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		limit  LimitKind
		losses []float64
		agrees bool
	}{
		{LimitThread, []float64{0.19, 0.01}, true},
		{LimitThread, []float64{0.06, 0.01}, true},
		{LimitThread, []float64{0.04, 0.01}, false},
		{LimitThread, []float64{0.15, 0.19}, false},
		{LimitProcessors, []float64{0.11, 0.06}, true},
		{LimitProcessors, []float64{0.19, 0.01}, false},
		{LimitProcessors, []float64{0.04, 0.11}, false},
		{LimitWaiting, []float64{0.11, 0.12}, true},
		{LimitWaiting, []float64{0.11, 0.02}, false},
		{LimitWaiting, []float64{0.11, 0.09}, false},
		{LimitIdle, []float64{0.02, 0}, true},
		{LimitThrottle, []float64{0.11, 0}, false},
		{LimitThread, nil, false},
	} {
		if got := slowed(x.losses...).Agrees(x.limit, 2); got != x.agrees {
			t.Errorf("%s with losses %v: %t", x.limit, x.losses, got)
		}
	}
}

// TestOrder: changes whose interval contains 0 come after the others, whatever their mean is.
func TestOrder(t *testing.T) {
	m := &Measurement{Trials: []Trial{{Name: "outlier", Gain: Estimate{Mean: 1.4, Low: -0.1}},
		{Name: "small", Gain: Estimate{Mean: 0.1, Low: 0.05}}, {Name: "large", Gain: Estimate{Mean: 0.2, Low: 0.1}}}}
	var names []string
	for _, a := range m.Settings() {
		names = append(names, a.Name)
	}
	if want := []string{"large", "small", "outlier"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// TestConclusive: an effect whose interval is wider than the added work decides nothing.
func TestConclusive(t *testing.T) {
	for width, want := range map[float64]bool{0.1: true, 0.3: false} {
		x := &Experiment{Cases: []Slowed{{Work: 0.2, Measured: Estimate{Low: -0.2, High: -0.2 + width}}}}
		if x.IsConclusive() != want {
			t.Errorf("width %g: %t", width, !want)
		}
	}
}
