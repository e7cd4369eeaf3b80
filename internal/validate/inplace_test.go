package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"xopt/calibrate/profile"
	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/result"
)

// madeRuns are all mappings of the three kernels, run where f takes factor times its own time, and where everything
// takes its time but for noise.
func madeRuns(t *testing.T, d *design.Design, factor, noise float64, random *rand.Rand) []Ran {
	t.Helper()
	var list []Ran
	for place := range 8 {
		ran := Ran{Mapping: &flow.Mapping{Place: []int{place & 1, place >> 1 & 1, place >> 2}, Route: make([][]int, 2)},
			Took: make([]float64, 3), Runs: 3}
		var truth []Factor
		if factor != 1 {
			truth = []Factor{{Kernel: "top.f", Platform: "C", Ratio: factor}}
		}
		s, err := solved(t.Context(), d, &ran, truth)
		if err != nil {
			t.Fatal(err)
		}
		ran.Measured = s.Throughput
		for k := range ran.Took { // stations of kernels come first
			ran.Took[k] = busyOf(&s.Stations[k]) / s.Stations[k].ArrivalRate * math.Exp(noise*random.NormFloat64())
		}
		list = append(list, ran)
	}
	return list
}

// TestRefined: a kernel that takes longer in place is found, with its factor; mappings are predicted better by the
// others; and the profile then says so, with its interval and origin.
func TestRefined(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	d := threeKernels(t)
	ran := madeRuns(t, d, 1.4, 0.01, random)
	r, err := Refined(t.Context(), d, ran)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Factors, func(f Factor) bool { return f.Kernel == "top.f" })
	if i < 0 || math.Abs(r.Factors[i].Ratio-1.4) > 0.05 || !(r.Factors[i].Low < 1.4 && 1.4 < r.Factors[i].High) {
		t.Fatalf("the factors are %+v", r.Factors)
	}
	if !r.Better() || middleOf(r.Before) < 0.1 || middleOf(r.LeftOut) > 0.02 || len(r.LeftOut) != len(ran) {
		t.Errorf("before %.3v, left out %.3v", r.Before, r.LeftOut)
	}
	fig := func(v float64) *profile.Figure { return &profile.Figure{Value: v, N: 9, CI95: [2]float64{v, v}} }
	old := &profile.Profile{Schema: profile.Schema, Kernels: []profile.Kernel{{Block: "F", Platform: "C",
		ServiceRate: fig(200e6)}, {Block: "G", Platform: "C", ServiceRate: fig(1e9)}}}
	out, err := r.Apply(old, d, []string{"one.result.json"})
	if err != nil {
		t.Fatal(err)
	}
	k := out.Kernels[slices.IndexFunc(out.Kernels, func(k profile.Kernel) bool { return k.Instance == "top.f" })]
	if low, high, ok := k.ServiceRate.Interval(); !ok || low > 200e6/1.4 || high < 200e6/1.4 ||
		math.Abs(k.ServiceRate.Value*1.4/200e6-1) > 0.04 || k.Refined == nil || k.Refined.From[0] != "one.result.json" {
		t.Errorf("the profile has %+v, %+v", k.ServiceRate, k.Refined)
	}
	if old.Kernels[0].ServiceRate.Value != 200e6 || old.Kernels[0].Refined != nil {
		t.Error("the old profile has changed")
	}
	f, ok := design.FromProfile("p", out, nil).Kernel("top.f", "F", "proc[1]", []string{"C"})
	if !ok || !strings.HasPrefix(f.Refined, "refined from one.result.json, 1.4") {
		t.Errorf("the design has %q", f.Refined)
	}
}

// TestNothingToRefine: chance is not learnt from; and too little says how much is needed.
func TestNothingToRefine(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	d := threeKernels(t)
	wrong := 0
	for range 40 {
		r, err := Refined(t.Context(), d, madeRuns(t, d, 1, 0.05, random))
		if err != nil {
			t.Fatal(err)
		}
		wrong += len(r.Factors)
	}
	if wrong > 12 { // of 120, with a level of 5 %
		t.Errorf("%d of 120 factors were taken from chance", wrong)
	}
	if _, err := Refined(t.Context(), d, make([]Ran, fewestRan)); err == nil ||
		!strings.Contains(err.Error(), "3 mappings ran, but 4 are needed") {
		t.Errorf("of three mappings: %v", err)
	}
}

// TestRanIn: what is too short to tell, not steady, drawn, or of another application is not learnt from.
func TestRanIn(t *testing.T) {
	d := threeKernels(t)
	places := []result.Placement{{Kernel: "top.g", Resource: "proc[1]"}, {Kernel: "top.f", Resource: "proc[2]"},
		{Kernel: "top.s", Resource: "proc[1]"}}
	run := &result.Measured{Throughput: 1e6, Place: places, Kernels: []result.MeasuredKernel{{Kernel: "top.f",
		ServiceRate: 2e6}}}
	validated := &result.Validation{Cases: []result.ValidatedCase{
		{Measured: 2e6, Runs: []result.Number{1, 2}, InPlace: []result.InPlace{{Kernel: "top.g",
			Runs: []result.Number{3e-9, 4e-9, 9e-9}}}},
		{Measured: 2e6, Unsteady: true, InPlace: []result.InPlace{{Kernel: "top.g", Runs: []result.Number{1}}}},
		{Fail: "it crashed"}}}
	r := &result.Result{Measured: run, Validation: validated, Candidates: []result.Candidate{{Place: places}}}
	list, err := RanIn(d, r)
	if err != nil || len(list) != 2 || list[0].Took[1] != 0.5e-6 || list[1].Took[0] != 4e-9 || list[1].Runs != 2 ||
		!slices.Equal(list[0].Mapping.Place, []int{0, 1, 0}) {
		t.Errorf("%+v, %v", list, err)
	}
	run.Steady, validated.FromProfile = &result.SteadyPart{Short: "20 ms of run"}, true
	if list, err := RanIn(d, r); err != nil || len(list) != 0 {
		t.Errorf("of what tells nothing: %+v, %v", list, err)
	}
	run.Steady, run.Disturbed = nil, "others used 1.5 processors"
	validated.FromProfile, validated.Cases[0].Disturbed = false, 2
	if list, err := RanIn(d, r); err != nil || len(list) != 0 {
		t.Errorf("of what was disturbed: %+v, %v", list, err)
	}
	run.Disturbed = ""
	run.Place = []result.Placement{{Kernel: "top.z", Resource: "proc[1]"}}
	if _, err := RanIn(d, r); err == nil || !strings.Contains(err.Error(), "another application") {
		t.Errorf("of another application: %v", err)
	}
}
