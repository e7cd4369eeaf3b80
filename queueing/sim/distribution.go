package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"xopt/queueing"
)

// Distribution is one of times in seconds, between arrivals or of service.
type Distribution interface {
	// Draw returns the time of element n, from 0, of the stream that r drives. It
	// is called once for every n, in order.
	Draw(r *rand.Rand, n int) float64
	Mean() float64 // in seconds
	SCV() float64  // squared coefficient of variation
}

// checkDistribution refuses a distribution whose parameters make no sense, which
// shows in its moments.
func checkDistribution(what string, d Distribution) error {
	if d == nil {
		return fmt.Errorf("%s has no distribution: %w", what, queueing.ErrRange)
	}
	if m, v := d.Mean(), d.SCV(); !(m >= 0 && v >= 0) || math.IsInf(m, 1) || math.IsInf(v, 1) {
		return fmt.Errorf("%s has mean %g s and squared coefficient of variation %g: %w", what, m, v,
			queueing.ErrRange)
	}
	return nil
}

// Constant is always the same time, in seconds.
type Constant float64

// Draw returns the constant.
func (c Constant) Draw(*rand.Rand, int) float64 { return float64(c) }

// Mean returns the constant.
func (c Constant) Mean() float64 { return float64(c) }

// SCV returns 0.
func (c Constant) SCV() float64 { return 0 }

// Exponential is the exponential distribution with the given mean in seconds.
type Exponential float64

// Draw returns an exponential time.
func (e Exponential) Draw(r *rand.Rand, _ int) float64 { return float64(e) * r.ExpFloat64() }

// Mean returns the mean.
func (e Exponential) Mean() float64 { return float64(e) }

// SCV returns 1.
func (e Exponential) SCV() float64 { return 1 }

// Hyperexponential is exponential with mean Short, or with probability P with
// mean Long.
type Hyperexponential struct {
	P, Short, Long float64 // P in [0, 1]; seconds
}

// BalancedHyperexponential returns the hyperexponential distribution of the given
// mean and squared coefficient of variation, at least 1, whose two phases
// contribute equally to the mean.
func BalancedHyperexponential(mean, scv float64) Hyperexponential {
	p := (1 - math.Sqrt((scv-1)/(scv+1))) / 2
	return Hyperexponential{P: p, Short: mean / 2 / (1 - p), Long: mean / 2 / p}
}

// Draw returns a hyperexponential time.
func (h Hyperexponential) Draw(r *rand.Rand, _ int) float64 {
	if r.Float64() < h.P {
		return h.Long * r.ExpFloat64()
	}
	return h.Short * r.ExpFloat64()
}

// Mean returns the mean, NaN where P is not a probability or a time is negative.
func (h Hyperexponential) Mean() float64 {
	if !(h.P >= 0 && h.P <= 1 && h.Short >= 0 && h.Long >= 0) {
		return math.NaN()
	}
	return h.P*h.Long + (1-h.P)*h.Short
}

// SCV returns the squared coefficient of variation.
func (h Hyperexponential) SCV() float64 {
	m := h.Mean()
	if m == 0 {
		return 0
	}
	long, short := h.Long/m, h.Short/m
	return 2*(h.P*long*long+(1-h.P)*short*short) - 1
}

// Gamma is the gamma distribution with the given mean and a squared coefficient
// of variation above 0: an Erlang of any, not only a whole, number of stages.
type Gamma struct {
	Time      float64 // seconds
	Variation float64
}

// Draw returns a gamma time.
func (g Gamma) Draw(r *rand.Rand, _ int) float64 {
	return distuv.Gamma{Alpha: 1 / g.Variation, Beta: 1 / (g.Time * g.Variation), Src: r}.Rand()
}

// Mean returns Time.
func (g Gamma) Mean() float64 { return g.Time }

// SCV returns Variation, NaN unless it is above 0.
func (g Gamma) SCV() float64 {
	if !(g.Variation > 0) {
		return math.NaN()
	}
	return g.Variation
}

// Erlang returns the distribution of the sum of stages ≥ 1 exponential times, together of
// mean time: a gamma distribution.
func Erlang(time float64, stages int) Gamma {
	return Gamma{Time: time, Variation: 1 / float64(stages)}
}

// Trace is a sequence of times in seconds that is replayed as it is, correlations
// included, and starts again at its end.
type Trace []float64

// Draw returns the next time of the trace.
func (t Trace) Draw(_ *rand.Rand, n int) float64 { return t[n%len(t)] }

// Mean returns the mean of the trace, NaN for an empty one.
func (t Trace) Mean() float64 {
	sum := 0.0
	for _, x := range t {
		sum += x
	}
	return sum / float64(len(t))
}

// SCV returns the variance of the trace over the square of its mean.
func (t Trace) SCV() float64 {
	m := t.Mean()
	if m == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range t {
		sum += (x/m - 1) * (x/m - 1)
	}
	return sum / float64(len(t))
}

// Histogram draws independent times from measured counts, as the virtual queues of
// Lancaster 2011 §5.1 do from the times between transfers: uniformly within a bin.
// Make it with [NewHistogram].
type Histogram struct {
	edges, cumulated []float64 // cumulated[i] is the fraction below edges[i]
}

// NewHistogram returns the distribution of counts[i] times between edges[i] and
// edges[i+1] seconds; there is one edge more than counts, in rising order.
func NewHistogram(edges, counts []float64) (*Histogram, error) {
	if len(counts) == 0 || len(edges) != len(counts)+1 {
		return nil, fmt.Errorf("histogram of %d edges and %d counts: %w", len(edges), len(counts), queueing.ErrRange)
	}
	h := &Histogram{edges: append([]float64(nil), edges...), cumulated: make([]float64, len(edges))}
	for i, c := range counts {
		if !(edges[i] >= 0 && edges[i+1] > edges[i]) || math.IsInf(edges[i+1], 1) || !(c >= 0) {
			return nil, fmt.Errorf("histogram bin %d has %g from %g s to %g s: %w", i, c, edges[i], edges[i+1],
				queueing.ErrRange)
		}
		h.cumulated[i+1] = h.cumulated[i] + c
	}
	total := h.cumulated[len(counts)]
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, fmt.Errorf("histogram with %g in all: %w", total, queueing.ErrRange)
	}
	for i := range h.cumulated {
		h.cumulated[i] /= total
	}
	return h, nil
}

// Draw returns a time from the histogram.
func (h *Histogram) Draw(r *rand.Rand, _ int) float64 {
	u := r.Float64()
	i := sort.Search(len(h.cumulated)-2, func(i int) bool { return h.cumulated[i+1] > u })
	low, high := h.cumulated[i], h.cumulated[i+1]
	return h.edges[i] + (u-low)/(high-low)*(h.edges[i+1]-h.edges[i])
}

// Mean returns the mean, NaN for a histogram that was not made by [NewHistogram].
func (h *Histogram) Mean() float64 {
	if h == nil || len(h.edges) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for i := range len(h.edges) - 1 {
		sum += (h.cumulated[i+1] - h.cumulated[i]) * (h.edges[i] + h.edges[i+1]) / 2
	}
	return sum
}

// SCV returns the squared coefficient of variation.
func (h *Histogram) SCV() float64 {
	m, sum := h.Mean(), 0.0
	if math.IsNaN(m) {
		return m
	}
	for i := range len(h.edges) - 1 {
		middle, width := (h.edges[i]+h.edges[i+1])/2/m-1, (h.edges[i+1]-h.edges[i])/m
		sum += (h.cumulated[i+1] - h.cumulated[i]) * (middle*middle + width*width/12)
	}
	return sum
}
