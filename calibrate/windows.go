package calibrate

import (
	"math"
	"slices"

	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
)

// crossed contains the windows of a run of a kernel with all peers on its core, and of the next run, with peers on
// another core.
type crossed struct {
	near, far []sample
	part      float64 // ratio of the bytes to which the cost applies to the kernel's bytes
}

// good is the service rate of a kernel on the undisturbed machine, estimated from its windows.
type good struct {
	fit    goodtime.Fit
	figure profile.Figure // the rate
	// all is the number of windows from which the rate was estimated, runs the number of their runs, and inGood the
	// number of undisturbed windows among them.
	all, runs, inGood int
	// absurd is the number of discarded windows, whose costs are impossible or far from the other costs. refused
	// reports that these are the majority, so that there is no rate.
	absurd  int
	refused bool
}

// memo caches the last result of its method of.
type memo struct {
	windows, probes, last int // inputs of the cached result: number of windows, number of probes, and last run
	good                  good
}

// of returns the undisturbed rate of the given readings. It caches the result, because fitting takes milliseconds, and
// callers request the same rate repeatedly between two runs.
func (m *memo) of(x *readings, machine *reference) *good {
	seen, last := 0, 0
	if machine != nil {
		seen = len(machine.probes)
	}
	if n := len(x.windows); n > 0 {
		last = x.windows[n-1].run
	}
	if m.windows != len(x.windows) || m.probes != seen || m.last != last || m.windows == 0 {
		*m = memo{len(x.windows), seen, last, goodOf(x.windows, machine)}
	}
	m.good.figure.AtLeast = m.good.figure.N > 0 && 2*x.unresolvable > x.runs
	return &m.good
}

// fitSeed is the seed of the bootstrap. It is constant, so that the same windows always yield the same interval.
const fitSeed = 1

// goodOf returns the undisturbed rate of windows, with an interval if there are enough windows.
func goodOf(windows []sample, machine *reference) good {
	g := good{all: len(windows), figure: profile.Figure{N: len(windows)}}
	if len(windows) == 0 {
		return g
	}
	counts, agree := plausible(costsOf(windows), machine.minCost())
	windows, g.absurd = without(windows, counts), len(windows)
	if g.absurd -= len(windows); !agree {
		return good{absurd: g.absurd, refused: true}
	}
	g.all, g.figure.N = len(windows), len(windows)
	list := make([]goodtime.Window, len(windows))
	for i, w := range windows {
		clock, left := goodtime.ByClock(machine.slow(w.probes))
		list[i] = goodtime.Window{Cost: w.cost * math.Exp(-clock), Slow: left, Run: w.run}
	}
	g.fit = goodtime.Of(list)
	g.runs = goodtime.Runs(list)
	f := &g.figure
	f.Value = 1 / g.fit.GoodCost()
	var rates, counting []float64
	for i := range list {
		rate := 1 / g.fit.Corrected(&list[i])
		rates = append(rates, rate)
		if g.fit.Counts(&list[i]) {
			counting = append(counting, rate)
		}
		if g.fit.IsUndisturbed(list[i].Slow) {
			g.inGood++
		}
	}
	f.Windows = rates[:min(len(rates), maxWindows)]
	if len(counting) < profile.FewestWindows {
		counting = rates
	}
	m := profile.MedianOf(counting)
	if !m.Covered() {
		return g
	}
	f.CI95 = [2]float64{math.Min(m.Low, f.Value), math.Max(m.High, f.Value)}
	low, high, ok := g.fit.Interval(list, fitSeed)
	if !ok { // a repetition may differ by the spread of windows and by the machine's repeatability
		factor := 1 + machine.repeats()
		rates = slices.Sorted(slices.Values(rates))
		n := len(rates)
		high, low = factor/rates[n/40], 1/rates[n-1-n/40]/factor
	}
	f.CI95 = [2]float64{math.Min(f.CI95[0], 1/high), math.Max(f.CI95[1], 1/low)}
	return g
}

// own returns the undisturbed rate from the kernel's own windows.
func (r *kernelRun) own() *good {
	x, _ := r.used()
	return r.memo.of(&x, r.machine)
}

// undisturbed returns the undisturbed rate from the windows of the kernel's pool if its instances share one rate,
// otherwise from its own windows.
func (r *kernelRun) undisturbed() *good {
	if all, same := r.pool.shared(); same {
		return r.pool.memo.of(&all, r.machine)
	}
	return r.own()
}

// slowdown returns the factor by which a kernel is slower than undisturbed, for the given times of the probes.
func (r *kernelRun) slowdown(probes []float64) float64 {
	g := r.undisturbed()
	if g.all == 0 {
		return 1
	}
	clock, left := goodtime.ByClock(r.machine.slow(probes))
	return math.Exp(clock + g.fit.Correction(left))
}

// corrected returns the costs of windows, corrected to an undisturbed machine.
func (r *kernelRun) corrected(windows []sample) []float64 {
	out := make([]float64, len(windows))
	for i, w := range windows {
		out[i] = w.cost / r.slowdown(w.probes)
	}
	return out
}

// describeUndisturbed returns the details of the estimation of the undisturbed service rate, for the profile.
func (r *kernelRun) describeUndisturbed() *profile.Undisturbed {
	g := r.undisturbed()
	out := &profile.Undisturbed{Windows: g.all, Good: g.inGood}
	from := []*kernelRun{r}
	if g == &r.pool.memo.good {
		from = r.pool.runs
	}
	for _, x := range from {
		if _, disturbed := x.used(); !disturbed {
			out.Preempted += len(x.rough.windows)
		}
	}
	sensitivity := goodtime.OfProbes(g.fit.Sensitivity)
	for probe, name := range goodtime.ProbeNames() {
		switch {
		case sensitivity[probe] != 0:
			if out.Sensitivity == nil {
				out.Sensitivity = make(map[string]float64)
			}
			out.Sensitivity[name] = sensitivity[probe]
		case !g.fit.IsKnown(probe):
			out.Unknown = append(out.Unknown, name)
		}
	}
	return out
}

// crossing sets the receive and send costs per byte of a kernel, from the runs of all instances of its pool. Each
// difference is corrected like the windows of its instance.
func (r *kernelRun) crossing(out *profile.Kernel) {
	var distance *profile.Distance
	if r.machine != nil {
		distance = distances(r.machine.distances)
	}
	var consumed, sent crossingCost
	for _, x := range r.pool.runs {
		own, _ := x.used()
		for _, c := range own.receive {
			consumed.store(distance, x.difference(c))
		}
		for _, c := range own.send {
			sent.store(distance, x.difference(c))
		}
	}
	out.ReceiveCost, out.ReceiveFar = consumed.figures()
	out.SendCost, out.SendFar = sent.figures()
}

// difference returns the windows with peers on another core. Their costs are the additional costs per byte compared
// with peers on the same core.
func (r *kernelRun) difference(c crossed) []sample {
	base := profile.MedianOf(r.corrected(c.near)).Value
	list := slices.Clone(c.far)
	for i, cost := range r.corrected(c.far) {
		list[i].cost = (cost - base) * c.part
	}
	return list
}

func costsOf(windows []sample) []float64 {
	list := make([]float64, len(windows))
	for i := range windows {
		list[i] = windows[i].cost
	}
	return list
}

// coreDistance returns the distance of the cores in a window, in s per cache line; 0 if unknown.
func (w *sample) coreDistance() float64 { return w.distance }

// coLocationCost returns the additional cost of a kernel in runs of all kernels compared with its cost alone, in
// s/byte. It uses the runs of all instances of the kernel's pool, each compared with its own cost alone.
func (r *kernelRun) coLocationCost(rate profile.Figure) *profile.Figure {
	var all cost
	for _, x := range r.pool.runs {
		alone, _ := x.rate()
		own, _ := x.used()
		if !(alone.Value > 0) {
			continue
		}
		for _, run := range own.coLocation {
			list := x.corrected(run)
			for i := range list {
				list[i] -= 1 / alone.Value
			}
			all.add(list)
		}
	}
	low, high := rate.Spread()
	return extra(all, (high-low)/2/(rate.Value*rate.Value))
}

// switchCost returns the time of the process between turns, in s per byte of the kernel; nil if no run measured it.
func (r *kernelRun) switchCost() *profile.Figure {
	own, _ := r.used()
	var all cost
	for _, run := range own.switching {
		all.add(r.corrected(run))
	}
	if len(all.windows) == 0 {
		return nil
	}
	f := figure(all.windows, all.runs)
	if _, _, ok := f.Interval(); ok {
		f.CI95[0] = max(0, f.CI95[0])
	}
	return &f
}
