package profile

import (
	"math"
	"testing"
)

// TestCompare: figures agree when their intervals meet; what only one profile has does
// not count.
func TestCompare(t *testing.T) {
	fig := func(v, low, high float64) *Figure { return &Figure{Value: v, N: 9, CI95: [2]float64{low, high}} }
	a := &Profile{Kernels: []Kernel{
		{Instance: "top.a", Block: "A", Platform: "C", ServiceRate: fig(100, 98, 102), Gain: fig(0.5, 0.5, 0.5),
			Routing: map[string]Figure{"y": *fig(0.3, 0.29, 0.31), "z": *fig(0.7, 0.69, 0.71)}},
		{Instance: "top.b", Block: "B", Platform: "C", ServiceRate: fig(10, 9, 11)},
	}}
	b := &Profile{Kernels: []Kernel{
		{Instance: "top.b", Block: "B", Platform: "HDL", ServiceRate: fig(99, 99, 99)}, // elsewhere
		{Instance: "top.a", Block: "A", Platform: "C", ServiceRate: fig(104, 102, 106), Gain: fig(0.5000001, 0.5000001,
			0.5000001), ServiceSCV: fig(1, 1, 1), Routing: map[string]Figure{"y": *fig(0.4, 0.39, 0.41)}},
	}}
	want := map[string]bool{"service rate": true, "gain": false, "routing of y": false}
	got := Compare(a, b)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for _, d := range got {
		if agree, ok := want[d.What]; !ok || d.Agree != agree || d.Kernel != "top.a" {
			t.Errorf("got %+v", d)
		}
	}
	if r := got[0].Relative(); math.Abs(r-0.04) > 1e-12 {
		t.Errorf("the service rates differ by %g", r)
	}
	for _, d := range Compare(a, a) {
		if !d.Agree || d.Relative() != 0 {
			t.Errorf("a profile differs from itself: %+v", d)
		}
	}
}

// TestCompareSharing: the rules by which cores are shared are compared, and two rules never agree within an interval.
func TestCompareSharing(t *testing.T) {
	way := func(model string) *Profile {
		return &Profile{Sharing: []Sharing{{Platform: "C", Processes: "core", Wait: "auto", Scheduler: "other",
			Model: model, SwitchCost: &Figure{Value: 1e-8, N: 12, CI95: [2]float64{0, 3e-8}}}}}
	}
	for _, d := range Compare(way("conserving"), way("equal")) {
		if rule := d.What == "sharing rule"; d.Agree == rule || d.Exceeds(0.02) != rule {
			t.Errorf("%+v", d)
		}
	}
	if list := Compare(way("equal"), way("equal")); len(list) != 2 || !list[0].Agree || list[0].Exceeds(0) {
		t.Errorf("a profile differs from itself: %+v", list)
	}
}
