package stateless

import (
	"context"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// check checks the application of copies, with its text changed.
func check(t *testing.T, elements uint64, change ...string) ([]Verdict, []string) {
	t.Helper()
	dir := testkit.Copy(t, testkit.App(t, "copies"), nil)
	app := strings.NewReplacer(change...).Replace(testkit.Read(t, dir+"/app.x"))
	testkit.Write(t, dir+"/app.x", app)
	p := flowtest.X{Dir: dir, Files: []string{"app.x", "arch.x", "map.x"}}.Program(t)
	verdicts, skipped, err := Check(context.Background(), p, Options{
		Build: program.Options{Elements: elements, CPUs: 2}, Run: run.Options{Stall: 20 * time.Second},
		Lower: func(p *xlang.Program) (*design.Design, error) {
			return design.New(p, design.Options{Purpose: design.ForDeploy})
		}})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts, skipped
}

// TestTruth: kernels that are stateless, or are so for each key, send the same in two copies.
func TestTruth(t *testing.T) {
	t.Parallel()
	verdicts, skipped := check(t, 3000)
	if len(skipped) != 0 || len(verdicts) != 4 {
		t.Fatalf("%d kernels are checked, want 4; not %v", len(verdicts), skipped)
	}
	for _, v := range verdicts {
		if v.Difference != "" || v.Unknown != "" || v.Elements < 1400 {
			t.Errorf("%+v", v)
		}
	}
}

// TestLie: a kernel that counts its input, but is declared stateless, is detected at the first element from the
// second copy. The kernels after it are not blamed.
func TestLie(t *testing.T) {
	t.Parallel()
	verdicts, _ := check(t, 3000, "stateless by key x;", "stateless;", "keys = 16", "keys = 1")
	for _, v := range verdicts {
		switch {
		case v.Kernel == "top.count" && !strings.Contains(v.Difference,
			"element 2, from byte 5: 02000000"):
			t.Errorf("the lie of top.count is not found: %+v", v)
		case v.Kernel == "top.vary" && (v.Difference != "" || v.Unknown == ""):
			t.Errorf("top.vary is blamed for what it takes: %+v", v)
		case (v.Kernel == "top.mix" || v.Kernel == "top.pair") && (v.Difference != "" || v.Unknown != ""):
			t.Errorf("%+v", v)
		}
	}
}

// TestLyingSource: a source that ignores the index of its firing is detected, and kernels behind it are not
// blamed.
func TestLyingSource(t *testing.T) {
	t.Parallel()
	verdicts, _ := check(t, 3000, "output UNSIGNED32[8] y;\n};",
		"output UNSIGNED32[8] y;\n    emit y;\n    stateless;\n};")
	if len(verdicts) != 5 {
		t.Fatalf("%d kernels are checked, want 5", len(verdicts))
	}
	for _, v := range verdicts {
		if lies := v.Kernel == "top.source"; (v.Difference != "") != lies || (v.Unknown == "") != lies {
			t.Errorf("%+v", v)
		}
	}
}
