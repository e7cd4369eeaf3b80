package predict_test

import (
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestWithSmaller checks that a loss is predicted for buffers smaller than recommended, and for no others.
func TestWithSmaller(t *testing.T) {
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
	c, err := predict.Verified(t.Context(), d, d.Mapping, flow.Fast{}, "it")
	if err != nil {
		t.Fatal(err)
	}
	ran := func(n int) []result.MeasuredEdge {
		return []result.MeasuredEdge{{Edge: "top.first", Capacity: n}, {Edge: "top.second", Capacity: 1 << 20}}
	}
	if err := predict.WithSmaller(t.Context(), d, c, ran(1<<20), 1); err != nil || c.WithBuffers != nil {
		t.Errorf("large buffers: %+v, %v", c.WithBuffers, err)
	}
	if err := predict.WithSmaller(t.Context(), d, c, ran(1), 1); err != nil || c.WithBuffers == nil ||
		!c.WithBuffers.Costs(c.Throughput) {
		t.Errorf("a buffer of one element: %+v, %v", c.WithBuffers, err)
	}
	if len(d.Buffers) > 0 {
		t.Errorf("the design has buffers %v", d.Buffers)
	}
}
