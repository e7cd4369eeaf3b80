package report

import (
	"cmp"

	"xopt/calibrate/elsewhere"
	"xopt/deploy/trace"
)

// Elsewhere is the figures that a trace which was recorded elsewhere has of kernels, with their waits.
func Elsewhere(list []elsewhere.Figures, h *trace.Header) *Table {
	t := &Table{ID: "elsewhere", Title: "Kernels, " + h.Origin, Columns: []Column{name("kernel"), name("on"),
		name("rule").fold(50), number("runs"), rate("μ alone"), number("scv"), number("gain"), time("execution"),
		time("wait").about("mean time from when all inputs of a run are available until the last is taken")}}
	for i := range list {
		f := &list[i]
		on := cmp.Or(f.On, f.Resource, f.Platform)
		mu, scv, gain := dash(), dash(), dash()
		if f.ServiceRate != nil {
			mu, scv = figure(f.ServiceRate.Value).from(trace.OriginWord(f.Elsewhere)), digits(f.ServiceSCV.Value, 3)
		}
		if f.Gain != nil {
			gain = digits(f.Gain.Value, 4)
		}
		took := dash()
		if f.Took.N > 0 {
			took = figure(f.Took.Mean)
		}
		t.add(text(f.Instance), text(on), text(f.Rule), whole(f.Runs), mu, scv, gain, took, figure(f.Wait.Mean))
	}
	return t.scaled()
}
