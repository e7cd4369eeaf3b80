package xsim

import (
	"context"

	"xopt/deploy/faults"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// FromTrace returns the times of kernels' firings in a recorded run, for Options.Times: the executions of the rules
// that the application implies. A kernel without such a rule uses its actual time on this machine. The notes name these
// kernels with the reasons.
func FromTrace(ctx context.Context, p *xlang.Program, t trace.Table) (times [][]uint64, notes []fault.Note, err error) {
	f, notes := xeval.Derive(p, t)
	times = make([][]uint64, len(p.Kernels))
	kernels := make([]int, len(f.Blocks))
	once := p.SentOnce()
	for i := range f.Blocks {
		kernels[i] = kernelNamed(p, f.Blocks[i].Name)
	}
	r, err := xeval.Evaluate(ctx, f, t, xeval.Options{Each: func(r *xeval.Run) error {
		k, b := kernels[r.Block], &f.Blocks[r.Block]
		if r.Output == xeval.NoOutput || len(times[k]) >= MaxRecorded {
			return nil
		}
		rule := &b.Rules[r.Rule]
		n, err := firingsOf(&p.Kernels[k], once[k], b, rule.Inputs[r.Input], rule.Outputs[r.Output])
		if err != nil {
			return err
		}
		times[k] = append(times[k], uint64(max(r.Execution(), 0)))
		times[k] = append(times[k], make([]uint64, n-1)...)
		return nil
	}})
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, r.Notes...)
	for i := range r.Blocks {
		for j := range r.Blocks[i].Rules {
			if r.Blocks[i].Rules[j].Unfit != "" {
				times[kernels[i]] = nil
			}
		}
	}
	switch here := untimed(p, times); {
	case len(here) == len(times):
		return nil, nil, faults.NoExecutions.Errorf("the trace contains no executions of any kernel: it may belong " +
			"to another application")
	case len(here) > 0:
		notes = append(notes, faults.TimesOfHere.Notef("%s", ownTimesNote(here)))
	}
	return times, notes, nil
}
