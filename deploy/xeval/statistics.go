package xeval

import (
	"math"
	"math/bits"
	"slices"

	"xopt/flow/profile"
)

// Statistics contains statistics of the times of many runs, in seconds.
type Statistics struct {
	N         uint64  `json:"n"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // standard deviation of single times
	// Low and High are the ends of the 95 % confidence interval of the mean. They are computed from the means of 32 to
	// 63 consecutive batches, because consecutive times are correlated. For fewer than two times both equal the mean.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Bins []Bin   `json:"bins,omitempty"` // non-empty bins, ascending
}

// SCV returns the squared coefficient of variation; 0 if the mean is 0.
func (s *Statistics) SCV() float64 {
	if s.Mean == 0 {
		return 0
	}
	return s.Deviation * s.Deviation / (s.Mean * s.Mean)
}

// Bin counts times from From up to but excluding To, in seconds. Times below 0 are in one bin.
type Bin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	N    uint64  `json:"n"`
}

// collected collects times in ps, using constant memory.
type collected struct {
	n, negative   uint64
	mean, squares float64 // Welford 1962
	min, max      int64
	bins          [64 * perOctave]uint64
	binRanges     [64 * perOctave][2]int64 // minimum and maximum of each non-empty bin
	few           []int64                  // all times, until there are more than maxExact
	batches       []float64                // sums of complete batches
	size          uint64                   // times in a batch
	sum           float64                  // sum of the incomplete batch
	in            uint64                   // number of times in the incomplete batch
}

const (
	perOctave  = 32 // bins per octave: 2 to 3 % wide
	octaveBits = 5
	maxBatches = 64
	maxExact   = 1024 // maximum number of times with exact quantiles
	picosecond = 1e-12
)

func (c *collected) add(t int64) {
	if c.n == 0 {
		c.min, c.max, c.size = t, t, 1
	}
	c.n++
	x := float64(t)
	d := x - c.mean
	c.mean += d / float64(c.n)
	c.squares += d * (x - c.mean)
	c.min, c.max = min(c.min, t), max(c.max, t)
	if c.n <= maxExact {
		c.few = append(c.few, t)
	}
	if t < 0 {
		c.negative++
	} else {
		bin := binOf(t)
		if w := &c.binRanges[bin]; c.bins[bin] == 0 {
			*w = [2]int64{t, t}
		} else {
			*w = [2]int64{min(w[0], t), max(w[1], t)}
		}
		c.bins[bin]++
	}
	c.sum += x
	if c.in++; c.in == c.size {
		c.batches = append(c.batches, c.sum)
		c.sum, c.in = 0, 0
		if len(c.batches) == maxBatches {
			for i := range maxBatches / 2 {
				c.batches[i] = c.batches[2*i] + c.batches[2*i+1]
			}
			c.batches = c.batches[:maxBatches/2]
			c.size *= 2
		}
	}
}

// binOf returns the bin of a time. Below perOctave, each value has its own bin.
func binOf(t int64) int {
	octave := bits.Len64(uint64(t)) - octaveBits - 1
	if octave <= 0 {
		return int(t)
	}
	return octave*perOctave + int(t>>octave)
}

// from returns the smallest time of a bin.
func from(bin int) int64 {
	if bin < 2*perOctave {
		return int64(bin)
	}
	octave := bin/perOctave - 1
	return int64(bin-octave*perOctave) << octave
}

// quantile returns the time below which the given part of all times lies. For up to maxExact times, it is one of the
// times. Otherwise it is interpolated between the minimum and the maximum of its bin, so that the result is exact for
// equal times.
func (c *collected) quantile(part float64) float64 {
	if c.n <= maxExact {
		slices.Sort(c.few)
		return float64(c.few[min(int(part*float64(c.n)), int(c.n)-1)])
	}
	left := part*float64(c.n) - float64(c.negative)
	if left <= 0 {
		return float64(c.min)
	}
	for i, n := range c.bins {
		if n > 0 && left <= float64(n) {
			low, high := float64(c.binRanges[i][0]), float64(c.binRanges[i][1])
			return low + (high-low)*left/float64(n)
		}
		left -= float64(n)
	}
	return float64(c.max)
}

// statistics returns the statistics of the collected times.
func (c *collected) statistics() Statistics {
	s := Statistics{N: c.n}
	if c.n == 0 {
		return s
	}
	s.Mean, s.Min, s.Max = c.mean*picosecond, float64(c.min)*picosecond, float64(c.max)*picosecond
	if c.n > 1 {
		s.Deviation = math.Sqrt(c.squares/float64(c.n-1)) * picosecond
	}
	half := c.half()
	s.Low, s.High = s.Mean-half, s.Mean+half
	s.P50, s.P90, s.P99 = c.quantile(0.5)*picosecond, c.quantile(0.9)*picosecond, c.quantile(0.99)*picosecond
	if c.negative > 0 {
		s.Bins = append(s.Bins, Bin{From: s.Min, To: 0, N: c.negative})
	}
	for i, n := range c.bins {
		if n > 0 {
			s.Bins = append(s.Bins, Bin{From: float64(from(i)) * picosecond, To: float64(from(i+1)) * picosecond, N: n})
		}
	}
	return s
}

// half returns half the width of the 95 % interval of the mean, in seconds.
func (c *collected) half() float64 {
	if len(c.batches) < 2 {
		return 0
	}
	_, half := profile.MeanOf(c.batches)
	return half / float64(c.size) * picosecond
}
