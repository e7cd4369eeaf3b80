package queueing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"xopt/internal/units"
	"xopt/queueing/times"
)

// Certified is the level of a size from measured distributions that have passed the checks of [Certify].
const Certified = "certified"

// ErrNotCertified is the error for measured distributions from which no size can be certified. Its text
// says why.
var ErrNotCertified = errors.New("not certified")

// Certificate is a bound from measured distributions that have passed the checks.
type Certificate struct {
	Lundberg         // with the lower limit of θ
	Best     float64 // θ without a margin, 1/s
	Reason   string  // in one line
}

// What measured distributions must pass. A size is inversely proportional to θ, so that one certified
// with the lower limit of θ is at most twice that of θ itself.
const (
	fewestSamples = 1000 // of each
	// leastOfTheta is the least part of θ that each half of the run and the lower limit must have.
	leastOfTheta = 0.5
	// mostCorrelation and mostGrowth are how far samples may depend on each other, beside noise.
	mostCorrelation, mostGrowth = 0.05, 1.25
	// few services that are the longest may have mostOfFew of what makes services vary.
	few, mostOfFew = 20, 0.5
	// noises is how many standard deviations of independent samples are taken for noise: there are
	// some dozens of lags and lengths.
	noises = 4
)

// Certify bounds what waits in a buffer, from measured service times and gaps between arrivals, and
// refuses what cannot be trusted, with an error that wraps [ErrNotCertified]:
//
//   - too few samples;
//   - services that on average take as long as the gaps, or longer;
//   - samples that depend on each other (correlations, growth of the variance of sums). Of such
//     services the shorter ones count as long as the longest of them, of gaps the longer ones as
//     short as the shortest, as few as do it: what is then certified holds for the samples too;
//   - halves of the run that disagree on θ;
//   - a replay of the samples in their order in which more waits than the bound allows, or in which the
//     tail of the waiting times is more than twice as long as θ says;
//   - a θ that rests on few samples: its lower limit, of resampled distributions, is far below it.
//
// The bound is of the lower limit of θ. It does not see what happens less often than once in a run.
func Certify(s, t *times.Distribution, pace Pace) (Certificate, error) {
	if n := min(s.Samples(), t.Samples()); n < fewestSamples {
		return Certificate{}, fmt.Errorf("%w: %d samples are too few, want %d", ErrNotCertified, n, fewestSamples)
	}
	leftOut, services, gaps := s.LeftOut+t.LeftOut, s, t
	s, ofServices := mildest(s, s.Floors, s.Floor, s.Most())
	t, ofGaps := mildest(t, t.Caps, t.Cap, t.Least())
	var why, clipped string
	if ofServices != "" {
		why = "service times " + ofServices
		clipped = fmt.Sprintf("; services up to %s count as that long: shorter ones %s", units.Time(s.Least()),
			ofServices)
	}
	if ofGaps != "" {
		why = join(why, "gaps between arrivals "+ofGaps)
		clipped += fmt.Sprintf("; gaps from %s on count as that: longer ones %s", units.Time(t.Most()), ofGaps)
	}
	if leftOut > 0 {
		clipped += fmt.Sprintf("; %d stalls of the machine are left out", leftOut)
	}
	best, err := NewLundberg(s, t, pace)
	switch {
	case err != nil && why != "":
		return Certificate{}, fmt.Errorf("%w: %s", ErrNotCertified, why)
	case err != nil:
		return Certificate{}, fmt.Errorf("%w: %w", ErrNotCertified, err)
	}
	c := Certificate{Lundberg: best, Best: best.Theta, Reason: "Lundberg's bound on measured times" + clipped}
	if math.IsInf(best.Theta, 1) {
		c.Reason = "no service takes as long as the shortest gap" + clipped
	} else if reason := c.shaky(s, t, pace); reason != "" {
		return Certificate{}, fmt.Errorf("%w: %s", ErrNotCertified, join(reason, why))
	}
	if reason, known := c.replayed(services, gaps, pace, DefaultProbability); !known {
		c.Reason += "; the profile does not hold the order of the times, as older ones do not: no replay of them " +
			"checks it"
	} else if reason != "" {
		return Certificate{}, fmt.Errorf("%w: %s", ErrNotCertified, join(reason, why))
	}
	return c, nil
}

// shaky says what of the measured times keeps θ from being trusted, "" for nothing; the bound is then that of its
// lower limit.
func (c *Certificate) shaky(s, t *times.Distribution, pace Pace) string {
	for half := range 2 {
		own, err := NewLundberg(s.Half(half), t.Half(half), pace)
		if err != nil || own.Theta < leastOfTheta*c.Best {
			return fmt.Sprintf("the two halves of the run disagree: the tail of the %s half is %s",
				[...]string{"first", "second"}[half], longer(own.Theta, c.Best))
		}
	}
	x := newExponents(s, t, pace.fill())
	if part := x.s.longest(c.Best, few); part > mostOfFew {
		return fmt.Sprintf("the run is too short: the tail rests on the %d longest services, for %.0f %%", few,
			100*part)
	}
	low := lowerLimit(x, s, t, c.Best)
	if low < leastOfTheta*c.Best {
		return fmt.Sprintf("the run is too short: the tail rests on few samples, and other samples could make it "+
			"more than %g times as long", 1/leastOfTheta)
	}
	c.Lundberg = x.lundberg(min(low, c.Best))
	return ""
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// mildest returns the first of a distribution, of it clipped at limits, and of its extreme alone whose
// samples do not depend on each other, and how those of the distribution do, "" for not.
func mildest(d *times.Distribution, clips []times.Clip, clip func(int) *times.Distribution, extreme float64) (
	*times.Distribution, string) {
	why := depends(d)
	if why == "" {
		return d, ""
	}
	for i := range clips {
		if c := clip(i); depends(c) == "" {
			return c, why
		}
	}
	return times.Constant(extreme), why
}

// longer says how much longer a tail is with a smaller θ.
func longer(theta, best float64) string {
	if theta <= 0 {
		return "without end"
	}
	return fmt.Sprintf("%.2g times as long", best/theta)
}

// depends says how samples depend on each other, "" for not more than those of independent times may.
func depends(d *times.Distribution) string {
	n := float64(d.Samples())
	for i, r := range d.Correlations {
		if limit := mostCorrelation + noises/math.Sqrt(n); math.Abs(r) > limit {
			return fmt.Sprintf("depend on each other: correlation %.2g at distance %d", r, 1<<i)
		}
	}
	for i, g := range d.Growth {
		blocks := n / float64(uint64(1)<<i)
		if limit := mostGrowth + noises*math.Sqrt(2/blocks); g > limit {
			return fmt.Sprintf("depend on each other: sums of %d vary %.2g times as much as independent ones", 1<<i, g)
		}
	}
	return ""
}

// resampled is how many distributions are drawn, and lowest which θ of them, in order, is the lower limit:
// of 200, the 5th is below all but 97.5 %. steps are the places between leastOfTheta and all of θ where
// the product is known; between them it is taken as straight, which is below the root.
const resampled, lowest, steps = 200, 5, 8

// lowerLimit is the lower limit of θ, by drawing the counts of all bins anew, each as often as it was seen
// on average, with the same seed always; 0 where it is below leastOfTheta.
func lowerLimit(x *exponents, s, t *times.Distribution, theta float64) float64 {
	random := newDraws()
	var part [steps + 1]float64
	var es, et [steps + 1]scaled
	for i := range part {
		part[i] = leastOfTheta + (1-leastOfTheta)*float64(i)/steps
		es[i], et[i] = x.s.scaled(part[i]*theta), x.t.scaled(part[i]*theta)
	}
	list := make([]float64, 0, resampled)
	ws, wt := make([]float64, len(x.s.at)), make([]float64, len(x.t.at))
	for range resampled {
		random.again(ws, &x.s, s.Samples())
		random.again(wt, &x.t, t.Samples())
		above, found := 0.0, 0.0 // of the step before
		for i := steps; i >= 0; i-- {
			value := es[i].log(ws)*x.perS + et[i].log(wt)*x.perT
			if value <= 0 {
				found = part[i]
				if i < steps {
					found += (part[i+1] - part[i]) * -value / (above - value)
				}
				break
			}
			above = value
		}
		list = append(list, found*theta)
	}
	slices.Sort(list)
	return list[lowest-1]
}

// Certifier certifies, and remembers what it has found for each pair of distributions, by their addresses:
// a search asks again and again for the same pairs. The first time takes some milliseconds, each other
// some nanoseconds. It may be used from several goroutines; distributions must not change.
type Certifier struct{ known sync.Map }

type certifierKey struct {
	s, t *times.Distribution
	pace Pace
}

type certifierFound struct {
	c   Certificate
	err error
}

// Certify is [Certify], remembered.
func (k *Certifier) Certify(s, t *times.Distribution, pace Pace) (Certificate, error) {
	key := certifierKey{s, t, pace.fill()}
	if found, ok := k.known.Load(key); ok {
		f := found.(*certifierFound)
		return f.c, f.err
	}
	c, err := Certify(s, t, pace)
	k.known.Store(key, &certifierFound{c, err})
	return c, err
}
