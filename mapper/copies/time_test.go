package copies

import (
	"context"
	"testing"
	"time"

	"xopt/mapper"
)

// crossing is a chain whose copies must exchange data on a bus, so that the bound cannot be reached.
const crossing = `#include "std.x"
block S { output UNSIGNED8 y; emit y; stateless; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; emit y; stateless; };
block D { input UNSIGNED8 x; stateless; };
block top { S s; F f; D d; e1: s -> f; e2: f -> d; };
use top;
resource p[3] is C;
resource mem is bus ({ p }, bandwidth="0.0078125MB/s");
impl S on p[1] (time="81us"); impl F on p[1] (time="36us"); impl D on p[1] (time="75us");
impl S on p[2..3] (time="116us"); impl F on p[2..3] (time="36us"); impl D on p[2..3] (time="90us");
`

// TestTimeUntilProof checks that a search with a time limit ends before it with a proof, if there is one.
func TestTimeUntilProof(t *testing.T) {
	for _, c := range []struct {
		text   string
		proven bool
	}{{threeKernels, true}, {crossing, false}} {
		d := loadText(t, c.text)
		found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
		if err != nil {
			t.Fatal(err)
		}
		lowered := 0
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		copied, err := Search(ctx, d, found.Candidates[0].Mapping, policy(&lowered, func() {}))
		cancel()
		if err != nil || copied.Cut && c.proven || copied.Mapping == nil {
			t.Fatalf("%+v, %v: want %v to be proven", copied, err, c.proven)
		}
		gap := copied.Bound/copied.Throughput - 1
		if (gap < 0.0011) != c.proven || gap > .05 || !c.proven && copied.Weak != weakTurns {
			t.Errorf("gap %g, ignored: %s", gap, copied.Weak)
		}
	}
}
