package maxplus

import (
	"xopt/queueing/times"
)

// Bins draws independent times from a measured distribution. It draws a bin with a probability proportional to its
// number of samples, and returns the bin's mean. Use [NewBins] to create Bins.
type Bins struct {
	mean, scv float64
	time      []float64
	// Walker's alias method: a draw of bin i uses bin i with probability keep[i], and bin alias[i] otherwise.
	keep  []float64
	alias []int32
}

// NewBins returns the Bins of a distribution with samples.
func NewBins(d *times.Distribution) *Bins {
	n := len(d.Bins)
	b := &Bins{mean: d.Mean(), time: make([]float64, n), keep: make([]float64, n), alias: make([]int32, n)}
	total := float64(d.Samples())
	var small, large []int32
	for i := range d.Bins {
		b.time[i] = d.Bins[i].Mean
		b.keep[i] = float64(d.Bins[i].Count()) / total * float64(n)
		b.alias[i] = int32(i)
		if x := b.time[i] - b.mean; b.mean > 0 {
			b.scv += b.keep[i] / float64(n) * x * x / b.mean / b.mean
		}
		if b.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		b.alias[s] = l
		b.keep[l] -= 1 - b.keep[s]
		if b.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		b.keep[i] = 1 // except for rounding
	}
	return b
}

type binStream struct {
	b *Bins
	r *Draws
}

// Stream implements [Service].
func (b *Bins) Stream(r *Draws) Stream { return &binStream{b, r} }

// Mean implements [Service].
func (b *Bins) Mean() float64 { return b.mean }

// SCV implements [Service].
func (b *Bins) SCV() float64 { return b.scv }

// Fill implements [Stream].
func (s *binStream) Fill(list []float64) {
	n := float64(len(s.b.time))
	for k := range list {
		u := s.r.Float64() * n
		i := int(u)
		if u-float64(i) >= s.b.keep[i] {
			i = int(s.b.alias[i])
		}
		list[k] = s.b.time[i]
	}
}
