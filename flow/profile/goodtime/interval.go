package goodtime

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// resamples is how many times runs are drawn anew.
const resamples = 100

// Interval is the 95 % confidence interval of the cost in good time. Runs are drawn anew, each as a block, and fitted
// again: phases last longer than windows. Of few runs Student's t makes it wider. It also holds what is not known of
// faces that were slowed in all windows alike: the cost in good time may then be lower. ok is false of one run.
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
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	// drawing n of n makes the deviation smaller by (n-1)/n
	half := t * stat.StdDev(levels, nil) * math.Sqrt(n/(n-1))
	const normal = 1.96
	down := max(half, normal*f.unknown(windows))
	const most = 700 // an end is a number
	return math.Exp(max(f.LogCost-down, -most)), math.Exp(min(f.LogCost+half, most)), true
}

// again is the level of other windows, fitted from the start but for what is taken for noise.
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

// unknown is the standard deviation, of the logarithm, that sensitivities which the windows do not tell leave of the
// cost in good time: that of the quarter of the windows which were nearest to good time, as the level rests on those.
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
