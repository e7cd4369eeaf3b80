package calibrate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/queueing/times"
)

// xopt times every firing of a kernel in separate runs of a separate program, so that this timing does not affect the
// service rate. The timing itself increases the times: their mean, without stalls, exceeds the mean of the windows.
// xopt subtracts this difference from all times.
const (
	timedRuns    = 2       // number of runs of a kernel
	timedFirings = 1 << 16 // number of firings that are stored for each run
	timedLog     = 1 << 17 // number of entries in a log, which is read every 10 ms
	// minTimed is the minimum number of consecutive timed firings in a row that counts.
	minTimed = 64
	// maxCost is the maximum cost of timing, as a fraction of the mean time. Above it, the times are too inaccurate.
	maxCost = 0.5
	// maxAtOnce is the maximum mean number of firings per measured time. Above it, the kernel releases several firings
	// at once, so that the times of single firings are unknown.
	maxAtOnce = 1.02
)

// timed contains the runs in which every firing is timed.
type timed struct {
	clean, rough []timedRun // runs without and with other processes on the processor
	runs         int
	why          string // reason why there are no times; "" if there are times
}

// timedRun contains the firing times of one run.
type timedRun struct {
	rows   [][]float64 // times of consecutive firings in s
	probes [][]float64 // times in s of the reference load's probes beside the windows
}

// undisturbedTimes returns the times of runs, divided by the slowdown of each run.
func undisturbedTimes(runs []timedRun, slowdown func(probes []float64) float64) [][]float64 {
	var all [][]float64
	for _, x := range runs {
		var by []float64
		for _, probes := range x.probes {
			by = append(by, slowdown(probes))
		}
		factor := 1.0
		if len(by) > 0 {
			factor = profile.MedianOf(by).Value
		}
		for _, row := range x.rows {
			row = slices.Clone(row)
			for i := range row {
				row[i] /= factor
			}
			all = append(all, row)
		}
	}
	return all
}

// time executes one run in which every firing is timed.
func (r *kernelRun) time(ctx context.Context, s *Session) error {
	d := s.design
	start := time.Now()
	defer func() { r.spent += time.Since(start) }()
	if r.each == nil {
		var err error
		tap := program.Tap{Kind: program.Service, Kernel: 0, Every: 1, Trace: timedLog}
		if r.each, err = s.buildVariant(ctx, r.kernel, where{}, tap); err != nil {
			return err
		}
	}
	m, err := r.each.run(ctx, r.windows)
	if err != nil {
		return fmt.Errorf("timing every firing: %w", err)
	}
	r.timed.runs++
	if x := m.Kernels[0]; float64(x.Firings) > maxAtOnce*float64(m.Taps[0].Total.Samples+m.Taps[0].Lost) {
		r.timed.why = "it releases the input of several firings at once (a source: it sends the output of several " +
			"firings at once)"
		return nil
	}
	x := timedRun{rows: inRows(m)}
	lost := 0
	windows := r.costs(d, r.each.program, m)
	for _, w := range windows {
		x.probes = append(x.probes, w.probes)
		if w.preempted() {
			lost++
		}
	}
	if lost > 0 {
		r.timed.rough = append(r.timed.rough, x)
	} else {
		r.timed.clean = append(r.timed.clean, x)
	}
	return nil
}

// inRows returns the times of a run without its first windows, divided at the gaps in the log.
func inRows(m *run.Measurement) [][]float64 {
	var list [][]float64
	var row []float64
	finish := func() {
		if len(row) >= minTimed {
			list = append(list, row)
		}
		row = nil
	}
	kept, next := 0, uint64(0)
	for i, f := range m.Frames {
		if i < warmUpWindows {
			continue
		}
		for _, e := range f.Logs[0] {
			if kept == timedFirings {
				break
			}
			if m.Taps[0].Lost > 0 && e.Index != next {
				finish()
			}
			row, next = append(row, e.Value), e.Index+1
			kept++
		}
	}
	finish()
	return list
}

// distribution returns the distribution of the firing times, or nil and the reason why there is none. service is the
// mean time of a firing from the windows, in s. slowdown returns the slowdown of the kernel for given times of the
// probes.
func (t *timed) distribution(service float64, slowdown func(probes []float64) float64) (_ *times.Distribution,
	why string) {
	rows, leftOut := undisturbedTimes(t.clean, slowdown), uint64(0)
	if len(rows) == 0 {
		rows, leftOut = withoutStalls(undisturbedTimes(t.rough, slowdown))
	}
	d := times.Of(rows...)
	d.LeftOut = leftOut
	switch {
	case t.why != "":
		return nil, t.why
	case t.runs == 0:
		return nil, "the time limit was reached"
	case d.Samples() < minTimed:
		return nil, "there were too few firings"
	}
	cost := steadyMean(rows) - service
	if !(service > 0) || cost > maxCost*d.Mean() {
		return nil, "its firings are too short to be timed one by one"
	}
	return d.Shifted(-cost), ""
}

// In a disturbed run, a firing longer than stalled times the mean contains a stall, if at most one firing in stallsOf
// is that long. During a stall, the processor executes another process.
const stalled, stallsOf = 20, 1000

// withoutStalls removes the firings with stalls from the times of disturbed runs. leftOut is the number of removed
// firings.
func withoutStalls(rows [][]float64) (_ [][]float64, leftOut uint64) {
	limit := stalled * steadyMean(rows)
	all, kept := 0, make([][]float64, 0, len(rows))
	for _, row := range rows {
		all += len(row)
		row = slices.DeleteFunc(slices.Clone(row), func(x float64) bool { return x > limit })
		kept = append(kept, row)
		leftOut -= uint64(len(row))
	}
	leftOut += uint64(all)
	if leftOut*stallsOf > uint64(all) {
		return rows, 0
	}
	return kept, leftOut
}

// steadyMean returns the median of the means of 50 pieces of the times. A stall affects only a few of the pieces.
func steadyMean(rows [][]float64) float64 {
	const pieces = 50
	n := 0
	for _, row := range rows {
		n += len(row)
	}
	var means []float64
	for _, row := range rows {
		for piece := range slices.Chunk(row, max(n/pieces, 1)) {
			means = append(means, stat.Mean(piece, nil))
		}
	}
	return profile.MedianOf(means).Value
}

// serviceTime returns the mean time of a firing in s, from the figures of a kernel; 0 if unknown.
func serviceTime(rate profile.Figure, firing *profile.Figure) float64 {
	if firing == nil || !(rate.Value > 0) {
		return 0
	}
	return firing.Value / rate.Value
}
