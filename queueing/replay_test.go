package queueing

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/queueing/times"
)

// restless are services that vary in one of ten stretches of 400 and are constant in the others: what waits in
// the stretches is far more than independent services of the same distribution have.
func restless(n int) *times.Distribution {
	r := rand.New(rand.NewPCG(31, 32))
	list := make([]float64, n)
	for i := range list {
		list[i] = 0.8
		if i/400%10 == 0 {
			list[i] += 0.6 * float64(2*r.IntN(2)-1)
		}
	}
	d := times.Of(list)
	d.Dependence = times.Dependence{} // the replay alone must tell
	return d
}

// ones are gaps that are all alike, from samples.
func ones(n int) *times.Distribution {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return times.Of(list)
}

// TestCertifyReplay: what passes every other check and not the replay.
func TestCertifyReplay(t *testing.T) {
	const n = 16_000
	s, gaps := restless(n), ones(n)
	if _, err := Certify(s, gaps, Pace{}); !errors.Is(err, ErrNotCertified) ||
		!strings.Contains(err.Error(), "a replay of the samples has up to") {
		t.Errorf("%v, want the most of the replay above the bound", err)
	}
	best, err := NewLundberg(s, gaps, Pace{})
	if err != nil {
		t.Fatal(err)
	}
	c := Certificate{Lundberg: best, Best: best.Theta}
	const rare = 1e-60 // so that no replay exceeds the size
	if got, known := c.replayed(s, gaps, Pace{}, rare); !known ||
		!strings.Contains(got, "the tail of the waiting times is") {
		t.Errorf("%q, want the slope of the tail refuted", got)
	}
	const unchecked = "the profile does not hold the order of the times"
	steady := times.Of(drawn(newGamma(0.6, 1), n, rand.New(rand.NewPCG(35, 36))))
	if c, err := Certify(steady, gaps, Pace{}); err != nil || strings.Contains(c.Reason, unchecked) {
		t.Errorf("%q, %v; want a replay to have checked it", c.Reason, err)
	}
	s.Order = nil
	if c, err := Certify(s, gaps, Pace{}); err != nil || !strings.Contains(c.Reason, unchecked) {
		t.Errorf("%q, %v; without an order nothing else speaks against it, and the reason says so", c.Reason, err)
	}
}

// TestTailSlope is that of M/M/1, where waiting times are exponential, and of too few.
func TestTailSlope(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	const n, rho = 8_000, 0.6
	s, gaps := times.Of(drawn(newGamma(rho, 1), n, r)), times.Of(drawn(newGamma(1, 1), n, r))
	waits, most := replay(s, gaps, Pace{}.fill())
	want := 1/rho - 1
	if slope := tailSlope(waits); slope < 0.7*want || slope > 1.4*want {
		t.Errorf("the tail falls by %.3g/s, want %.3g", slope, want)
	}
	if slope := tailSlope(waits[:100]); slope < 1e300 {
		t.Errorf("of 100 waiting times a slope of %g", slope)
	}
	if most < 8 || most > 40 {
		t.Errorf("%d elements wait at the most", most)
	}
	c := Certificate{Lundberg: Lundberg{Theta: 3 * want, Sigma: 0.5}, Best: 3 * want}
	if got, _ := c.replayed(s, gaps, Pace{}, 1e-99); !strings.Contains(got, "tail") {
		t.Errorf("θ three times as large: %q", got)
	}
}

// TestReplay is held against what each arrival finds, counted from all ends of services.
func TestReplay(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	const n = 3_000
	for _, pace := range []Pace{{}, {Brings: 3}, {Takes: 2}, {Brings: 4, Takes: 3, Gaps: 2}, {Gaps: 3, Longer: 0.2}} {
		pace = pace.fill()
		load := 0.6 * float64(pace.Gaps*pace.Takes) / float64(pace.Brings)
		s, gaps := times.Of(drawn(newGamma(load, 1), n, r)), times.Of(drawn(newGamma(1, 1), n, r))
		_, most := replay(s, gaps, pace)
		var arrived, ends []float64
		now, want := 0.0, 0
		for i, g := range gaps.Order {
			if now += gaps.Bins[g].Mean; (i+1)%pace.Gaps == 0 &&
				len(arrived)/pace.Brings < len(s.Order)*pace.Takes/pace.Brings {
				for range pace.Brings {
					arrived = append(arrived, now)
				}
			}
		}
		free := 0.0
		for f := 0; (f+1)*pace.Takes <= len(arrived); f++ {
			free = max(free, arrived[(f+1)*pace.Takes-1]) + s.Bins[s.Order[f]].Mean
			ends = append(ends, free)
		}
		for i := pace.Brings - 1; i < len(arrived); i += pace.Brings {
			gone := 0
			for gone < len(ends) && ends[gone] <= arrived[i] {
				gone++
			}
			want = max(want, i+1-gone*pace.Takes)
		}
		if most != want {
			t.Errorf("%+v: %d elements at the most, counted %d", pace, most, want)
		}
	}
}
