package predict_test

import (
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/mapper/predict"
)

// TestRan checks that the buffers of a run count, not the recommended ones.
func TestRan(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: `#include "std.x"
block G { output UNSIGNED64 y; };
block F { input UNSIGNED64 x; output UNSIGNED64 y; };
block S { input UNSIGNED64 x; };
block top { G g; F f; S s; first: g -> f; second: f -> s; };
use top;
impl G on C (mu="100MB/s", scv=1); impl F on C (mu="100MB/s", scv=1, gain=1); impl S on C (mu="100MB/s", scv=1);
resource proc[3] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g } to proc[1]; map { top.f } to proc[2]; map { top.s } to proc[3];
`}.Design(t, design.Options{Purpose: design.ForMapping})
	large, err := predict.Ran(t.Context(), d, []int{1 << 10, 1 << 10}, 1)
	if err != nil || large == nil || large.Sizes != "given" || large.Costs(100e6) {
		t.Errorf("large buffers: %+v, %v", large, err)
	}
	small, err := predict.Ran(t.Context(), d, []int{1, 1 << 10}, 1)
	if err != nil || small == nil || !small.Costs(100e6) {
		t.Fatalf("a buffer of one element: %+v, %v", small, err)
	}
	if e := small.Worst(); e == nil || e.Edge != "top.first" {
		t.Errorf("%+v costs most, want top.first", e)
	}
	if len(d.Buffers) > 0 {
		t.Errorf("the design has buffers %v", d.Buffers)
	}
}
