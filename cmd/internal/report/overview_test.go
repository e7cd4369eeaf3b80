package report

import (
	"testing"

	"xopt/flow/xlang"
)

// TestConsumedTogether checks that every join is listed, with the number of elements of each port if it is not one.
func TestConsumedTogether(t *testing.T) {
	in := []xlang.Port{{Name: "v"}, {Name: "e"}, {Name: "a[1]"}, {Name: "a[2]"}}
	for _, c := range []struct {
		joins []xlang.Join
		want  string
	}{
		{nil, ""},
		{[]xlang.Join{{Ports: []int{0, 1}, Counts: []float64{1, 100}}}, "v with 100 e"},
		{[]xlang.Join{{Ports: []int{0, 1}, Counts: []float64{1, 1}}, {Ports: []int{2, 3}, Counts: []float64{2, 2}}},
			"v with e; 2 a[1..2]"},
		{[]xlang.Join{{Ports: []int{2, 3, 0}, Counts: []float64{1, 2, 2}}}, "a[1] with 2 a[2] with 2 v"},
	} {
		if got := consumedTogether(in, c.joins); got != c.want {
			t.Errorf("%v: %q, want %q", c.joins, got, c.want)
		}
	}
}
