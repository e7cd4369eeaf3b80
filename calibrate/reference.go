package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"xopt/deploy/abi"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
)

// reference contains the times of the reference load's probes at all windows of a calibration.
type reference struct {
	probes []probeTimes
	runs   int
	// good contains the undisturbed time of each probe, computed from the first goodOf entries of probes.
	good   []float64
	goodOf int
	// earlier is the reference of an earlier calibration on this machine; nil for none. Only a comparison with it can
	// show that the machine was slow throughout this calibration.
	earlier *profile.Reference
	// distances contains the distances of the cores at windows with peers on another core, in s per cache line.
	distances []float64
}

// probeTimes contains the times of the probes at one window, in s.
type probeTimes struct {
	probes []float64
	run    int
}

// sample is one window of a kernel. cost is in s/byte, and lost is the fraction of time in which the process had no
// processor. probes contains the times of the probes at the window, in s; nil if the reference load had no turn.
type sample struct {
	cost, lost float64
	probes     []float64
	run        int
	// distance is the transfer time in s of a cache line between the cores of the kernel and its peers; 0 if unknown.
	distance float64
}

// maxLost is the maximum fraction of a window in which another process may have had the processor.
const maxLost = 0.05

// preempted reports whether another process had the processor for too much of a window.
func (w *sample) preempted() bool { return w.lost > maxLost }

// turns contains the turns of the reference load in one run of a kernel.
type turns struct {
	list  []run.ReferenceTurn
	alone bool // the program has only one process, which never waits for another process
	run   int
}

// turnsOf returns the turns of the reference load on the processor of a process in a run.
func (m *reference) turnsOf(x *run.Measurement, process int) turns {
	if m == nil {
		return turns{}
	}
	t := turns{alone: len(x.Processes) == 1, run: m.runs}
	m.runs++
	if process < len(x.Reference) && len(x.Reference[process]) > 1 {
		t.list = x.Reference[process][1:] // omit the first turn, in which no data are cached
	}
	return t
}

// sample returns the sample of a frame, with the given cost in s/byte.
func (m *reference) sample(cost float64, t *turns, f *run.FrameData) sample {
	near := t.near(f)
	w := sample{cost: cost, run: t.run, probes: medianProbes(near), distance: distanceOf(near)}
	if w.distance > 0 {
		m.distances = append(m.distances, w.distance)
	}
	if t.alone {
		w.lost = t.lost(f)
		w.cost *= 1 - w.lost
	}
	if w.probes != nil {
		m.probes = append(m.probes, probeTimes{w.probes, t.run})
	}
	return w
}

// near returns the turns at both ends of a frame and the turns next to them, because a single turn may have been
// interrupted. If there are none, it returns the nearest turn.
func (t *turns) near(f *run.FrameData) []run.ReferenceTurn {
	length := f.End - f.Start
	var near []run.ReferenceTurn
	for _, x := range t.list {
		if x.Time >= f.Start-length && x.Time <= f.End+1.5*length {
			near = append(near, x)
		}
	}
	if len(near) == 0 { // the kernel executes one long call
		for _, x := range t.list {
			if len(near) == 0 || math.Abs(x.Time-f.Start) < math.Abs(near[0].Time-f.Start) {
				near = []run.ReferenceTurn{x}
			}
		}
	}
	return near
}

// medianProbes returns the median time of each probe over the given turns; nil if there are none.
func medianProbes(near []run.ReferenceTurn) []float64 {
	if len(near) == 0 {
		return nil
	}
	out := make([]float64, abi.Probes)
	times := make([]float64, len(near))
	for probe := range out {
		for i := range near {
			times[i] = near[i].Probes[probe]
		}
		slices.Sort(times)
		out[probe] = times[(len(times)-1)/2]
	}
	return out
}

// distanceOf returns the median of the distances in the given turns; 0 if none has one.
func distanceOf(near []run.ReferenceTurn) float64 {
	var list []float64
	for i := range near {
		if d := near[i].Distance; d > 0 {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// lost returns the fraction of time around a frame in which the process had no processor. It considers the time from
// the last turn before the frame's calls to the first turn after them. It returns 0 if there are no such turns.
func (t *turns) lost(f *run.FrameData) float64 {
	from, to := t.about(f)
	if from < 0 || to <= from {
		return 0
	}
	a, b := &t.list[from], &t.list[to]
	return min(max(1-(b.CPU-a.CPU)/(b.Time-a.Time), 0), 1)
}

// about returns the index of the last turn before the calls of a frame, and the index of the first turn after them. An
// index is -1 if there is no such turn.
func (t *turns) about(f *run.FrameData) (from, to int) {
	// late is the delay of a turn above which it began after a call that another process may have interrupted. The time
	// of that call belongs to this frame.
	const late = 0.05 // fraction of a frame
	from, to = -1, -1
	for i, x := range t.list {
		if x.Time <= f.Start+late*(f.End-f.Start) {
			from = i
		}
		if x.Time >= f.End && to < 0 {
			to = i
		}
	}
	return from, to
}

// cut reports whether the run ended before the turn that measures the time lost in a frame.
func (t *turns) cut(f *run.FrameData) bool {
	from, to := t.about(f)
	return t.alone && from >= 0 && to < 0
}

// undisturbedProbes returns the time of each probe on the undisturbed machine, in s.
func (m *reference) undisturbedProbes() []float64 {
	if m.good == nil || m.goodOf != len(m.probes) {
		m.good, m.goodOf = make([]float64, abi.Probes), len(m.probes)
		times := make([]float64, len(m.probes))
		for probe := range m.good {
			for i := range m.probes {
				times[i] = m.probes[i].probes[probe]
			}
			m.good[probe] = goodtime.LowerMode(times)
			if x := m.goodBefore(probe); x > 0 {
				m.good[probe] = math.Min(m.good[probe], x)
			}
		}
	}
	return m.good
}

// goodBefore returns the undisturbed time of a probe in an earlier calibration; 0 if unknown.
func (m *reference) goodBefore(probe int) float64 {
	if m.earlier == nil || m.earlier.Runs < profile.FewestWindows || len(m.earlier.Probes) != abi.Probes {
		return 0
	}
	return m.earlier.Probes[probe].Good
}

// repeats returns the relative variation between runs of the reference load, in this calibration or an earlier one. It
// is the possible error of a kernel that was measured in only one run.
func (m *reference) repeats() float64 {
	if m == nil {
		return 0
	}
	part, _ := m.earlier.Repeats()
	if r := m.summary(); r != nil {
		part = math.Max(part, r.Repeatability)
	}
	return part
}

// slow returns, for each probe, the logarithm of its time relative to its undisturbed time; 0 if unknown.
func (m *reference) slow(probes []float64) []float64 {
	out := make([]float64, abi.Probes)
	if m == nil || probes == nil {
		return out
	}
	good := m.undisturbedProbes()
	for i, x := range probes {
		if x > 0 && good[i] > 0 {
			out[i] = math.Log(x / good[i])
		}
	}
	return out
}

// summary returns the summary of the reference load for a profile; nil if it had no turns.
func (m *reference) summary() *profile.Reference {
	if len(m.probes) == 0 {
		return nil
	}
	r := &profile.Reference{Windows: len(m.probes), Distance: distances(m.distances)}
	good := m.undisturbedProbes()
	byRun := make(map[int][][]float64)
	for _, x := range m.probes {
		byRun[x.run] = append(byRun[x.run], m.slow(x.probes))
	}
	means := make([]float64, 0, len(byRun)) // by run: mean slowdown of all probes
	for _, list := range byRun {
		sum := 0.0
		for probe := range good {
			sum += medianProbe(list, probe)
		}
		means = append(means, sum/float64(len(good)))
	}
	r.Runs, r.Repeatability = len(means), spread(means)
	for probe, name := range goodtime.ProbeNames() {
		var medians []float64
		inGood := 0
		for _, list := range byRun {
			medians = append(medians, medianProbe(list, probe))
			for _, slow := range list {
				if slow[probe] <= goodtime.Near {
					inGood++
				}
			}
		}
		r.Probes = append(r.Probes, profile.Probe{Name: name, Good: good[probe], Spread: spread(medians),
			Undisturbed: float64(inGood) / float64(len(m.probes))})
	}
	return r
}

func medianProbe(list [][]float64, probe int) float64 {
	values := make([]float64, len(list))
	for i := range list {
		values[i] = list[i][probe]
	}
	return profile.MedianOf(values).Value
}

// spread returns half the width of the range of 95 % of the values, as a fraction. logs contains the logarithms of the
// values.
func spread(logs []float64) float64 {
	slices.Sort(logs)
	return math.Expm1((stat.Quantile(0.975, stat.Empirical, logs, nil) -
		stat.Quantile(0.025, stat.Empirical, logs, nil)) / 2)
}
