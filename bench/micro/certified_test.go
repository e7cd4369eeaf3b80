package micro

import (
	"math"
	"math/rand/v2"
	"testing"

	"xopt/queueing"
)

// TestNeeded holds importance sampling against M/M/1, and sees that what is certified is enough.
func TestNeeded(t *testing.T) {
	for _, rho := range []float64{0.5, 0.8} {
		r := rand.New(rand.NewPCG(3, 4))
		var service, between, found []float64
		wait := 0.0
		for range 40_000 {
			s, a := rho*r.ExpFloat64(), r.ExpFloat64()
			service, between = append(service, s), append(between, a)
			found = append(found, math.Floor(wait))
			wait = max(0, wait+s-a)
		}
		theory, err := queueing.TailCapacity(rho, 1e-7)
		if err != nil {
			t.Fatal(err)
		}
		if k := needed(service, between, 1e-7); math.Abs(k/theory-1) > 0.12 {
			t.Errorf("at %g, %g elements are needed, want %g", rho, k, theory)
		}
		c := QueueCase{}
		c.certify(between, service, found)
		if x := c.Certified; x.Refused != "" || x.Size < x.Needed || x.Size > 1.5*x.Needed || x.Exceeded() {
			t.Errorf("at %g: %+v", rho, x)
		}
	}
	c := QueueCase{}
	c.certify([]float64{1, 2}, []float64{1, 1}, []float64{0, 1})
	if c.Certified.Size != 0 || c.Certified.Refused == "" || c.Certified.Most != 2 {
		t.Errorf("two elements: %+v", c.Certified)
	}
}
