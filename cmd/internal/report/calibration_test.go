package report

import (
	"strings"
	"testing"

	"xopt/calibrate"
	"xopt/flow/profile"
)

// TestCalibrationDoubts checks that a reference of two runs gives no repeatability, and that an outlier of a link is
// named.
func TestCalibrationDoubts(t *testing.T) {
	p := &profile.Profile{Reference: &profile.Reference{Runs: 2, Probes: []profile.Probe{{Name: "memory", Good: 1e-6}}},
		Links: []profile.Link{{Linktype: "memory", Where: "between cores", Samples: []profile.LinkSample{
			{Bytes: 8, Seconds: 1, Fitted: 1}, {Bytes: 64, Seconds: 17, Fitted: 1, LeftOut: true}}}}}
	if note := referenceProbes(p).Note; strings.Contains(note, "0.0 %") || !strings.Contains(note, "2 runs: too few") {
		t.Errorf("two runs: %s", note)
	}
	if note := linkSamples(p).Note; !strings.Contains(note, "64 B: they took 17 times") {
		t.Errorf("an outlier: %s", note)
	}
	p.Links[0].Samples[0].Corrected = 3
	if note := linkSamples(p).Note; !strings.Contains(note, "8 B: measured 3 s") {
		t.Errorf("a corrected time: %s", note)
	}
	p.Links[0].Samples[0].Corrected = 0
	p.Reference.Runs, p.Reference.Repeatability, p.Links[0].Samples[1].LeftOut = 9, 0.05, false
	if note := referenceProbes(p).Note; !strings.Contains(note, "load: 5 %;") || linkSamples(p).Note != "" {
		t.Errorf("nine runs, no outlier: %s; %s", note, linkSamples(p).Note)
	}
}

// TestDisturbedKernel checks that a kernel whose processor another process used is not shown as undisturbed.
func TestDisturbedKernel(t *testing.T) {
	k := profile.Kernel{Instance: "top.a", Platform: "C", Undisturbed: &profile.Undisturbed{Windows: 6, Good: 6},
		ServiceRate: &profile.Figure{Value: 1e6, N: 6}}
	for doubt, want := range map[string]string{"": "100", profile.DoubtDisturbed: "disturbed"} {
		k.Doubt = doubt
		table := kernelsOnCores(&profile.Profile{Kernels: []profile.Kernel{k}})
		if got := table.Rows[0].Cells[table.column("undisturbed")].Text; got != want {
			t.Errorf("with the doubt %q: %q, want %q", doubt, got, want)
		}
	}
}

// TestProfilesCompared checks the units of figures of two profiles, and that a check starts with its answer.
func TestProfilesCompared(t *testing.T) {
	figure := func(what string, v float64) profile.Difference {
		return profile.Difference{Kernel: "top.a", What: what, A: profile.Figure{Value: v}, B: profile.Figure{Value: v}}
	}
	table := Differences("a", "b", []profile.Difference{figure("service rate", 2191734582.123),
		figure("switch cost", 4.31234e-9), figure("bytes of a firing", 1024), figure("gain", 0.33333333)})
	for i, want := range []string{"2.19 GB/s", "4.31 ns/B", "1.02 kB", "0.333"} {
		if got := table.Rows[i].Cells[2].String(); got != want {
			t.Errorf("%s is %q, want %q", table.Rows[i].Cells[1].Text, got, want)
		}
	}
	list := []calibrate.Holding{{Kernel: "top.a", Verdict: calibrate.RateHolds},
		{Kernel: "top.b", Change: 0.25, Verdict: calibrate.RateChanged},
		{Kernel: "top.c", Change: -0.38, Verdict: calibrate.RateUncertain, Reason: "no interval"}}
	head := CheckHead("p.json", list)
	if x := head[0].Lead; len(head) != 2 || x.Word != "Changed" || !strings.Contains(x.Text, "top.b (+25 %)") {
		t.Errorf("%+v", x)
	}
	head = CheckHead("p.json", []calibrate.Holding{list[0], list[2]})
	if x := head[0].Lead; len(head) != 1 || x.Word != "Undetermined" || !strings.Contains(x.Text, "1 of 2") {
		t.Errorf("%+v", x)
	}
	if x := CheckHead("p.json", list[:1])[0].Lead; x.Word != "Unchanged" {
		t.Errorf("%+v", x)
	}
	list[2].New = profile.Figure{Value: 62, N: 9, CI95: [2]float64{31, 93}}
	for i, row := range MeasuredAgain("p.json", list).Rows {
		if got := row.Cells[4].Text; (got == "50") != (i == 2) {
			t.Errorf("%s: an interval of ± %s", list[i].Kernel, got)
		}
		if got := row.Cells[6].Text; !strings.EqualFold(got, string(list[i].Verdict)) {
			t.Errorf("%s: %q in the table", list[i].Kernel, got)
		}
	}
}
