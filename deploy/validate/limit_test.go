package validate

import (
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/mapper/result"
)

// TestLimit checks that a case is predicted with the buffers of its runs if it has a seed, and that its candidate gets
// the same throughput, and the simulation also if buffers cost nothing.
func TestLimit(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: `#include "std.x"
block G { output UNSIGNED64 y; };
block S { input UNSIGNED64 x; };
block top { G g; S s; first: g -> s; };
use top;
impl G on C (mu="100MB/s", scv=1); impl S on C (mu="100MB/s", scv=1);
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g } to proc[1]; map { top.s } to proc[2];
`}.Design(t, design.Options{Purpose: design.ForMapping})
	for _, x := range []struct {
		room float64
		seed uint64
		less bool
	}{{1, 1, true}, {1, 0, false}, {1 << 12, 1, false}} {
		c := &Case{Mapping: d.Mapping, design: d, Unlimited: x.seed > 0} // as after the runs
		if err := c.predict(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		c.Looked.Room = append(c.Looked.Room, x.room)
		flow := c.Predicted
		if err := c.limit(t.Context(), Options{BufferSeed: x.seed}); err != nil {
			t.Fatal(err)
		}
		p := &result.Candidate{Throughput: result.Number(flow)}
		c.LimitTo(p)
		if (c.Predicted < 0.9*flow) != x.less || float64(p.Throughput) != c.Predicted ||
			c.Edges[0].Predicted > 1.001*c.Predicted || (p.WithBuffers != nil) != (x.seed > 0) || c.Unlimited {
			t.Errorf("%+v: %g B/s of %g B/s, candidate %g B/s", x, c.Predicted, flow, float64(p.Throughput))
		}
	}
}
