// Package times owns measured distributions of times: how long the firings of a kernel took, or how
// long it was from one arrival at a queue to the next. A [Distribution] keeps what a bound on a queue
// needs of a run: bins on a log scale with the mean of each, apart for both halves of the run, and how
// far the samples depend on each other. It knows neither kernels nor queues.
//
// Calibration fills it, the profile keeps it, package flow carries it, and package queueing certifies
// buffers with it. Times are in seconds.
package times

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Distribution is what is kept of the samples of one run. The zero value holds no samples.
type Distribution struct {
	// Bins hold the samples, in ascending order; bins without samples are left out. A sample of 0
	// is in a bin of its own, the first.
	Bins []Bin `json:"bins"`
	Dependence
	// Floors are how far samples depend on each other when those below a limit count as the limit,
	// Caps when those above it do, both with the mildest limit first.
	Floors []Clip `json:"floors,omitempty"`
	Caps   []Clip `json:"caps,omitempty"`
	// Runs is how many runs the samples are of: correlations are within runs. 0 stands for 1.
	Runs int `json:"runs,omitempty"`
	// Order are the bins of the samples in their order, of the first MostOrdered.
	Order Order `json:"order,omitempty"`
	// LeftOut is how many samples are not in it, because the machine did something else meanwhile.
	LeftOut uint64 `json:"leftOut,omitempty"`
}

// Dependence is how far samples that follow each other depend on each other.
type Dependence struct {
	// Correlations are the correlations between samples 1, 2, 4, ... apart; 0 where nothing varies.
	Correlations []float64 `json:"correlations,omitempty"`
	// Growth is how the variance of the sum of b samples that follow each other compares with b times
	// the variance of one, for b = 1, 2, 4, ...: 1 where samples are independent.
	Growth []float64 `json:"growth,omitempty"`
}

// Clip is the dependence of samples that are clipped at a limit, the end of a bin.
type Clip struct {
	At float64 `json:"at"` // s
	Dependence
}

// Bin is the samples of one bin: between From and To, which are the least and the greatest of them.
type Bin struct {
	From float64 `json:"from"` // s
	To   float64 `json:"to"`   // s
	Mean float64 `json:"mean"` // s
	// Halves counts the samples of the first and of the second half of the run.
	Halves [2]uint64 `json:"halves"`
}

// Count is how many samples the bin holds.
func (b *Bin) Count() uint64 { return b.Halves[0] + b.Halves[1] }

// join adds the samples of the bin above.
func (b *Bin) join(x Bin) {
	b.Mean += (x.Mean - b.Mean) * float64(x.Count()) / float64(b.Count()+x.Count())
	b.To, b.Halves[0], b.Halves[1] = x.To, b.Halves[0]+x.Halves[0], b.Halves[1]+x.Halves[1]
}

// Samples is how many samples there are.
func (d *Distribution) Samples() uint64 {
	n := uint64(0)
	for i := range d.Bins {
		n += d.Bins[i].Count()
	}
	return n
}

// Mean is the mean of the samples, in s; NaN without any.
func (d *Distribution) Mean() float64 {
	sum := 0.0
	for i := range d.Bins {
		sum += d.Bins[i].Mean * float64(d.Bins[i].Count())
	}
	return sum / float64(d.Samples())
}

// SCV is an upper limit of the squared coefficient of variation of the samples, which exceeds it by
// less than 1e-3 of 1 + SCV: in each bin as much is put on the least and on the greatest as keeps its mean. NaN
// without samples, and where the mean is 0.
func (d *Distribution) SCV() float64 {
	mean, squares := d.Mean(), 0.0
	for i := range d.Bins {
		b := &d.Bins[i]
		squares += float64(b.Count()) * ((b.Mean-mean)*(b.Mean-mean) + (b.Mean-b.From)*(b.To-b.Mean))
	}
	return squares / float64(d.Samples()) / (mean * mean)
}

// Most is the greatest sample, Least the least, in s; 0 without any.
func (d *Distribution) Most() float64 {
	if len(d.Bins) == 0 {
		return 0
	}
	return d.Bins[len(d.Bins)-1].To
}

// Least is the least sample, in s; 0 without any.
func (d *Distribution) Least() float64 {
	if len(d.Bins) == 0 {
		return 0
	}
	return d.Bins[0].From
}

// Scaled returns the distribution of times that are all longer by a factor.
func (d *Distribution) Scaled(factor float64) *Distribution {
	return d.each(func(x float64) float64 { return x * factor })
}

// Shifted returns the distribution of times that are all longer by some seconds; what were less than
// 0 then is 0, and raises the mean.
func (d *Distribution) Shifted(seconds float64) *Distribution {
	return d.each(func(x float64) float64 { return max(x+seconds, 0) })
}

// Floor returns the distribution of times of which those below limit number i of Floors count as the limit,
// with how far these depend on each other; Cap likewise those above one of Caps.
func (d *Distribution) Floor(i int) *Distribution {
	s := d.each(func(x float64) float64 { return max(x, d.Floors[i].At) })
	s.Dependence, s.Floors, s.Caps = d.Floors[i].Dependence, nil, nil
	return s
}

// Cap is described with [Distribution.Floor].
func (d *Distribution) Cap(i int) *Distribution {
	s := d.each(func(x float64) float64 { return min(x, d.Caps[i].At) })
	s.Dependence, s.Floors, s.Caps = d.Caps[i].Dependence, nil, nil
	return s
}

// each changes all times by a function that keeps their order, and merges bins that become one.
func (d *Distribution) each(f func(float64) float64) *Distribution {
	s := &Distribution{Runs: d.Runs, LeftOut: d.LeftOut, Dependence: d.Dependence}
	place := make([]uint16, len(d.Bins)) // of each bin, among those of s
	for i, b := range d.Bins {
		b.From, b.Mean, b.To = f(b.From), f(b.Mean), f(b.To)
		if n := len(s.Bins) - 1; n >= 0 && s.Bins[n].To >= b.From {
			s.Bins[n].join(b)
		} else {
			s.Bins = append(s.Bins, b)
		}
		place[i] = uint16(len(s.Bins) - 1)
	}
	for _, i := range d.Order {
		s.Order = append(s.Order, place[i])
	}
	for _, c := range d.Floors {
		s.Floors = append(s.Floors, Clip{f(c.At), c.Dependence})
	}
	for _, c := range d.Caps {
		s.Caps = append(s.Caps, Clip{f(c.At), c.Dependence})
	}
	return s
}

// Validate reports what cannot be, for a distribution that was read.
func (d *Distribution) Validate() error {
	before := math.Inf(-1)
	for i := range d.Bins {
		b := &d.Bins[i]
		switch {
		case !(b.From >= 0 && b.From <= b.Mean && b.Mean <= b.To) || math.IsInf(b.To, 1):
			return fmt.Errorf("bin %d has samples from %g to %g with the mean %g", i, b.From, b.To, b.Mean)
		case b.From <= before:
			return fmt.Errorf("bin %d begins at %g, before the one below it ends", i, b.From)
		case b.Count() == 0:
			return fmt.Errorf("bin %d has no samples", i)
		}
		before = b.To
	}
	if len(d.Bins) == 0 {
		return errors.New("no bins")
	}
	for _, i := range d.Order {
		if int(i) >= len(d.Bins) {
			return fmt.Errorf("a sample is in bin %d of %d", i, len(d.Bins))
		}
	}
	for _, c := range slices.Concat([]Clip{{Dependence: d.Dependence}}, d.Floors, d.Caps) {
		for _, x := range slices.Concat(c.Correlations, c.Growth, []float64{c.At}) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%g tells how samples depend on each other", x)
			}
		}
	}
	return nil
}
