package calibrate_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/calibrate"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/testkit"
)

// TestInterrupted: an interrupted calibration returns its partial profile, keeps the other kernels of the
// earlier profile, and reports the interruption. The next calibration continues from there.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(testkit.Files(t, joining()), "app.x"))
	earlier := &profile.Profile{Kernels: []profile.Kernel{
		{Block: "S", Instance: "top.s", Platform: "C", Hash: "before", ServiceRate: &profile.Figure{Value: 5}},
		{Block: "Z", Instance: "top.gone", Platform: "C", ServiceRate: &profile.Figure{Value: 5}},
	}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := calibrate.Options{Record: 200 * time.Millisecond, Budget: 100 * time.Millisecond, Earlier: earlier}
	o.Progress = func(p calibrate.Progress) {
		if p.Stage == "measuring top.s" { // the last of the three
			cancel()
		}
	}
	p, report, err := calibrate.Calibrate(ctx, d, o)
	if !errors.Is(err, context.Canceled) || p == nil {
		t.Fatalf("got %+v, %v", p, err)
	}
	var names []string
	for _, k := range p.Kernels {
		names = append(names, k.Instance)
	}
	if !slices.Equal(names, []string{"top.g", "top.f", "top.s"}) || p.Kernels[2].Hash != "before" {
		t.Errorf("the profile holds %v, the last %+v", names, p.Kernels[2])
	}
	if !report.Interrupted || !slices.Equal(report.Missing, []string{"top.s"}) ||
		p.Conditions.Incomplete != "interrupted; not measured: top.s" {
		t.Errorf("%+v; incomplete: %s", report, p.Conditions.Incomplete)
	}

	// The next calibration keeps precise figures and measures the rest.
	for i := range p.Kernels {
		p.Kernels[i].Doubt = ""
	}
	measured := make(map[string]bool)
	o.Earlier, o.Progress = p, func(p calibrate.Progress) {
		if name, ok := strings.CutPrefix(p.Stage, "measuring top."); ok {
			measured[name] = true
		}
	}
	p, report, err = calibrate.Calibrate(context.Background(), d, o)
	if err != nil || report.Interrupted || report.Kept != 2 || len(measured) != 1 || !measured["s"] ||
		p.Conditions.Incomplete != "" {
		t.Errorf("the next measures %v and keeps %d: %v", measured, report.Kept, err)
	}
}

// TestNoTime: kernels that exceed the time are omitted and reported, and no earlier figure is lost.
func TestNoTime(t *testing.T) {
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(testkit.Files(t, joining()), "app.x"))
	earlier := &profile.Profile{Kernels: []profile.Kernel{{Block: "S", Instance: "top.s", Platform: "C",
		ServiceRate: &profile.Figure{Value: 5}}}}
	p, report, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{Record: 100 * time.Millisecond,
		Until: time.Now(), Earlier: earlier})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Kernels) != 1 || p.Kernels[0].Instance != "top.s" || !slices.Equal(report.Missing,
		[]string{"top.g", "top.f", "top.s"}) || report.Interrupted {
		t.Errorf("%d kernels; %+v", len(p.Kernels), report)
	}
	if want := "time limit reached; not measured: top.g, top.f, top.s"; p.Conditions.Incomplete != want {
		t.Errorf("incomplete: %q, want %q", p.Conditions.Incomplete, want)
	}
}
