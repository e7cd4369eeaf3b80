package measure

import (
	"xopt/deploy/program"
	"xopt/deploy/timetrial"
)

// Limits of the log of a measurement of signals: how many changes it has where that is not said, and how many lie in
// shared memory until they are read.
const (
	defaultChanges = 10_000
	changesAtOnce  = 1 << 14
)

// signalProbe plans a measurement of signals: their values in every cycle.
func (p *Plan) signalProbe(m *timetrial.Measurement) probe {
	x := probe{boundary: -1}
	for _, s := range m.Target.Probe.Signals() {
		if name := p.program.Kernels[s.Kernel].Name; !p.options.FPGAs.has(s.Kernel) {
			p.fail(s.Expr.Pos, "nearest: measure util or value at an edge of it",
				"%s: the mapping has %s on a core, and signals are of kernels on FPGAs", s.Text, name)
		}
	}
	if p.options.Frame > 0 {
		p.fail(m.Pos, inTime, "signals at %s in frames of elements: an FPGA has frames of time", m.Target.Text)
	}
	t := p.quantity(m)
	switch {
	case m.Type == timetrial.Util:
	case m.Statistic == timetrial.Hist:
		t.Histogram = &program.Bins{Low: m.Params.Low, Width: m.Params.Width, N: m.Params.Bins}
	case m.Statistic == timetrial.Trace:
		t.Most = defaultChanges
		if n := m.Params.Entries; n > 0 {
			t.Most, t.Ring = uint64(n), n
		}
		t.Trace = int(min(t.Most, changesAtOnce))
	}
	x.sources = []source{{tap: p.addTap(t), held: -1, with: -1}}
	return x
}
