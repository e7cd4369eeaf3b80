// Package goodtime estimates the cost of a kernel on an undisturbed processor from measurement windows, some of which
// were disturbed. Fixed pieces of work, the probes of a reference, alternate with the kernel on its processor. The
// undisturbed time of a probe is its lower mode. The excess time of a probe adjacent to a window measures the slowdown
// of the processor for this kind of work. The package fits the dependence of a kernel's cost on the probes. Calibration
// and the comparison of runs at different times use this package.
//
// Assumptions: the logarithm of the cost grows in proportion to the logarithms of the probes. The slowdown of a kernel
// that works like a probe for a fraction b of its time is the b-th power of the probe's slowdown. The cost never falls
// when the times of probes rise. Windows of one run have common errors.
//
// Sources: T. Robertson and J. D. Cryer, An iterative procedure for estimating the mode, 1974, and D. R. Bickel and R.
// Frühwirth, On a fast, robust estimator of the mode, 2006 (half-sample mode); C. L. Lawson and R. J. Hanson, Solving
// least squares problems, 1974 (non-negative least squares); P. J. Huber, Robust estimation of a location parameter,
// 1964; B. Efron and R. J. Tibshirani, An introduction to the bootstrap, 1993 (of blocks).
package goodtime

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Window is one measurement of a cost.
type Window struct {
	Cost float64 // the measured cost, above 0, in any unit
	// Slow contains, for each adjacent probe, the logarithm of its time relative to its undisturbed time.
	Slow []float64
	Run  int // windows of one run have common errors
}

// Fit is the dependence of a cost on the probes.
type Fit struct {
	LogCost     float64   // logarithm of the undisturbed cost
	Sensitivity []float64 // by probe: increase of the logarithm of the cost, per increase of Window.Slow; at least 0
	Deviation   []float64 // standard deviation of each sensitivity
	Noise       float64   // standard deviation of the residual logarithm
}

const (
	// prior is the standard deviation of an unknown sensitivity. A kernel that works exactly like a probe has
	// sensitivity 1. Very few kernels have a higher sensitivity.
	prior = 0.5
	// wrong is the assumed relative error of a correction. It is not 0, because a kernel never works exactly like the
	// probes.
	wrong = 0.15
	// huber is the number of standard deviations beyond which the fit reduces the weight of a window (Huber 1964).
	huber = 1.345
	// minNoise is the minimum assumed noise, which prevents a division by 0.
	minNoise = 1e-5
	// slowed is the maximum range of a probe's logarithms at which the probe counts as never slowed. The range excludes
	// the lowest and the highest tenth of the windows.
	slowed = 0.02
	rounds = 12 // iterations of the weights of windows
)

// Of fits the dependence of the cost of windows on the probes. There must be at least one window, and all windows must
// have the same number of probes.
//
// Of minimizes the sum of squares of ln cost - a - Σ b_j Slow_j with b_j >= 0. Windows far from the fit have a lower
// weight. The prior pulls each b_j towards 0 if the runs do not determine b_j. If a probe was never slowed, b_j is 0
// and its deviation is the deviation of the prior. b_j is also 0 if it does not differ significantly from 0.
func Of(windows []Window) Fit {
	with := make([]bool, len(windows[0].Slow))
	for j := range with {
		with[j] = varied(windows, j)
	}
	f := fitted(windows, with)
	deviation, runs := f.Deviation, len(byRun(windows))
	for { // remove the least certain sensitivity first, so that one of two probes that are slowed together remains
		worst := -1
		for j, b := range f.Sensitivity {
			if with[j] && b < sure(runs, with)*f.Deviation[j] &&
				(worst < 0 || b*f.Deviation[worst] < f.Sensitivity[worst]*f.Deviation[j]) {
				worst = j
			}
		}
		if worst < 0 {
			break
		}
		with[worst] = false
		f = fitted(windows, with)
	}
	for j := range with {
		if !with[j] {
			f.Deviation[j] = deviation[j]
		}
	}
	return f
}

// sure returns the number of standard deviations by which a significant sensitivity exceeds 0: Student's t for 95 %.
// The degrees of freedom are the number of runs minus the number of fitted parameters.
func sure(runs int, with []bool) float64 {
	free := runs - 1
	for _, x := range with {
		if x {
			free--
		}
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(max(free, 1))}.Quantile(0.975)
}

// varied reports whether a probe was slowed in some windows and not in others.
func varied(windows []Window, probe int) bool {
	list := make([]float64, len(windows))
	for i := range windows {
		list[i] = windows[i].Slow[probe]
	}
	slices.Sort(list)
	n := len(list)
	return list[n-1-n/10]-list[n/10] > slowed
}

// fitted returns a fit with a subset of the probes; the other sensitivities are 0.
func fitted(windows []Window, with []bool) Fit {
	weights := make([]float64, len(windows))
	for i := range weights {
		weights[i] = 1
	}
	f := Fit{Sensitivity: make([]float64, len(with)), Noise: noiseOf(windows, nil)}
	for range rounds {
		s := summed(windows, weights)
		f.Sensitivity = s.solve(s.pull(f.Noise), with)
		f.Noise = noiseOf(windows, f.Sensitivity)
		off := make([]float64, len(windows))
		for i := range windows {
			off[i] = math.Log(windows[i].Cost) - f.Correction(windows[i].Slow)
		}
		middle := median(off)
		for i, x := range off {
			weights[i] = 1
			if d := math.Abs(x - middle); d > huber*f.Noise {
				weights[i] = huber * f.Noise / d
			}
		}
	}
	f.LogCost = f.level(windows)
	f.Deviation = summed(windows, weights).deviations(f.Noise, with)
	return f
}

// Correction returns the logarithm of the ratio of the cost to the undisturbed cost, at the given slowdowns of the
// probes.
func (f *Fit) Correction(slow []float64) float64 {
	sum := 0.0
	for j, b := range f.Sensitivity {
		sum += b * slow[j]
	}
	return sum
}

// GoodCost returns the undisturbed cost.
func (f *Fit) GoodCost() float64 { return math.Exp(f.LogCost) }

// Corrected returns the estimated undisturbed cost of a window.
func (f *Fit) Corrected(w *Window) float64 { return w.Cost * math.Exp(-f.Correction(w.Slow)) }

// weight returns the weight of a window in the estimate of the undisturbed cost. It is 1 without a correction, and
// falls as the correction grows.
func (f *Fit) weight(w *Window) float64 {
	noise, by := max(f.Noise, minNoise), wrong*f.Correction(w.Slow)
	return noise * noise / (noise*noise + by*by)
}

// Counts reports whether the weight of a window is at least a quarter of the weight of an undisturbed window.
func (f *Fit) Counts(w *Window) bool { return f.weight(w) >= 0.25 }

// level returns the logarithm of the undisturbed cost: the weighted median of the corrected windows.
func (f *Fit) level(windows []Window) float64 {
	type item struct{ at, weight float64 }
	list := make([]item, len(windows))
	all := 0.0
	for i := range windows {
		w := &windows[i]
		list[i] = item{math.Log(w.Cost) - f.Correction(w.Slow), f.weight(w)}
		all += list[i].weight
	}
	slices.SortFunc(list, func(a, b item) int { return cmp.Compare(a.at, b.at) })
	sum := 0.0
	for i, x := range list {
		switch sum += x.weight; {
		case math.Abs(sum-all/2) <= 1e-12*all && i+1 < len(list):
			return (x.at + list[i+1].at) / 2
		case sum > all/2:
			return x.at
		}
	}
	return list[len(list)-1].at
}

// sums contains the weighted moments of windows about their means.
type sums struct {
	gram   *mat.SymDense // Gram matrix of the probes
	along  []float64     // products of the probes with the logarithm of the cost
	inRuns float64       // mean number of windows per run
}

func summed(windows []Window, weights []float64) *sums {
	n := len(windows[0].Slow)
	s := &sums{gram: mat.NewSymDense(n, nil), along: make([]float64, n)}
	means, mean, all := make([]float64, n), 0.0, 0.0
	runs := make(map[int]bool)
	for i := range windows {
		runs[windows[i].Run] = true
		all += weights[i]
		mean += weights[i] * math.Log(windows[i].Cost)
		for j, x := range windows[i].Slow {
			means[j] += weights[i] * x
		}
	}
	s.inRuns = float64(len(windows)) / float64(len(runs))
	for i := range windows {
		y := math.Log(windows[i].Cost) - mean/all
		for j := range n {
			x := windows[i].Slow[j] - means[j]/all
			s.along[j] += weights[i] * x * y
			for k := j; k < n; k++ {
				s.gram.SetSym(j, k, s.gram.At(j, k)+weights[i]*x*(windows[i].Slow[k]-means[k]/all))
			}
		}
	}
	return s
}

// pull returns the contribution of the prior to the sum of squares of each probe. All windows of a run together count
// as one window.
func (s *sums) pull(noise float64) float64 {
	noise = max(noise, minNoise)
	return noise * noise * s.inRuns / (prior * prior)
}

// solve finds the sensitivities by nonnegative least squares. It uses coordinate descent until no sensitivity changes.
// The argument pull makes the problem strictly convex, so the descent reaches its unique solution.
func (s *sums) solve(pull float64, with []bool) []float64 {
	const maximum, enough = 10_000, 1e-12
	b := make([]float64, len(s.along))
	for range maximum {
		changed := 0.0
		for j := range b {
			if !with[j] {
				continue
			}
			rest := s.along[j]
			for k := range b {
				if k != j {
					rest -= s.gram.At(j, k) * b[k]
				}
			}
			next := max(0, rest/(s.gram.At(j, j)+pull))
			changed = max(changed, math.Abs(next-b[j]))
			b[j] = next
		}
		if changed < enough {
			break
		}
	}
	return b
}

// deviations returns the standard deviations of the sensitivities. No deviation exceeds the deviation of the prior,
// which applies to probes outside the fit.
func (s *sums) deviations(noise float64, with []bool) []float64 {
	n := len(s.along)
	out := make([]float64, n)
	pull := s.pull(noise)
	all := mat.NewSymDense(n, nil)
	for j := range n {
		all.SetSym(j, j, pull)
		for k := j; k < n; k++ {
			if with[j] && with[k] {
				all.SetSym(j, k, all.At(j, k)+s.gram.At(j, k))
			}
		}
	}
	var c mat.Cholesky
	var inverse mat.SymDense
	ok := c.Factorize(all)
	if ok {
		ok = c.InverseTo(&inverse) == nil
	}
	for j := range out {
		out[j] = prior
		if ok {
			out[j] = min(prior, prior*math.Sqrt(pull*inverse.At(j, j)))
		}
	}
	return out
}

// noiseOf returns the standard deviation of the residuals, from the median of their absolute values.
func noiseOf(windows []Window, b []float64) float64 {
	off := make([]float64, len(windows))
	for i := range windows {
		off[i] = math.Log(windows[i].Cost)
		for j, x := range b {
			off[i] -= x * windows[i].Slow[j]
		}
	}
	middle := median(off)
	for i := range off {
		off[i] = math.Abs(off[i] - middle)
	}
	return ofNormal * median(off)
}

// ofNormal is the standard deviation of a normal distribution divided by the median of its absolute value.
const ofNormal = 1.4826

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ProbeNames returns the probes of the reference, in the order of the runtime.
func ProbeNames() []string {
	return []string{"memory", "second cache", "near vectors", "multiply", "chain", "branches"}
}

// Near is the maximum logarithm of a probe's slowdown in an undisturbed window.
const Near = 0.05

// little is the maximum logarithm of the slowdown of an undisturbed cost.
const little = 0.02

// unsure is the limit in place of Near for a probe whose effect on the cost is unknown.
const unsure = 0.1

// IsKnown reports whether the windows determine the dependence on a probe.
func (f *Fit) IsKnown(probe int) bool { return f.Deviation[probe] <= prior/2. }

// IsUndisturbed reports whether a window was undisturbed, judged by the probes that affect or may affect the cost.
func (f *Fit) IsUndisturbed(slow []float64) bool {
	for j, x := range slow {
		if !f.IsKnown(j) && x > unsure {
			return false
		}
	}
	return math.Abs(f.Correction(slow)) <= little
}

// The host of a virtual machine, or the processor itself, changes the clock of a core by 10 % or more, in phases that
// last minutes. The time counter does not change. All work in the core slows down by the same factor. An entire
// calibration may be within one phase, so that its windows do not show the dependence of a kernel on the clock.
// However, this dependence is known: the speed of a kernel that works within its core is proportional to the clock. The
// speed of the probe chain, a chain of dependent operations, is also proportional to the clock. Therefore the chain
// measures the clock. The fit uses the other probes relative to the chain. A kernel that waits for memory depends less
// on the clock. The fit represents this as a sensitivity to a faster clock.

// chain returns the index of the probe that measures the clock.
func chain() int { return slices.Index(ProbeNames(), "chain") }

// ByClock splits the logarithms of the probes' slowdowns into clock, the slowdown by the clock, and left, the remaining
// slowdowns. clock affects all work in a core. left contains each probe's slowdown relative to the clock and, in place
// of the chain, the speedup of the clock. If the probes are not the reference's probes, clock is 0.
func ByClock(slow []float64) (clock float64, left []float64) {
	if len(slow) != len(ProbeNames()) {
		return 0, slow
	}
	clock = slow[chain()]
	left = make([]float64, len(slow))
	for j, x := range slow {
		left[j] = x - clock
	}
	left[chain()] = -clock
	return clock, left
}

// OfProbes converts sensitivities that were fitted to the remaining slowdowns of [ByClock] into sensitivities to the
// original probes, for a cost that depends on the clock. The sensitivity to the chain is 1 minus the sum of the fitted
// sensitivities.
func OfProbes(fitted []float64) []float64 {
	if len(fitted) != len(ProbeNames()) {
		return fitted
	}
	out, rest := slices.Clone(fitted), 1.0
	for _, b := range fitted {
		rest -= b
	}
	out[chain()] = rest
	return out
}
