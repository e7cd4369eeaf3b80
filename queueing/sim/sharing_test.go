package sim

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"xopt/queueing"
)

func TestSharedServiceRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Float64Range(1e-6, 0.9999).Draw(t, "total")
		own := total * rapid.Float64Range(1e-6, 1).Draw(t, "part")
		mu := rapid.Float64Range(1e-3, 1e9).Draw(t, "mu")
		rate := must(SharedServiceRate(mu, own, total))
		near(t, "λ over the shared rate", own*mu/rate, must(queueing.SharedUtilization(own, total)), 1e-12)
		if !(rate <= mu*(1+1e-15)) {
			t.Fatalf("a shared rate of %g from %g alone", rate, mu)
		}
	})
	near(t, "the rate of a class alone", must(SharedServiceRate(40, .6, .6)), 40, 1e-15)
	for _, c := range []struct {
		mu, own, total float64
		want           error
	}{
		{1, .5, 1, queueing.ErrUnstable}, {1, .6, .5, queueing.ErrRange}, {1, -.1, .5, queueing.ErrRange},
		{1, math.NaN(), .5, queueing.ErrRange}, {1, .1, math.NaN(), queueing.ErrRange},
		{0, .1, .5, queueing.ErrRange}, {math.NaN(), .1, .5, queueing.ErrRange},
	} {
		if _, err := SharedServiceRate(c.mu, c.own, c.total); !errors.Is(err, c.want) {
			t.Errorf("%+v gives %v", c, err)
		}
		if _, err := queueing.SharedUtilization(c.own, c.total); c.mu == 1 && !errors.Is(err, c.want) {
			t.Errorf("%+v gives utilization with %v", c, err)
		}
	}
	if got, err := queueing.SharedUtilization(0, .5); got != 0 || err != nil {
		t.Errorf("a class without load has %g, %v", got, err)
	}
}
