package calibrate

import (
	"fmt"
	"testing"

	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// pinnedProgram returns an application on a machine of two caches with two cores each, pinned to processors.
func pinnedProgram(t *testing.T) *xlang.Program {
	t.Helper()
	return flowtest.X{Files: []string{"app.x"}, Dir: testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block A { output UNSIGNED32 y; };
block B { input UNSIGNED32 x; };
block top { A a; B b; e: a.y -> b.x; };
use top;
linktype SameL3 : memory { config STRING nearest = "yes"; };
resource core[4] is C (cpu=[0, 4, 2, 6]);
resource l3_1 is SameL3 ({ core[1..2] });
resource l3_2 is SameL3 ({ core[3..4] });
resource mem is memory ({ core }, nearest="yes");
`}) + "/"}.Program(t)
}

// TestEnds measures each link between cores that no nearer link joins.
func TestEnds(t *testing.T) {
	p := pinnedProgram(t)
	for i, want := range []string{"[0 4]", "[2 6]", "[0 2]"} {
		ends := endsOf(p, p.Links[i])
		got := fmt.Sprint([]string{ends[0].Config[cpuConfig].Text, ends[1].Config[cpuConfig].Text})
		if got != want {
			t.Errorf("link %s is measured between processors %s, want %s", p.Links[i].Name, got, want)
		}
		if processors(2, ends[:]...) != 0 {
			t.Errorf("link %s: processors are chosen that the cores do not name", p.Links[i].Name)
		}
	}
	if got := elsewhere(p, 3).Config[cpuConfig].Text; got != "2" {
		t.Errorf("the core near processor 6 is processor %s, want 2", got)
	}
}
