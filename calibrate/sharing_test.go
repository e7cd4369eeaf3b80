package calibrate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"xopt/calibrate"
)

// TestSharing runs one small pipeline in every way to share a core; how well that
// goes is for the benchmark to say.
func TestSharing(t *testing.T) {
	t.Parallel()
	cases, err := calibrate.Sharing(t.Context(), calibrate.SharingOptions{Runs: 1, Window: 120 * time.Millisecond,
		Pipelines: [][]float64{{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 6 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		if c.Fail != "" && c.Scheduler != "rr" { // rr needs a privilege
			t.Errorf("a process for each %s, %s, %s: %s", c.Style, c.Wait, c.Scheduler, c.Fail)
		}
		if !(c.Conserving > 0) || !(c.Equal > 0) || c.Conserving < c.Equal*0.5 {
			t.Errorf("the models say %g and %g", c.Conserving, c.Equal)
		}
	}
}

// TestSharingKernels: the kernels of calibration and of the synthetic applications do the same work per
// microsecond.
func TestSharingKernels(t *testing.T) {
	for _, name := range []string{"burn.h", "mix.h"} {
		ours, err := os.ReadFile(filepath.Join("kernels", name))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := os.ReadFile(filepath.Join("../bench/apps/synthetic", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours, theirs) {
			t.Errorf("calibrate/kernels/%s and bench/apps/synthetic/%[1]s differ", name)
		}
	}
}
