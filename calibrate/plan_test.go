package calibrate

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// pairOnTwoCores is a source and a sink that may run on two cores.
const pairOnTwoCores = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
`

// TestBudget: a suggested longer budget exceeds the one that was too short and covers the plan. Data sets share
// the remaining time equally, and a share is reserved for a machine without figures.
func TestBudget(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: pairOnTwoCores}.Design(t, design.Options{Purpose: design.ForCheck})
	for _, budget := range []time.Duration{time.Millisecond, 15 * time.Second, 10 * time.Minute} {
		p := NewPlan(Plan{Design: d, Budget: budget})
		if got := p.LongerBudget(); got < 2*budget || got < p.Time() || got%(10*time.Second) != 0 {
			t.Errorf("after %v, %v is offered for %v", budget, got, p.Time())
		}
		first := 2 * (buildTime + firstTime) // of both kernels
		if got := p.MinBudget(); got < min(first, p.LongerBudget()) || got <= budget || got > p.LongerBudget() ||
			budget < first && got > 2*first+p.Options.Record {
			t.Errorf("after %v, the least budget is %v of %v", budget, got, p.LongerBudget())
		}
	}
	here := profile.ThisMachine()
	existing := &profile.Profile{Machine: here, Links: []profile.Link{{Linktype: "memory", Where: betweenCores},
		{Linktype: "memory", Where: betweenProcesses}}, Sharing: sharingWays(d)}
	p := NewPlan(Plan{Design: d, Budget: 100 * time.Second, DataSets: 2})
	now := p.Deadline().Add(-100 * time.Second)
	if got := p.until(now, existing).Sub(now); got != 50*time.Second {
		t.Errorf("the first of two data sets has %v", got)
	}
	if got := p.until(now, nil).Sub(now); got != 40*time.Second { // both ways of memory fit, sharing does not
		t.Errorf("beside a machine that is not known it has %v", got)
	}
	kernels := &profile.Profile{Kernels: []profile.Kernel{{Instance: "top.g"}, {Instance: "top.s"}}}
	if got := p.until(now, kernels).Sub(now); got != 50*time.Second-(linksTime+sharingTime)/2 {
		t.Errorf("beside a machine that is not known, kernels that are have %v", got)
	}
	p.measured = 1
	if got := p.until(now, existing).Sub(now); got != 100*time.Second {
		t.Errorf("the last data set has %v", got)
	}
	short := NewPlan(Plan{Design: d, Budget: 20 * time.Second})
	now = short.Deadline().Add(-20 * time.Second)
	links := d.Problem.Architecture.Links
	for bandwidth, want := range map[float64]time.Duration{0: 20*time.Second - linksTime/2, 1e9: 20 * time.Second} {
		links[0].Bandwidth = bandwidth
		if got := short.until(now, nil).Sub(now); got != want {
			t.Errorf("with a link of %g bytes/s, the kernels get %v of 20 s, want %v", bandwidth, got, want)
		}
	}
	if p := NewPlan(Plan{Design: d, KernelsOnly: true}); p.MachineTime() != 0 || !p.until(now, nil).IsZero() {
		t.Error("kernels alone leave time for a machine, or end without a budget")
	}
	if p, check := NewPlan(Plan{Design: d}), NewPlan(Plan{Design: d, CheckOnly: true}); check.Time() >= p.Time() ||
		p.MachineTime() != linksTime+sharingTime {
		t.Errorf("a check takes %v of %v, the machine %v", check.Time(), p.Time(), p.MachineTime())
	}
}

// TestLackingBandwidth: links without a bandwidth are named once, as they are declared.
func TestLackingBandwidth(t *testing.T) {
	links := []flow.Link{{Name: "bus", Bandwidth: 1}, {Name: "memory"}, {Name: "pcie>", Declared: "pcie"},
		{Name: "pcie<", Declared: "pcie"}}
	d := &design.Design{Problem: &flow.Problem{Architecture: flow.Architecture{Links: links}}}
	if got := strings.Join(LackingBandwidth(d), " "); got != "memory pcie" {
		t.Errorf("got %s", got)
	}
}

// part returns a part of a machine, a link of a type. If hasTime is false, its measurement blocks until the
// deadline.
func part(linktype string, hasTime bool) machinePart {
	link := profile.Link{Linktype: linktype}
	return machinePart{name: linktype, about: time.Second,
		measure: func(ctx context.Context, _ *Options, into *profile.Profile) error {
			if !hasTime {
				<-ctx.Done()
				return ctx.Err()
			}
			into.Links = append(into.Links, link)
			return nil
		},
		in: func(p *profile.Profile) bool {
			return slices.ContainsFunc(p.Links, func(l profile.Link) bool { return sameLink(&l, &link) })
		}}
}

// TestPartsKept: parts of a machine that were measured before the deadline are kept, and the next calibration
// measures only the others.
func TestPartsKept(t *testing.T) {
	t.Parallel()
	m := machine{}
	parts := []machinePart{part("a", true), part("b", false), part("c", true)}
	if err := m.measure(t.Context(), parts, Options{}, time.Now().Add(2*time.Second)); err != nil {
		t.Fatal(err)
	}
	if len(m.found.Links) != 1 || nameParts(m.left) != "b, and c" {
		t.Fatalf("%d links are kept, %q are left", len(m.found.Links), nameParts(m.left))
	}
	earlier := &profile.Profile{Machine: profile.ThisMachine(), Links: m.found.Links,
		Conditions: &profile.Conditions{}}
	if lacking, _ := m.noteLeft(earlier); lacking != "b, and c" ||
		earlier.Conditions.Incomplete != "time limit reached; not measured: b, and c" {
		t.Errorf("incomplete: %q", earlier.Conditions.Incomplete)
	}
	parts = []machinePart{part("a", true), part("b", true), part("c", true)}
	rest := due(parts, earlier)
	if nameParts(rest) != "b, and c" || timeOf(rest) != 2*time.Second {
		t.Errorf("the next measures %s", nameParts(rest))
	}
	next := machine{}
	if err := next.measure(t.Context(), rest, Options{}, time.Time{}); err != nil || len(next.left) > 0 {
		t.Fatalf("left: %s, %v", nameParts(next.left), err)
	}
	found := next.found
	if addMachine(&found, earlier); len(found.Links) != 3 || len(lacking(parts, &profile.Profile{
		Machine: profile.ThisMachine(), Links: found.Links})) > 0 {
		t.Errorf("together they have %d links", len(found.Links))
	}
	earlier.Conditions.Incomplete = ""
	if got := len(due(parts, earlier)) + len(due(parts, nil)); got != 6 {
		t.Errorf("complete profiles leave %d parts of 6", got)
	}
}

// TestPartsThatFit: a part that takes longer than the remaining budget is not started, a shorter one after it
// is, and the reported time left never exceeds the remaining budget.
func TestPartsThatFit(t *testing.T) {
	now := time.Unix(1000, 0)
	deadline := now.Add(5 * time.Second)
	long, short := part("long", true), part("short", true)
	long.about = 20 * time.Second
	measure := short.measure
	short.measure = func(ctx context.Context, o *Options, into *profile.Profile) error {
		o.Progress(Progress{Stage: "short"})
		return measure(ctx, o, into)
	}
	reported := time.Duration(-1)
	o := Options{now: func() time.Time { return now }, Progress: func(x Progress) { reported = x.Left }}
	m := machine{}
	if err := m.measure(t.Context(), []machinePart{long, short}, o, deadline); err != nil {
		t.Fatal(err)
	}
	if nameParts(m.left) != "long" || len(m.found.Links) != 1 || reported != 5*time.Second {
		t.Errorf("left: %s, %d links, %v told", nameParts(m.left), len(m.found.Links), reported)
	}
}

// TestFailedPart: a part that cannot be measured leaves the others, and is named in the profile.
func TestFailedPart(t *testing.T) {
	broken := part("b", true)
	broken.measure = func(context.Context, *Options, *profile.Profile) error { return errors.New("broken") }
	m := machine{}
	err := m.measure(t.Context(), []machinePart{part("a", true), broken, part("c", true)}, Options{}, time.Time{})
	p := &profile.Profile{Links: m.found.Links, Conditions: &profile.Conditions{}}
	if lacking, _ := m.noteLeft(p); err == nil || len(p.Links) != 2 || lacking != "" ||
		p.Conditions.Incomplete != "not measured: b" {
		t.Errorf("%d links are kept; incomplete: %q; %v", len(p.Links), p.Conditions.Incomplete, err)
	}
}

// TestTimeForRuns: building reserves time for the first runs of the built kernels, and kernels may use the time
// reserved for the machine until one of them is measured.
func TestTimeForRuns(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(s time.Duration) { now = time.Unix(1000, 0).Add(s) }
	o := Options{Until: now.Add(18 * time.Second), Last: now.Add(30 * time.Second)}
	o.fill()
	o.now = func() time.Time { return now }
	c := newClock(&o, 20)
	if at(17 * time.Second); c.full(1) || !c.full(5) || c.full(0) {
		t.Error("17 of 18 s leave time for the runs of 5 kernels, or for none of 1")
	}
	if at(8 * time.Second); c.full(20) {
		t.Error("less than half of the time is left for building")
	}
	if at(20 * time.Second); c.isOver() || c.full(0) || !c.full(1) {
		t.Error("what is set aside is not for kernels of which none is measured, or for building more")
	}
	if c.some = true; !c.isOver() {
		t.Error("what is set aside is for kernels after one is measured")
	}
	if c.some = false; c.slowdown(2*time.Second, 1) != 4 {
		t.Errorf("20 s for recording 2 s and a build of 3 s are %g times as long", c.slowdown(2*time.Second, 1))
	}
	if at(31 * time.Second); !c.isOver() {
		t.Error("it goes on after all of the time")
	}
}

// TestPartsAreCut: by a given clock, a part ends with the remaining time, and none starts after it.
func TestPartsAreCut(t *testing.T) {
	now := time.Unix(1000, 0)
	o := Options{Record: 2 * time.Second, Until: now.Add(15 * time.Second), now: func() time.Time { return now }}
	o.fill()
	c := newClock(&o, 4)
	if now = now.Add(14 * time.Second); c.cut(o).Record != time.Second {
		t.Errorf("with a second left the recorded run has %v", c.cut(o).Record)
	}
	broken, began := errors.New("broken"), false
	if late, err := c.inTime(t.Context(), func(context.Context) error { return broken }); late || err != broken {
		t.Errorf("an error in time: late %v, %v", late, err)
	}
	now = o.Until.Add(-time.Millisecond)
	late, err := c.inTime(t.Context(), func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	if !late || err != nil {
		t.Errorf("a part that takes longer than what is left: late %v, %v", late, err)
	}
	now = o.Until
	late, err = c.inTime(t.Context(), func(context.Context) error { began = true; return nil })
	if !late || err != nil || began {
		t.Errorf("after the time: late %v, %v, began %v", late, err, began)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.inTime(ctx, func(ctx context.Context) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("the interruption was reported as the end of the time: %v", err)
	}
}

// TestCertainFiguresStay: less certain figures of the machine do not replace those of an earlier profile, and are
// named; each link has one state.
func TestCertainFiguresStay(t *testing.T) {
	link := func(where string, half, residual float64) profile.Link {
		return profile.Link{Linktype: "memory", Where: where, Residual: residual,
			Samples: []profile.LinkSample{{Bytes: 8, Seconds: 1, CI95: [2]float64{1 - half, 1 + half}}}}
	}
	sharing := func(others float64, test profile.SharingTest, half float64) profile.Sharing {
		return profile.Sharing{Platform: "C", Test: test, Others: others,
			SwitchCost: &profile.Figure{Value: 1, N: 9, CI95: [2]float64{1 - half, 1 + half}}}
	}
	copies := func(half float64) *profile.Copies {
		f := profile.Figure{Value: 1, N: 9, CI95: [2]float64{1 - half, 1 + half}}
		return &profile.Copies{Divide: f, Collect: f}
	}
	earlier := &profile.Profile{Links: []profile.Link{link(betweenCores, 0.03, 0.02), link(betweenProcesses, 0.5, 0)},
		Sharing: []profile.Sharing{sharing(0, profile.SharingConfirmed, 0.1)}, Copies: copies(0.1)}
	now := &profile.Profile{Links: []profile.Link{link(betweenCores, 0.01, 0.9), link(betweenProcesses, 0.1, 0.1)},
		Sharing: []profile.Sharing{sharing(1.5, profile.SharingConfirmed, 0.01)}, Copies: copies(0.05)}
	kept := keepMachine(now, earlier)
	if len(kept) != 2 || !strings.HasPrefix(kept[0], "memory between cores (earlier ± 3 %, now ± 90 %)") ||
		kept[1] != sharingPart+" of C" {
		t.Errorf("kept: %q", kept)
	}
	if now.Links[0].Residual != 0.02 || now.Links[1].Residual != 0.1 || now.Sharing[0].Others != 0 ||
		now.Copies.Divide.CI95[0] != 0.95 {
		t.Errorf("the profile has %+v", now)
	}
	for _, c := range []struct{ x, than profile.Sharing }{
		{sharing(0, profile.SharingOpen, 0.1), sharing(0, profile.SharingConfirmed, 0.5)},
		{sharing(0, profile.SharingConfirmed, 0.5), sharing(0, profile.SharingExcluded, 0.1)},
	} {
		if !lessCertainSharing(&c.x, &c.than) || lessCertainSharing(&c.than, &c.x) {
			t.Errorf("%+v is more certain than %+v", c.x, c.than)
		}
	}
	few, many := &profile.Reference{Runs: 2}, &profile.Reference{Runs: 30, Repeatability: 0.1}
	if moreRuns(few, many) != many || moreRuns(many, few) != many || moreRuns(few, nil) != few ||
		moreRuns(nil, many) != many {
		t.Error("a reference of few runs replaces one of more")
	}
	if part, ok := few.Repeats(); ok {
		t.Errorf("two runs say that the machine repeats within %g", part)
	}
	if part, ok := many.Repeats(); !ok || part != 0.1 {
		t.Errorf("thirty runs say %g, %v", part, ok)
	}
}

// TestCutOffFiguresStay: a calibration of everything that is cut off replaces no figure by a less certain one, keeps
// those of kernels that it did not reach, and names both.
func TestCutOffFiguresStay(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G a, b, c; S s, t, u; a -> s; b -> t; c -> u; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`}.Design(t, design.Options{Purpose: design.ForCheck})
	at := func(name string) int {
		return slices.IndexFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Name == name })
	}
	old := func(name string, half float64) profile.Kernel {
		return profile.Kernel{Block: "G", Instance: name, Platform: "C", Hash: name, ServiceRate: &profile.Figure{
			Value: 100, N: 8, CI95: [2]float64{100 - half, 100 + half}}}
	}
	earlier := &profile.Profile{Machine: profile.ThisMachine(),
		Kernels: []profile.Kernel{old("top.a", 24.76), old("top.b", 0.5), old("top.c", 9)}}
	profiled := func(ctx context.Context, o Options) (rates map[string]float64, kept string) {
		o.fill()
		o.Only, o.Earlier, o.All = []int{at("top.a"), at("top.b"), at("top.c")}, earlier, true
		s := &Session{design: d, options: o, clock: newClock(&o, 3), watch: profile.NewWatch(),
			recorded: make([]recorded, len(d.Program.Kernels))}
		for _, name := range []string{"top.a", "top.b"} {
			r := &kernelRun{kernel: at(name), machine: &s.machine, hash: name}
			if r.pool = (&pool{runs: []*kernelRun{r}}); name == "top.a" {
				r.clean = ran(1, around(200, 0.01, 4)...)
			}
			for i := range fewestRuns {
				if x := ran(i, around(200, 0.001, 6)...); name == "top.b" {
					r.clean.add(&x)
				}
			}
			s.runs = append(s.runs, r)
		}
		p, report, err := s.Profile(ctx)
		if err != nil {
			t.Fatal(err)
		}
		rates = make(map[string]float64)
		for i := range p.Kernels {
			rates[p.Kernels[i].Instance] = p.Kernels[i].ServiceRate.Value
		}
		out := Outcome{Profile: p, Report: report, All: true}
		for _, n := range out.Kept() {
			kept += n.Text
		}
		return rates, kept
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	excess := Options{Until: time.Now().Add(-time.Second)}
	for name, c := range map[string]struct {
		ctx context.Context
		Options
		a float64
	}{"interrupted": {cancelled, Options{}, 100}, "over": {t.Context(), excess, 100},
		"to the end": {t.Context(), Options{}, 200}} {
		rates, kept := profiled(c.ctx, c.Options)
		if len(rates) != 3 || math.Abs(rates["top.a"]/c.a-1) > 0.1 || rates["top.b"] < 190 || rates["top.c"] != 100 ||
			strings.Contains(kept, "top.a") != (c.a == 100) || !strings.Contains(kept, "top.c") {
			t.Errorf("%s: %v; %s", name, rates, kept)
		}
	}
}

// TestBudgetOfBusyMachine: on a machine with slow recording and building, the suggested budget is longer by the
// same factor.
func TestBudgetOfBusyMachine(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: pairOnTwoCores}.Design(t, design.Options{Purpose: design.ForCheck})
	p := NewPlan(Plan{Design: d, Budget: 30 * time.Second})
	p.slowdown = 5
	if got := p.LongerBudget(); got < 5*p.Time() {
		t.Errorf("%v is offered for 5 times %v", got, p.Time())
	}
}

// TestBudgetForRest: the suggested budget is for what is missing, and the estimate of a part of the machine follows
// the slowdown of the parts before it.
func TestBudgetForRest(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: pairOnTwoCores}.Design(t, design.Options{Purpose: design.ForCheck})
	now, never := time.Now(), func(*profile.Profile) bool { return false }
	p := NewPlan(Plan{Design: d, Budget: 60 * time.Second, Options: Options{now: func() time.Time { return now }}})
	part := func(duration time.Duration) machinePart {
		return machinePart{name: "a", about: 10 * time.Second, in: never,
			measure: func(context.Context, *Options, *profile.Profile) error {
				now = now.Add(duration)
				return nil
			}}
	}
	o := &Outcome{Profile: &profile.Profile{}, Report: &Report{Rounds: 3}}
	none := p.BudgetFor(o)
	deadline := now.Add(60 * time.Second)
	parts := []machinePart{part(25 * time.Second), part(20 * time.Second), part(time.Second)}
	if err := p.machine.measure(t.Context(), parts, p.Options, deadline); err != nil {
		t.Fatal(err)
	}
	if len(p.machine.left) != 1 || p.machine.slowdown != 2.5 {
		t.Errorf("%d parts are left at a slowdown of %v, want 1 at 2.5", len(p.machine.left), p.machine.slowdown)
	}
	rest := p.BudgetFor(o)
	o.Report.Missing = []string{"top.g"}
	all := p.BudgetFor(o)
	if !(none < rest && rest < all && all < p.LongerBudget()) || rest < 25*time.Second {
		t.Errorf("for nothing %v, a part %v, and a kernel %v; for everything %v", none, rest, all, p.LongerBudget())
	}
}

// TestLeftOfMachine: the profile lists the parts of the machine that lacked time, unless an earlier calibration
// has them.
func TestLeftOfMachine(t *testing.T) {
	for _, c := range []struct {
		was, want string
		isKnown   bool
	}{
		{"", "time limit reached; not measured: sharing", false},
		{"interrupted", "interrupted; not measured: sharing", false},
		{"time limit reached; not measured: top.a", "time limit reached; not measured: top.a; nor sharing", false},
		{"", "", true},
	} {
		m := machine{left: []machinePart{part("sharing", true)}}
		p := &profile.Profile{Conditions: &profile.Conditions{Incomplete: c.was}}
		if c.isKnown {
			p.Links = []profile.Link{{Linktype: "sharing"}}
		}
		lacking, before := m.noteLeft(p)
		if c.isKnown {
			lacking, before = before, lacking
		}
		if got := p.Conditions.Incomplete; got != c.want || lacking != "sharing" || before != "" {
			t.Errorf("%q became %q, want %q; %q, %q", c.was, got, c.want, lacking, before)
		}
	}
}

// TestHardwareFirst: the time of a calibration counts only kernels with an implementation for the FPGA, and figures on
// FPGAs are missing until a profile has them on that platform.
func TestHardwareFirst(t *testing.T) {
	const onFPGA = `platform HDL_Part: HDL { config STRING family = "xc7"; config STRING clock = "100MHz"; };
platform HDL { impl S (src="s.v", top="s"); };
resource fpga is HDL_Part;
resource net is bus ({ proc, fpga }, bandwidth="1GB/s");
`
	d := flowtest.X{Files: []string{}, More: pairOnTwoCores + onFPGA}.Design(t, design.Options{
		Purpose: design.ForCheck})
	p := NewPlan(Plan{Design: d, KernelsOnly: true, Budget: time.Minute})
	if n := p.onFPGAs(); n != 1 {
		t.Fatalf("%d kernels on FPGAs, want 1", n)
	}
	cores := &profile.Profile{Kernels: []profile.Kernel{{Instance: "top.g", Platform: "C"},
		{Instance: "top.s", Platform: "C"}}}
	list := hardwareFigures(d, nil)
	all := &profile.Profile{Kernels: append(slices.Clone(cores.Kernels), list...)}
	if !lacksHardware(cores, d, nil) || lacksHardware(all, d, nil) || lacksHardware(cores, d, []int{0}) {
		t.Errorf("missing: %t on cores only, %t with %+v", lacksHardware(cores, d, nil), lacksHardware(all, d, nil),
			list)
	}
	missing := &Outcome{Profile: cores, Report: &Report{Missing: []string{"top.g", "top.s on " + list[0].Platform}}}
	cpu := &Outcome{Profile: cores, Report: &Report{Missing: []string{"top.g", "top.s"}}}
	if a, b := p.BudgetFor(missing), p.BudgetFor(cpu); a < b+hardwareTime/2 {
		t.Errorf("budgets %v with an FPGA, %v without", a, b)
	}
}
