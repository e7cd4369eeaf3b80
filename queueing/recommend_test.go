package queueing

import (
	"errors"
	"testing"
)

// TestRecommend: the size that is recommended is that of the best estimator which the figures
// allow, and no less than what moves at once.
func TestRecommend(t *testing.T) {
	one := Need{Load: Load{ArrivalSCV: -1, ServiceSCV: -1}, Takes: 1, Brings: 1}
	at := func(rho float64, change func(*Need)) Need {
		n := one
		n.Utilization = rho
		if change != nil {
			change(&n)
		}
		return n
	}
	for _, c := range []struct {
		name        string
		need        Need
		least, most float64
		by          string
	}{
		{"nothing known", at(.9, nil), 152, 152, "M/M/1 tail"},
		{"less variation is not relied on", at(.9, func(n *Need) { n.ServiceSCV = .01 }), 152, 152, "M/M/1 tail"},
		{"cs² = 4", at(.9, func(n *Need) { n.ServiceSCV = 4 }), 390, 390, "M/G/1 tail"},
		{"join of 100, idle", at(0, func(n *Need) { n.Takes = 100 }), 101, 200, ByFiring},
		{"join of 100", at(.5, func(n *Need) { n.Takes = 100 }), 500, 2500, "G/G/1"},
		{"a writer of 64", at(.01, func(n *Need) { n.Brings = 64 }), 65, 65, ByFiring},
		{"bulks of 256 before", at(.5, func(n *Need) { n.Bulk = 256 }), 512, 512, ByBulk},
		{"bulks of 256, small link load", at(.05, func(n *Need) { n.Takes, n.Bulk = 256, 256 }), 512, 1280, ""},
		{"a transfer of one element", at(1e-9, func(n *Need) { n.Bulk = 1 }), 2, 2, ByBulk},
		{"no link", at(1e-9, nil), 1, 1, "M/M/1 tail"},
		{"saturated", at(1, func(n *Need) { n.Takes, n.Bulk = 100, 256 }), 512, 512, ByBulk},
	} {
		got, err := Recommend(c.need, DefaultProbability)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got.Elements < c.least || got.Elements > c.most || c.by != "" && got.Estimator != c.by ||
			got.Level != Heuristic {
			t.Errorf("%s: %+v, want %g to %g by %s", c.name, got, c.least, c.most, c.by)
		}
	}
	if _, err := Recommend(at(.5, nil), 2); !errors.Is(err, ErrRange) {
		t.Errorf("a probability of 2 gives %v", err)
	}
	if _, err := Recommend(at(-1, nil), DefaultProbability); !errors.Is(err, ErrRange) {
		t.Errorf("a utilization of -1 gives %v", err)
	}
}
