package predict

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/mapper"
	"xopt/mapper/result"
)

// TestWidened checks that the figures' intervals, the model's error and the machine's repeatability add in
// quadrature, as factors. With only one of them the result is that one, and it always contains each.
func TestWidened(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }
	if low, high := widened(100, [2]float64{100, 100}, 0.25); !near(low, 80) || !near(high, 125) {
		t.Errorf("of exact figures runs are from %g to %g", low, high)
	}
	if low, high := widened(100, [2]float64{90, 120}, 0); !near(low, 90) || !near(high, 120) {
		t.Errorf("on a machine that repeats exactly they are from %g to %g", low, high)
	}
	low, high := widened(100, [2]float64{100 / math.Exp(0.3), 100 * math.Exp(0.03)}, math.Expm1(0.4))
	if !near(low, 100*math.Exp(-0.5)) || !near(high, 100*math.Exp(math.Hypot(0.03, 0.4))) {
		t.Errorf("of both they are from %g to %g", low, high)
	}
	all, _ := RunInterval(100, [2]float64{100 / math.Exp(0.3), 100}, math.Expm1(0.4))
	if want := 100 * math.Exp(-math.Hypot(0.5, math.Log1p(ModelError))); !near(all, want) {
		t.Errorf("of all they are from %g, want %g", all, want)
	}
}

// TestRunsFarApart checks that the interval of runs includes the slowdown by distant cores if they are often distant.
// It does not if that is rare, or if the mapping crosses no cores.
func TestRunsFarApart(t *testing.T) {
	const app = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
map { top.g } to proc[1];
`
	figure := func(v float64) *profile.Figure { return &profile.Figure{Value: v, N: 9, CI95: [2]float64{v, v}} }
	for _, x := range []struct {
		to        string
		near, far float64 // fraction of the time near, and the expected throughput while distant; 0 for none
	}{{"proc[2]", 0.6, 50e6}, {"proc[2]", 0.99, 0}, {"proc[1]", 0.6, 0}} {
		p := &profile.Profile{Reference: &profile.Reference{Repeatability: 0.25,
			Distance: &profile.Distance{Windows: 9, Good: 1e-8, FarApart: 5e-8, Undisturbed: x.near}},
			Kernels: []profile.Kernel{{Block: "G", Platform: "C", ServiceRate: figure(1e9)},
				{Block: "S", Platform: "C", ServiceRate: figure(125e6), ReceiveCost: figure(2e-9),
					ReceiveFar: figure(12e-9)}},
			Links: []profile.Link{{Linktype: "memory", Bandwidth: figure(1e10)}}}
		d := flowtest.X{Files: []string{}, More: app + "map { top.s } to " + x.to + ";\n"}.Design(t, design.Options{
			Purpose: design.ForMapping, Profile: design.FromProfile("p", p, nil)})
		c := predict(t, d)
		again := math.Exp(-math.Hypot(math.Log1p(0.25), math.Log1p(ModelError)))
		low := again * float64(c.Throughput)
		if x.far > 0 {
			low = again * x.far * flow.DefaultMaxUtilization
		}
		if got := float64(c.RunInterval[0]); math.Abs(got-low) > 1e-9*low || (c.FarApart > 0) != (x.far > 0) {
			t.Errorf("to %s, near in %g of the time: runs from %g, want %g; far apart %g", x.to, x.near, got, low,
				c.FarApart)
		}
	}
}

// TestAssumedHasNoInterval checks that a throughput that follows from an assumed bandwidth has no interval, although
// measured kernels have some, and that one within the bandwidth has.
func TestAssumedHasNoInterval(t *testing.T) {
	const app = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory({ proc }, bandwidth="%s");
map { top.g } to proc[1];
map { top.s } to proc[2];
`
	figure := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.9 * v, 1.1 * v}}
	}
	p := &profile.Profile{Reference: &profile.Reference{Repeatability: 0.25}, Kernels: []profile.Kernel{
		{Block: "G", Platform: "C", ServiceRate: figure(1e9)}, {Block: "S", Platform: "C", ServiceRate: figure(1e9)}}}
	for bandwidth, has := range map[string]bool{"1MB/s": false, "100GB/s": true} {
		d := flowtest.X{Files: []string{}, More: fmt.Sprintf(app, bandwidth)}.Design(t, design.Options{
			Purpose: design.ForMapping, Profile: design.FromProfile("p", p, nil)})
		if c := predict(t, d); (c.RunInterval != nil) != has || (c.Interval != nil) != has {
			t.Errorf("with %s: interval %v, of runs %v", bandwidth, c.Interval, c.RunInterval)
		}
	}
}

// drawnFigure draws a figure around a size: exact, with an interval that may be far too wide, or with too few windows
// for one. A cost may also be absent, zero or not significant.
func drawnFigure(t *rapid.T, name string, size float64, cost bool) *profile.Figure {
	states := []string{"narrow", "wide", "asymmetric", "exact", "few"}
	if cost {
		states = append(states, "absent", "zero", "not significant", "few zeros", "far too wide")
	}
	value := size * math.Exp(rapid.Float64Range(-2, 2).Draw(t, name))
	inside := func(down, up float64) *profile.Figure {
		return &profile.Figure{Value: value, N: 9, CI95: [2]float64{value / down, value * up}}
	}
	switch rapid.SampledFrom(states).Draw(t, name+" is") {
	case "narrow":
		return inside(1.01, 1.01)
	case "wide":
		return inside(30, 30)
	case "asymmetric":
		return inside(1.001, 4)
	case "few":
		return &profile.Figure{Value: value, N: 3}
	case "absent":
		return nil
	case "zero":
		return &profile.Figure{N: 9}
	case "not significant":
		return &profile.Figure{N: 9, CI95: [2]float64{0, value}}
	case "few zeros":
		return &profile.Figure{N: 2}
	case "far too wide":
		return &profile.Figure{Value: value, N: 9, CI95: [2]float64{0, 1e6 * value}}
	}
	return &profile.Figure{Value: value, N: 9, CI95: [2]float64{value, value}}
}

// drawnProfile draws the figures of the application of [TestIntervalsHold].
func drawnProfile(t *rapid.T) *profile.Profile {
	p := &profile.Profile{Schema: profile.Schema, Reference: &profile.Reference{
		Repeatability: rapid.Float64Range(0, 0.5).Draw(t, "repeatability")}}
	for _, block := range []string{"G", "A", "B", "S"} {
		k := profile.Kernel{Block: block, Platform: "C", Gain: &profile.Figure{Value: 1, Exact: true},
			ServiceRate: drawnFigure(t, "rate of "+block, 1e8, false)}
		for i, to := range []**profile.Figure{&k.CoLocationCost, &k.SwitchCost, &k.ReceiveCost, &k.SendCost} {
			*to = drawnFigure(t, fmt.Sprintf("cost %d of %s", i, block), 1e-9, true)
		}
		p.Kernels = append(p.Kernels, k)
	}
	p.Links = []profile.Link{{Linktype: "memory", Bandwidth: drawnFigure(t, "bandwidth", 1e9, false),
		TransferCost: drawnFigure(t, "transfer", 1e-8, true)}}
	for _, rule := range rapid.SliceOfN(rapid.SampledFrom([]string{"conserving", "equal"}), 0, 1).Draw(t, "rule") {
		p.Sharing = []profile.Sharing{{Platform: "C", Processes: "core", Wait: "auto", Scheduler: "other", Model: rule,
			SwitchCost: drawnFigure(t, "switch of a firing", 1e-7, true)}}
	}
	return p
}

// intervalApp is a chain with kernels alone and together on cores.
const intervalApp = `#include "std.x"
block G { output UNSIGNED8 y; };
block A { input UNSIGNED8 x; output UNSIGNED8 y; };
block B { input UNSIGNED8 x; output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; A a; B b; S s; g -> a; a -> b; b -> s; };
use top;
platform C { impl G (src="g.c"); impl A (src="a.c"); impl B (src="b.c"); impl S (src="s.c"); };
resource proc[3] is C;
resource mem is memory ({ proc });
`

// TestIntervalsHold predicts from random profiles. Every interval contains its estimate and is ordered, the
// throughput of drawn figures lies within it, a stored profile gives the same prediction, and a cost of zero is the
// limit of small costs.
func TestIntervalsHold(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p, text := drawnProfile(r), intervalApp
		for _, k := range []string{"g", "a", "b", "s"} {
			text += fmt.Sprintf("map { top.%s } to proc[%d];\n", k, rapid.IntRange(1, 3).Draw(r, "place of "+k))
		}
		of := func(p *profile.Profile) (*design.Design, *result.Candidate) {
			d := flowtest.X{Files: []string{}, More: text}.Design(t, design.Options{Purpose: design.ForMapping,
				Profile: design.FromProfile("p", p, nil)})
			return d, predict(t, d)
		}
		d, c := of(p)
		throughput := c.Throughput
		for _, x := range c.Alternatives {
			other := flowtest.X{Files: []string{}, More: text}.Design(t, design.Options{Purpose: design.ForMapping,
				Profile: design.FromProfile("p", p, nil), Sharing: x.Sharing})
			if got := predict(t, other).Throughput; math.Abs(float64(got/x.Throughput)-1) > 1e-9 {
				r.Fatalf("%s would give %g, and gives %g", x.Sharing, x.Throughput, got)
			}
		}
		for name, x := range map[string]*[2]result.Number{"figures": c.Interval, "good time": c.GoodInterval,
			"runs": c.RunInterval} {
			if x != nil && !(x[0] <= throughput && throughput <= x[1]) {
				r.Fatalf("%s: %g is not from %g to %g", name, throughput, x[0], x[1])
			}
		}
		if c.Interval != nil && !(c.GoodInterval[0] <= c.Interval[0] && c.Interval[1] <= c.GoodInterval[1] &&
			c.RunInterval[0] <= c.GoodInterval[0] && c.GoodInterval[1] <= c.RunInterval[1]) {
			r.Fatalf("figures %v, good time %v, runs %v", *c.Interval, *c.GoodInterval, *c.RunInterval)
		}
		figures := 0
		for _, x := range c.IntervalAssumedOf {
			if figures += len(x.Figures); len(x.Figures) == 0 {
				r.Fatalf("no figure of %s is named", x.Name)
			}
		}
		if c.IntervalAssumed != figures {
			r.Fatalf("%d intervals are assumed, of %v", c.IntervalAssumed, c.IntervalAssumedOf)
		}
		few := func(f *profile.Figure) bool { return f != nil && f.N == 3 }
		if !slices.ContainsFunc(p.Kernels, func(k profile.Kernel) bool { return few(k.ServiceRate) }) &&
			!few(p.Links[0].Bandwidth) && c.Interval != nil {
			_, found, _, err := mapper.Robust(t.Context(), d.Problem, []mapper.Candidate{{Mapping: d.Mapping}},
				mapper.RobustOptions{Samples: 40, Seed: 1})
			const rounding = 1e-9
			var none *mapper.GoalError
			switch {
			case errors.As(err, &none):
			case err != nil:
				r.Fatal(err)
			case found[0].Low < c.Interval[0]*(1-rounding), found[0].Low > c.Interval[1]*(1+rounding):
				r.Fatalf("draws promise %g, figures %v", found[0].Low, *c.Interval)
			}
		}
		var file bytes.Buffer
		if err := p.Encode(&file); err != nil {
			r.Fatal(err)
		}
		again, err := profile.Read("p", &file)
		if err != nil {
			r.Fatal(err)
		}
		for i := range p.Kernels {
			x, y := &p.Kernels[i], &again.Kernels[i]
			if x.SwitchCost.State() != y.SwitchCost.State() || x.CoLocationCost.State() != y.CoLocationCost.State() ||
				x.ReceiveCost.State() != y.ReceiveCost.State() || x.SendCost.State() != y.SendCost.State() {
				r.Fatalf("a file has other states of %+v: %+v", x, y)
			}
		}
		if _, read := of(again); read.Throughput != throughput || (read.Interval == nil) != (c.Interval == nil) ||
			read.Interval != nil && *read.Interval != *c.Interval {
			r.Fatalf("a file predicts %g, not %g", read.Throughput, throughput)
		}
		zeroIsALimit(r, p, func(p *profile.Profile) float64 { _, c := of(p); return float64(c.Throughput) })
	})
}

// zeroIsALimit compares a measured cost of zero with a billionth of the drawn one, for every cost.
func zeroIsALimit(t *rapid.T, p *profile.Profile, throughput func(p *profile.Profile) float64) {
	costs := []**profile.Figure{&p.Links[0].TransferCost}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		costs = append(costs, &k.CoLocationCost, &k.SwitchCost, &k.ReceiveCost, &k.SendCost)
	}
	for i := range p.Sharing {
		costs = append(costs, &p.Sharing[i].SwitchCost)
	}
	i := rapid.IntRange(0, len(costs)-1).Draw(t, "cost")
	was := *costs[i]
	defer func() { *costs[i] = was }()
	*costs[i] = &profile.Figure{Value: 1e-18, N: 9, CI95: [2]float64{1e-18, 1e-18}}
	small := throughput(p)
	*costs[i] = &profile.Figure{N: 9}
	if zero := throughput(p); math.Abs(zero/small-1) > 1e-6 {
		t.Fatalf("cost %d: 0 gives %g, almost 0 gives %g", i, zero, small)
	}
}

// TestDeviates checks that the kernel with the largest effect on the difference is named, even if its share is small
// but it needed many times as long. The cost of sending to another core is part of the prediction.
func TestDeviates(t *testing.T) {
	c := &result.Candidate{Resources: []result.Share{{Name: "proc", Sharing: "conserving"}},
		Stations: []result.Station{
			{Name: "heavy", On: "proc", ServiceRate: 100e6, ArrivalRate: 50e6},
			{Name: "light", On: "proc", ServiceRate: 1e9, ArrivalRate: 50e6,
				Parts: []result.LoadPart{{Part: "compute", Value: 0.05}, {Part: "send", Value: 0.05}}},
			{Name: "bus", IsLink: true, ServiceRate: 1e9, ArrivalRate: 50e6}}}
	run := func(heavy, light float64) *result.Measured {
		return &result.Measured{Kernels: []result.MeasuredKernel{
			{Kernel: "heavy", Utilization: 0.5, ServiceRate: heavy},
			{Kernel: "light", Utilization: 0.4, ServiceRate: light}, {Kernel: "idle"}}}
	}
	if d := Deviates(c, run(100e6, 500e6)); d != nil {
		t.Errorf("all is as predicted, and %+v deviates", d)
	}
	d := Deviates(c, run(90e6, 50e6))
	if d == nil || d.Kernel != "light" || math.Abs(d.Times-10) > 1e-9 || math.Abs(d.part()-0.36) > 1e-9 {
		t.Fatalf("%+v deviates", d)
	}
	if got := d.String(); !strings.HasPrefix(got, "light needed 10 times ") ||
		!strings.Contains(got, "busy for 40 % of the run, instead of the 4 % predicted") {
		t.Error(got)
	}
	if d := Deviates(c, run(50e6, 450e6)); d == nil || d.Kernel != "heavy" {
		t.Errorf("%+v deviates", d)
	}
}

// TestDeviatesBySlowKernel checks that the kernel that takes longer is named, although another one is less busy than
// predicted by more, because the throughput is lower.
func TestDeviatesBySlowKernel(t *testing.T) {
	c := &result.Candidate{Throughput: 50e6, Resources: []result.Share{{Name: "proc", Sharing: "conserving"}},
		Stations: []result.Station{{Name: "slow", On: "proc", ServiceRate: 100e6, ArrivalRate: 50e6},
			{Name: "idle", On: "proc", ServiceRate: 55e6, ArrivalRate: 50e6}}}
	m := &result.Measured{Throughput: 10e6, Kernels: []result.MeasuredKernel{
		{Kernel: "slow", Utilization: 0.5, ServiceRate: 20e6}, {Kernel: "idle", Utilization: 0.2, ServiceRate: 50e6}}}
	if d := Deviates(c, m); d == nil || d.Kernel != "slow" || math.Abs(d.part()-0.4) > 1e-9 {
		t.Errorf("%+v deviates", d)
	}
}

// TestAssumedFigures checks that each figure with an assumed interval is named if it loads its kernel, with its own
// fraction of the load.
func TestAssumedFigures(t *testing.T) {
	f := &flow.Figures{Unusable: true, CostsAssumed: []flow.Part{flow.Sending, flow.CoLocation}}
	all := [flow.NumParts]float64{flow.Compute: 0.4, flow.Sending: 0.2, flow.CoLocation: 0.1, flow.Receiving: 0.1}
	for want, sending := range map[string]float64{"service rate,send cost,co-location cost": 0.2,
		"service rate,co-location cost": 0} {
		parts := all
		parts[flow.Sending] = sending
		got, share := assumedFigures(f, &parts)
		if strings.Join(got, ",") != want || math.Abs(share-(0.5+sending)/(0.6+sending)) > 1e-9 {
			t.Errorf("the figures are %q, %g of the load", got, share)
		}
	}
	f.Unusable = false
	if got, share := assumedFigures(f, &[flow.NumParts]float64{flow.Compute: 0.4}); len(got) > 0 || share > 0 {
		t.Errorf("figures without load: %q, %g", got, share)
	}
}
