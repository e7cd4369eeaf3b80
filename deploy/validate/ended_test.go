package validate

import (
	"strings"
	"testing"
	"time"

	"xopt/deploy/run"
	"xopt/mapper/result"
)

// TestEnded checks the runs that ended by themselves: an unsteady one counts without its ends, however short its steady
// part is. One whose steady part is shorter than a frame names the window, its frame and a sufficient number of
// elements.
func TestEnded(t *testing.T) {
	frames := func(n int, each float64) (list []run.FrameData) {
		for i := range n {
			list = append(list, run.FrameData{Start: float64(i) * each, End: float64(i+1) * each})
		}
		return list
	}
	o := Options{Elements: 20000, Window: 100 * time.Millisecond}
	m := &run.Measurement{Frames: frames(525, 0.1), Measured: result.Measured{Seconds: 52.5,
		Steady: &result.SteadyPart{StartUp: 50, Unsteady: true, Short: "less than half of it was steady"}}}
	if first, last, fail := counts(m, o); first != 1 || last != 523 || fail != "" {
		t.Errorf("unsteady: frames %d to %d, %q", first, last, fail)
	}
	m = &run.Measurement{Frames: frames(1, 3.28e-3), Measured: result.Measured{Seconds: 3.28e-3,
		Steady: &result.SteadyPart{StartUp: 1e-3, Seconds: 1.76e-3}}}
	_, _, fail := counts(m, o)
	for _, want := range []string{"3.28 ms", "1.76 ms", " 20 ms (a fifth of --window 100ms)",
		"--elements 500000 should suffice"} { // 20,000 * (3.28 + 2 * 20) / 1.76 = 492,000
		if !strings.Contains(fail, want) {
			t.Errorf("%q is missing: %s", want, fail)
		}
	}
	if _, _, fail := counts(m, Options{Window: o.Window}); fail == "" || strings.Contains(fail, "--elements") {
		t.Errorf("without --elements: %q", fail)
	}
}
