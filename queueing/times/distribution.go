// Package times defines measured distributions of times: the service times of a kernel, or the gaps between arrivals at
// a queue. A [Distribution] contains the data for bounds on queues: logarithmic bins with their means, separate counts
// for both halves of the run, and the dependence between samples. The package does not depend on kernels or queues.
//
// Calibration creates distributions, profiles store them, and simulations draw times from them. Times are in seconds.
package times

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Distribution summarizes the samples of one or more runs. The zero value has no samples.
type Distribution struct {
	// Bins contains the nonempty bins of the histogram of the samples, in ascending order. If there are samples of 0,
	// the first bin contains only these samples.
	Bins []Bin `json:"bins"`
	Dependence
	// Floors contains the dependence of the samples after values below a limit are raised to the limit. Caps contains
	// the dependence after values above a limit are lowered to the limit. Both start with the limit that changes the
	// fewest samples.
	Floors []Clip `json:"floors,omitempty"`
	Caps   []Clip `json:"caps,omitempty"`
	// Runs is the number of runs that contain the samples; 0 means 1. Correlations are between samples of the same run.
	Runs int `json:"runs,omitempty"`
	// Order contains the bins of the first MaxOrdered samples, in order.
	Order Order `json:"order,omitempty"`
	// LeftOut is the number of samples that were excluded because the machine was disturbed.
	LeftOut uint64 `json:"leftOut,omitempty"`
}

// Dependence is the dependence between consecutive samples.
type Dependence struct {
	// Correlations contains the correlations at lags of 1, 2, 4, ... samples; 0 if the samples are constant.
	Correlations []float64 `json:"correlations,omitempty"`
	// Growth is the variance of the sum of b consecutive samples, divided by b times the variance of one sample, for b
	// = 1, 2, 4, ... It is 1 for independent samples.
	Growth []float64 `json:"growth,omitempty"`
}

// Clip contains the dependence of samples that are clipped at a limit. The limit is the edge of a bin.
type Clip struct {
	At float64 `json:"at"` // limit, s
	Dependence
}

// Bin contains the samples of one bin. From and To are the smallest and the largest sample.
type Bin struct {
	From float64 `json:"from"` // s
	To   float64 `json:"to"`   // s
	Mean float64 `json:"mean"` // mean of the samples, s
	// Halves contains the numbers of samples in the first and in the second half of the run.
	Halves [2]uint64 `json:"halves"`
}

// Count returns the number of samples of the bin.
func (b *Bin) Count() uint64 { return b.Halves[0] + b.Halves[1] }

// join adds the samples of the next higher bin.
func (b *Bin) join(x Bin) {
	b.Mean += (x.Mean - b.Mean) * float64(x.Count()) / float64(b.Count()+x.Count())
	b.To, b.Halves[0], b.Halves[1] = x.To, b.Halves[0]+x.Halves[0], b.Halves[1]+x.Halves[1]
}

// Samples returns the number of samples.
func (d *Distribution) Samples() uint64 {
	n := uint64(0)
	for i := range d.Bins {
		n += d.Bins[i].Count()
	}
	return n
}

// Mean returns the mean of the samples in s, or NaN without samples.
func (d *Distribution) Mean() float64 {
	sum := 0.0
	for i := range d.Bins {
		sum += d.Bins[i].Mean * float64(d.Bins[i].Count())
	}
	return sum / float64(d.Samples())
}

// SCV returns an upper bound on the squared coefficient of variation of the samples. The bound exceeds the true value
// by at most 1e-3 of 1 + SCV. It assumes that the samples of each bin are at the ends of the bin, with the same mean.
// SCV returns NaN without samples, and for a mean of 0.
func (d *Distribution) SCV() float64 {
	mean, squares := d.Mean(), 0.0
	for i := range d.Bins {
		b := &d.Bins[i]
		squares += float64(b.Count()) * ((b.Mean-mean)*(b.Mean-mean) + (b.Mean-b.From)*(b.To-b.Mean))
	}
	return squares / float64(d.Samples()) / (mean * mean)
}

// Max returns the largest sample in s, or 0 without samples.
func (d *Distribution) Max() float64 {
	if len(d.Bins) == 0 {
		return 0
	}
	return d.Bins[len(d.Bins)-1].To
}

// Min returns the smallest sample in s, or 0 without samples.
func (d *Distribution) Min() float64 {
	if len(d.Bins) == 0 {
		return 0
	}
	return d.Bins[0].From
}

// Scaled returns the distribution with all times multiplied by a factor.
func (d *Distribution) Scaled(factor float64) *Distribution {
	return d.each(func(x float64) float64 { return x * factor })
}

// Shifted returns the distribution with the given number of seconds added to all times. Negative results become 0,
// which raises the mean.
func (d *Distribution) Shifted(seconds float64) *Distribution {
	return d.each(func(x float64) float64 { return max(x+seconds, 0) })
}

// each applies a monotonic function to all times, and merges bins whose results are equal.
func (d *Distribution) each(f func(float64) float64) *Distribution {
	s := &Distribution{Runs: d.Runs, LeftOut: d.LeftOut, Dependence: d.Dependence}
	place := make([]uint16, len(d.Bins)) // index of each bin in s.Bins
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

// Validate returns an error for invalid values of a distribution that was read from a file.
func (d *Distribution) Validate() error {
	before := math.Inf(-1)
	for i := range d.Bins {
		b := &d.Bins[i]
		switch {
		case !(b.From >= 0 && b.From <= b.Mean && b.Mean <= b.To) || math.IsInf(b.To, 1):
			return fmt.Errorf("bin %d has samples from %g to %g s with a mean of %g s, expected 0 ≤ from ≤ mean ≤ to, "+
				"all finite", i, b.From, b.To, b.Mean)
		case b.From <= before:
			return fmt.Errorf("bin %d begins at %g s, before the end of the previous bin", i, b.From)
		case b.Count() == 0:
			return fmt.Errorf("bin %d has no samples", i)
		}
		before = b.To
	}
	if len(d.Bins) == 0 {
		return errors.New("the distribution has no bins")
	}
	for _, i := range d.Order {
		if int(i) >= len(d.Bins) {
			return fmt.Errorf("a sample is in bin %d, expected 0 to %d", i, len(d.Bins)-1)
		}
	}
	for _, c := range slices.Concat([]Clip{{Dependence: d.Dependence}}, d.Floors, d.Caps) {
		for _, x := range slices.Concat(c.Correlations, c.Growth, []float64{c.At}) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("the dependence of samples contains %g, expected finite numbers", x)
			}
		}
	}
	return nil
}
