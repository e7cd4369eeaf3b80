package calibrate_test

import (
	"bytes"
	"math"
	"testing"

	"xopt/calibrate"
	"xopt/flow/profile"
	"xopt/internal/testkit"
)

// TestCopies: the costs of copies are measured in several windows, with batches as long as a run uses (8 KiB of
// 64-byte elements), and stored in a profile. Their values depend on the machine and are not judged.
func TestCopies(t *testing.T) {
	testkit.Long(t, "it measures for some seconds")
	t.Parallel()
	c, err := calibrate.Copies(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Batch != 128 {
		t.Errorf("a batch has %d firings, want 128", c.Batch)
	}
	for what, f := range map[string]profile.Figure{"dividing": c.Divide, "collecting": c.Collect} {
		if f.N != 7 || len(f.Windows) != 7 || !(f.Value >= 0) || math.IsInf(f.Value, 0) {
			t.Errorf("%s costs %+v", what, f)
		}
	}
	t.Logf("dividing costs %.3g s a batch, collecting %.3g s", c.Divide.Value, c.Collect.Value)
	p := &profile.Profile{Schema: profile.Schema, Copies: c}
	if err := p.Encode(new(bytes.Buffer)); err != nil {
		t.Error(err)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}
