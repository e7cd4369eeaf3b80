package times

import (
	"cmp"
	"math"
	"slices"
)

// perOctave is the binary logarithm of the number of bins in an octave. The 32 bins of an octave have equal widths of
// at most 3.2 %. Bins of short times are wider (see narrow).
const perOctave = 5

// fewestBlocks is the minimum number of blocks of samples from which the variance of the block sums is computed.
const fewestBlocks = 64

// Of returns the distribution of the samples of one or more runs, in their order. Negative samples, which result from
// small differences between clocks, count as 0.
func Of(runs ...[]float64) *Distribution {
	d := &Distribution{Runs: len(runs)}
	n := 0
	for _, run := range runs {
		n += len(run)
	}
	if n == 0 {
		return d
	}
	bins := make(map[uint64]*Bin)
	mean, seen := 0.0, 0
	for _, run := range runs {
		for _, x := range run {
			x = max(x, 0)
			half := 2 * seen / n
			seen++
			mean += x / float64(n)
			place := math.Float64bits(x) >> (52 - perOctave)
			b := bins[place]
			if b == nil {
				b = &Bin{From: x, To: x}
				bins[place] = b
			}
			b.From, b.To = min(b.From, x), max(b.To, x)
			b.Halves[half]++
			b.Mean += (x - b.Mean) / float64(b.Count())
		}
	}
	for _, b := range bins {
		d.Bins = append(d.Bins, *b)
	}
	slices.SortFunc(d.Bins, func(a, b Bin) int { return cmp.Compare(a.From, b.From) })
	d.Bins = merged(d.Bins, narrow*mean)
	d.Order = ordered(d.Bins, runs)
	d.Dependence = dependence(runs, func(x float64) float64 { return max(x, 0) })
	for _, part := range clipped {
		at := d.at(part).To
		d.Floors = append(d.Floors, Clip{at, dependence(runs, func(x float64) float64 { return max(x, at) })})
		low := d.at(1 - part).From
		d.Caps = append(d.Caps, Clip{low, dependence(runs, func(x float64) float64 { return min(max(x, 0), low) })})
	}
	return d
}

// clipped contains the approximate fractions of the samples below the limits of Floors and above the limits of Caps.
var clipped = [...]float64{0.5, 0.9, 0.99}

// at returns the bin that contains the quantile of the samples for the given fraction.
func (d *Distribution) at(part float64) *Bin {
	below, n := 0.0, float64(d.Samples())
	for i := range d.Bins {
		if below += float64(d.Bins[i].Count()); below >= part*n {
			return &d.Bins[i]
		}
	}
	return &d.Bins[len(d.Bins)-1]
}

// narrow is the maximum width of a merged bin, relative to the mean.
const narrow = 1.0 / 64

// merged merges neighboring bins as long as the result is at most width wide. The bin of 0 stays separate.
func merged(bins []Bin, width float64) []Bin {
	list := bins[:0]
	for _, b := range bins {
		if n := len(list) - 1; n >= 0 && list[n].To > 0 && b.To-list[n].From <= width {
			list[n].join(b)
			continue
		}
		list = append(list, b)
	}
	for i := range list {
		list[i].Mean = min(max(list[i].Mean, list[i].From), list[i].To) // rounding
	}
	return list
}

// dependence computes the dependence between samples after f is applied to each sample, for all lags with enough
// samples.
func dependence(runs [][]float64, f func(float64) float64) (d Dependence) {
	samples, n, mean, variance := make([][]float64, len(runs)), 0, 0.0, 0.0
	for i, run := range runs {
		samples[i] = make([]float64, len(run))
		for j, x := range run {
			samples[i][j] = f(x)
			mean += samples[i][j]
		}
		n += len(run)
	}
	mean /= float64(n)
	for _, run := range samples {
		for j := range run {
			run[j] -= mean
			variance += run[j] * run[j] / float64(n)
		}
	}
	for b := 1; ; b *= 2 {
		blocks, pairs := 0, 0
		product, squares := 0.0, 0.0
		for _, run := range samples {
			blocks += len(run) / b
			pairs += max(len(run)-b, 0)
			for i := b; i < len(run); i++ {
				product += run[i] * run[i-b]
			}
			for at := 0; at+b <= len(run); at += b {
				sum := 0.0
				for _, x := range run[at : at+b] {
					sum += x
				}
				squares += sum * sum
			}
		}
		if blocks < fewestBlocks || pairs < fewestBlocks {
			return d
		}
		r, g := 0.0, 1.0
		if variance > 1e-24*mean*mean { // more than rounding
			r, g = product/float64(pairs)/variance, squares/float64(blocks)/float64(b)/variance
		}
		d.Correlations, d.Growth = append(d.Correlations, r), append(d.Growth, g)
	}
}
