package calibrate_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/calibrate"
	"xopt/calibrate/faults"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

// load reads an application with all kernels on one core.
func load(t *testing.T, opt design.Options, files ...string) *design.Design {
	t.Helper()
	return flowtest.X{Files: files, More: oneCore}.Design(t, opt)
}

const (
	synthetic = "../bench/apps/synthetic/"
	oneCore   = "map { top } to proc[1];\n"
)

// TestCalibrate measures kernels with known gains and shares. Quantities that depend on time must only exist
// and lie within their own intervals.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	d := load(t, design.Options{Purpose: design.ForCheck}, synthetic+"tree.x", synthetic+"arch.x")
	p, report, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{Elements: 4000,
		Budget: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if report.Rounds == 0 || !(report.Seconds > 0) || p.Machine.CPU == "" || p.Machine.Compiler == "" {
		t.Errorf("the report is %+v of %+v", report, p.Machine)
	}
	// bytes out over bytes in
	gains := map[string]float64{"top.split": 2. * 4 / 16, "top.half": 0.5, "top.one": 1, "top.two": 1,
		"top.join": 1.25 * 32 / 12}
	firing := map[string]float64{"top.source": 128, "top.split": 128, "top.half": 32, "top.one": 32, "top.two": 32,
		"top.join": 96, "top.sink": 256}
	if len(p.Kernels) != len(firing) {
		t.Fatalf("%d kernels", len(p.Kernels))
	}
	for _, k := range p.Kernels {
		if f := k.ServiceRate; f == nil || f.N < 1 || len(f.Windows) != f.N {
			t.Errorf("%s has the service rate %+v", k.Instance, f)
		} else if low, high, ok := f.Interval(); ok != (f.N >= profile.FewestWindows && !f.AtLeast) || ok &&
			!(low <= f.Value && f.Value <= high) {
			t.Errorf("%s has the service rate %+v", k.Instance, f)
		}
		if k.CoLocationCost == nil || k.CoLocationCost.N < 2 {
			t.Errorf("%s has the co-location cost %+v", k.Instance, k.CoLocationCost)
		}
		if f := k.FiringBytes; f == nil || math.Abs(f.Value-firing[k.Instance]) > 1e-9 {
			t.Errorf("%s takes %+v bytes in a firing, want %g", k.Instance, f, firing[k.Instance])
		}
		want, has := gains[k.Instance]
		if has != (k.Gain != nil) {
			t.Errorf("%s has the gain %v", k.Instance, k.Gain)
		} else if has && math.Abs(k.Gain.Value-want) > 0.01*want { // a run may end in the middle of a firing
			t.Errorf("%s has the gain %g, want %g", k.Instance, k.Gain.Value, want)
		}
		if k.Instance == "top.split" {
			for port, want := range map[string]float64{"y[1]": 0.5, "y[2]": 0.25, "y[3]": 0.25} {
				if got := k.Routing[port].Value; math.Abs(got-want) > 0.01 {
					t.Errorf("the routing of %s is %g, want %g", port, got, want)
				}
			}
		}
	}
	// The profile can be read back and contains all inputs of a prediction.
	var text bytes.Buffer
	if err := p.Encode(&text); err != nil {
		t.Fatal(err)
	}
	again, err := profile.Read("profile", &text)
	if err != nil {
		t.Fatal(err)
	}
	full := load(t, design.Options{Purpose: design.ForSearch, Profile: design.FromProfile("profile", again, nil),
		JoinTolerance: 0.02}, synthetic+"tree.x", synthetic+"arch.x")
	for k := range p.Kernels {
		f := full.Problem.Figures[k][0]
		if f.ServiceRate != p.Kernels[k].ServiceRate.Value || f.CoLocationCost != p.Kernels[k].CoLocationCost.Value {
			t.Errorf("%s is read as %+v", p.Kernels[k].Instance, f)
		}
	}
}

// TestNothingCarried: a kernel that got no data cannot be measured, which is said.
func TestNothingCarried(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"app.x": `#include "std.x"
block G { output UNSIGNED32 a, b; };
block S { input UNSIGNED32 x; };
block top { G g; S s, t; e1: g.a -> s; e2: g.b -> t; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[1] is C;
`,
		"g.c": "#include \"X_G.h\"\nvoid X_G_init(X_G *d) { (void)d; }\nvoid X_G_destroy(X_G *d) { (void)d; }\n" +
			"int X_G_go(X_G *d) { *X_G_a(d, 1) = 1; X_G_a_send(d, 1); return 1; }\n",
		"s.c": "#include \"X_S.h\"\nvoid X_S_init(X_S *d) { (void)d; }\nvoid X_S_destroy(X_S *d) { (void)d; }\n" +
			"void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(dir, "app.x"))
	_, _, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{})
	want := "edge top.e2 carried no data"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// hanging returns a pipeline whose middle kernel does not return from its first call after the given number of
// elements.
func hanging(t *testing.T, elements string) *design.Design {
	t.Helper()
	dir := testkit.Files(t, map[string]string{
		"app.x": `#include "std.x"
block G { config SIGNED64 elements = 1000000000; output UNSIGNED32 y; };
block H { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top { G g; H h; S s; e1: g -> h; e2: h -> s; };
use top;
platform C { impl G (src="g.c"); impl H (src="h.c"); impl S (src="s.c"); };
resource proc[1] is C;
`,
		"g.c": "#include \"X_G.h\"\nstatic int64_t n;\nvoid X_G_init(X_G *d) { (void)d; }\n" +
			"void X_G_destroy(X_G *d) { (void)d; }\n" +
			"int X_G_go(X_G *d) { *X_G_y(d, 1) = 1; X_G_y_send(d, 1); return ++n >= d->config.elements; }\n",
		"h.c": "#include \"X_H.h\"\nstatic int n;\nvoid X_H_init(X_H *d) { (void)d; }\n" +
			"void X_H_destroy(X_H *d) { (void)d; }\nvoid X_H_push(X_H *d) {\n" +
			"for (; X_H_x_avail(d) > 0; X_H_x_release(d, 1)) {\n" +
			"for (volatile int i = 1; n >= " + elements + " && i; i = 1) {}\n" +
			"n++; *X_H_y(d, 1) = *X_H_x(d); X_H_y_send(d, 1); } }\n",
		"s.c": "#include \"X_S.h\"\nvoid X_S_init(X_S *d) { (void)d; }\nvoid X_S_destroy(X_S *d) { (void)d; }\n" +
			"void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }\n",
	})
	return load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(dir, "app.x"))
}

// TestHangs: the error names the kernel that does not return and the elements it consumed, not the edges behind
// it. The kernel hangs in the recorded run, or later when it runs alone on more data.
func TestHangs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after    string
		elements uint64
		want     []string
	}{
		"at once": {"0", 0, []string{"recording", "kernel top.h (block H, source ",
			".c) has not returned, after consuming 0"}},
		"after 499": {"499", 0, []string{"recording", "top.h (block H, source ",
			".c) has not returned, after consuming 499 "}},
		"only alone": {"499", 400, []string{"top.h alone", "top.h (block H, source ",
			".c) has not returned, after consuming 499 "}},
	} {
		_, _, err := calibrate.Calibrate(t.Context(), hanging(t, c.after), calibrate.Options{
			Record: 300 * time.Millisecond, Elements: c.elements, Only: []int{1}})
		if fault.Of(err) != faults.NothingMoved || strings.Contains(err.Error(), "carried no data") {
			t.Errorf("%s: got %v, want the kernel that hangs", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q in it", name, err, want)
			}
		}
	}
}

// TestIncremental: unchanged kernels keep their figures; changed ones are measured.
func TestIncremental(t *testing.T) {
	testkit.Long(t, "it calibrates four times; TestInterrupted keeps figures, too")
	t.Parallel()
	calibrateTree := func(set map[string]string, earlier *profile.Profile) (*profile.Profile, *calibrate.Report) {
		t.Helper()
		d := flowtest.X{Dir: synthetic, Files: []string{"tree.x", "arch.x"}, More: oneCore, Set: set}.Design(t,
			design.Options{Purpose: design.ForCheck})
		p, report, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{Elements: 2000,
			Budget: time.Second, Earlier: earlier})
		if err != nil {
			t.Fatal(err)
		}
		return p, report
	}
	first, report := calibrateTree(nil, nil)
	if report.Kept != 0 || report.Rounds == 0 {
		t.Errorf("the first time %d are kept in %d rounds", report.Kept, report.Rounds)
	}
	for _, k := range first.Kernels {
		if k.Hash == "" || k.CodeBytes <= 0 {
			t.Errorf("%s has the hash %q and %d bytes of code", k.Instance, k.Hash, k.CodeBytes)
		}
		if b, ok := k.Batch["y[1]"]; k.Instance == "top.split" && (!ok || math.Abs(b.Value-1) > 1e-9) {
			t.Errorf("split sends %+v at once", k.Batch)
		}
	}
	// The doubt depends on the load of the machine; which kernels are kept does not.
	for i := range first.Kernels {
		first.Kernels[i].Doubt = ""
	}
	doubted := *first
	doubted.Kernels = slices.Clone(first.Kernels)
	doubted.Kernels[1].Doubt = "disturbed while it was measured"
	if _, report = calibrateTree(nil, &doubted); report.Kept != len(first.Kernels)-1 {
		t.Errorf("with a disturbed kernel %d are kept, want all others", report.Kept)
	}
	second, report := calibrateTree(nil, first)
	if report.Kept != len(first.Kernels) || report.Rounds != 0 {
		t.Errorf("the second time %d are kept in %d rounds", report.Kept, report.Rounds)
	}
	if list := profile.Compare(first, second); len(list) == 0 {
		t.Error("nothing can be compared")
	} else {
		for _, l := range list {
			if l.A.Value != l.B.Value {
				t.Errorf("%s of %s was %g and is %g", l.What, l.Kernel, l.A.Value, l.B.Value)
			}
		}
	}
	// Other work: every kernel that has the config, but not the source, which feeds the
	// others the same.
	_, report = calibrateTree(map[string]string{"top.service": "deterministic"}, first)
	if report.Kept != 2 {
		t.Errorf("with another distribution %d are kept, want the source and the sink", report.Kept)
	}
}

// TestDisturbed: a profile measured beside busy processes is marked as disturbed.
func TestDisturbed(t *testing.T) {
	testkit.Long(t, "it measures beside two busy processes")
	for range 2 {
		hog := exec.Command("nice", "-n", "10", "sh", "-c", "while :; do :; done") // other tests are slowed less
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = hog.Process.Kill() // it is ours
			_ = hog.Wait()
		}()
	}
	d := load(t, design.Options{Purpose: design.ForCheck}, synthetic+"tree.x", synthetic+"arch.x")
	p, report, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{Elements: 1000,
		Budget: 500 * time.Millisecond, Only: []int{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Disturbed == "" || p.Conditions == nil || p.Conditions.Disturbed != report.Disturbed ||
		!(p.Conditions.Others > 0.3) {
		t.Errorf("beside two processes that never pause the conditions are %+v", p.Conditions)
	}
}

// TestLinks: the memory that cores share is measured, between cores and between
// processes on one.
func TestLinks(t *testing.T) {
	testkit.Long(t, "it measures for ten seconds; what fits them is tested without")
	d := load(t, design.Options{Purpose: design.ForCheck}, synthetic+"tree.x", synthetic+"arch.x")
	links, err := calibrate.Links(context.Background(), d, calibrate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(links) != 2 || links[0].Where == links[1].Where {
		t.Fatalf("links %+v", links)
	}
	for _, l := range links {
		if l.Linktype != "memory" || len(l.Samples) < 4 || !(l.Bandwidth.Value > 0) || !(l.TransferCost.Value >= 0) {
			t.Errorf("%s: %+v", l.Where, l)
		}
		first, last := l.Samples[0], l.Samples[len(l.Samples)-1]
		if !(last.Seconds > first.Seconds) {
			t.Errorf("%s: %g bytes take %g s, %g take %g", l.Where, first.Bytes, first.Seconds, last.Bytes,
				last.Seconds)
		}
	}
	if err := (&profile.Profile{Links: links}).Validate(); err != nil {
		t.Error(err)
	}
}
