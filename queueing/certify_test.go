package queueing

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"xopt/queueing/times"
)

func drawn(g gamma, n int, r *rand.Rand) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = g.draw(r)
	}
	return list
}

// TestCertifyFromSamples certifies from as many samples as a run has, and holds the sizes against truth.
func TestCertifyFromSamples(t *testing.T) {
	const p, n = 1e-7, 30_000
	r := rand.New(rand.NewPCG(9, 10))
	var ratios []float64
	scvs := []float64{0.04, 0.25, 1, 4}
	for _, rho := range []float64{0.5, 0.8, 0.9} {
		for _, ca := range scvs {
			for _, cs := range scvs {
				s, a := newGamma(rho, cs), newGamma(1, ca)
				c, err := Certify(times.Of(drawn(s, n, r)), times.Of(drawn(a, n, r)), Pace{})
				if err != nil {
					if !errors.Is(err, ErrNotCertified) {
						t.Error(err)
					}
					t.Logf("rho %g, ca² %g, cs² %g: %v", rho, ca, cs, err)
					continue
				}
				size, need := c.Elements(p), truth(s, a, p, 60, r)
				if size < need {
					t.Errorf("rho %g, ca² %g, cs² %g: %g elements, %g are needed", rho, ca, cs, size, need)
				}
				ratios = append(ratios, size/need)
			}
		}
	}
	slices.Sort(ratios)
	if len(ratios) < 40 || ratios[len(ratios)/2] > 1.5 || ratios[len(ratios)-1] > 2.2 {
		t.Errorf("%d of 48 certified, sizes over truth: median %.3g, most %.3g", len(ratios), ratios[len(ratios)/2],
			ratios[len(ratios)-1])
	}
	t.Logf("%d of 48 certified, sizes over truth: median %.3g, most %.3g", len(ratios), ratios[len(ratios)/2],
		ratios[len(ratios)-1])
}

// TestCertifyRefuses is of runs that certify nothing, each with its reason.
func TestCertifyRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	exponential := func(mean float64, n int) []float64 { return drawn(newGamma(mean, 1), n, r) }
	const n = 20_000
	gaps := times.Of(exponential(1, n))
	slow := slices.Concat(exponential(0.3, n/2), exponential(0.9, n/2))
	last := 0.0
	correlated := make([]float64, n) // a moving average of draws, exponential on the whole
	for i, x := range exponential(1, n) {
		last = 0.9*last + 0.1*x
		correlated[i] = 0.8 * last
	}
	stalls := exponential(0.5, n)
	for i := 1; i < 4; i++ {
		stalls[i*n/4] = 300
	}
	for _, c := range []struct {
		name string
		s    *times.Distribution
		t    *times.Distribution
		want string
	}{
		{"too short", times.Of(exponential(0.5, 500)), gaps, "500 samples are too few"},
		{"overloaded", times.Of(exponential(1.2, n)), gaps, "services are not shorter"},
		{"correlated", times.Of(correlated), gaps, "service times depend on each other: correlation"},
		{"correlated gaps", times.Of(exponential(0.5, n)), times.Of(correlated), "gaps between arrivals depend"},
		{"rare stalls", times.Of(stalls), gaps, "rests on the 20 longest services"},
		{"not the same throughout", times.Of(slow), gaps, "service times depend on each other"},
	} {
		got, err := Certify(c.s, c.t, Pace{})
		if !errors.Is(err, ErrNotCertified) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %q", c.name, got, err, c.want)
		}
	}
	own := times.Of(slow)
	own.Dependence = times.Dependence{} // the halves alone must tell
	if _, err := Certify(own, gaps, Pace{}); err == nil || !strings.Contains(err.Error(),
		"halves of the run disagree") {
		t.Errorf("halves that differ: %v", err)
	}
}

// TestCertifyConstants certifies times that depend on each other by their extremes.
func TestCertifyConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	const n = 20_000
	waves := make([]float64, n)
	for i := range waves {
		waves[i] = 0.5 + 0.1*math.Sin(float64(i)/100)
	}
	c, err := Certify(times.Of(waves), times.Of(drawn(newGamma(1, 1), n, r)), Pace{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.Reason, "count as that long") {
		t.Errorf("the reason is %q", c.Reason)
	}
	if at, err := Certify(times.Constant(0.6), times.Of(drawn(newGamma(1, 1), n, r)), Pace{}); err != nil ||
		math.Abs(at.Elements(1e-7)-c.Elements(1e-7)) > 2 {
		t.Errorf("%g elements, with the longest %g, %v", c.Elements(1e-7), at.Elements(1e-7), err)
	}
	c, err = Certify(times.Of(waves), times.Constant(1), Pace{})
	if err != nil || c.Elements(1e-7) != 2 || !strings.Contains(c.Reason, "no service") {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestCertifier remembers.
func TestCertifier(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	s, a := times.Of(drawn(newGamma(0.7, 1), 5000, r)), times.Of(drawn(newGamma(1, 1), 5000, r))
	var k Certifier
	first, err := k.Certify(s, a, Pace{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := k.Certify(s, a, Pace{Brings: 1, Takes: 1})
	if err != nil || again != first {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	if allocs := testing.AllocsPerRun(100, func() { _, _ = k.Certify(s, a, Pace{}) }); allocs > 1 {
		t.Errorf("%g allocations for what is known", allocs)
	}
	if _, err := k.Certify(a, s, Pace{}); !errors.Is(err, ErrNotCertified) {
		t.Errorf("the other way round: %v", err)
	}
}

func BenchmarkCertify(b *testing.B) {
	r := rand.New(rand.NewPCG(15, 16))
	s, a := times.Of(drawn(newGamma(0.7, 1), 50_000, r)), times.Of(drawn(newGamma(1, 1), 50_000, r))
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Certify(s, a, Pace{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("known", func(b *testing.B) {
		var k Certifier
		b.ReportAllocs()
		for b.Loop() {
			if _, err := k.Certify(s, a, Pace{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
