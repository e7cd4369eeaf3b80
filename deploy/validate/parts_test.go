package validate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// threeKernels returns an application on two cores: g and s on the first, f on the second, which limits it to
// 96.2 MB/s.
func threeKernels(t *testing.T) *design.Design {
	t.Helper()
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
	return flowtest.X{Files: []string{}, More: app}.Design(t, design.Options{Profile: design.FromProfile("p", measured,
		nil)})
}

// ran returns a constructed case of it: the time of each kernel in s per byte, and the throughput in bytes/s.
func ran(t *testing.T, d *design.Design, measured, g, f, s float64) *Case {
	t.Helper()
	c := &Case{Mapping: &flow.Mapping{Place: []int{0, 1, 0}, Route: [][]int{{0}, {0}}}, Measured: measured,
		Runs: []float64{measured}}
	if err := c.predict(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	c.Work, c.Flow = [][]float64{{g}, {f}, {s}}, [][]float64{{1}, {1}, {1}}
	return c
}

// TestPartsOfMadeUpRuns: of runs whose culprit is known it is named first, and the parts add up to the error.
func TestPartsOfMadeUpRuns(t *testing.T) {
	d := threeKernels(t)
	for _, c := range []struct {
		name      string
		of        *Case
		wait      float64 // for room before e2, s/byte
		kind, who string
		min       float64 // part of the error, of the first
		says      string
	}{
		{"a kernel that took longer", ran(t, d, 50e6, 1e-9, 20e-9, 1e-9), 0, "kernel", "top.f", 0.99,
			"top.f on proc[2] took 1.92 times its predicted time per byte: 20 ns/B, predicted 10.4 ns/B " +
				"(alone 5 ns/B, receive 5.39 ns/B): +92.5 points"},
		{"one that took less", ran(t, d, 199e6, 1e-9, 5.02e-9, 1e-9), 0, "kernel", "top.f", 0.99, "took 0.48 times"},
		{"another one becomes the bottleneck", ran(t, d, 40e6, 24e-9, 10.39e-9, 1e-9), 0, "kernel", "top.g", 0.9,
			"top.g on proc[1] took 24.00 times"},
		{"waits for room", ran(t, d, 60e6, 1e-9, 10.39e-9, 1e-9), 6e-9, "waits", "proc[2]", 0.9,
			"writers on proc[2] waited for space for 36.0 % of the time, mainly before top.e2"},
		{"waits for data", ran(t, d, 60e6, 1e-9, 10.39e-9, 1e-9), 0, "waits", "proc[2]", 0.99,
			"proc[2] waited for data for 37.7 % of the time"},
		{"between kernels", ran(t, d, 40e6, 10e-9, 5e-9, 9e-9), 0, "sharing", "proc[1]", 0.4,
			"sharing of proc[1]: 24.0 % of the time"},
		{"what cannot be", ran(t, d, 192e6, 1e-9, 10.39e-9, 1e-9), 0, "kernel", "top.f", 0.9, "top.f on proc[2]"},
	} {
		x := c.of
		x.Waited = [][]float64{{0}, {c.wait}}
		if err := x.explain(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		if len(x.Parts) == 0 {
			t.Errorf("%s: no parts of %+.3f", c.name, x.Error())
			continue
		}
		sum := 0.0
		for i, p := range x.Parts {
			sum += p.Part
			if i > 0 && math.Abs(p.Part) > math.Abs(x.Parts[i-1].Part) {
				t.Errorf("%s: part %d is larger than the one before it", c.name, i)
			}
		}
		if math.Abs(sum-x.Error()) > 1e-9 {
			t.Errorf("%s: the parts add up to %g, the error is %g", c.name, sum, x.Error())
		}
		if p := x.Parts[0]; p.Kind != c.kind || p.Of != c.who || p.Part/x.Error() < c.min {
			t.Errorf("%s: the first of %+.3f is %+v, want %s of %s", c.name, x.Error(), p, c.kind, c.who)
		}
		if !strings.Contains(x.Reason, c.says) {
			t.Errorf("%s: %q does not say %q", c.name, x.Reason, c.says)
		}
		if d.Problem.Figures[1][1].ReceiveCost != 5.39e-9 || d.Problem.Figures[1][1].ServiceRate != 200e6 {
			t.Fatal("the design has changed")
		}
	}
	right := ran(t, d, 96e6, 1e-9, 10.39e-9, 1e-9)
	if err := right.explain(context.Background(), d); err != nil || right.Parts != nil || right.Reason != "" {
		t.Errorf("of a prediction that is right: %q, %v", right.Reason, err)
	}
	// The unexplained part: the kernel was seen to work less than the throughput requires.
	odd := ran(t, d, 40e6, 1e-9, 10.39e-9, 1e-9)
	odd.network.Limits = nil
	if err := odd.explain(context.Background(), d); err != nil || !strings.HasPrefix(odd.Reason, "not explained: +1") {
		t.Errorf("with nothing to blame: %q, %v", odd.Reason, err)
	}
}

// TestEnvelope: the parts of the way add up to all of it, and to those that a fine walk counts.
func TestEnvelope(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		n := 1 + random.IntN(6)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = random.Float64(), random.Float64()
		}
		got := envelope(x, y)
		const steps = 4000
		want := make([]float64, n)
		for s := range steps {
			at, top := (float64(s)+0.5)/steps, 0
			for i := range x {
				if x[i]+at*(y[i]-x[i]) > x[top]+at*(y[top]-x[top]) {
					top = i
				}
			}
			want[top] += 1.0 / steps
		}
		sum := 0.0
		for i := range got {
			sum += got[i]
			if math.Abs(got[i]-want[i]) > 2.0/steps {
				t.Fatalf("of %v to %v: %v, want %v", x, y, got, want)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the parts add up to %g", sum)
		}
	}
	if w := envelope([]float64{1, 1, 0}, []float64{1, 1, 0}); w[0]+w[1] != 1 || w[2] != 0 {
		t.Errorf("of equal ones: %v", w)
	}
}

// TestRepeatability: the spread is that of one mapping from round to round, not that between mappings. Its
// interval contains it in about 95 % of experiments, and so does the critical difference of two measurements.
func TestRepeatability(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const spread, experiments = 0.03, 400
	draw := func() []Case {
		cases := make([]Case, 6)
		for i := range cases {
			for range 3 {
				cases[i].Runs = append(cases[i].Runs, 1e6*float64(i+1)*math.Exp(spread*random.NormFloat64()))
			}
			cases[i].Measured = median(cases[i].Runs)
		}
		return cases
	}
	stored, inside, all := 0, 0, 0
	for range experiments {
		a, b := draw(), draw()
		r := Repeatability(a)
		if r.Freedom != 12 {
			t.Fatalf("%d degrees of freedom", r.Freedom)
		}
		if r.Interval[0] <= spread && spread <= r.Interval[1] {
			stored++
		}
		repeat(a)
		for i := range a {
			all++
			if a[i].Predicted = b[i].Measured; !a[i].Significant() {
				inside++
			}
		}
	}
	if p := float64(stored) / experiments; p < 0.92 || p > 0.98 {
		t.Errorf("the interval holds the spread in %.3f", p)
	}
	if p := float64(inside) / float64(all); p < 0.94 || p > 0.99 {
		t.Errorf("two measurements agree in %.3f", p)
	}
	if Repeatability([]Case{{Runs: []float64{1}}, {Runs: []float64{1, 2}, Fail: "it crashed"}}) != nil {
		t.Error("of single runs nothing is known")
	}
}

// TestUnsteady: one unsteady run of three is repeated and not reported. If most were unsteady, the error is not
// significant and the reason states why.
func TestUnsteady(t *testing.T) {
	d := threeKernels(t)
	for unsteady, want := range []bool{false, false, true, true} {
		c := ran(t, d, 50e6, 1e-9, 20e-9, 1e-9)
		c.Runs, c.Repeats, c.Repeated95, c.UnsteadyRuns = []float64{50e6, 50e6, 50e6}, 0.01, true, unsteady
		if err := c.explain(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if c.Significant() == want || strings.Contains(c.Reason, "not steady enough to measure: ") != want {
			t.Errorf("%d of 3 runs not steady: significant %t, %q", unsteady, c.Significant(), c.Reason)
		}
	}
}

// TestOneTimeInPlace: the largest deviation, the parts of the error and the times in place agree for a kernel.
func TestOneTimeInPlace(t *testing.T) {
	d := threeKernels(t)
	c := ran(t, d, 50e6, 1e-9, 20e-9, 1e-9)
	c.blame(d)
	if err := c.explain(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(c.InPlace(d), func(x result.InPlace) bool { return x.Kernel == "top.f" })
	if c.Slow != "top.f" || at < 0 {
		t.Fatalf("%q deviates most, of %+v", c.Slow, c.InPlace(d))
	}
	x := c.InPlace(d)[at]
	if got := float64(x.Runs[0] / x.Predicted); math.Abs(got-c.SlowRatio) > 1e-12 || math.Abs(got-20/10.39) > 1e-9 {
		t.Errorf("%g times its time, in place %g times", c.SlowRatio, got)
	}
	if want := fmt.Sprintf("top.f on proc[2] took %.2f times", c.SlowRatio); !strings.Contains(c.Reason, want) {
		t.Errorf("the reason is %s, want %s", c.Reason, want)
	}
	if want := fmt.Sprintf("(alone %.3g ns/B", 1e9*float64(x.Alone)); !strings.Contains(c.Reason, want) {
		t.Errorf("the reason is %s, want %s", c.Reason, want)
	}
	exact := ran(t, d, 96.2e6, 1e-9, 10.39e-9, 1e-9) // longer than alone, as predicted
	if exact.blame(d); math.Abs(exact.SlowPart) > 1e-9 {
		t.Errorf("%s deviates by %g of the time", exact.Slow, exact.SlowPart)
	}
}
