package maxplus

import "math"

// Service is a distribution of times in s.
type Service interface {
	// Stream returns a stream of random times. The stream owns r afterwards.
	Stream(r *Draws) Stream
	Mean() float64
	SCV() float64 // squared coefficient of variation
}

// Stream draws the times of one station in order.
type Stream interface {
	Fill(times []float64)
}

// Constant is a constant time in s.
type Constant float64

// Stream implements [Service].
func (c Constant) Stream(*Draws) Stream { return c }

// Fill implements [Stream].
func (c Constant) Fill(times []float64) {
	for i := range times {
		times[i] = float64(c)
	}
}

// Mean implements [Service].
func (c Constant) Mean() float64 { return float64(c) }

// SCV implements [Service].
func (c Constant) SCV() float64 { return 0 }

// Exponential is the exponential distribution with the given mean in s.
type Exponential float64

type exponentialStream struct {
	mean float64
	r    *Draws
}

// Stream implements [Service].
func (e Exponential) Stream(r *Draws) Stream { return &exponentialStream{float64(e), r} }

// Mean implements [Service].
func (e Exponential) Mean() float64 { return float64(e) }

// SCV implements [Service].
func (e Exponential) SCV() float64 { return 1 }

func (s *exponentialStream) Fill(times []float64) {
	s.r.exponentials(times, s.mean)
}

// Gamma is the gamma distribution with the given mean and positive squared coefficient of variation.
type Gamma struct{ Time, Variation float64 }

type gammaStream struct {
	d, c, scale, boost float64
	r, low             *Draws // low draws for shapes below 1
}

// Stream implements [Service].
func (g Gamma) Stream(r *Draws) Stream {
	shape := 1 / g.Variation
	s := &gammaStream{r: r, scale: g.Time * g.Variation}
	if shape < 1 {
		s.boost, shape = 1/shape, shape+1
		s.low = newDraws(r.t, r.Uint64(), r.Uint64())
	}
	s.d = shape - 1./3
	s.c = 1 / math.Sqrt(9*s.d)
	return s
}

// Mean implements [Service].
func (g Gamma) Mean() float64 { return g.Time }

// SCV implements [Service].
func (g Gamma) SCV() float64 { return g.Variation }

// Fill uses the method of Marsaglia and Tsang (2000, A simple method for generating gamma variables; §6 for shapes
// below 1).
func (s *gammaStream) Fill(times []float64) {
	s.r.gammas(times, s.d, s.c, s.scale*s.d)
	if s.boost > 0 {
		for i := range times {
			times[i] *= math.Exp(-s.boost * s.low.exponential()) // u^boost
		}
	}
}

// Moments returns a distribution with the given mean in s and squared coefficient of variation: constant for an scv of
// 0, exponential for 1, otherwise gamma.
func Moments(mean, scv float64) Service {
	switch {
	case scv <= 1e-6 || mean == 0:
		return Constant(mean)
	case math.Abs(scv-1) < 1e-9:
		return Exponential(mean)
	}
	return Gamma{mean, scv}
}

// Scaled is the distribution Of with all times multiplied by Factor and increased by Plus seconds. An example is a
// slower core with a cost per firing.
type Scaled struct {
	Of           Service
	Factor, Plus float64
}

type scaledStream struct {
	of           Stream
	factor, plus float64
}

// Stream implements [Service].
func (s Scaled) Stream(r *Draws) Stream { return &scaledStream{s.Of.Stream(r), s.Factor, s.Plus} }

// Mean implements [Service].
func (s Scaled) Mean() float64 { return s.Factor*s.Of.Mean() + s.Plus }

// SCV implements [Service].
func (s Scaled) SCV() float64 {
	if s.Mean() == 0 {
		return 0
	}
	x := s.Factor * s.Of.Mean() / s.Mean()
	return s.Of.SCV() * x * x
}

func (s *scaledStream) Fill(times []float64) {
	s.of.Fill(times)
	for i, t := range times {
		times[i] = t*s.factor + s.plus
	}
}

// delay is a transfer time: a fixed time plus a random jitter for each transfer, uniform from 0 to jitter. Transfers
// arrive in order.
type delay struct {
	fixed, jitter float64 // fixed time and maximum jitter, s
	last          float64 // arrival of the last transfer
	draws         Draws
}

func newDelay(fixed, jitter float64) delay { return delay{fixed: fixed, jitter: jitter} }

// none reports whether the delay is 0.
func (d *delay) none() bool { return d.fixed == 0 && d.jitter == 0 }

// reset resets the delay. which is a number that is unique in the simulation, and selects the random draws.
func (d *delay) reset(s *Simulator, which int) {
	if d.jitter > 0 {
		d.last, d.draws = 0, *newDraws(s.tables, s.run.options.Seed, uint64(2*which))
	}
}

// after returns the arrival time of a transfer that starts at the given time. Calls must be in order of time.
func (d *delay) after(time float64) float64 {
	if d.jitter > 0 {
		return d.drawn(time)
	}
	return time + d.fixed
}

func (d *delay) drawn(time float64) float64 {
	d.last = max(d.last, time+d.fixed+d.jitter*d.draws.Float64())
	return d.last
}
