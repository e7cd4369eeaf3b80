package elsewhere

import (
	"cmp"
	"context"
	"slices"

	"xopt/calibrate/faults"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Outcome contains the figures computed from a trace, with notes.
type Outcome struct {
	Kernels []Figures
	Seen    []fault.Note // notes about the trace, and about how rules match it
	Notes   []fault.Note // notes about the figures
}

// FromTrace evaluates rules on a trace, and creates a profile entry for each kernel. If rules is nil, it uses the rules
// that the application implies.
func FromTrace(ctx context.Context, p *xlang.Program, t trace.Table, rules *xeval.File, o Options) (*Outcome, error) {
	x := new(Outcome)
	if o.Implied = rules == nil; o.Implied {
		rules, x.Seen = xeval.Derive(p, t)
		if len(rules.Blocks) == 0 {
			return x, faults.NoRuleFits.Usagef("no kernel of the application has a rule that fits this trace; set " +
				"--rules FILE.smx")
		}
	}
	r, err := xeval.Evaluate(ctx, rules, t, xeval.Options{})
	if err != nil {
		return x, err
	}
	if x.Kernels, x.Notes, err = Kernels(p, t, rules, r, o); err != nil {
		return x, fault.Usage(err)
	}
	x.Seen, x.Notes = append(x.Seen, r.Notes...), append(x.Notes, undeclared(p, x.Kernels)...)
	return x, nil
}

// AddTo adds the figures of kernels to a profile, and returns the number of added kernels.
func AddTo(to *profile.Profile, list []Figures) (added int) {
	for i := range list {
		if list[i].ServiceRate == nil {
			continue
		}
		added++
		for _, k := range list[i].Entries() {
			to.Kernels = replaced(to.Kernels, k)
		}
	}
	return added
}

// undeclared returns notes about kernels with figures for platforms on which they have no implementation, because no
// mapping uses these figures.
func undeclared(p *xlang.Program, list []Figures) (notes []fault.Note) {
	for i := range list {
		f := &list[i]
		chain := p.Ancestors(f.Platform)
		declared := slices.ContainsFunc(p.Impls, func(x xlang.Impl) bool {
			return x.Block == f.Block && slices.Contains(chain, x.Platform)
		}) || slices.ContainsFunc(p.Figures, func(x xlang.Figure) bool {
			return (x.Block == f.Block || x.Block == f.Instance) && (x.Resource == f.Resource ||
				x.OnPlatform && slices.Contains(chain, x.Resource))
		})
		if !declared && f.ServiceRate != nil {
			notes = append(notes, faults.PlatformNotDeclared.Notef("no X file states that %s can run on %s, so no "+
				"mapping can use its figures: add platform %s { impl %s; }; (a source is not necessary)",
				f.Instance, cmp.Or(f.On, f.Resource, f.Platform), f.Platform, f.Block))
		}
	}
	return notes
}

// replaced replaces the entry with k's instance, platform and resource by k, or appends k if there is none.
func replaced(list []profile.Kernel, k profile.Kernel) []profile.Kernel {
	for i := range list {
		x := &list[i]
		if x.Instance == k.Instance && x.Platform == k.Platform && x.Resource == k.Resource {
			list[i] = k
			return list
		}
	}
	return append(list, k)
}
