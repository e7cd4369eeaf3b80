package maxplus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
)

// Service is a distribution of times in s.
type Service interface {
	// Stream begins to draw; r belongs to the stream.
	Stream(r *Draws) Stream
	Mean() float64
	SCV() float64 // squared coefficient of variation
}

// Stream draws the times of one station in order.
type Stream interface {
	Fill(times []float64)
}

// Constant is always the same time.
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

// Exponential is the exponential distribution with the given mean.
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

// Gamma is the gamma distribution of the given mean and squared coefficient of variation, above 0.
type Gamma struct{ Time, Variation float64 }

type gammaStream struct {
	d, c, scale, boost float64
	r, low             *Draws // low is for what shapes below 1 need
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

// Fill draws by the method of Marsaglia and Tsang (2000, A simple method for generating gamma
// variables, §6 for shapes below 1).
func (s *gammaStream) Fill(times []float64) {
	s.r.gammas(times, s.d, s.c, s.scale*s.d)
	if s.boost > 0 {
		for i := range times {
			times[i] *= math.Exp(-s.boost * s.low.exponential()) // u^boost
		}
	}
}

// Lognormal is the lognormal distribution of the given mean and squared coefficient of variation.
type Lognormal struct{ Time, Variation float64 }

type lognormalStream struct {
	mu, sigma float64
	r         *Draws
}

// Stream implements [Service].
func (l Lognormal) Stream(r *Draws) Stream {
	v := math.Log1p(l.Variation)
	return &lognormalStream{math.Log(l.Time) - v/2, math.Sqrt(v), r}
}

// Mean implements [Service].
func (l Lognormal) Mean() float64 { return l.Time }

// SCV implements [Service].
func (l Lognormal) SCV() float64 { return l.Variation }

func (s *lognormalStream) Fill(times []float64) {
	for i := range times {
		times[i] = math.Exp(s.mu + s.sigma*s.r.normal())
	}
}

// Moments returns a distribution of the given mean and squared coefficient of variation: constant
// for 0, exponential for 1, else gamma.
func Moments(mean, scv float64) Service {
	switch {
	case scv <= 1e-6 || mean == 0:
		return Constant(mean)
	case math.Abs(scv-1) < 1e-9:
		return Exponential(mean)
	}
	return Gamma{mean, scv}
}

// Trace replays measured times in their order, from a place that is drawn, round and round.
type Trace []float64

type traceStream struct {
	times []float64
	at    int
}

// Stream implements [Service].
func (t Trace) Stream(r *Draws) Stream { return &traceStream{t, rand.New(r).IntN(len(t))} }

// Mean implements [Service].
func (t Trace) Mean() float64 {
	sum := 0.0
	for _, x := range t {
		sum += x
	}
	return sum / float64(len(t))
}

// SCV implements [Service].
func (t Trace) SCV() float64 {
	m, sum := t.Mean(), 0.0
	if m == 0 {
		return 0
	}
	for _, x := range t {
		sum += (x/m - 1) * (x/m - 1)
	}
	return sum / float64(len(t))
}

func (s *traceStream) Fill(times []float64) {
	for i := range times {
		times[i] = s.times[s.at]
		if s.at++; s.at == len(s.times) {
			s.at = 0
		}
	}
}

// Histogram draws independent times, evenly within a bin. Make it with [NewHistogram].
type Histogram struct {
	edges, cumulated []float64 // cumulated[i] is the fraction below edges[i]
	mean, scv        float64
}

// NewHistogram returns the distribution of counts[i] times between edges[i] and edges[i+1] s. An
// edge may repeat: its bin is a mass at one time.
func NewHistogram(edges, counts []float64) (*Histogram, error) {
	if len(counts) == 0 || len(edges) != len(counts)+1 {
		return nil, fmt.Errorf("a histogram has %d edges and %d counts, want one edge more than counts",
			len(edges), len(counts))
	}
	h := &Histogram{edges: append([]float64(nil), edges...), cumulated: make([]float64, len(edges))}
	for i, c := range counts {
		if !(edges[i] >= 0 && edges[i+1] >= edges[i] && c >= 0) || math.IsInf(edges[i+1], 1) {
			return nil, fmt.Errorf("histogram bin %d holds %g from %g s to %g s", i, c, edges[i], edges[i+1])
		}
		h.cumulated[i+1] = h.cumulated[i] + c
	}
	total := h.cumulated[len(counts)]
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, fmt.Errorf("a histogram holds %g in all", total)
	}
	second := 0.0
	for i, c := range counts {
		a, b, p := edges[i], edges[i+1], c/total
		h.cumulated[i+1] /= total
		h.mean += p * (a + b) / 2
		second += p * (a*a + a*b + b*b) / 3
	}
	if h.mean > 0 {
		h.scv = max(0, second/h.mean/h.mean-1)
	}
	return h, nil
}

type histogramStream struct {
	h *Histogram
	r *Draws
}

// Stream implements [Service].
func (h *Histogram) Stream(r *Draws) Stream { return &histogramStream{h, r} }

// Mean implements [Service].
func (h *Histogram) Mean() float64 { return h.mean }

// SCV implements [Service].
func (h *Histogram) SCV() float64 { return h.scv }

func (s *histogramStream) Fill(times []float64) {
	h := s.h
	for i := range times {
		u := s.r.Float64()
		b := sort.Search(len(h.cumulated)-2, func(i int) bool { return h.cumulated[i+1] > u })
		low, high := h.cumulated[b], h.cumulated[b+1]
		times[i] = h.edges[b] + (u-low)/(high-low)*(h.edges[b+1]-h.edges[b])
	}
}

// Scaled is another distribution, each time multiplied and made longer: a core that is slower,
// with a cost for each firing.
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
