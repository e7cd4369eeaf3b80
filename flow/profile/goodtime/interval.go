package goodtime

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// resamples is the number of bootstrap samples of the runs.
const resamples = 100

// Interval returns the 95 % interval of the undisturbed cost. The interval covers both the true cost and the result of
// a repeated measurement. Interval resamples complete runs and fits them again, because phases of a machine last longer
// than windows. If runs differ by more than the variation of their windows explains, a repetition also differs, and
// longer phases increase the difference. With few runs, Student's t widens the interval. The interval includes the
// uncertainty due to probes that were slowed equally in all windows. The undisturbed cost may then be lower than the
// estimate. ok is false for a single run.
func (f *Fit) Interval(windows []Window, seed uint64) (low, high float64, ok bool) {
	blocks := byRun(windows)
	n := float64(len(blocks))
	if n < 2 {
		return 0, 0, false
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(windows))))
	levels := make([]float64, resamples)
	drawn := make([]Window, 0, 2*len(windows))
	for i := range levels {
		drawn = drawn[:0]
		for run := range blocks {
			for _, w := range blocks[random.IntN(len(blocks))] {
				w.Run = run
				drawn = append(drawn, w)
			}
		}
		levels[i] = f.again(drawn)
	}
	// drawing n of n runs reduces the deviation by (n-1)/n
	variance := stat.Variance(levels, nil) * n / (n - 1)
	between, phases := f.between(blocks)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := t * math.Sqrt(2*(variance+between*(phases-1))) // the repetition also deviates
	const normal = 1.96
	down := max(half, normal*f.unknown(windows))
	const maximum = 700 // keeps the ends finite
	return math.Exp(max(f.LogCost-down, -maximum)), math.Exp(min(f.LogCost+half, maximum)), true
}

// maxCorrelation limits the correlation of successive runs. maxPhases limits the length of phases as a fraction of all
// runs. Without maxPhases, the interval of few runs would be infinite.
const maxCorrelation, maxPhases = 0.95, 0.75

// chance is the probability that runs without a real difference remain below the threshold in [Fit.between].
const chance = 0.9

// between returns the part of the variance of the runs' mean logarithm that the variation within runs does not explain.
// variance applies to independent runs. phases is the factor by which the correlation of successive runs increases this
// variance. The model of the runs is a first-order autoregressive process, with the coefficient at the upper end of its
// error.
func (f *Fit) between(runs [][]Window) (variance, phases float64) {
	n := float64(len(runs))
	means := make([]float64, len(runs))
	var off []float64
	for i, run := range runs {
		logs := make([]float64, len(run))
		for j := range run {
			logs[j] = math.Log(f.Corrected(&run[j]))
		}
		means[i] = median(logs)
		for _, x := range logs {
			if len(run) > 1 {
				off = append(off, math.Abs(x-means[i]))
			}
		}
	}
	mean := stat.Mean(means, nil)
	squares, along := 0.0, 0.0
	for i, x := range means {
		squares += (x - mean) * (x - mean)
		if i > 0 {
			along += (x - mean) * (means[i-1] - mean)
		}
	}
	inside := 0.0 // variance of the median of the windows of a run
	if len(off) > 0 {
		noise := ofNormal * median(off)
		inside = math.Pi / 2 * noise * noise * n / float64(len(off))
	}
	if squares <= inside*(distuv.ChiSquared{K: n - 1}).Quantile(chance) {
		return 0, 1
	}
	follows := along / squares
	follows += (1+4*follows)/n + 2/math.Sqrt(n) // bias and error of a short series (Kendall 1954)
	follows = min(max(follows, 0), maxCorrelation)
	phases = 1
	power := 1.0
	for k := 1.0; k < n; k++ {
		power *= follows
		phases += 2 * (1 - k/n) * power
	}
	// Phases that last for all runs hardly affect the differences between runs.
	complete := (n - 1) / (n - min(phases, maxPhases*n))
	return max(squares/(n-1)*complete-inside, 0) / n, phases
}

// again fits other windows with the same probes and noise, and returns the level.
func (f *Fit) again(windows []Window) float64 {
	weights := make([]float64, len(windows))
	for i := range windows {
		d := math.Abs(math.Log(windows[i].Cost) - f.Correction(windows[i].Slow) - f.LogCost)
		weights[i] = 1
		if d > huber*f.Noise {
			weights[i] = huber * f.Noise / d
		}
	}
	s := summed(windows, weights)
	with := make([]bool, len(f.Sensitivity))
	for j, b := range f.Sensitivity {
		with[j] = b > 0
	}
	g := Fit{Sensitivity: s.solve(s.pull(f.Noise), with), Noise: f.Noise}
	return g.level(windows)
}

// unknown returns the standard deviation of the logarithm of the undisturbed cost due to unknown sensitivities. It uses
// the lower quartile over the windows, because the windows nearest to the undisturbed state determine the level.
func (f *Fit) unknown(windows []Window) float64 {
	var far []float64
	for i := range windows {
		sum := 0.0
		for j, x := range windows[i].Slow {
			x *= f.Deviation[j]
			sum += x * x
		}
		far = append(far, math.Sqrt(sum))
	}
	slices.Sort(far)
	return far[(len(far)-1)/4]
}

// Runs returns the number of runs that contain the windows.
func Runs(windows []Window) int { return len(byRun(windows)) }

func byRun(windows []Window) [][]Window {
	at := make(map[int]int)
	var blocks [][]Window
	for _, w := range windows {
		i, ok := at[w.Run]
		if !ok {
			i = len(blocks)
			at[w.Run] = i
			blocks = append(blocks, nil)
		}
		blocks[i] = append(blocks[i], w)
	}
	return blocks
}
