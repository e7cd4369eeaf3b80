package gnuradio

import (
	"context"
	"errors"
	"time"

	"xopt/deploy/faults"
	"xopt/internal/units"
)

// Settings of the measurement.
const (
	warmup       = 500 * time.Millisecond // fills buffers and caches
	rounds       = 16                     // windows of each setting in a run: short windows share the machine's state
	processPairs = 4                      // runs of each setting that takes effect when the graph starts
	largeBuffer  = 128 << 10              // bytes; GNU Radio's default is 32 KiB
	smallCall    = 256                    // items; by default, half of a buffer, such as 2048 complex numbers
)

// Measure runs a flow graph and measures its blocks. It then tries pinnings, larger buffers and shorter work calls in
// turns with the unchanged graph. When it returns, all processes have ended, and no files remain except files that the
// graph writes.
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
	load := Load{Processors: float64(len(m.CPUs))}
	for i := range m.Blocks {
		load.Shares = append(load.Shares, estimate(sharesOf(m.Blocks[i].UID, counted.Windows)).Mean)
	}
	trials := newGroups(m.Blocks, m.Edges, load).trials(m.CPUs)
	p.Counters = false
	for i := range trials {
		p.Variants = append(p.Variants, variantOf(&trials[i], m.Blocks))
	}
	o.step("trying %d pinnings in turns with the unpinned graph", len(trials))
	plain, err := l.run(ctx, mod, p)
	if err != nil {
		return nil, err
	}
	m.add(counted, plain, trials)
	if err := l.tryProcesses(ctx, mod, m, p.Window); err != nil {
		return nil, err
	}
	large, err := l.run(ctx, mod, plan{Counters: true, Warmup: warmup.Seconds(), Window: p.Window, Rounds: 2,
		Variants: []variant{{}}, MinOutBuf: largeBuffer})
	if err != nil {
		return nil, err
	}
	m.separate(counted.Windows, large.Windows)
	m.Seconds = time.Since(started).Seconds()
	return m, nil
}

// newMeasurement returns a measurement with the structure of the graph.
func newMeasurement(g *FlowGraph, r *record, o Options) *Measurement {
	m := &Measurement{GNURadio: r.GNURadio, Python: r.Python, FlowGraph: g.Path, SHA256: g.SHA256, CPUs: r.CPUs,
		Headless: o.Headless, Unthrottled: o.Unthrottle, Replaced: r.Replaced, Blocks: r.Blocks, Edges: r.Edges,
		Messages: r.Messages, Notes: g.Notes}
	if len(r.Replaced) == 0 {
		m.Hardware = g.hardware()
	}
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
	for i := range base {
		shares := make([]float64, len(m.Blocks))
		for k := range m.Blocks {
			shares[k] = base[i].Blocks[m.Blocks[k].UID].CPU / base[i].Seconds
		}
		m.Shares = append(m.Shares, shares)
	}
	m.Others = mean(base, func(w *Window) float64 { return w.Others / w.Seconds })
	rates := m.Sink.rates(base)
	m.Rate = estimate(rates)
	for i := range trials {
		t := trials[i]
		t.Rates = m.Sink.rates(windows[1+i])
		if logs := logRatios(t.Rates, rates); len(logs) > 1 {
			t.Gain = gains(logs)
			m.Trials = append(m.Trials, t)
		}
	}
}

// start is a setting that takes effect when a graph starts.
type start struct {
	counters bool
	Trial    // larger buffers or shorter work calls
}

// tryProcesses runs the graph in turns unchanged, with performance counters and, unless the rate is fixed, with larger
// output buffers and with shorter work calls. Smaller buffers than GNU Radio's lose 35 to 65 % of the rate (9 random
// graphs of bench/flowgraphs with 8 KiB), and are not tried. These settings take effect when the graph starts, so each
// run is a process of its own.
func (l *lab) tryProcesses(ctx context.Context, mod *module, m *Measurement, window float64) error {
	const windows = 3
	starts := []start{{}, {counters: true}, {Trial: Trial{Name: "buffers", MinBytes: largeBuffer}},
		{Trial: Trial{Name: "calls", MaxNouts: smallCall}}}
	if m.Limit().Kind.IsFixed() {
		m.Trials, starts = nil, starts[:2]
	}
	rates := make([][]float64, len(starts))
	for i := range processPairs {
		l.options.step("trying larger buffers and shorter work calls, round %d of %d", i+1, processPairs)
		for k := range starts {
			k = (k + i) % len(starts) // no setting is always first
			r, err := l.run(ctx, mod, plan{Counters: starts[k].counters, Warmup: warmup.Seconds(), Window: window,
				Rounds: windows, Variants: []variant{{}}, MinOutBuf: starts[k].MinBytes,
				MaxNouts: starts[k].MaxNouts})
			if err != nil {
				return err
			}
			rates[k] = append(rates[k], estimate(m.Sink.rates(r.Windows)).Mean)
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
