package xsim

import (
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// TestDisturbed checks that a disturbance of a run in virtual time names what it affects, and is omitted without
// kernels on cores.
func TestDisturbed(t *testing.T) {
	d := &design.Design{Problem: &flow.Problem{}, Mapping: &flow.Mapping{}}
	d.Problem.Architecture.Resources = []flow.Resource{{Sharing: flow.Sharing{Rule: flow.Conserving}},
		{Sharing: flow.Sharing{Rule: flow.AreaOnly}}}
	for _, x := range []struct {
		simulated string
		place     []int
		want      string
	}{{"", []int{0}, "a load"}, {"yes", []int{1, 0}, "a load. This affects "}, {"yes", []int{1, 1}, ""}} {
		d.Mapping.Place = x.place
		got := Disturbed(d, &result.Measured{Simulated: x.simulated}, "a load")
		if !strings.HasPrefix(got, x.want) || x.simulated == "" && got != x.want || x.want == "" && got != "" {
			t.Errorf("%q, %v: %q, want %q", x.simulated, x.place, got, x.want)
		}
	}
}
