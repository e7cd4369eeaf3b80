package maxplus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Lognormal is the lognormal distribution with the given mean and squared coefficient of variation.
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

// Trace replays measured times in order and cyclically, from a random position.
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

// Histogram draws independent times, uniformly within a bin. Create it with [NewHistogram].
type Histogram struct {
	edges, cumulated []float64 // cumulated[i] is the fraction below edges[i]
	mean, scv        float64
}

// NewHistogram returns the distribution of counts[i] times between edges[i] and edges[i+1] s. Two equal edges are a
// mass at one time.
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

// normal returns a normal number with mean 0 and variance 1.
func (d *Draws) normal() float64 {
	u := d.Uint64()
	j, l := int32(u), &d.t.norLayer[u>>32&0x7F]
	if magnitude(j) < l.below {
		return float64(j) * l.width
	}
	return d.rareNormal(u)
}

func (l Lognormal) positive() bool { return l.Time > 0 }

func (t Trace) positive() bool { return slices.Min(t) > 0 }

func (h *Histogram) positive() bool { return h.edges[1] > 0 }
