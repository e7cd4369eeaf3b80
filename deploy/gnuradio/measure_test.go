package gnuradio

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"xopt/deploy/faults"
	"xopt/internal/testkit"
)

// TestMeasureInterrupted: an interruption during the trials keeps the figures of the blocks, and leaves no folder.
func TestMeasureInterrupted(t *testing.T) {
	testkit.Long(t, "it runs GNU Radio")
	testkit.Tool(t, "grcc", "gnuradio")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	g, err := Read("testdata/chain.grc")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m, err := Measure(ctx, g, Options{Time: 100 * time.Millisecond, Progress: func(step string) {
		if strings.HasPrefix(step, "trying larger buffers") {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	n := len(m.Notes)
	if !(m.Rate.Mean > 0) || len(m.Figures) != len(m.Blocks) || m.Best() != nil || n == 0 ||
		m.Notes[n-1].ID != faults.MeasurementInterrupted {
		t.Errorf("%+v", m)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
