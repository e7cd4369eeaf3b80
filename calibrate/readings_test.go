package calibrate

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// around returns n deterministic windows around a value, in relative steps.
func around(value, step float64, n int) []float64 {
	var list []float64
	for i := range n {
		list = append(list, value*(1+step*(float64(i%5)-2)))
	}
	return list
}

// ran returns a run with the given number and windows.
func ran(run int, rate ...float64) readings {
	x := readings{runs: 1}
	for _, r := range rate {
		x.windows = append(x.windows, sample{cost: 1 / r, run: run})
	}
	return x
}

// TestCosts: a cost keeps its measurement with a standard error that contains the difference of its runs and the
// error of its base. Its value is not below 0, and in its interval.
func TestCosts(t *testing.T) {
	costs := func(values ...[]float64) cost {
		var c cost
		for _, v := range values {
			c.add(v)
		}
		return c
	}
	alike := costs(around(5e-9, 0.01, 5), around(5e-9, 0.01, 5), around(5e-9, 0.01, 5))
	for name, x := range map[string]struct {
		cost     cost
		unsure   float64
		value    float64 // measured
		low, err float64 // limits of the error
	}{
		"two windows":         {costs([]float64{5.39e-9, 5.4e-9}), 0, 5.395e-9, 5e-9, 6e-9},
		"many of two runs":    {costs(around(5e-9, 0.01, 8), around(5e-9, 0.01, 8)), 0, 4.975e-9, 4e-9, 6e-9},
		"three runs":          {alike, 0, 5e-9, 1e-11, 1e-10},
		"less than is unsure": {alike, 6e-9, 5e-9, 3e-9, 4e-9},
		"runs that differ": {costs(around(1e-9, 0.01, 5), around(9e-9, 0.01, 5), around(2e-9, 0.01, 5)), 0, 2e-9, 4e-9,
			6e-9},
		"below 0": {costs([]float64{-1e-9, -2e-9, -1e-9}, []float64{-1e-9, 0, 1e-9}, []float64{-1e-9, -1e-9, -3e-9}),
			0, -1e-9, 1e-10, 2e-9},
	} {
		f := extra(x.cost, x.unsure)
		low, high, ok := f.Interval()
		if m := f.Measured; math.Abs(m.Value-x.value) > 1e-12 || m.Error < x.low || m.Error > x.err || !ok ||
			f.Value != math.Max(0, m.Value) || f.Value < low || f.Value > high {
			t.Errorf("%s: %+v of %+v, want %g with an error of %g to %g", name, m, f, x.value, x.low, x.err)
		}
		if err := (&profile.Profile{Kernels: []profile.Kernel{{Block: "B", Platform: "C",
			ReceiveCost: f}}}).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if extra(cost{}, 0) != nil {
		t.Error("nothing was measured, and there is a cost")
	}
}

// TestWiden: the interval of windows contains the differences between runs.
func TestWiden(t *testing.T) {
	windows := slices.Concat(around(100, 0.001, 10), around(110, 0.001, 10), around(105, 0.001, 10))
	f := figure(windows, []float64{100, 110, 105})
	// The mean is 105, its standard error 5/√3, and t of two degrees of freedom 4.303.
	low, high, ok := f.Interval()
	if half := 4.3027 * 5 / math.Sqrt(3); !ok || math.Abs(low-105+half) > 0.01 || math.Abs(high-105-half) > 0.01 {
		t.Errorf("the interval is %g to %g", low, high)
	}
	if f := figure(windows[:2], []float64{100}); f.CI95 != [2]float64{} {
		t.Errorf("two windows have the interval %v", f.CI95)
	}
}

// TestPositiveFigure: the interval of a rate stays above 0 and contains the runs, by factors. Without runs it
// is that of the windows.
func TestPositiveFigure(t *testing.T) {
	windows := slices.Concat(around(500, 0.001, 10), around(700, 0.001, 10))
	f := positiveFigure(windows, []float64{500, 700})
	if linear := figure(windows, []float64{500, 700}); !(linear.CI95[0] < 0) {
		t.Fatalf("the case is not a test: %v", linear.CI95)
	}
	// t of one degree of freedom is 12.706; the standard error of the logarithm is ln(7/5)/2.
	mean, half := math.Sqrt(500*700), math.Exp(12.7062*math.Log(1.4)/2)
	if low, high := mean/half, mean*half; math.Abs(f.CI95[0]/low-1) > 1e-3 || math.Abs(f.CI95[1]/high-1) > 1e-3 {
		t.Errorf("from %g to %g, want %g to %g", f.CI95[0], f.CI95[1], low, high)
	}
	if f := positiveFigure(windows, []float64{1e-200, 1e200}); !(f.CI95[0] > 0) || math.IsInf(f.CI95[1], 1) {
		t.Errorf("runs apart: %v", f.CI95)
	}
	if f, g := positiveFigure(windows, nil), figure(windows, nil); f.CI95 != g.CI95 {
		t.Errorf("one run: %v, of the windows %v", f.CI95, g.CI95)
	}
}

// TestPools: instances of one block with the same configs share windows; others do not, and
// neither do those whose rates differ.
func TestPools(t *testing.T) {
	gain := func(v string) xlang.Values { return xlang.Values{"gain": {Text: v}} }
	kernels := []xlang.Kernel{{Name: "a", Block: "F", Config: gain("1")}, {Name: "b", Block: "F", Config: gain("1")},
		{Name: "c", Block: "F", Config: gain("2")}, {Name: "d", Block: "G", Config: gain("1")}}
	d := &design.Design{Program: &xlang.Program{Kernels: kernels,
		Resources: []xlang.Resource{{Name: "p", Platform: "C"}}}}
	d.Mapping = &flow.Mapping{Place: make([]int, len(kernels))}
	var runs []*kernelRun
	for k := range kernels {
		runs = append(runs, &kernelRun{kernel: k})
	}
	pools(d, runs)
	if runs[0].pool != runs[1].pool || runs[0].pool == runs[2].pool || runs[0].pool == runs[3].pool {
		t.Fatal("the pools are not those of blocks and configs")
	}
	a, b := ran(1, around(100, 0.01, 4)...), ran(2, around(101, 0.01, 4)...)
	a.receive = []crossed{{near: []sample{{cost: 10e-9}}, far: []sample{{cost: 15e-9}, {cost: 15.1e-9}}, part: 1}}
	runs[0].clean, runs[1].clean = a, b
	for _, r := range runs[:2] {
		if f, _ := r.rate(); f.N != 8 {
			t.Errorf("the rate of %s is of %d windows, want those of both", kernels[r.kernel].Name, f.N)
		}
		if f := r.figures(d, 0.01); f.ReceiveCost == nil || f.ReceiveCost.Measured.Error < 5e-9 {
			t.Errorf("%s has the cost %+v of one run, want an error as large as it is", f.Instance, f.ReceiveCost)
		}
	}
	// The service times follow the data.
	runs[1].clean = ran(3, around(300, 0.01, 4)...)
	for i, want := range []float64{100, 300} {
		if f, _ := runs[i].rate(); f.N != 4 || math.Abs(f.Value/want-1) > 0.02 {
			t.Errorf("the rate of %s is %g of %d windows, want about %g of 4", kernels[i].Name, f.Value, f.N, want)
		}
	}
}

// TestDisturbedRuns: disturbed windows count only if there are too few others, and are then reported.
func TestDisturbedRuns(t *testing.T) {
	r := &kernelRun{}
	r.pool = &pool{runs: []*kernelRun{r}}
	rough := ran(1, around(50, 0.1, 4)...)
	for i := range rough.windows {
		rough.windows[i].lost = 0.1
	}
	var report Report
	r.keep(&rough, &report)
	if f, _ := r.rate(); f.N != 4 || r.doubt(0.01) != "disturbed while it was measured" {
		t.Errorf("%d windows, doubt %q", f.N, r.doubt(0.01))
	}
	for i := range fewestRuns {
		clean := ran(2+i, around(100, 0.001, 4)...)
		r.keep(&clean, &report)
		if d := r.doubt(0.01); i == 1 && d != "measured in only 2 runs: the variation between runs is unknown" {
			t.Errorf("doubt %q of two runs", d)
		}
	}
	if f, _ := r.rate(); f.N != 4*fewestRuns || math.Abs(f.Value-100) > 1 || r.doubt(0.01) != "" {
		t.Errorf("%+v, doubt %q", f, r.doubt(0.01))
	}
	if report.Dropped != 4 {
		t.Errorf("%d windows are left out, want 4", report.Dropped)
	}
	if d := r.doubt(0.0001); d != "interval wider than ±0.01 %" {
		t.Errorf("doubt %q", d)
	}
	r.wantsTakes = true
	if d := r.doubt(0.01); !strings.HasSuffix(d, "measured in too few runs") {
		t.Errorf("doubt %q", d)
	}
}

// TestBound: a rate whose calls are shorter than the clock resolves is a bound, and is not
// measured without end.
func TestBound(t *testing.T) {
	r := &kernelRun{clean: ran(1, around(1e12, 0.3, 8)...)}
	r.pool = &pool{runs: []*kernelRun{r}}
	r.clean.unresolvable = 1
	f, _ := r.rate()
	if _, _, ok := f.Interval(); !f.AtLeast || ok || r.doubt(0.01) != "" {
		t.Errorf("%+v, doubt %q", f, r.doubt(0.01))
	}
}

// TestOrder: the least certain kernel has the first turn, and the one with the most time waits.
func TestOrder(t *testing.T) {
	none, s := math.Inf(1), time.Second
	for name, c := range map[string]struct {
		turns []turn
		want  []int
	}{
		"worst first": {[]turn{{0.02, 9, s}, {0.5, 9, s}, {none, 4, s}, {0.1, 9, s}, {none, 0, s}},
			[]int{4, 2, 1, 3, 0}},
		"a greedy one":      {[]turn{{0.5, 99, 9 * s}, {0.02, 9, s}, {0.03, 9, s}}, []int{2, 1}},
		"one":               {[]turn{{0.5, 99, 9 * s}}, []int{0}},
		"none":              {nil, nil},
		"all the same time": {[]turn{{0.1, 9, s}, {0.2, 9, s}}, []int{1, 0}},
	} {
		if got := order(c.turns); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestLeastCertain: kernels with the widest intervals in the earlier profile are built and measured first.
func TestLeastCertain(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: `#include "std.x"
block G { output UNSIGNED8 y; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; F f, h; S s; g -> f; f -> h; h -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`}.Design(t, design.Options{Purpose: design.ForCheck})
	at := make(map[string]int)
	kernel := func(name string, half float64, doubt string) profile.Kernel {
		return profile.Kernel{Instance: name, Platform: "C", Doubt: doubt, ServiceRate: &profile.Figure{Value: 100,
			N: 9, CI95: [2]float64{100 - half, 100 + half}}}
	}
	for k := range d.Program.Kernels {
		at[d.Program.Kernels[k].Name] = k
	}
	earlier := &profile.Profile{Kernels: []profile.Kernel{kernel("top.g", 12, "wide"), kernel("top.f", 30, ""),
		kernel("top.s", 68, "wide")}}
	want := []int{at["top.h"], at["top.s"], at["top.g"], at["top.f"]}
	if got := leastCertain(d, earlier); !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	if got := leastCertain(d, nil); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("without an earlier profile the order is %v", got)
	}
}

// TestBetter: a less certain measurement does not replace an earlier one.
func TestBetter(t *testing.T) {
	kernel := func(half float64, doubt string) *profile.Kernel {
		return &profile.Kernel{Hash: doubt, Doubt: doubt, ServiceRate: &profile.Figure{Value: 100, N: 9,
			CI95: [2]float64{100 - half, 100 + half}}}
	}
	const wide, disturbed = "interval wider than ±1 %", "disturbed while it was measured"
	for name, c := range map[string]struct {
		now, old *profile.Kernel
		takesOld bool
	}{
		"none before":      {now: kernel(9, wide)},
		"good now":         {now: kernel(1, ""), old: kernel(0.5, wide)},
		"narrower now":     {now: kernel(4, wide), old: kernel(5, wide)},
		"wider now":        {now: kernel(6, wide), old: kernel(5, wide), takesOld: true},
		"disturbed now":    {now: kernel(2, disturbed), old: kernel(5, wide), takesOld: true},
		"disturbed before": {now: kernel(9, wide), old: kernel(1, disturbed)},
		"disturbed both":   {now: kernel(9, disturbed), old: kernel(1, disturbed), takesOld: true},
		"narrower of both": {now: kernel(1, disturbed), old: kernel(9, disturbed)},
		"of too few windows now": {now: &profile.Kernel{Doubt: wide, ServiceRate: &profile.Figure{Value: 1, N: 2}},
			old: kernel(5, wide), takesOld: true},
	} {
		got, kept := betterKernel(*c.now, c.old)
		if elapsed := c.old != nil && got.ServiceRate == c.old.ServiceRate; elapsed != c.takesOld || kept != elapsed {
			t.Errorf("%s: the earlier figures are kept: %t, %t", name, elapsed, kept)
		}
	}
}

// TestRepetition: a rate measured in one run has an interval of the spread of its windows and the run-to-run
// variation of the machine. A rate on which two calibrations disagree has an interval of both, and is in doubt.
func TestRepetition(t *testing.T) {
	machine := &reference{earlier: &profile.Reference{Runs: 9, Repeatability: 0.2}}
	g := goodOf(ran(1, around(100, 0.02, 10)...).windows, machine)
	if low, high, ok := g.figure.Interval(); !ok || g.runs != 1 || low > 96/1.2*1.001 || high < 104*1.2*0.999 {
		t.Errorf("one run: %g to %g, %v", low, high, ok)
	}
	of := func(value float64, doubt string) profile.Kernel {
		return profile.Kernel{Hash: "h", Doubt: doubt, ServiceRate: &profile.Figure{Value: value, N: 9,
			CI95: [2]float64{0.98 * value, 1.02 * value}}}
	}
	uncertain := of(60, "wide")
	uncertain.ServiceRate.CI95 = [2]float64{20, 160}
	for _, c := range []struct {
		now, old  profile.Kernel
		low, high float64
		inDoubt   bool
	}{
		{of(100, ""), of(101, "wide"), 98, 102, false},
		{of(75, ""), of(100, "wide"), 73.5, 100, true},
		{of(100, ""), of(75, "wide"), 75, 102, true},
		{of(100, ""), of(75, profile.DoubtDisturbed), 98, 102, false},
		{uncertain, of(100, ""), 98, 102, false}, // no contradiction
		{of(75, "wide"), of(100, "wide"), 73.5, 100, true},
	} {
		got, _ := betterKernel(c.now, &c.old)
		if low, high, _ := got.ServiceRate.Interval(); math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 ||
			(got.Doubt != "") != c.inDoubt {
			t.Errorf("%g after %g: %g to %g, doubt %q; want %g to %g", c.now.ServiceRate.Value, c.old.ServiceRate.Value,
				low, high, got.Doubt, c.low, c.high)
		}
		if got.Doubt != "" && !strings.Contains(got.Doubt, calibrationsDiffer) {
			t.Errorf("%g after %g: the doubt %q does not state why the interval is wider", c.now.ServiceRate.Value,
				c.old.ServiceRate.Value, got.Doubt)
		}
	}
}

// TestSlowSession: a calibration that is slow throughout is corrected by the undisturbed reference of an
// earlier calibration on this machine.
func TestSlowSession(t *testing.T) {
	earlier := &profile.Reference{Runs: 9}
	for range abi.Probes {
		earlier.Probes = append(earlier.Probes, profile.Probe{Good: 1e-6})
	}
	rate := func(before *profile.Reference) float64 {
		machine := &reference{earlier: before}
		var windows []sample
		for i := range 20 { // everything in the cores takes 1.3 times as long
			probes := make([]float64, abi.Probes)
			for probe := range probes {
				probes[probe] = 1.3e-6 * (1 + 0.001*float64(i%3))
			}
			windows = append(windows, sample{cost: 1.3e-8 * (1 + 0.001*float64(i%3)), run: i / 4, probes: probes})
			machine.probes = append(machine.probes, probeTimes{probes, i / 4})
		}
		return goodOf(windows, machine).figure.Value
	}
	if alone, existing := rate(nil), rate(earlier); math.Abs(alone*1.3e-8-1) > 0.01 ||
		math.Abs(existing*1e-8-1) > 0.01 {
		t.Errorf("%g B/s alone, %g with the earlier calibration; want %g and 1e8", alone, existing, 1/1.3e-8)
	}
}

// TestBetterCosts: a kernel's additional costs are the more certain ones, independent of its rate.
func TestBetterCosts(t *testing.T) {
	cost := func(half float64) *profile.Figure {
		return &profile.Figure{Value: 10, N: 9, CI95: [2]float64{10 - half, 10 + half}}
	}
	now := profile.Kernel{Doubt: "interval wider than ±1 %", ServiceRate: cost(1), SendCost: cost(2),
		SwitchCost: cost(3)}
	old := profile.Kernel{Doubt: "interval wider than ±1 %", ServiceRate: cost(2), SendCost: cost(1), SendFar: cost(4),
		SwitchCost: cost(4), ReceiveCost: cost(9)}
	got, kept := betterKernel(now, &old)
	if kept || got.ServiceRate != now.ServiceRate || got.SendCost != old.SendCost || got.SendFar != old.SendFar ||
		got.SwitchCost != now.SwitchCost || got.ReceiveCost != old.ReceiveCost {
		t.Errorf("got %+v", got)
	}
	old.Doubt = profile.DoubtDisturbed
	if got, _ := betterKernel(now, &old); got.SendCost != now.SendCost || got.ReceiveCost != old.ReceiveCost {
		t.Errorf("beside disturbed costs: %+v", got)
	}
}

// TestClock: a calibration estimates its duration and meets its deadline, by a given clock.
func TestClock(t *testing.T) {
	now := time.Unix(1000, 0)
	o := Options{now: func() time.Time { return now }}
	o.fill()
	c := newClock(&o, 10)
	if want := 10 * (buildTime + firstTime + windowsTime); c.left() != want || c.late() {
		t.Errorf("ten kernels take %v, want %v", c.left(), want)
	}
	coarse := o
	coarse.Precision = 10 * coarsePrecision
	if quick := newClock(&coarse, 10); quick.left() != 10*(buildTime+firstTime)+windowsTime {
		t.Errorf("ten kernels with a coarse precision take %v", quick.left())
	}
	c.built(2) // eight are known
	now = now.Add(10 * time.Second)
	c.measuring()
	if c.left() != 2*windowsTime || c.late() {
		t.Errorf("two kernels take %v", c.left())
	}
	now = now.Add(2 * windowsTime)
	if !c.late() || c.left() != 0 {
		t.Error("the windows do not end")
	}
	o.Until = now.Add(7 * time.Second)
	c = newClock(&o, 10)
	if c.left() != 7*time.Second || c.late() {
		t.Errorf("with seven seconds it takes %v", c.left())
	}
	c.built(10)
	c.measuring()
	now = now.Add(3 * time.Second)
	if c.short() || c.late() {
		t.Error("it is short of time after three of seven seconds")
	}
	now = now.Add(time.Second)
	if !c.short() || c.late() {
		t.Error("it is not short of time after four of seven seconds")
	}
	now = now.Add(3 * time.Second)
	if !c.late() {
		t.Error("it goes on after its time")
	}
}
