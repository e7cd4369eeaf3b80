package queueing

import (
	"errors"
	"fmt"
	"math"

	"xopt/queueing/times"
)

// Pace is how a buffer is filled and emptied. The zero value stands for an element at a time.
type Pace struct {
	Brings int     // elements that arrive at once; 0 for 1
	Takes  int     // elements that a service takes; 0 for 1
	Gaps   int     // gaps, as measured, from one arrival to the next; 0 for 1
	Longer float64 // s that every service takes longer than measured
}

func (p Pace) fill() Pace {
	p.Brings, p.Takes, p.Gaps = max(p.Brings, 1), max(p.Takes, 1), max(p.Gaps, 1)
	return p
}

// Lundberg bounds what waits in a buffer, for service times S and gaps T between arrivals that are
// independent. With θ > 0 the root of
//
//	E exp(θS)^(1/m) E exp(-θT)^(1/b) = 1
//
// for arrivals of b elements and services of m, an arrival finds j elements or more, those in service
// counted, with
//
//	P(N ≥ j) ≤ σ^(j+1-2m),   σ = E exp(-θT)^(1/b).
//
// For b = m = 1 that is Lundberg's inequality, P(N ≥ j) ≤ σ^(j-1) (Asmussen, Applied Probability and
// Queues, XIII.5). In general: j elements wait before arrival n + 1 only if one of the sums of services
// that end with number f ≤ (nb-j)/m + 1 and begin with number g is longer than the gaps since the
// arrival that completed the elements of g, number ⌈gm/b⌉. Divided by its mean, the exponential of θ
// times the difference is a martingale in g, and its means are all at most σ^(j+1-2m), so that Doob's
// inequality gives the bound.
//
// A distribution of bins gives an upper limit: in each bin, as much is put on the least and the greatest
// sample as keeps the mean, which no convex function of the samples exceeds.
type Lundberg struct {
	Theta float64 // 1/s; +Inf where no service is ever longer than its gap
	Sigma float64 // of one element
	Pace  Pace
}

// ErrLundberg is the error where no bound exists: on average services take longer than the gaps.
var ErrLundberg = errors.New("services are not shorter than the gaps between arrivals")

// NewLundberg finds θ and σ of measured service times and gaps.
func NewLundberg(s, t *times.Distribution, pace Pace) (Lundberg, error) {
	pace = pace.fill()
	if len(s.Bins) == 0 || len(t.Bins) == 0 {
		return Lundberg{}, fmt.Errorf("a distribution without samples: %w", ErrRange)
	}
	x := newExponents(s, t, pace)
	if rho := x.utilization(); !(rho < 1) {
		return Lundberg{}, fmt.Errorf("utilization %.4g of the times that were measured: %w", rho, ErrLundberg)
	}
	return x.lundberg(x.root()), nil
}

// Elements is how many elements the buffer must have room for, those in service counted, so that an
// arrival finds it without room with a probability of at most p.
func (l Lundberg) Elements(p float64) float64 {
	m, b := float64(l.Pace.Takes), float64(l.Pace.Brings)
	tail := 1.0 // σ = 0: one is served, and the next may come
	if l.Sigma > 0 {
		tail = math.Ceil(math.Log(p) / math.Log(l.Sigma))
	}
	return b + 2*m - 2 + tail
}

// exponents are what the root is sought of.
type exponents struct {
	s, t       points // exponents of E exp(θS) and E exp(-θT)
	perS, perT float64
	pace       Pace
}

func newExponents(s, t *times.Distribution, pace Pace) *exponents {
	if pace.Longer > 0 {
		s = s.Shifted(pace.Longer)
	}
	return &exponents{newPoints(s, 1), newPoints(t, -1), 1 / float64(pace.Takes),
		float64(pace.Gaps) / float64(pace.Brings), pace}
}

func (x *exponents) utilization() float64 { return x.s.mean() * x.perS / (-x.t.mean() * x.perT) }

// at is the logarithm of the product at θ, for one element, and its slope.
func (x *exponents) at(theta float64) (value, slope float64) {
	s, ds := x.s.log(theta)
	t, dt := x.t.log(theta)
	return s*x.perS + t*x.perT, ds*x.perS + dt*x.perT
}

// root is the greatest θ that was found with a product of at most 1, which is all that the bound needs;
// +Inf where every θ has one. The logarithm is convex, 0 at 0 with a negative slope, so that Newton's
// method from beyond the root comes down to it.
func (x *exponents) root() float64 {
	const (
		close    = 1e-9 // relatively, to the root
		steps    = 200
		farthest = 1e6 // times the mean service
	)
	if x.s.most()*x.perS <= -x.t.most()*x.perT {
		return math.Inf(1)
	}
	theta := 1 / x.s.mean()
	value, slope := x.at(theta)
	for value <= 0 && theta < farthest/x.s.mean() {
		theta *= 2
		value, slope = x.at(theta)
	}
	if value <= 0 {
		return theta
	}
	for range steps {
		next := theta - value/slope
		if !(next > 0) || theta-next <= close*theta {
			break
		}
		theta = next
		if value, slope = x.at(theta); value <= 0 {
			return theta
		}
	}
	for back := close; value > 0 && back < 1; back *= 4 { // to the safe side of the root
		theta *= 1 - back
		value, _ = x.at(theta)
	}
	return theta
}

// lundberg is the bound with a θ whose product is at most 1.
func (x *exponents) lundberg(theta float64) Lundberg {
	l := Lundberg{Theta: theta, Pace: x.pace}
	if !math.IsInf(theta, 1) {
		t, _ := x.t.log(theta)
		l.Sigma = math.Exp(t * x.perT)
	}
	return l
}

// points are the support of a distribution, times a sign: the least and the greatest sample of each bin
// with the weights that keep its mean.
type points struct {
	at, weight []float64
	samples    float64
}

func newPoints(d *times.Distribution, sign float64) points {
	n := float64(d.Samples())
	p := points{samples: n}
	for i := range d.Bins {
		b := &d.Bins[i]
		w := float64(b.Count()) / n
		if b.To == b.From {
			p.at, p.weight = append(p.at, sign*b.From), append(p.weight, w)
			continue
		}
		one := 1 / max(float64(b.Count()), 2) // there is a sample at either end
		high := min(max((b.Mean-b.From)/(b.To-b.From), one), 1-one)
		p.at, p.weight = append(p.at, sign*b.From, sign*b.To), append(p.weight, w*(1-high), w*high)
	}
	return p
}

func (p *points) mean() float64 {
	sum := 0.0
	for i, x := range p.at {
		sum += p.weight[i] * x
	}
	return sum
}

// most is the greatest of the points.
func (p *points) most() float64 { return max(p.at[0], p.at[len(p.at)-1]) }

// log is log E exp(θX) and its derivative.
func (p *points) log(theta float64) (value, slope float64) {
	most := p.most()
	sum, weighted := 0.0, 0.0
	for i, x := range p.at {
		e := p.weight[i] * math.Exp(theta*(x-most))
		sum += e
		weighted += e * x
	}
	return theta*most + math.Log(sum), weighted / sum
}

// longest is the part that the n greatest samples have in E exp(θX) - 1 - θ E X, what the variation of
// the samples adds to it.
func (p *points) longest(theta float64, n float64) float64 {
	most, left := p.most(), n/p.samples
	own, all := 0.0, 0.0
	for i := len(p.at) - 1; i >= 0; i-- { // over exp(θ most)
		x := theta * p.at[i]
		e := math.Exp(x-theta*most) - (1+x)*math.Exp(-theta*most)
		all += p.weight[i] * e
		own += min(left, p.weight[i]) * e
		left -= min(left, p.weight[i])
	}
	if all <= 0 {
		return 0
	}
	return own / all
}
