package measure

import (
	"testing"

	"xopt/deploy/timetrial"
)

// TestQuantityOfOne: one element is not "1 elements", also where it is one only when rounded.
func TestQuantityOfOne(t *testing.T) {
	for v, want := range map[float64]string{0: "0 elements", 1: "1 element", 1.00001: "1 element", 1.5: "1.5 elements",
		2: "2 elements", 1e6: "1 M elements"} {
		if got := Quantity(timetrial.Occupancy, v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}
