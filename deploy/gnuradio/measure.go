package gnuradio

import (
	"context"
	"errors"
	"runtime"
	"time"

	"xopt/deploy/faults"
	"xopt/internal/units"
)

// Settings of the measurement.
const (
	warmup       = 500 * time.Millisecond // fills buffers and caches
	maxMissing   = 4                      // a gain is unknown if 1/maxMissing of its windows have no items
	rounds       = 16                     // windows of each setting in a run: short windows share the machine's state
	processPairs = 4                      // runs of each setting with which the graph starts
	largeBuffer  = 128 << 10              // bytes; GNU Radio's default is 32 KiB
	smallCall    = 256                    // items; by default, half of a buffer, such as 2048 complex numbers

	// Windows of a run of a setting with which the graph starts. Two processes differ by more than their windows.
	processWindows = 6

	// The confirmation of a trial ends if half of the interval of its gain is below preciseGain.
	confirmed          = 2 // maximum number of trials
	minPairs, maxPairs = 6, 16
	preciseGain        = 0.05
)

// Measure runs a flow graph and measures its blocks. It then tries pinnings, larger buffers and shorter work calls in
// turns with the unchanged graph. If ctx ends during the trials, Measure returns the measurement so far, with a note.
// When it returns, all processes have ended, and no files remain except files that the graph writes.
func Measure(ctx context.Context, g *FlowGraph, o Options) (_ *Measurement, err error) {
	started := time.Now()
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	mod, err := l.compile(ctx, g)
	if err != nil {
		return nil, err
	}
	o.step("measuring the blocks")
	p := o.plan(rounds)
	p.Counters = true
	counted, err := l.run(ctx, mod, p)
	if err != nil {
		return nil, err
	}
	m := newMeasurement(g, counted, o)
	m.Figures = figures(m.Blocks, counted.Windows, counted.Windows) // until the windows without counters
	load := Load{Processors: float64(len(m.CPUs))}
	for i := range m.Figures {
		load.Shares = append(load.Shares, m.Figures[i].Share.Mean)
	}
	trials := newGroups(m.Blocks, m.Edges, load).trials(m.CPUs)
	p.Counters = false
	for i := range trials {
		p.Variants = append(p.Variants, variantOf(&trials[i], m.Blocks))
	}
	o.step("trying %s in turns with the unchanged graph", units.Counted(len(trials), "pinning", "pinnings"))
	plain, err := l.run(ctx, mod, p)
	if err != nil {
		return nil, err
	}
	m.add(counted, plain, trials)
	err = l.examine(ctx, mod, m, counted.Windows)
	m.Seconds = time.Since(started).Seconds()
	if err != nil && ctx.Err() != nil {
		m.Interrupted = true
		m.Notes = append(m.Notes, faults.MeasurementInterrupted.Notef("interrupted before all settings were tried: "+
			"the advice contains only settings confirmed before the interrupt"))
		return m, nil
	}
	return m, err
}

// examine slows blocks, tries the settings with which a graph starts, confirms the best setting, and separates the cost
// of items from the cost of work calls. counted contains the windows with counters and GNU Radio's buffers.
func (l *lab) examine(ctx context.Context, mod *module, m *Measurement, counted []Window) error {
	if runtime.GOARCH == "amd64" && len(m.Hardware) == 0 { // machine code of the runner; hardware may need its samples
		x, err := l.slow(ctx, mod, m)
		if err != nil {
			return err
		}
		m.Slowed = x.Cases
	}
	if err := l.tryProcesses(ctx, mod, m); err != nil {
		return err
	}
	if err := l.confirm(ctx, mod, m); err != nil {
		return err
	}
	p := l.options.plan(rounds)
	p.Counters, p.Rounds, p.MinOutBuf = true, 2, largeBuffer
	large, err := l.run(ctx, mod, p)
	if err != nil {
		return err
	}
	m.separate(counted, large.Windows)
	return nil
}

// newMeasurement returns a measurement with the structure of the graph.
func newMeasurement(g *FlowGraph, r *record, o Options) *Measurement {
	m := &Measurement{GNURadio: r.GNURadio, Python: r.Python, FlowGraph: g.Path, SHA256: g.SHA256, CPUs: r.CPUs,
		Headless: o.Headless, Unthrottled: o.Unthrottle, Replaced: r.Replaced, Blocks: r.Blocks, Edges: r.Edges,
		Messages: r.Messages, Notes: g.Notes}
	if len(r.Replaced) == 0 {
		m.Hardware = g.hardware()
	}
	m.fillSizes()
	m.Sink = chooseSink(r.Blocks, r.Windows)
	var unknown []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; !b.Thread {
			unknown = append(unknown, b.Label())
		}
	}
	if len(unknown) > 0 {
		const maxNamed = 3
		m.Notes = append(m.Notes, faults.ThreadUnknown.Notef("the threads of %s are not identified; their processor "+
			"time counts as 0", units.Some(unknown, maxNamed)))
	}
	if n := len(r.Messages); n > 0 {
		m.Notes = append(m.Notes, faults.MessagesIgnored.Notef("the model ignores %s",
			units.Counted(n, "message connection", "message connections")))
	}
	return m
}

// add adds the figures of the runs with and without counters, and the results of the pinnings.
func (m *Measurement) add(counted, plain *record, trials []Trial) {
	windows := byVariant(plain, 1+len(trials))
	base := windows[0]
	m.Figures = figures(m.Blocks, counted.Windows, base)
	m.fillRates()
	for i := range base {
		shares := make([]float64, len(m.Blocks))
		for k := range m.Blocks {
			shares[k] = base[i].Blocks[m.Blocks[k].UID].CPU / base[i].Seconds
		}
		m.Shares = append(m.Shares, shares)
	}
	m.Others, m.Unassigned = othersIn(base), unassigned(base)
	rates := m.Sink.rates(base)
	m.Rate = estimate(rates)
	for i := range trials {
		t := trials[i]
		t.Rates = m.Sink.rates(windows[1+i])
		logs := logRatios(t.Rates, rates)
		if missing := len(rates) - len(logs); missing > len(rates)/maxMissing {
			m.Notes = append(m.Notes, faults.TrialOmitted.Notef("no item reached %s in %d of %d pairs of windows with "+
				"%s, so its gain is unknown (use a longer --run-time)", m.Sink.Name, missing, len(rates), t.Name))
		} else if len(logs) > 1 {
			t.Gain = gains(logs)
			m.Trials = append(m.Trials, t)
		}
	}
}

// start is a setting with which a graph starts.
type start struct {
	counters bool
	Trial
}

// tryProcesses runs the graph in turns unchanged, with performance counters and, unless the rate is fixed, with larger
// output buffers and with shorter work calls. Smaller buffers than GNU Radio's lose 35 to 65 % of the rate (9 random
// graphs of bench/flowgraphs with 8 KiB), and are not tried. These settings take effect when the graph starts, so each
// run is a separate process.
func (l *lab) tryProcesses(ctx context.Context, mod *module, m *Measurement) error {
	starts := []start{{}, {counters: true}, {Trial: Trial{Name: "buffers", MinBytes: largeBuffer}},
		{Trial: Trial{Name: "calls", MaxNouts: smallCall}}}
	if m.Limit().Kind.IsFixed() {
		m.Trials, starts = nil, starts[:2]
	}
	rates := make([][]float64, len(starts))
	for i := range processPairs {
		l.options.step("trying larger buffers and shorter work calls, round %d of %d", i+1, processPairs)
		if err := l.addRates(ctx, mod, m, starts, rates); err != nil {
			return err
		}
	}
	for k := range starts {
		logs := logRatios(rates[k], rates[0])
		switch {
		case len(logs) < 2:
		case starts[k].counters:
			m.Cost = gains(logs)
		case starts[k].Name != "":
			t := starts[k].Trial
			t.Gain, t.Rates = gains(logs), rates[k]
			m.Trials = append(m.Trials, t)
		}
	}
	return nil
}

// addRates runs the graph once with each setting, in a process of its own, and appends the rates in items/s. The order
// rotates with the number of rates, so that no setting is always first.
func (l *lab) addRates(ctx context.Context, mod *module, m *Measurement, starts []start, rates [][]float64) error {
	first := len(rates[0])
	for k := range starts {
		k = (k + first) % len(starts)
		s := &starts[k]
		p := l.options.plan(rounds)
		p.Counters, p.MinOutBuf, p.MaxNouts, p.Rounds = s.counters, s.MinBytes, s.MaxNouts, processWindows
		p.Variants[0] = variantOf(&s.Trial, m.Blocks)
		r, err := l.run(ctx, mod, p)
		if err != nil {
			return err
		}
		rates[k] = append(rates[k], estimate(m.Sink.rates(r.Windows)).Mean)
	}
	return nil
}

// confirm repeats promising trials with new runs until one of them is worthwhile. The best of several trials gains less
// in new runs, because chance contributed to its rank. Besides, threads that were pinned in a preceding window of the
// same process are slower at first than those of a new process. The new gain replaces that of the trial.
func (l *lab) confirm(ctx context.Context, mod *module, m *Measurement) error {
	if m.Others > MaxOthers {
		return nil
	}
	for range confirmed {
		t := m.promising()
		if t == nil {
			return nil
		}
		starts, rates := []start{{}, {Trial: *t}}, make([][]float64, 2)
		for !t.Confirmed {
			n := len(rates[0])
			l.options.step("confirming %s, pair %d of at most %d", t.Name, n+1, maxPairs)
			if err := l.addRates(ctx, mod, m, starts, rates); err != nil {
				return err
			}
			t.Gain, t.Rates = gains(logRatios(rates[1], rates[0])), rates[1]
			t.Confirmed = t.isDecided(n + 1)
		}
		if m.Best() != nil {
			return nil
		}
	}
	return nil
}

// isDecided reports whether the gain of a trial is precise enough, or too small, after a number of pairs of new runs.
func (t *Trial) isDecided(pairs int) bool {
	return pairs >= maxPairs || pairs >= minPairs && (t.Gain.High-t.Gain.Low < 2*preciseGain || t.Gain.High < Worth)
}

// promising returns the unconfirmed trial with the largest gain whose interval excludes a loss; nil if there is none.
func (m *Measurement) promising() *Trial {
	var best *Trial
	for i := range m.Trials {
		t := &m.Trials[i]
		if !t.Confirmed && t.Gain.Mean > Worth && t.Gain.Low > 0 && (best == nil || t.Gain.Mean > best.Gain.Mean) {
			best = t
		}
	}
	return best
}

// separate divides the processor time of an item into a cost per item, a, and a cost per work call, c: time = a + c /
// (items of a call). It uses the counters of runs with two sizes of buffers.
func (m *Measurement) separate(small, large []Window) {
	const minRatio = 1.5 // minimum ratio of the items per call: below it, noise dominates the difference
	for i := range m.Blocks {
		uid := m.Blocks[i].UID
		t1, n1 := perCall(uid, small)
		t2, n2 := perCall(uid, large)
		if n1 <= 0 || n2 < minRatio*n1 {
			continue
		}
		if c := (t1 - t2) / (1/n1 - 1/n2); c > 0 && t1-c/n1 > 0 {
			m.Figures[i].ItemCost, m.Figures[i].CallCost = t1-c/n1, c
		}
	}
}

// perCall returns the processor time of an item, and the items of a work call, of a block with counters.
func perCall(uid string, windows []Window) (seconds, items float64) {
	calls := 0.
	for i := range windows {
		u := windows[i].Blocks[uid]
		n := 0.
		for _, x := range [][]float64{u.Read, u.Written} {
			if n == 0 && len(x) > 0 {
				n = x[0]
			}
		}
		if u.Call > 0 && n > 0 {
			seconds, items, calls = seconds+u.CPU, items+n, calls+u.Work/u.Call
		}
	}
	if items == 0 || calls == 0 {
		return 0, 0
	}
	return seconds / items, items / calls
}
