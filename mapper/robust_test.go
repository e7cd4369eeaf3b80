package mapper

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
)

// twoRivals returns a chain of two kernels on two cores: both on the first, or b on the second.
// The throughput of the second mapping depends on b alone.
func twoRivals(low, high float64) (*flow.Problem, []Candidate) {
	unlimited := flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	p := &flow.Problem{
		Application: flow.Application{
			Kernels: []flow.Kernel{{Name: "a", Block: "A", Gain: 1}, {Name: "b", Block: "B", Gain: 1}},
			Edges:   []flow.Edge{{Name: "e", From: 0, To: 1, ElementBytes: 8, Routing: 1}},
		},
		Architecture: flow.Architecture{
			Resources: []flow.Resource{{Name: "c", Platform: "C", Area: unlimited}, {Name: "f", Platform: "F",
				Area: unlimited}},
			Links: []flow.Link{{Name: "bus", Bandwidth: 1e12, Endpoints: []int{0, 1}}},
		},
		Figures: [][]flow.Figures{
			{{Available: true, ServiceRate: 1e6, Low: 0.999e6, High: 1.001e6}, {}},
			{{Available: true, ServiceRate: 1e9, Low: 0.99e9, High: 1.01e9}, {Available: true, ServiceRate: 1e6,
				Low: low, High: high}},
		},
	}
	var list []Candidate
	for _, place := range [][]int{{0, 0}, {0, 1}} {
		list = append(list, Candidate{Mapping: &flow.Mapping{Place: place, Route: make([][]int, 1)}})
	}
	return p, list
}

// TestRobust compares with results computed by hand: if b on f is known within ±20 %, its mapping has the lower 5 %
// quantile, and Decide is b on f.
func TestRobust(t *testing.T) {
	p, list := twoRivals(0.8e6, 1.25e6)
	ranked, found, report, err := Robust(context.Background(), p, list, RobustOptions{Samples: 4000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if report.Uncertain != 3 || report.Exact != 1 {
		t.Errorf("%d figures drawn, %d exact; want 3 and the bus", report.Uncertain, report.Exact)
	}
	if ranked[0].Mapping.Place[1] != 0 {
		t.Fatalf("the first is %v, want both on c", ranked[0].Mapping.Place)
	}
	// Γ of the second is the smaller of two log-normal rates: almost always b's if that is low.
	deviation := math.Log(1.25/0.8) / (2 * 1.959964)
	want := 1e6 * math.Exp(-1.644854*deviation)
	if got := float64(found[1].Low); math.Abs(got/want-1) > 0.01 {
		t.Errorf("5 %% quantile is %g, want %g", got, want)
	}
	d := found[1].Decide
	if d == nil || d.Block != "B" || d.Platform != "F" || d.Part < 0.5 || d.Part > 1 {
		t.Errorf("to be measured: %+v", d)
	}
	// The rate of a limits the second mapping, and b on c takes no time, so it ties in half of the draws and is
	// behind in the others.
	if b := float64(found[1].Behind); math.Abs(b-0.5) > 0.03 {
		t.Errorf("behind in %g of the draws, want half", b)
	}

	p, list = twoRivals(0.5e6, 0.51e6)
	p.Figures[1][1].ServiceRate = 0.505e6
	if _, found, _, err = Robust(context.Background(), p, list, RobustOptions{Seed: 1}); err != nil ||
		found[1].Behind != 1 || found[1].Decide != nil {
		t.Errorf("a mapping of half the rate: %+v, %v", found[1], err)
	}

	p, list = twoRivals(0, 0)
	for k := range p.Figures {
		for r := range p.Figures[k] {
			p.Figures[k][r].Low, p.Figures[k][r].High = 0, 0
		}
	}
	var goal *GoalError
	if _, _, _, err = Robust(context.Background(), p, list, RobustOptions{}); !errors.As(err, &goal) {
		t.Errorf("no intervals: %v", err)
	}
	if _, _, report, err = Robust(context.Background(), p, list, RobustOptions{Doubt: 0.1}); err != nil ||
		report.Uncertain != 4 {
		t.Errorf("intervals that are assumed: %+v, %v", report, err)
	}
	// Figures measured in too few windows for an interval are not exact.
	p.Figures[1][1].Origin = flow.Measured
	if _, found, report, err = Robust(context.Background(), p, list, RobustOptions{Seed: 1}); err != nil ||
		report.Uncertain != 1 || report.Assumed != 1 || report.Exact != 3 || !(found[1].Low < 0.95e6) {
		t.Errorf("measured without an interval: %+v, %+v, %v", report, found[1], err)
	}
	// A figure with an unusable interval is drawn within a wide assumed one, and counted.
	f := &p.Figures[1][1]
	f.Low, f.High, f.Unusable = f.ServiceRate/3, f.ServiceRate*3, true
	if _, found, report, err = Robust(context.Background(), p, list, RobustOptions{Seed: 1}); err != nil ||
		report.Uncertain != 1 || report.Assumed != 0 || report.Unusable != 1 || !(found[1].Low < 0.6e6) {
		t.Errorf("an interval of no use: %+v, %+v, %v", report, found[1], err)
	}
}

// TestRobustScores compares the draws with new networks: without doubt, the quantile is the throughput.
func TestRobustScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	p := oneSource(t, 3, 8, 3)
	var list []Candidate
	for range 6 {
		m := mustWalk(t, p, rng)
		list = append(list, Candidate{Mapping: m, Throughput: score(p, m)})
	}
	ranked, found, _, err := Robust(context.Background(), p, list, RobustOptions{Doubt: 1e-9, Samples: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i := range ranked {
		if math.Abs(float64(found[i].Low)/ranked[i].Throughput-1) > 1e-7 {
			t.Errorf("candidate %d has quantile %g and throughput %g", i, found[i].Low, ranked[i].Throughput)
		}
	}
}

// TestDistinguish compares candidates in their order: with the drawn figures, two mappings of similar rates cannot be
// distinguished, unless the buffers of one halve its throughput. Without intervals there is nothing to compare.
func TestDistinguish(t *testing.T) {
	p, list := twoRivals(0.8e6, 1.25e6)
	slices.Reverse(list) // robust ranking has the other one first
	o := RobustOptions{Samples: 1000, Seed: 1}
	found, err := Distinguish(t.Context(), p, list, []float64{1, 1}, o)
	if err != nil || len(found) != 2 || found[0].Same != 1 || found[1].Decide == nil || found[1].Decide.Block != "B" {
		t.Fatalf("got %+v, %v", found, err)
	}
	if b := float64(found[1].Behind); math.Abs(b-0.5) > 0.06 { // half of the rates of b on f are above that of a
		t.Errorf("behind in %g of the draws, want half", b)
	}
	found, err = Distinguish(t.Context(), p, list, []float64{1, 0.5}, o)
	if err != nil || found[1].Behind < 0.95 || found[1].Decide != nil {
		t.Errorf("half the throughput: %+v, %v", found, err)
	}
	for k := range p.Figures {
		for r := range p.Figures[k] {
			p.Figures[k][r].Low, p.Figures[k][r].High = 0, 0
		}
	}
	if found, err = Distinguish(t.Context(), p, list, []float64{1, 1}, o); err != nil || found != nil {
		t.Errorf("no intervals: %+v, %v", found, err)
	}
}
