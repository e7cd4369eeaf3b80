package unseen_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/bench/unseen"
	"xopt/internal/testkit"
)

// TestInterrupted checks that a run that is interrupted before any result reports that, and has no results.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := unseen.Run(ctx, unseen.Options{Seed: 1, Apps: 2, Mappings: 2, Runs: 1, Window: time.Second,
		Budget: time.Second})
	if !errors.Is(err, context.Canceled) || !r.Partial || r.Overall != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRun draws, measures and runs the smallest application of several seeds, and stores it.
func TestRun(t *testing.T) {
	testkit.Long(t, "it measures how kernels share a core, which takes half a minute")
	t.Parallel()
	seed := uint64(0)
	for len(unseen.Draw(seed).Kernels) > unseen.MinKernels {
		seed++
	}
	out := filepath.Join(t.TempDir(), "out")
	output := 0
	r, err := unseen.Run(t.Context(), unseen.Options{Seed: seed, Apps: 1, Mappings: 3, Runs: 2,
		Window: 200 * time.Millisecond, Budget: 2 * time.Second, Out: out,
		Progress: func(_ string, done, all time.Duration) {
			output++
			if done > all {
				t.Errorf("%v of %v are done", done, all)
			}
		}})
	if err != nil || r.Apps[0].Fail != "" || len(r.Apps[0].Cases) == 0 || r.Partial || output == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	disturbed := 0
	for _, c := range r.Apps[0].Cases {
		if strings.Contains(c.Fail, "disturbed") { // by the tests of other packages
			disturbed++
			continue
		}
		if !(c.Predicted > 0) || !(c.Measured > 0) || len(c.Runs) < 2 {
			t.Errorf("%+v", c)
		}
	}
	if r.Overall == nil && disturbed < len(r.Apps[0].Cases) {
		t.Errorf("no summary of %+v", r.Apps[0].Cases)
	}
	for _, name := range []string{"app.x", "arch.x", "profile.json"} {
		matches, err := filepath.Glob(filepath.Join(out, "seed-*", name))
		if err != nil || len(matches) != 1 {
			t.Errorf("%s was not kept: %v, %v", name, matches, err)
			continue
		}
		if info, err := os.Stat(matches[0]); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
