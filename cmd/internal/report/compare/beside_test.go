package compare_test

import (
	"slices"
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report/compare"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// application returns a result with two kernels and an edge.
func application(kernels ...string) *result.Result {
	r := &result.Result{Application: "top"}
	for _, k := range kernels {
		r.Kernels = append(r.Kernels, result.Kernel{Name: k})
	}
	r.Edges = []result.Edge{{Name: "top.e", From: kernels[0], FromPort: "y", To: kernels[1], ToPort: "x"}}
	return r
}

// TestAlike checks that results of different applications are distinguished, whatever the names of their top blocks.
func TestAlike(t *testing.T) {
	a, b := application("top.in", "top.half"), application("top.in", "top.half")
	if err := compare.Alike(a, b); err != nil {
		t.Error(err)
	}
	if err := compare.Alike(a, application("top.in", "top.fft")); err == nil || !strings.Contains(err.Error(),
		"only the first result has kernel top.half; only the second result has kernel top.fft") {
		t.Errorf("other kernels: %v", err)
	}
	b.Edges[0].ToPort = "z"
	if err := compare.Alike(a, b); err == nil || !strings.Contains(err.Error(),
		"only the second result has edge top.e from top.in.y to top.half.z") {
		t.Errorf("other edges: %v", err)
	}
	if err := compare.Alike(a, &result.Result{}); err != nil {
		t.Errorf("an old file: %v", err)
	}
}

// TestBeside checks that, for a search and a run, the candidate that ran is compared with the measurement.
func TestBeside(t *testing.T) {
	place := func(half string) []result.Placement {
		return []result.Placement{{Kernel: "top.in", Resource: "proc[1]"}, {Kernel: "top.half", Resource: half}}
	}
	a, b := application("top.in", "top.half"), application("top.in", "top.half")
	for i, at := range []string{"proc[1]", "proc[2]"} {
		a.Candidates = append(a.Candidates, result.Candidate{Name: []string{"1", "2"}[i], Throughput: 110e6,
			Place: place(at), Queues: []result.Queue{{Edge: "top.e", Flow: 110e6}},
			Stations: []result.Station{{Name: "top.half", ServiceRate: 220e6, ArrivalRate: 110e6}}})
	}
	b.Measured = &result.Measured{Throughput: 100e6, Place: place("proc[2]"), Disturbed: "something else ran",
		Edges:   []result.MeasuredEdge{{Edge: "top.e", Rate: 100e6}},
		Kernels: []result.MeasuredKernel{{Kernel: "top.half", Utilization: 0.4, ServiceRate: 176e6}}}
	for _, d := range []*compare.Difference{compare.Results(a, b), compare.Results(b, a)} {
		var got []string
		for i := range d.Comparisons {
			got = append(got, d.Comparisons[i].What+" "+d.Comparisons[i].ErrorText())
		}
		if d.BesideOf != "2" || strings.Join(got, "; ") != "throughput +10 %; rate on top.e +10 %; "+
			"busy, top.half +10.0 points" {
			t.Errorf("mapping %s: %v", d.BesideOf, got)
		}
		if text := strings.Join(fault.Texts(d.Remarks), "; "); !strings.Contains(text, "something else ran") {
			t.Errorf("remarks %q", text)
		}
	}
	b.Measured.Place = place("fpga")
	b.Inputs = []result.Input{{Path: "app.x"}, {Path: "library/std.x"}, {Path: "map.x"}}
	b.Command = []string{"xopt", "deploy", "app.x", "map.x", "--elements", "9", "--profile", "a b.json", "--set", "n=2"}
	d := compare.Results(a, b)
	if i := slices.IndexFunc(d.Remarks, func(n fault.Note) bool { return n.ID == faults.MappingNotPredicted }); i < 0 ||
		len(d.Comparisons) > 0 || !strings.Contains(d.Remarks[i].Text,
		"xopt eval app.x map.x --profile 'a b.json' --set n=2 --json > predicted.result.json") {
		t.Errorf("another mapping: %+v", d)
	}
	if d.Same(); d.Remarks[0].ID != faults.SameResult {
		t.Errorf("of one file: %+v", d.Remarks)
	}
}

// TestCopiesAreAlike checks that an application with copies of a kernel equals the one without.
func TestCopiesAreAlike(t *testing.T) {
	a, b := application("top.in", "top.up"), application("top.in", "top.up")
	b.Kernels = []result.Kernel{{Name: "top.in"}, {Name: "top.up#1", CopyOf: "top.up"},
		{Name: "top.up#2", CopyOf: "top.up"}}
	b.Edges = []result.Edge{{Name: "top.e#1", From: "top.in", FromPort: "y", To: "top.up#1", ToPort: "x"},
		{Name: "top.e#2", From: "top.in", FromPort: "y", To: "top.up#2", ToPort: "x"}}
	if err := compare.Alike(a, b); err != nil {
		t.Error(err)
	}
	if d := compare.Results(a, b); len(d.Remarks) != 1 ||
		d.Remarks[0].String() != "the number of copies of top.up changed from 1 to 2 [copies-changed]" {
		t.Errorf("remarks %q", d.Remarks)
	}
}

// TestProfileOfCopies checks that the measured rate of a kernel is also compared if one result has copies of it.
func TestProfileOfCopies(t *testing.T) {
	measured := func(r *result.Result) *result.Result {
		p := &profile.Profile{}
		for _, name := range []string{"top.up", "top.other"} {
			p.Kernels = append(p.Kernels, profile.Kernel{Block: "Up", Instance: name, Platform: "C",
				ServiceRate: &profile.Figure{Value: 1e9, N: 2, Windows: []float64{0.9e9, 1.1e9}}})
		}
		r.StoreProfile(p)
		return r
	}
	a := measured(&result.Result{Kernels: []result.Kernel{{Name: "top.up#1", Block: "Up", CopyOf: "top.up"},
		{Name: "top.up#2", Block: "Up", CopyOf: "top.up"}}})
	b := measured(&result.Result{Kernels: []result.Kernel{{Name: "top.up", Block: "Up"}}})
	d := compare.Results(a, b)
	if len(d.Unlike) > 0 || len(d.Measured) != 1 || d.Measured[0].What != "service rate μ of top.up on C" {
		t.Errorf("unlike %q, measured %+v", d.Unlike, d.Measured)
	}
}

// TestSweeps checks that points of two sweeps with the same values are compared, however the values are written.
func TestSweeps(t *testing.T) {
	sweep := func(unit string, rate result.Number, values ...string) *result.Result {
		s := &result.Sweep{Varied: []result.Varied{{Name: "mem.bandwidth", Unit: unit, Values: values}}}
		for _, v := range values {
			s.Points = append(s.Points, result.SweptPoint{Values: []string{v}, Throughput: rate, Proof: "optimal"})
		}
		return &result.Result{Sweep: s}
	}
	search := &result.Result{Candidates: []result.Candidate{{Throughput: 1e6}}}
	if err := compare.Comparable(sweep("", 1, "1"), search); fault.Of(err) != faults.DifferentKinds {
		t.Errorf("a sweep and a search: %v", err)
	}
	if err := compare.Comparable(sweep("", 1, "1"), sweep("", 2, "1")); err != nil {
		t.Error(err)
	}
	for _, x := range []*result.Result{{Candidates: search.Candidates, Validation: &result.Validation{}},
		{Measured: &result.Measured{}}} {
		err, d := compare.Comparable(search, x), compare.Results(search, x)
		if err != nil || (len(d.Unlike) == 1) != (x.Validation != nil) {
			t.Errorf("%v, not compared: %q", err, d.Unlike)
		}
	}
	d := compare.Results(sweep("B/s", 10e6, "5e+07", "1e+08"), sweep("", 20e6, "50MB/s", "1GB/s"))
	if len(d.Predicted) != 1 || d.Predicted[0].Before != 10e6 || d.Predicted[0].After != 20e6 || len(d.Unlike) != 2 {
		t.Errorf("got %+v, %q", d.Predicted, d.Unlike)
	}
}
