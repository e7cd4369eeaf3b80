package predict_test

import (
	"context"
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/mapper/predict"
)

// TestRatesOfStopped checks that a plan whose simulation deadlocks has no rate, because it must not decide between
// plans.
func TestRatesOfStopped(t *testing.T) {
	const app = `#include "std.x"
block S { output UNSIGNED8 all; output UNSIGNED8 some; emit 1 all, 1 some; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; };
block G { input UNSIGNED8 x; output UNSIGNED8 y; };
block J { input UNSIGNED8 all; input UNSIGNED8 few; join 10 all, 1 few; };
block top { S s; F f; G g; J j; all: s.all -> j.all; some: s.some -> f.x; mid: f.y -> g.x; few: g.y -> j.few; };
use top;
resource p[4] is C;
resource mem is memory ({ p }, bandwidth="unlimited");
impl S on C (mu="8MB/s", scv=0); impl J on C (mu="8MB/s", scv=0);
impl F on C (mu="8MB/s", scv=0, gain=0.25); impl G on C (mu="8MB/s", scv=0, gain=0.4);
map { top.s } to p[1]; map { top.f } to p[2]; map { top.g } to p[3]; map { top.j } to p[4];
`
	plan := func(more string) predict.Plan {
		d := flowtest.X{Files: []string{}, More: app + more}.Design(t, design.Options{Purpose: design.ForMapping})
		return predict.Plan{Design: d, Mapping: d.Mapping}
	}
	moves, stops := plan(""), plan("buffer { top.all } = 10;\n")
	r := predict.RatesWithBuffers(context.Background(), []predict.Plan{moves, moves}, 1)
	if r.Why != "" || len(r.Buffered) != 2 || !(r.Buffered[0] > 0) {
		t.Errorf("rates of a plan that moves: %+v", r)
	}
	r = predict.RatesWithBuffers(context.Background(), []predict.Plan{moves, stops}, 1)
	if r.Why == "" || r.Buffered != nil || r.Sized != nil {
		t.Errorf("rates with a plan that stops: %+v, want none and a reason", r)
	}
}
