package result

import "testing"

// TestUneven: a long run without a throughput was uneven, unless its buffers were filling or it had too few elements.
func TestUneven(t *testing.T) {
	for _, c := range []struct {
		part    SteadyPart
		seconds float64
		want    bool
	}{
		{SteadyPart{Short: "s"}, 2, true},
		{SteadyPart{Short: "s"}, 0.5, false},
		{SteadyPart{}, 2, false},
		{SteadyPart{Short: "s", Filling: true}, 2, false},
		{SteadyPart{Short: "s", Few: true}, 2, false},
	} {
		m := Measured{Steady: &c.part, Seconds: c.seconds}
		if got := m.Uneven(); got != c.want {
			t.Errorf("%+v in %g s: %v", c.part, c.seconds, got)
		}
	}
}
