package validate

import (
	"testing"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestShortHoldsBulks: the buffers of short windows have space for two bulks of the links that their edges
// cross, whether the mapping names the links or not.
func TestShortHoldsBulks(t *testing.T) {
	dir := testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block S { output UNSIGNED64 y; };
block K { input UNSIGNED64 x; };
block top { S s; K k; e: s.y -> k.x; };
use top;
resource core[2] is C;
resource lan is bus ({ core }, bandwidth="1GB/s", bulk="1MiB");
impl S on C (mu="4MB/s");
impl K on C (mu="8MB/s");
map { top.s } to core[1];
map { top.k } to core[2];
`})
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	const bulk = 1 << 20 / 8
	for _, route := range [][]int{nil, {0}} {
		d.Mapping.Route[0] = route
		got := short(d, &flow.Solution{EdgeFlow: []float64{4e6}}, 10*time.Millisecond)
		if got[0] < 2*bulk {
			t.Errorf("over %v the buffer holds %d elements, want two bulks of %d", route, got[0], bulk)
		}
	}
}
