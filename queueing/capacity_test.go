package queueing

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCapacityFigures compares both capacities with figures computed by hand from Beard 2013, Eq. 8, and from the tail
// of M/M/1.
func TestCapacityFigures(t *testing.T) {
	for _, c := range []struct{ rho, eq8, tail float64 }{
		{0.9, 131, 152}, {0.999, 9205, 16110},
		// log(1e-7/.5)/log .5 - 1 = 21.25; log(1e-7)/log .5 - 1 = 22.25
		{0.5, 22, 23},
		// log(1e-7/2e-5)/log .99998 - 1 = 264912.2; 16.118096/2.00002e-5 - 1 = 805895.7
		{0.99998, 264913, 805896},
	} {
		if k, err := Capacity(c.rho, DefaultProbability); err != nil || k != c.eq8 {
			t.Errorf("Eq. 8 at ρ = %g is %g, %v; want %g", c.rho, k, err, c.eq8)
		}
		if k, err := TailCapacity(c.rho, DefaultProbability); err != nil || k != c.tail {
			t.Errorf("tail at ρ = %g is %g, %v; want %g", c.rho, k, err, c.tail)
		}
	}
}

// TestCapacityDefinitions checks that both capacities solve their equations.
func TestCapacityDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(1e-9, 0.99999).Draw(t, "rho")
		p := math.Pow(10, rapid.Float64Range(-12, -1).Draw(t, "log p"))
		q := MM1{rho}
		k, err := TailCapacity(rho, p)
		if err != nil {
			t.Fatal(err)
		}
		if q.Tail(k) > p*(1+1e-9) || k > 1 && q.Tail(k-1) <= p*(1-1e-9) {
			t.Fatalf("P[N > %g] = %g, P[N > %g] = %g, want the first at most %g", k, q.Tail(k), k-1, q.Tail(k-1), p)
		}
		e, err := Capacity(rho, p)
		if err != nil {
			t.Fatal(err)
		}
		if e > 1 && (q.Probability(e+1) > p*(1+1e-9) || q.Probability(e) < p*(1-1e-9)) {
			t.Fatalf("Eq. 8 gives %g, but P[N = K+1] = %g and P[N = K] = %g", e, q.Probability(e+1), q.Probability(e))
		}
		if e > k {
			t.Fatalf("Eq. 8 gives %g, more than the tail's %g", e, k)
		}
	})
}

func TestCapacityEdges(t *testing.T) {
	minimum := math.SmallestNonzeroFloat64
	for _, rho := range []float64{0, minimum, 1e-300, 1e-12, 1e-7, 0.99998, 1 - 1e-7, 1 - 1e-12, math.Nextafter(1, 0)} {
		for _, p := range []float64{minimum, 1e-300, 1e-20, DefaultProbability, 0.5, math.Nextafter(1, 0)} {
			for _, e := range Estimators() {
				for _, scv := range []float64{0, 1e-9, 0.3, 1, 1 + 1e-9, 7, 1e6, 1e12} {
					k, err := e.Elements(Load{rho, scv, scv}, p)
					if err != nil || !(k >= 1) || k != math.Trunc(k) || math.IsInf(k, 0) {
						t.Errorf("%s at ρ = %g, p = %g, scv = %g is %g, %v", e.ID, rho, p, scv, k, err)
					}
				}
			}
		}
	}
	// Eq. 8 is not meaningful if 1-ρ is P_K or less; the tail is.
	if k := must(Capacity(1-1e-8, 1e-7)); k != 1 {
		t.Errorf("Eq. 8 at ρ = 1 - 1e-8 is %g, want 1", k)
	}
	near(t, "tail at ρ = 1 - 1e-8", must(TailCapacity(1-1e-8, 1e-7)), -math.Log(1e-7)*1e8, 1e-7)
	near(t, "tail next to 1", must(TailCapacity(math.Nextafter(1, 0), 1e-7)), -math.Log(1e-7)*0x1p53, 1e-12)
}

func TestCapacityRefuses(t *testing.T) {
	for _, e := range Estimators() {
		for _, rho := range []float64{1, 1.5, math.Inf(1)} {
			if k, err := e.Elements(Load{rho, -1, -1}, 1e-7); !errors.Is(err, ErrUnstable) || k != 0 {
				t.Errorf("%s at ρ = %g gives %g, %v", e.ID, rho, k, err)
			}
		}
		for _, rho := range []float64{-1, -1e-300, math.NaN(), math.Inf(-1)} {
			if k, err := e.Elements(Load{rho, -1, -1}, 1e-7); !errors.Is(err, ErrRange) || k != 0 {
				t.Errorf("%s at ρ = %g gives %g, %v", e.ID, rho, k, err)
			}
		}
		for _, p := range []float64{0, 1, -1, 2, math.NaN()} {
			if k, err := e.Elements(Load{.5, -1, -1}, p); !errors.Is(err, ErrRange) || k != 0 {
				t.Errorf("%s with probability %g gives %g, %v", e.ID, p, k, err)
			}
		}
	}
}

func FuzzEstimators(f *testing.F) {
	f.Add(0.9, 1e-7, 1.0, 1.0)
	f.Add(0.99998, 1e-300, 0.0, 0.0)
	f.Add(1-1e-16, 1e-300, 0.5, 40.0)
	f.Add(1e-310, 1e-320, 1e-5, 1.0)
	f.Fuzz(func(t *testing.T, rho, p, ca, cs float64) {
		for _, e := range Estimators() {
			k, err := e.Elements(Load{rho, ca, cs}, p)
			if err != nil {
				if !errors.Is(err, ErrRange) && !errors.Is(err, ErrUnstable) || k != 0 {
					t.Errorf("%s at ρ = %g, p = %g is %g with error %v", e.ID, rho, p, k, err)
				}
				continue
			}
			if !(k >= 1) || k != math.Trunc(k) || math.IsInf(k, 0) {
				t.Errorf("%s at ρ = %g, p = %g, scv %g and %g is %g", e.ID, rho, p, ca, cs, k)
			}
		}
	})
}

func BenchmarkCapacity(b *testing.B) {
	for _, e := range Estimators() {
		for _, rho := range []struct {
			name  string
			value float64
		}{{"half", .5}, {"phi", .99998}} {
			b.Run("estimator="+e.ID+"/rho="+rho.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Elements(Load{rho.value, 1, .3}, DefaultProbability); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestCapacityAllocates checks that sizing allocates nothing, because it runs for every buffer of every mapping.
func TestCapacityAllocates(t *testing.T) {
	for _, e := range Estimators() {
		for _, rho := range []float64{0.5, 0.99998} {
			if n := testing.AllocsPerRun(100, func() { _, _ = e.Elements(Load{rho, 1, .3}, 1e-7) }); n != 0 {
				t.Errorf("%s at ρ = %g allocates %g times", e.ID, rho, n)
			}
		}
	}
}
