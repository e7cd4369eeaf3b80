package validate

import (
	"context"
	"math"
	"strings"
	"testing"

	"xopt/calibrate/profile"
	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/testkit"
)

// TestCulprit: of a great error the figure is named that explains most of it, and none where
// none does.
func TestCulprit(t *testing.T) {
	const app = `#include "std.x"
block G { output UNSIGNED8 y; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; F f; S s; e1: g -> f; e2: f -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="100GB/s");
map { top.g, top.s } to proc[1];
map { top.f } to proc[2];
`
	fig := func(v float64) *profile.Figure { return &profile.Figure{Value: v, N: 9, CI95: [2]float64{v, v}} }
	measured := &profile.Profile{Kernels: []profile.Kernel{
		{Block: "G", Platform: "C", ServiceRate: fig(1e9)},
		{Block: "F", Platform: "C", ServiceRate: fig(200e6), Gain: fig(1), ReceiveCost: fig(5.39e-9)},
		{Block: "S", Platform: "C", ServiceRate: fig(1e9)},
	}}
	options := design.Options{Profile: design.FromProfile("p", measured, nil)}
	d := testkit.X{Files: []string{}, More: app}.Design(t, options)
	for name, c := range map[string]struct {
		measured, took float64 // of the run, and s/byte of F in it
		want           string
	}{
		"a cost that is not there": {199e6, 5.02e-9, "receive cost of top.f on proc[2], 5.39 ns/B (with that " +
			"corrected, the error is +0.5 %)"},
		"a kernel that took longer": {50e6, 20e-9, "service rate of top.f on proc[2]: 200 MB/s in the figures, " +
			"68.45 MB/s in the run (with that corrected, the error is -0.0 %)"},
		"what no figure explains":    {10e6, 10.39e-9, ""},
		"a prediction that is right": {96e6, 10.39e-9, ""},
	} {
		x := Case{Mapping: &flow.Mapping{Place: []int{0, 1, 0}, Route: [][]int{{0}, {0}}}, Measured: c.measured,
			Runs: []float64{c.measured}, Busy: 1, GainRatio: 1}
		if err := x.predict(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		x.costs = [][]float64{{1e-9}, {c.took}, {1e-9}}
		if err := x.explain(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			if x.Culprit != nil || strings.Contains(x.Reason, "top.f") {
				t.Errorf("%s: %q", name, x.Reason)
			}
			continue
		}
		if x.Culprit == nil || !strings.HasPrefix(x.Reason, c.want) ||
			!(math.Abs(x.Culprit.Left) < math.Abs(x.Error())/2) {
			t.Errorf("%s: %q, want %q", name, x.Reason, c.want)
		}
		if d.Problem.Figures[1][1].ReceiveCost != 5.39e-9 || d.Problem.Figures[1][1].ServiceRate != 200e6 {
			t.Fatal("the design has changed")
		}
	}
}
