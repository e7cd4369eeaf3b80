package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// madeRuns simulates runs of all mappings of the three kernels with the figures of truth, with noise in the
// times of kernels and in the throughput.
func madeRuns(t *testing.T, d *design.Design, truth []Learned, noise float64, random *rand.Rand) []Ran {
	t.Helper()
	var list []Ran
	for place := range 8 {
		ran := Ran{Mapping: &flow.Mapping{Place: []int{place & 1, place >> 1 & 1, place >> 2}, Route: make([][]int, 2)},
			Busy: make([]float64, 3), Runs: 3}
		_, s, err := solvedWith(t.Context(), with(d, truth), ran.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		ran.Measured = s.Throughput * math.Exp(noise*random.NormFloat64())
		for k := range ran.Busy { // stations of kernels come first
			ran.Busy[k] = busyOf(&s.Stations[k]) / s.Stations[k].ArrivalRate * math.Exp(noise*random.NormFloat64())
		}
		list = append(list, ran)
	}
	return list
}

// made returns true figures that calibration has missed: a kernel with 1.3 times its own time in place, and
// additional costs.
func made() []Learned {
	return []Learned{{Kernel: "top.f", Platform: "C", Part: flow.Compute, Was: 5e-9, Is: 1.3 * 5e-9},
		{Kernel: "top.g", Platform: "C", Part: flow.Sending, Is: 4e-9},
		{Kernel: "top.s", Platform: "C", Part: flow.CoLocation, Is: 0.5e-9}}
}

// TestRefined: a kernel that is slower in place is found, and so are costs that calibration has missed, each as
// the correct part. An omitted mapping is predicted better by the others.
func TestRefined(t *testing.T) {
	d := threeKernels(t)
	truth := made()
	r, err := Refined(t.Context(), d, madeRuns(t, d, truth, 0.01, rand.New(rand.NewPCG(5, 5))))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Learned) != len(truth) {
		t.Errorf("learned %+v", r.Learned)
	}
	for i := range truth {
		want := &truth[i]
		at := slices.IndexFunc(r.Learned, func(l Learned) bool {
			return l.Kernel == want.Kernel && l.Part == want.Part
		})
		if at < 0 {
			t.Errorf("%s of %s is not in %+v", want.Part, want.Kernel, r.Learned)
			continue
		}
		l := &r.Learned[at]
		if math.Abs(l.Is/want.Is-1) > 0.05 || !(l.Low < want.Is && want.Is < l.High) || l.Runs != 24 {
			t.Errorf("%s of %s: %+v, want %g", want.Part, want.Kernel, l, want.Is)
		}
	}
	if !r.Better() || len(r.LeftOut) != 8 || meanOf(r.Before) < 0.15 || meanOf(r.LeftOut) > 0.02 {
		t.Errorf("before %.3v, left out %.3v", r.Before, r.LeftOut)
	}
	for i := range r.Before {
		if before, after := math.Abs(r.Before[i]), math.Abs(r.LeftOut[i]); before > 0.05 && after > before/2 {
			t.Errorf("mapping %d: %.1f %% before, %.1f %% when it is left out", i, 100*before, 100*after)
		}
	}
}

// TestRefinedSwitching: the cost of a firing on a shared core is learned from throughputs, because the times of
// kernels do not include it.
func TestRefinedSwitching(t *testing.T) {
	d := threeKernels(t)
	truth := []Learned{{Platform: "C", Part: flow.Switching, Is: 3e-9}}
	r, err := Refined(t.Context(), d, madeRuns(t, d, truth, 0.01, rand.New(rand.NewPCG(5, 6))))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Learned) != 1 || r.Learned[0].Part != flow.Switching || math.Abs(r.Learned[0].Is/3e-9-1) > 0.1 ||
		!r.Better() || meanOf(r.LeftOut) > meanOf(r.Before)/2 {
		t.Fatalf("learned %+v, before %.3v, left out %.3v", r.Learned, r.Before, r.LeftOut)
	}
	out, err := r.Apply(&profile.Profile{Schema: profile.Schema}, d, []string{"one.result.json"})
	if err != nil {
		t.Fatal(err)
	}
	if s := out.Sharing; len(s) != 1 || s[0].SwitchCost.Value != r.Learned[0].Is ||
		!slices.Equal(s[0].SwitchCost.Refined, []string{"one.result.json"}) {
		t.Errorf("the profile has %+v", s)
	}
}

// TestRefinedProfile: the profile contains the learned figures with their intervals and source files, and
// predicts as the refined problem does.
func TestRefinedProfile(t *testing.T) {
	d := threeKernels(t)
	ran := madeRuns(t, d, made(), 0.01, rand.New(rand.NewPCG(5, 5)))
	r, err := Refined(t.Context(), d, ran)
	if err != nil {
		t.Fatal(err)
	}
	fig := func(v float64) *profile.Figure { return &profile.Figure{Value: v, N: 9, CI95: [2]float64{v, v}} }
	old := &profile.Profile{Schema: profile.Schema, Kernels: []profile.Kernel{{Block: "F", Platform: "C",
		ServiceRate: fig(200e6), ReceiveCost: fig(5.39e-9)}, {Block: "G", Platform: "C", ServiceRate: fig(1e9)},
		{Block: "S", Platform: "C", ServiceRate: fig(1e9)}}}
	out, err := r.Apply(old, d, []string{"one.result.json"})
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) *profile.Kernel {
		return &out.Kernels[slices.IndexFunc(out.Kernels, func(k profile.Kernel) bool { return k.Instance == name })]
	}
	k := of("top.f")
	if low, high, ok := k.ServiceRate.Interval(); !ok || low > 200e6/1.3 || high < 200e6/1.3 || k.Refined == nil ||
		k.Refined.From[0] != "one.result.json" || len(k.ReceiveCost.Refined) > 0 {
		t.Errorf("the profile has %+v, %+v", k.ServiceRate, k.Refined)
	}
	if f := of("top.g").SendCost; f == nil || f.Refined[0] != "one.result.json" || of("top.g").Refined != nil {
		t.Errorf("the profile has a send cost of %+v", f)
	}
	if old.Kernels[0].ServiceRate.Value != 200e6 || len(old.Kernels) != 3 {
		t.Error("the old profile has changed")
	}
	measured := design.FromProfile("p", out, nil)
	for name, want := range map[string]string{"top.f": "refined from one.result.json (service time: 1.",
		"top.g": "refined from one.result.json (send cost: "} {
		k := measured.Kernel(name, strings.ToUpper(name[4:]), "proc[1]", []string{"C"})
		if k == nil || !strings.HasPrefix(k.Refinements(), want) {
			t.Errorf("the design has %+v of %s", k, name)
		}
	}
	again, err := r.Apply(out, d, []string{"two.result.json"})
	if err != nil {
		t.Fatal(err)
	}
	x := again.Kernels[slices.IndexFunc(again.Kernels, func(k profile.Kernel) bool { return k.Instance == "top.g" })]
	if !slices.Equal(x.SendCost.Refined, []string{"one.result.json", "two.result.json"}) {
		t.Errorf("refined twice: %+v", x.SendCost)
	}
}

// TestNothingToRefine: noise is not learned, and with too few runs the error states how many are needed.
func TestNothingToRefine(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	d := threeKernels(t)
	learned, written := 0, 0
	for range 40 {
		r, err := Refined(t.Context(), d, madeRuns(t, d, nil, 0.05, random))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Learned) > 0 {
			learned++
			if r.Better() {
				written++
			}
		}
	}
	if learned > 4 || written > 2 { // of 40, with a level of 5 % for all figures of a profile together
		t.Errorf("of 40 times %d learned from chance, and %d changed the profile", learned, written)
	}
	ran := madeRuns(t, d, nil, 0.05, random)
	if _, err := Refined(t.Context(), d, append(ran[:3], ran[:3]...)); err == nil ||
		!strings.Contains(err.Error(), "3 mappings ran, but a refinement needs 4") {
		t.Errorf("of three mappings, twice: %v", err)
	}
}

// TestRanIn: cases that are too short, unsteady, drawn or of another application are ignored.
func TestRanIn(t *testing.T) {
	d := threeKernels(t)
	places := []result.Placement{{Kernel: "top.g", Resource: "proc[1]"}, {Kernel: "top.f", Resource: "proc[2]"},
		{Kernel: "top.s", Resource: "proc[1]"}}
	run := &result.Measured{Throughput: 1e6, Place: places, Kernels: []result.MeasuredKernel{{Kernel: "top.f",
		ServiceRate: 2e6}}}
	validated := &result.Validation{Cases: []result.ValidatedCase{
		{Measured: 2e6, Runs: []float64{1, 2}, InPlace: []result.InPlace{{Kernel: "top.g",
			Runs: []float64{3e-9, 4e-9, 9e-9}}}},
		{Measured: 2e6, Unsteady: true, InPlace: []result.InPlace{{Kernel: "top.g", Runs: []float64{1}}}},
		{Fail: "it crashed"}}}
	r := &result.Result{Measured: run, Validation: validated, Candidates: []result.Candidate{{Place: places}}}
	list, _, err := RanIn(d, r)
	if err != nil || len(list) != 2 || list[0].Busy[1] != 0.5e-6 || list[1].Busy[0] != 4e-9 || list[1].Runs != 2 ||
		!slices.Equal(list[0].Mapping.Place, []int{0, 1, 0}) {
		t.Errorf("%+v, %v", list, err)
	}
	validated.Cases[0].Undisturbed = 2.5e6 // the machine was slow in the runs
	if list, _, err := RanIn(d, r); err != nil || len(list) != 2 || list[1].Measured != 2.5e6 ||
		math.Abs(list[1].Busy[0]-3.2e-9) > 1e-15 {
		t.Errorf("on a slow machine: %+v, %v", list, err)
	}
	validated.Cases[0].Undisturbed, validated.Cases[0].Uncorrected = 0, result.SingleRun
	if list, _, err := RanIn(d, r); err != nil || len(list) != 1 {
		t.Errorf("on a slow machine without a correction: %+v, %v", list, err)
	}
	run.Steady, validated.FromProfile = &result.SteadyPart{Short: "20 ms of run"}, true
	if list, _, err := RanIn(d, r); err != nil || len(list) != 0 {
		t.Errorf("of what tells nothing: %+v, %v", list, err)
	}
	run.Steady, run.Disturbed = nil, "others used 1.5 processors"
	validated.FromProfile, validated.Cases[0].Disturbed = false, 2
	if list, _, err := RanIn(d, r); err != nil || len(list) != 0 {
		t.Errorf("of what was disturbed: %+v, %v", list, err)
	}
	run.Place = []result.Placement{{Kernel: "top.g", Resource: "proc[1]"}, {Kernel: "top.f#1", Resource: "proc[1]"},
		{Kernel: "top.f#2", Resource: "proc[2]"}, {Kernel: "top.s", Resource: "proc[1]"}}
	if list, copies, err := RanIn(d, r); err != nil || len(list) != 0 || copies != 1 {
		t.Errorf("of copies: %+v, %d with copies, %v", list, copies, err)
	}
	run.Disturbed = ""
	run.Place = []result.Placement{{Kernel: "top.z", Resource: "proc[1]"}}
	if _, _, err := RanIn(d, r); err == nil || !strings.Contains(err.Error(), "another application") {
		t.Errorf("of another application: %v", err)
	}
}
