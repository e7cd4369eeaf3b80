package xeval

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"xopt/deploy/trace"
	"xopt/internal/fault"
)

// happened is an event at a port in a constructed trace, with its time in ps.
type happened struct {
	port trace.Port
	kind trace.Kind
	time int64
}

// traceOf keeps the first events of each port and kind, up to maximum (0 for all), and records the number of omitted
// ones.
func traceOf(t *testing.T, list []happened, maximum int) trace.Table {
	t.Helper()
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b happened) int { return cmp.Compare(a.time, b.time) })
	h := new(trace.Header)
	series := make(map[trace.Port]int32)
	var events []trace.Event
	counts := make(map[trace.Stream]uint64)
	left := make(map[trace.Stream]uint64)
	for _, x := range list {
		at, ok := series[x.port]
		if !ok {
			at = int32(len(h.Series))
			series[x.port] = at
			s := trace.Series{Name: x.port.String()}
			switch x.kind {
			case trace.Out:
				s.From = x.port
			case trace.Point:
				s.Point = x.port
			default:
				s.To = x.port
			}
			h.Series = append(h.Series, s)
		}
		s := trace.Stream{Series: at, Kind: x.kind}
		if maximum > 0 && counts[s] == uint64(maximum) {
			left[s]++
			continue
		}
		events = append(events, trace.Event{Time: x.time, Index: counts[s], Series: at, Kind: x.kind})
		counts[s]++
	}
	for s, n := range left {
		h.Left = append(h.Left, trace.Left{Stream: s, Events: n})
	}
	return tableOf(t, h, events)
}

// served returns the events of a kernel k that serves elements of x in order of their random arrival, and the
// time of each service. It sends each on y, on z, or nowhere, as to determines.
func served(r *rand.Rand, n int, to func(i int) string) (list []happened, elapsed []int64) {
	port := func(name string) trace.Port { return trace.Port{Kernel: "k", Name: name} }
	comes, free := int64(0), int64(0)
	for i := range n {
		comes += r.Int64N(9 * us)
		start := max(comes, free)
		d := 1*us + r.Int64N(8*us)
		free = start + d
		elapsed = append(elapsed, d)
		list = append(list, happened{port("x"), trace.Available, comes}, happened{port("x"), trace.In, start})
		if out := to(i); out != "" {
			list = append(list, happened{port(out), trace.Out, free})
		}
	}
	return list, elapsed
}

func judged(t *testing.T, table trace.Table, rules ...string) *RuleResult {
	t.Helper()
	f, err := Rules("rules", rules, table.Header())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Evaluate(t.Context(), f, table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &r.Blocks[0].Rules[0]
}

func meanOf(list []int64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += float64(x) * 1e-12
	}
	return sum / float64(len(list))
}

// TestRulesThatFit uses kernels with known times. A correct rule yields their mean, for a complete trace, for one cut
// at any time, and for one with the first events of each port. A wrong rule yields none, and the reason.
func TestRulesThatFit(t *testing.T) {
	y := func(int) string { return "y" }
	fourth := func(i int) string { // a gain of .75
		if i%4 == 1 {
			return ""
		}
		return "y"
	}
	either := func(i int) string {
		if i%3 == 1 {
			return "z"
		}
		return "y"
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		for name, c := range map[string]struct {
			to   func(int) string
			rule string
			fits bool
		}{
			"one to one":            {y, "k.x -> k.y", true},
			"either":                {either, "k.x -> k.y or k.z", true},
			"a filter as a copier":  {fourth, "k.x -> k.y", false},
			"a half":                {either, "k.x -> k.y", false},
			"two to one":            {y, "2 k.x -> k.y", false},
			"one to two of several": {y, "k.x -> 2 k.y", false},
		} {
			list, elapsed := served(r, 60+r.IntN(300), c.to)
			last := list[len(list)-1].time
			cut := last/3 + r.Int64N(last/2)
			begun := slices.DeleteFunc(slices.Clone(list), func(x happened) bool { return x.time > cut })
			for how, table := range map[string]trace.Table{"whole": traceOf(t, list, 0), "cut": traceOf(t, begun, 0),
				"first 20": traceOf(t, list, 20)} {
				x := judged(t, table, c.rule)
				switch {
				case !c.fits && (x.Unfit == "" || x.Execution.N > 0 || x.Outputs != nil):
					t.Errorf("seed %d, %s, %s: it was triggered %d times and finished %d times: %g s", seed, name, how,
						x.Triggered, x.Finished, x.Execution.Mean)
				case c.fits && x.Unfit != "":
					t.Errorf("seed %d, %s, %s: %s", seed, name, how, x.Unfit)
				case c.fits && (x.Execution.N == 0 || math.Abs(x.Execution.Mean-meanOf(elapsed[:x.Execution.N])) >
					1e-15):
					t.Errorf("seed %d, %s, %s: %d runs of %g s, want %g s", seed, name, how, x.Execution.N,
						x.Execution.Mean, meanOf(elapsed[:x.Execution.N]))
				}
				if x.WaitUnfit != "" || x.Wait.N == 0 {
					t.Errorf("seed %d, %s, %s: the waits of %d runs; %s", seed, name, how, x.Wait.N, x.WaitUnfit)
				}
			}
		}
	}
}

// TestPipelineThatFits: several kernels have many concurrent runs, also at the end of a cut trace. A pipeline that
// loses some does not match.
func TestPipelineThatFits(t *testing.T) {
	const n, stages = 400, 6
	for _, drops := range []bool{false, true} {
		var list []happened
		for i := range int64(n) {
			list = append(list, happened{trace.Port{Kernel: "a", Name: "src"}, trace.Point, 10 * us * i})
			if !drops || i%50 != 7 {
				list = append(list, happened{trace.Port{Kernel: "b", Name: "sink"}, trace.Point,
					10*us*(i+stages) + i%3*us})
			}
		}
		cut := slices.DeleteFunc(slices.Clone(list), func(x happened) bool { return x.time > 10*us*n*3/4 })
		for name, events := range map[string][]happened{"whole": list, "cut": cut} {
			x := judged(t, traceOf(t, events, 0), "a.src -> b.sink")
			if drops && (x.Unfit == "" || x.Execution.N > 0) {
				t.Errorf("%s: %d triggers, %d ends, %g s", name, x.Triggered, x.Finished, x.Execution.Mean)
			}
			if !drops && (x.Unfit != "" || math.Abs(x.Execution.Mean-61e-6) > 0.1e-6) {
				t.Errorf("%s: %g s, want 61 us; %s", name, x.Execution.Mean, x.Unfit)
			}
		}
	}
}

// TestOvertaking: elements that overtake each other do not change the mean, which is known here. A finish before its
// start, more ends than triggers, and files of two clocks are rejected.
func TestOvertaking(t *testing.T) {
	point := func(name string) trace.Port { return trace.Port{Kernel: "k", Name: name} }
	var list, late []happened
	sum := 0.0
	for i := range int64(100) {
		elapsed := int64(50 * us)
		if i%10 == 0 {
			elapsed = 1000 * us
		}
		sum += float64(elapsed) * 1e-12
		list = append(list, happened{point("src"), trace.Point, 20 * us * i}, happened{point("done"), trace.Point,
			20*us*i + elapsed})
		late = append(late, happened{point("src"), trace.Point, 20*us*i + 5000*us}, happened{point("done"), trace.Point,
			20 * us * i})
	}
	x := judged(t, traceOf(t, list, 0), "k.src -> k.done")
	if x.Unfit != "" || math.Abs(x.Execution.Mean-sum/100) > 1e-12 {
		t.Errorf("mean %g s, want %g s; %s", x.Execution.Mean, sum/100, x.Unfit)
	}
	for name, events := range map[string][]happened{
		"finished before they started": late,
		"some ends have no trigger":    append(slices.Clone(list), list[1], list[3]),
	} {
		if x := judged(t, traceOf(t, events, 0), "k.src -> k.done"); !strings.Contains(x.Unfit, name) ||
			x.Execution.N > 0 {
			t.Errorf("%s: %g s; %q", name, x.Execution.Mean, x.Unfit)
		}
	}
	clocks := []happened{{point("x"), trace.Available, 9 * us}, {point("x"), trace.In, 2 * us}, {point("y"), trace.Out,
		3 * us}}
	if x := judged(t, traceOf(t, clocks, 0), "k.x -> k.y"); !strings.Contains(x.WaitUnfit, "before they were "+
		"triggered") || x.Wait.N > 0 {
		t.Errorf("two clocks: a wait of %g s; %q", x.Wait.Mean, x.WaitUnfit)
	}
}

// TestBacklog: triggers that occasionally have no end make the backlog grow by about 0.4 of them, also beside
// concurrent runs. The same number of concurrent runs does not.
func TestBacklog(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := uint64(100); n < 3000; n += 1 + n/7 {
		var lost, both, way backlog
		for i := range n {
			lost.see(i / 8)
			both.see(i/8 + 20 + r.Uint64N(5))
			way.see(20 + r.Uint64N(5))
		}
		got, all := lost.growth(), float64(n)/8
		if got < 0.37*all-1 || got > 0.45*all+1 || lost.explains(n/8) || both.explains(n/8+20) {
			t.Errorf("of %d runs, of which every eighth has no end, it is %g, and %g where others are under way", n,
				got, both.growth())
		}
		if !way.explains(20) || way.explains(40) {
			t.Errorf("of %d runs with 20 to 24 under way: the backlog grows by %g", n, way.growth())
		}
	}
}

// TestUnfitShown: the notes name the rule, and the timeline has no ends of it.
func TestUnfitShown(t *testing.T) {
	list, _ := served(rand.New(rand.NewPCG(1, 1)), 100, func(i int) string { return []string{"y", ""}[i%2] })
	table := traceOf(t, list, 0)
	f, err := Rules("rules", []string{"k.x -> k.y"}, table.Header())
	if err != nil {
		t.Fatal(err)
	}
	line := NewTimeline(f, 10)
	r, err := Evaluate(t.Context(), f, table, Options{Each: line.Add})
	if err != nil {
		t.Fatal(err)
	}
	line.Refuse(r)
	if text := strings.Join(fault.Texts(r.Notes), "\n"); !strings.Contains(text, "rule1 of block rules (k.x -> k.y): "+
		"its executions are unknown: the rule was triggered 100 times and finished 50 times") || len(r.Unfit()) != 1 {
		t.Errorf("notes %q, unfit %q", text, r.Unfit())
	}
	shown := fmt.Sprint(len(line.Lines[0].Marks), len(line.Lines[1].Marks), len(line.Lines[2].Marks))
	if latest := line.Lines[1].Marks[9].Time; shown != "10 10 0" || line.Until != latest {
		t.Errorf("the timeline shows %s triggers, starts and finishes until %d; want 10 10 0 until %d", shown,
			line.Until, latest)
	}
}
