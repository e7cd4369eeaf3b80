package queueing

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestGG1 compares with the exact models.
func TestGG1(t *testing.T) {
	for _, rho := range []float64{0, 0.2, 0.5, 0.9, 0.999} {
		near(t, "M/M/1 capacity", must(GG1{rho, 1, 1}.Capacity(1e-7)), must(TailCapacity(rho, 1e-7)), 1e-9)
		near(t, "M/M/1 queue", GG1{rho, 1, 1}.MeanQueue(), MM1{rho}.MeanQueue(), 1e-12)
		near(t, "M/M/1 response", GG1{rho, 1, 1}.MeanResponse(3), MM1{rho}.MeanResponse(3), 1e-12)
		near(t, "M/D/1 queue", GG1{rho, 1, 0}.MeanQueue(), MG1{Utilization: rho}.MeanQueue(), 1e-12)
		near(t, "M/G/1 response", GG1{rho, 1, 3}.MeanResponse(3), MG1{rho, 3}.MeanResponse(3), 1e-12)
		near(t, "D/D/1 capacity", must(GG1{rho, 0, 0}.Capacity(1e-7)), 1, 0)
	}
}

// TestGG1Capacity checks the accuracy that the comment of Capacity states.
func TestGG1Capacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.OneOf(rapid.Float64Range(0.1, 0.99), rapid.Float64Range(0.99, 0.99998)).Draw(t, "rho")
		c := rapid.Float64Range(0, 1).Draw(t, "c")
		estimate, exact := must(GG1{rho, 1, c}.Capacity(1e-7)), must(MG1{rho, c}.Capacity(1e-7))
		if !(estimate >= exact && estimate <= exact+3) {
			t.Fatalf("%g estimated at ρ = %g, cs² = %g, exactly %g", estimate, rho, c, exact)
		}
	})
	for _, c := range []struct{ rho, below float64 }{{.5, .23}, {.9, .06}, {.999, .001}} {
		estimate, exact := must(GG1{c.rho, 1, 4}.Capacity(1e-7)), must(MG1{c.rho, 4}.Capacity(1e-7))
		if !(estimate < exact && estimate > exact*(1-c.below)) {
			t.Errorf("%g estimated at ρ = %g, cs² = 4, exactly %g", estimate, c.rho, exact)
		}
	}
}

// TestGG1Regular compares with D/M/1, whose occupancy at arrivals is geometric with
// the root of σ = exp(-(1-σ)/ρ).
func TestGG1Regular(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.8, 0.95, 0.999} {
		sigma := 0.0
		for range 100_000 {
			sigma = math.Exp(-(1 - sigma) / rho)
		}
		exact := rho * sigma / (1 - sigma) // Lq = λWq, Wq = σ/(μ(1-σ))
		q := GG1{rho, 0, 1}
		if !(q.MeanQueue() >= exact) {
			t.Errorf("Lq at ρ = %g is estimated as %g, below the exact %g", rho, q.MeanQueue(), exact)
		}
		if !(q.MeanQueueBound() >= exact) {
			t.Errorf("Lq at ρ = %g is bounded by %g, below the exact %g", rho, q.MeanQueueBound(), exact)
		}
		if rho > .99 {
			near(t, "Lq in heavy traffic", q.MeanQueue(), exact, 1e-3)
		}
		k := must(q.Capacity(1e-7))
		if tail := rho * math.Pow(sigma, k); tail > 1e-7 {
			t.Errorf("capacity %g at ρ = %g has tail %g", k, rho, tail)
		}
	}
}

func TestGG1Refuses(t *testing.T) {
	for _, c := range []struct {
		q    GG1
		want error
	}{
		{GG1{1, 1, 1}, ErrUnstable}, {GG1{math.NaN(), 1, 1}, ErrRange}, {GG1{.5, -1, 1}, ErrRange},
		{GG1{.5, 1, -1}, ErrRange},
		{GG1{.5, math.NaN(), 1}, ErrRange}, {GG1{.5, 1, math.Inf(1)}, ErrRange},
	} {
		if _, err := c.q.Capacity(1e-7); !errors.Is(err, c.want) || !errors.Is(c.q.Validate(), c.want) {
			t.Errorf("%+v gives %v", c.q, err)
		}
	}
	if _, err := (GG1{.5, 1, 1}).Capacity(0); !errors.Is(err, ErrRange) {
		t.Errorf("probability 0 gives %v", err)
	}
	if q := (GG1{1.5, 1, 1}); !math.IsInf(q.MeanQueue(), 1) || !math.IsInf(q.MeanQueueBound(), 1) ||
		!math.IsInf(q.MeanResponse(1), 1) {
		t.Errorf("an unstable station has Lq = %g", q.MeanQueue())
	}
}

func TestEstimators(t *testing.T) {
	ids, names := map[string]bool{}, map[string]bool{}
	for i, e := range Estimators() {
		if ids[e.ID] || names[e.Name] || e.ID == "" || e.Name == "" || e.Holds == "" {
			t.Errorf("estimator %d is %q, %q, %q", i, e.ID, e.Name, e.Holds)
		}
		ids[e.ID], names[e.Name] = true, true
		// An unknown variation counts as that of the exponential distribution.
		unknown, existing := must(e.Elements(Load{.8, -1, -1}, 1e-7)), must(e.Elements(Load{.8, 1, 1}, 1e-7))
		if unknown != existing {
			t.Errorf("%s is %g without variation, %g with 1", e.ID, unknown, existing)
		}
	}
	if first := Estimators()[0]; must(first.Elements(Load{Utilization: .9}, DefaultProbability)) != 131 {
		t.Errorf("the first estimator is %s, not the papers' figure", first.Name)
	}
}

// TestMonotone checks that more load, or a rarer overflow, never needs less room.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0, 0.9999).Draw(t, "a")
		b := rapid.Float64Range(a, 0.9999).Draw(t, "b")
		scv := rapid.Float64Range(0, 5).Draw(t, "scv")
		p := math.Pow(10, rapid.Float64Range(-20, -1).Draw(t, "log p"))
		for i, e := range Estimators() {
			x, y := must(e.Elements(Load{a, scv, scv}, p)), must(e.Elements(Load{b, scv, scv}, p))
			if i > 0 && !(x <= y) { // Eq. 8 decreases again near 1
				t.Fatalf("%s: %g at ρ = %g, %g at ρ = %g", e.ID, x, a, y, b)
			}
			if rarer := must(e.Elements(Load{a, scv, scv}, p/3)); !(rarer >= x) {
				t.Fatalf("%s at ρ = %g: %g for %g, %g for a third of it", e.ID, a, x, p, rarer)
			}
		}
		if d, m := must(MG1{Utilization: a}.Capacity(p)), must(TailCapacity(a, p)); d > m {
			t.Fatalf("constant service needs %g, exponential %g", d, m)
		}
	})
}

func ExampleEstimators() {
	load := Load{Utilization: 0.9, ArrivalSCV: 1, ServiceSCV: 0.2}
	for _, e := range Estimators() {
		k, err := e.Elements(load, DefaultProbability)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-12s %4.0f elements\n", e.Name, k)
	}
	// Output:
	// M/M/1 Eq. 8   131 elements
	// M/M/1 tail    152 elements
	// M/D/1 tail     78 elements
	// M/G/1 tail     93 elements
	// M/M/1/K       132 elements
	// G/G/1          95 elements
}
