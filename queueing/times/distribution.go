package times

import (
	"errors"
	"fmt"
	"math"
)

// Distribution is what is kept of the samples of one run. The zero value holds no samples.
type Distribution struct {
	// Bins hold the samples, in ascending order; bins without samples are left out. A sample of 0
	// is in a bin of its own, the first.
	Bins []Bin `json:"bins"`
	// Correlations are the correlations between samples 1, 2, 4, ... apart; 0 where nothing varies.
	Correlations []float64 `json:"correlations,omitempty"`
	// Growth is how the variance of the sum of b samples that follow each other compares with b times
	// the variance of one, for b = 1, 2, 4, ...: 1 where samples are independent.
	Growth []float64 `json:"growth,omitempty"`
	// Runs is how many runs the samples are of: correlations are within runs. 0 stands for 1.
	Runs int `json:"runs,omitempty"`
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
	s := *d
	s.Bins = make([]Bin, len(d.Bins))
	for i, b := range d.Bins {
		s.Bins[i] = Bin{From: b.From * factor, To: b.To * factor, Mean: b.Mean * factor, Halves: b.Halves}
	}
	return &s
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
	for _, list := range [][]float64{d.Correlations, d.Growth} {
		for i, x := range list {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("figure %d of how samples depend on each other is %g", i, x)
			}
		}
	}
	return nil
}
