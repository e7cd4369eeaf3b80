package compare_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/compare"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

func found(throughput float64, at string, windows []float64) *result.Result {
	middle := slices.Clone(windows)
	slices.Sort(middle)
	return &result.Result{Application: "top", Inputs: []result.Input{{Path: "app.x", SHA256: at}},
		Candidates: []result.Candidate{{Throughput: result.Number(throughput),
			Figures:     []result.OriginCount{{Origin: "measured", Count: 3}},
			Place:       []result.Placement{{Kernel: "top.fft", Resource: at}},
			Bottlenecks: []result.Step{{Limits: []result.Limit{{Name: at}}}}}},
		Profile: &profile.Profile{Kernels: []profile.Kernel{{Block: "FFT", Platform: "C",
			ServiceRate: &profile.Figure{Value: middle[len(middle)/2], N: len(windows),
				CI95: [2]float64{middle[0], middle[len(middle)-1]}, Windows: windows}}}}}
}

// TestResults checks that changes are listed, and differences within chance are not.
func TestResults(t *testing.T) {
	slow, fast := []float64{10e6, 10.1e6, 9.9e6, 10e6, 10.2e6, 9.8e6}, []float64{20e6, 20.1e6, 19.9e6, 20e6, 20.2e6,
		19.8e6}
	d := compare.Results(found(1e6, "proc[1]", slow), found(2e6, "fpga", fast))
	if got := fmt.Sprint(d.Remarks); got != "[the input file app.x changed [input-changed] the bottleneck "+
		"changed from proc[1] to fpga [bottleneck-changed] kernels moved from proc[1] to fpga: top.fft "+
		"[kernel-moved]]" {
		t.Errorf("remarks %q", got)
	}
	if len(d.Predicted) != 1 || d.Predicted[0].Change != "+100 %" ||
		d.Predicted[0].Confidence != "predicted from 3 measured figures" {
		t.Errorf("predicted %+v", d.Predicted)
	}
	if len(d.Measured) != 1 || d.Measured[0].Change != "+100 %" || !strings.Contains(d.Measured[0].Confidence,
		"p=0.002 n=6") {
		t.Errorf("measured %+v", d.Measured)
	}
	same := compare.Results(found(1e6, "proc[1]", slow), found(1e6, "proc[1]", []float64{10.1e6, 9.95e6, 10.05e6,
		9.9e6, 10e6, 10.15e6}))
	if len(same.Remarks) != 0 || same.Predicted[0].Change != "=" || same.Measured[0].Change != "~" {
		t.Errorf("%+v", same)
	}
	if d := compare.Results(&result.Result{}, &result.Result{}); len(d.Remarks)+len(d.Measured)+len(d.Predicted)+
		len(d.Unlike) != 0 {
		t.Errorf("of nothing %+v", d)
	}
}

// TestSingleRuns checks that the frames of disturbed runs do not count as repetitions: the test of two runs accounts
// for the variation between runs.
func TestSingleRuns(t *testing.T) {
	run := func(rate float64, disturbed string, repeatability float64) *result.Result {
		r := &result.Result{Measured: &result.Measured{Throughput: rate, Disturbed: disturbed,
			Edges: []result.MeasuredEdge{{Edge: "top.e"}}}}
		for i := range 9 {
			r.Measured.Frames = append(r.Measured.Frames, result.MeasuredFrame{Edges: []result.FrameEdge{{
				Rate: rate * (1 + float64(i)/1000)}}})
		}
		if repeatability > 0 {
			p := result.Number(repeatability)
			r.ProfileRepeatability = &p
		}
		return r
	}
	const others = "other programs used 1.1 processors"
	for _, c := range []struct {
		name      string
		r         *result.Result
		disturbed string // the profile
		want      string
	}{{"quiet", run(105e6, "", 0), "", "+5 %"}, {"disturbed", run(105e6, others, 0), "", "~"},
		{"far apart", run(500e6, others, 0), "", "~"}, {"repeatability of a quiet machine", run(105e6, others, 0.01),
			"", "~"}, {"quiet and repeatable", run(105e6, "", 0.01), "", "+5 %"},
		{"inside the repeatability", run(105e6, "", 0.04), "", "~"},
		{"of a disturbed machine", run(200e6, others, 0.1), others, "+100 %"}} {
		for _, frames := range []int{0, 9} {
			x := run(100e6, "", 0)
			x.Measured.Frames = x.Measured.Frames[:frames]
			c.r.ProfileDisturbed = c.disturbed
			got := compare.Results(x, c.r).Measured
			if len(got) != 1 || got[0].Change != c.want {
				t.Errorf("%s, %d frames: %+v", c.name, frames, got)
			}
		}
	}
}

// TestMeasuredBesideSimulated checks that each side of a comparison of a measured and a simulated run has its origin.
func TestMeasuredBesideSimulated(t *testing.T) {
	run := func(simulated string) *result.Result {
		return &result.Result{Measured: &result.Measured{Throughput: 1e6, Simulated: simulated}}
	}
	measured, simulated := run(""), run("in virtual time")
	for _, c := range []struct {
		before, after *result.Result
		title         string
		differ        bool
	}{{measured, simulated, "Measured, then simulated:", true},
		{simulated, measured, "Simulated, then measured:", true},
		{measured, measured, "Measured:", false}, {simulated, simulated, "Simulated:", false}} {
		d := compare.Results(c.before, c.after)
		title := ""
		for _, p := range d.Parts() {
			if p.Table != nil && p.Table.ID == "measured" {
				title = p.Table.Title
			}
		}
		first := append(d.Remarks, fault.Note{})[0]
		if (first.ID == faults.OriginsDiffer) != c.differ || !strings.HasPrefix(title, c.title) {
			t.Errorf("want the title %q: %q, and first %q", c.title, title, first)
		}
		var text strings.Builder
		var got struct {
			Origins struct{ Before, After string }
		}
		if err := errors.Join(d.Encode(&text, "1", "a", "b"), json.Unmarshal([]byte(text.String()), &got)); err != nil {
			t.Fatal(err)
		}
		if x := report.Origins(got.Origins); x != d.Origins || x == (report.Origins{}) {
			t.Errorf("JSON has the origins %q, want %q", x, d.Origins)
		}
	}
}

// TestUntold checks that each run without a throughput has its own reason.
func TestUntold(t *testing.T) {
	run := func(few bool, short string) *result.Result {
		return &result.Result{Measured: &result.Measured{Seconds: 9.6, Throughput: 1e6,
			Steady: &result.SteadyPart{Few: few, Short: short}}}
	}
	d := compare.Results(run(false, "less than half was steady"), run(true, "hardly anything moved"))
	if got := fmt.Sprint(d.Remarks); len(d.Remarks) != 2 || !strings.Contains(got, "less than half was steady") ||
		!strings.Contains(got, "hardly anything moved") || strings.Contains(got, "too short") {
		t.Errorf("remarks %s", got)
	}
}

// TestFigures checks that a figure of a profile has the value and interval of the calibration, whatever its windows
// are, and that one with few windows has no interval.
func TestFigures(t *testing.T) {
	r := func() *result.Result {
		return &result.Result{Application: "top", ProfileDisturbed: "others used it", Profile: &profile.Profile{
			Kernels: []profile.Kernel{
				{Block: "Log", Platform: "C", ServiceRate: &profile.Figure{Value: 6.868e9, N: 2,
					Windows: []float64{0.76e9, 61.7e9}}},
				{Block: "Adc", Platform: "C", ServiceRate: &profile.Figure{Value: 1.617e9, N: 6,
					CI95: [2]float64{1.139e9, 2.296e9}, Windows: []float64{1, 2, 3, 4, 5, 6}}}}}}
	}
	d := compare.Results(r(), r())
	if len(d.Remarks) != 1 || !strings.HasSuffix(d.Remarks[0].String(), "others used it [profile-disturbed]") {
		t.Errorf("remarks %q", d.Remarks)
	}
	for i, want := range []struct {
		value  result.Number
		spread string
	}{{6.868e9, "no interval"}, {1.617e9, "± 42 %"}} {
		if c := d.Measured[i]; c.Before != want.value || c.After != want.value || c.Spread[0] != want.spread ||
			c.Change != "~" {
			t.Errorf("got %+v, want %+v", c, want)
		}
	}
}

// TestRunsMoved checks that kernels that two runs place on different resources are reported once each.
func TestRunsMoved(t *testing.T) {
	run := func(fft string) *result.Result {
		place := []result.Placement{{Kernel: "top.in", Resource: "proc[1]"}, {Kernel: "top.fft", Resource: fft}}
		return &result.Result{Measured: &result.Measured{Throughput: 1e6, Place: place},
			Candidates: []result.Candidate{{Throughput: 1e6, Place: place}}}
	}
	a, b := run("proc[1]"), run("proc[2]")
	for range 2 { // with and without predictions of both mappings
		var moved []string
		for _, n := range compare.Results(a, b).Remarks {
			if n.ID == faults.KernelMoved {
				moved = append(moved, n.Text)
			}
		}
		if len(moved) != 1 || moved[0] != "kernels moved from proc[1] to proc[2]: top.fft" {
			t.Errorf("moved %q", moved)
		}
		a.Candidates, b.Candidates = nil, nil
	}
}

// TestFiguresOverlap checks that two figures differ only if their intervals do, however many windows show a difference:
// two calibrations of one kernel may differ although the windows of each agree.
func TestFiguresOverlap(t *testing.T) {
	r := func(value, half float64) *result.Result {
		windows := make([]float64, 24)
		for i := range windows {
			windows[i] = value * (1 + float64(i)*1e-6)
		}
		return &result.Result{Application: "top", Profile: &profile.Profile{Kernels: []profile.Kernel{{Block: "Log",
			Platform: "C", ServiceRate: &profile.Figure{Value: value, N: len(windows), Windows: windows,
				CI95: [2]float64{value * (1 - half), value * (1 + half)}}}}}}
	}
	c := compare.Results(r(301e6, 0.85), r(252e6, 0.874)).Measured[0]
	if c.Change != "~" || c.Confidence != "intervals overlap" {
		t.Errorf("overlapping intervals: %+v, want ~", c)
	}
	if c := compare.Results(r(301e6, 0.02), r(252e6, 0.02)).Measured[0]; c.Change != "-16.3 %" {
		t.Errorf("disjoint intervals: %+v, want -16.3 %%", c)
	}
}
