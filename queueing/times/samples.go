package times

import (
	"cmp"
	"math"
	"slices"
)

// perOctave is log2 of how many bins there are to each octave, linear within it: 32, each at most 3.2 %
// wide. Short times have wider ones: see narrow.
const perOctave = 5

// fewestBlocks is how many blocks of samples a variance of their sums needs.
const fewestBlocks = 64

// Of is the distribution of the samples of one or more runs, in their order. Samples below 0, which
// clocks that are not quite alike give, count as 0.
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
	variance := 0.0
	for _, run := range runs {
		for _, x := range run {
			variance += (max(x, 0) - mean) * (max(x, 0) - mean) / float64(n)
		}
	}
	d.depend(runs, mean, variance)
	return d
}

// narrow is how wide, of the mean, bins need not be less.
const narrow = 1.0 / 64

// merged merges bins as long as they are not wider than a width; that of 0 stays apart.
func merged(bins []Bin, width float64) []Bin {
	list := bins[:0]
	for _, b := range bins {
		if n := len(list) - 1; n >= 0 && list[n].To > 0 && b.To-list[n].From <= width {
			last := &list[n]
			last.Mean += (b.Mean - last.Mean) * float64(b.Count()) / float64(b.Count()+last.Count())
			last.To, last.Halves[0], last.Halves[1] = b.To, last.Halves[0]+b.Halves[0], last.Halves[1]+b.Halves[1]
			continue
		}
		list = append(list, b)
	}
	for i := range list {
		list[i].Mean = min(max(list[i].Mean, list[i].From), list[i].To) // rounding
	}
	return list
}

// depend works out how far samples depend on each other, as far as there are enough of them.
func (d *Distribution) depend(runs [][]float64, mean, variance float64) {
	for b := 1; ; b *= 2 {
		blocks, pairs := 0, 0
		for _, run := range runs {
			blocks += len(run) / b
			pairs += max(len(run)-b, 0)
		}
		if blocks < fewestBlocks || pairs < fewestBlocks {
			return
		}
		if variance <= 1e-24*mean*mean { // nothing varies but by rounding
			d.Correlations, d.Growth = append(d.Correlations, 0), append(d.Growth, 1)
			continue
		}
		product, squares := 0.0, 0.0
		for _, run := range runs {
			for i := b; i < len(run); i++ {
				product += (max(run[i], 0) - mean) * (max(run[i-b], 0) - mean)
			}
			for block := range slices.Chunk(run, b) {
				sum := 0.0
				for _, x := range block {
					sum += max(x, 0) - mean
				}
				if len(block) == b {
					squares += sum * sum
				}
			}
		}
		d.Correlations = append(d.Correlations, product/float64(pairs)/variance)
		d.Growth = append(d.Growth, squares/float64(blocks)/float64(b)/variance)
	}
}

// Constant is the distribution of times that are all alike.
func Constant(seconds float64) *Distribution {
	const many = 1 << 40
	return &Distribution{Bins: []Bin{{From: seconds, To: seconds, Mean: seconds, Halves: [2]uint64{many, many}}}}
}

// Half is the distribution of the samples of the first half of the run, 0, or of the second, 1.
func (d *Distribution) Half(which int) *Distribution {
	h := &Distribution{}
	for _, b := range d.Bins {
		if b.Halves[which] > 0 {
			b.Halves[1-which] = 0
			h.Bins = append(h.Bins, b)
		}
	}
	return h
}
