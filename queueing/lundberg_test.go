package queueing

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"xopt/queueing/times"
)

// gamma is a gamma distribution with a mean and a squared coefficient of variation.
type gamma struct{ shape, scale float64 }

func newGamma(mean, scv float64) gamma { return gamma{1 / scv, mean * scv} }

// tilted is the distribution with each probability multiplied by exp(θx) and normalized.
func (g gamma) tilted(theta float64) gamma { return gamma{g.shape, g.scale / (1 - theta*g.scale)} }

// log is log E exp(θX).
func (g gamma) log(theta float64) float64 { return -g.shape * math.Log1p(-theta*g.scale) }

func (g gamma) draw(r *rand.Rand) float64 {
	return distuv.Gamma{Alpha: g.shape, Beta: 1 / g.scale, Src: r}.Rand()
}

// binned is the distribution itself, but for rounding of the counts and a part of 1e-15.
func (g gamma) binned() *times.Distribution {
	const all = 1e15
	d := &times.Distribution{}
	below, meanBelow := 0.0, 0.0
	from := 0.0
	for to := 1e-6 * g.scale; ; to *= math.Exp2(1.0 / 32) {
		part := mathext.GammaIncReg(g.shape, to/g.scale)
		mean := mathext.GammaIncReg(g.shape+1, to/g.scale)
		if n := math.Round((part - below) * all); n >= 2 {
			at := g.shape * g.scale * (mean - meanBelow) / (part - below)
			d.Bins = append(d.Bins, times.Bin{From: from, To: to, Mean: min(max(at, from), to),
				Halves: [2]uint64{uint64(n) / 2, uint64(n) - uint64(n)/2}})
			below, meanBelow, from = part, mean, math.Nextafter(to, math.Inf(1))
		} else if part > 0.5 {
			return d
		}
	}
}

// truth is the least K with P(N > K) at most p, as an arrival sees it, in a GI/GI/1 station: by importance
// sampling of the sums S1 + ... + S(g+1) > T1 + ... + T(g+j), which for any g make j or more wait.
func truth(s, t gamma, p float64, samples int, r *rand.Rand) float64 {
	theta := root(s, t)
	up, down := s.tilted(theta), t.tilted(-theta)
	log := t.log(-theta) // of σ
	prefactor := func(j float64) float64 {
		sum := 0.0
		for range samples {
			x := -gamma{down.shape * j, down.scale}.draw(r) + up.draw(r)
			for x <= 0 {
				x += up.draw(r) - down.draw(r)
			}
			sum += math.Exp(-theta * x)
		}
		return sum / float64(samples)
	}
	const far = 60 // from here on the prefactor is the same
	k := math.Ceil(math.Log(p) / log)
	for range 3 {
		k = max(math.Ceil((math.Log(p)-math.Log(prefactor(min(k+1, far))))/log), 1)
	}
	return k
}

// root is θ of two gamma distributions, by halving.
func root(s, t gamma) float64 {
	low, high := 0.0, (1-1e-12)/s.scale
	for range 200 {
		if mid := (low + high) / 2; s.log(mid)+t.log(-mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// TestLundbergAgainstTruth sizes 16 pairs of variations at four utilizations from the distributions
// themselves, and holds the sizes against what 1e-7 needs.
func TestLundbergAgainstTruth(t *testing.T) {
	const p = 1e-7
	r := rand.New(rand.NewPCG(5, 6))
	var ratios []float64
	scvs := []float64{0.04, 0.25, 1, 4}
	for _, rho := range []float64{0.5, 0.8, 0.9, 0.99} {
		for _, ca := range scvs {
			for _, cs := range scvs {
				s, a := newGamma(rho, cs), newGamma(1, ca)
				l, err := NewLundberg(s.binned(), a.binned(), Pace{})
				if err != nil {
					t.Fatalf("rho %g, ca² %g, cs² %g: %v", rho, ca, cs, err)
				}
				if want := root(s, a); l.Theta > want || l.Theta < 0.99*want {
					t.Errorf("rho %g, ca² %g, cs² %g: θ %g, want %g or a little less", rho, ca, cs, l.Theta, want)
				}
				size, need := l.Elements(p), truth(s, a, p, 60, r)
				if size < need {
					t.Errorf("rho %g, ca² %g, cs² %g: %g elements, %g are needed", rho, ca, cs, size, need)
				}
				ratios = append(ratios, size/need)
				if size/need > 1.3 {
					t.Logf("rho %g, ca² %g, cs² %g: %g elements, %g are needed", rho, ca, cs, size, need)
				}
			}
		}
	}
	slices.Sort(ratios)
	if median, most := ratios[len(ratios)/2], ratios[len(ratios)-1]; median > 1.1 || most > 2 {
		t.Errorf("sizes over truth: median %.3g, most %.3g, want at most 1.1 and 2", median, most)
	}
	t.Logf("sizes over truth: median %.3g, most %.3g", ratios[len(ratios)/2], ratios[len(ratios)-1])
}

// TestTruth holds the truth of the test above against M/M/1.
func TestTruth(t *testing.T) {
	for _, c := range []struct{ rho, want float64 }{{0.5, 23}, {0.9, 152}, {0.99, 1603}} {
		r := rand.New(rand.NewPCG(1, 1))
		got := truth(newGamma(c.rho, 1), newGamma(1, 1), 1e-7, 500, r)
		if math.Abs(got-c.want) > 1+0.002*c.want {
			t.Errorf("rho %g: %g, want %g", c.rho, got, c.want)
		}
	}
}

// TestLundbergClosedForms: σ of M/M/1 is ρ; of M/D/1 it solves σ = exp(-ρ... ) and is found by halving.
func TestLundbergClosedForms(t *testing.T) {
	exponential := newGamma(1, 1).binned()
	for _, rho := range []float64{0.3, 0.7, 0.95} {
		l, err := NewLundberg(newGamma(rho, 1).binned(), exponential, Pace{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("σ of M/M/1 at %g", rho), l.Sigma, rho, 2e-3)
		l, err = NewLundberg(times.Constant(rho), exponential, Pace{})
		if err != nil {
			t.Fatal(err)
		}
		low, high := 1e-9, 100.0 // exp(θρ) = 1 + θ
		for range 200 {
			if mid := (low + high) / 2; mid*rho < math.Log1p(mid) {
				low = mid
			} else {
				high = mid
			}
		}
		near(t, fmt.Sprintf("σ of M/D/1 at %g", rho), l.Sigma, 1/(1+low), 2e-3)
	}
	l, err := NewLundberg(times.Constant(1), times.Constant(1.1), Pace{})
	if err != nil || l.Sigma != 0 || l.Elements(1e-7) != 2 {
		t.Errorf("D/D/1: %+v with %g elements, %v", l, l.Elements(1e-7), err)
	}
	if _, err := NewLundberg(times.Constant(1), times.Constant(1), Pace{}); !errors.Is(err, ErrLundberg) {
		t.Errorf("at utilization 1: %v", err)
	}
}

// play is the greatest number of elements that wait at any time in a station where each gap brings b and
// each service takes m, by going through it event by event.
func play(s, t gamma, pace Pace, arrivals int, r *rand.Rand) (found []int) {
	now, free := 0.0, 0.0 // the time, and when the service under way ends
	inside, busy := 0, false
	for range arrivals {
		now += t.draw(r)
		for busy && free <= now {
			inside -= pace.Takes
			if busy = inside >= pace.Takes; busy {
				free += s.draw(r)
			}
		}
		found = append(found, inside)
		inside += pace.Brings
		if !busy && inside >= pace.Takes {
			busy, free = true, now+s.draw(r)
		}
	}
	return found
}

// TestLundbergOfSums: several gaps for an arrival, and longer services, are those of the sums.
func TestLundbergOfSums(t *testing.T) {
	one, err := NewLundberg(newGamma(2.5, 1).binned(), newGamma(1, 1).binned(), Pace{Gaps: 3, Longer: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := NewLundberg(newGamma(2.5, 1).binned().Shifted(0.2), newGamma(3, 1.0/3).binned(), Pace{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "σ of three gaps for an arrival", one.Sigma, sum.Sigma, 1e-3)
}

// TestLundbergOfBatches plays stations with batches, and sees that the bound is never exceeded at
// probabilities that a simulation reaches.
func TestLundbergOfBatches(t *testing.T) {
	const arrivals = 400_000
	for _, pace := range []Pace{{}, {Brings: 8}, {Takes: 8}, {Brings: 3, Takes: 2}, {Brings: 2, Takes: 3},
		{Brings: 7, Takes: 10}, {Brings: 64, Takes: 64}} {
		pace = pace.fill()
		for _, scv := range []float64{0.1, 1} {
			b, m := float64(pace.Brings), float64(pace.Takes)
			s, a := newGamma(0.8*m, scv), newGamma(b, scv)
			l, err := NewLundberg(s.binned(), a.binned(), pace)
			if err != nil {
				t.Fatal(err)
			}
			found := play(s, a, pace, arrivals, rand.New(rand.NewPCG(7, 8)))
			tail := make(map[int]int)
			for _, n := range found {
				tail[n]++
			}
			over, most := 0, slices.Max(found)
			for j := most; j > 0; j-- {
				over += tail[j]
				bound := math.Pow(l.Sigma, float64(j)+1-2*m)
				seen := float64(over) / arrivals
				if seen > 0.005 && seen > 1.1*bound { // what is rarer comes in clusters
					t.Errorf("%+v, scv %g: %d or more are found with %.3g, above the bound %.3g", pace, scv, j, seen,
						bound)
				}
			}
			if k := l.Elements(1e-7); k < float64(most)+b {
				t.Errorf("%+v, scv %g: %g elements, and %d were there", pace, scv, k, most+pace.Brings)
			}
		}
	}
}
