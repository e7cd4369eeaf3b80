package validate

import (
	"errors"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// Apply returns a profile with the learned figures and their origin.
func (r *Refinement) Apply(p *profile.Profile, d *design.Design, from []string) (*profile.Profile, error) {
	out := *p
	out.Kernels, out.Sharing = slices.Clone(p.Kernels), slices.Clone(p.Sharing)
	for i := range r.Learned {
		l := &r.Learned[i]
		if l.Part == flow.Switching {
			l.applySwitching(&out, d, from)
			continue
		}
		k := l.entry(&out, d)
		if k == nil || k.ServiceRate == nil {
			return nil, faults.ProfileWithoutRate.Errorf("the profile has no separate service rate of %s on %s to "+
				"refine (calibrate this kernel)", l.Kernel, l.Platform)
		}
		switch l.Part {
		case flow.Compute:
			l.applyOwn(k, from)
		case flow.CoLocation:
			k.CoLocationCost = l.figure(k.CoLocationCost, from)
		case flow.Receiving:
			k.ReceiveCost = l.figure(k.ReceiveCost, from)
		case flow.Sending:
			k.SendCost = l.figure(k.SendCost, from)
		}
	}
	if err := out.Validate(); err != nil {
		return nil, errors.Join(errors.New("the refined profile is not valid"), err)
	}
	return &out, nil
}

// entry returns the kernel's entry in a profile; nil if there is none. It splits an entry that applies to an entire
// block, so that other kernels keep their figures.
func (l *Learned) entry(out *profile.Profile, d *design.Design) *profile.Kernel {
	at := slices.IndexFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Name == l.Kernel })
	i := slices.IndexFunc(out.Kernels, func(k profile.Kernel) bool {
		return k.Instance == l.Kernel && k.Platform == l.Platform && k.Resource == ""
	})
	if i < 0 {
		i = slices.IndexFunc(out.Kernels, func(k profile.Kernel) bool {
			return k.Instance == "" && k.Block == d.Program.Kernels[at].Block && k.Platform == l.Platform &&
				k.Resource == ""
		})
		if i < 0 {
			return nil
		}
		one := out.Kernels[i]
		one.Instance = l.Kernel
		out.Kernels = append(out.Kernels, one)
		i = len(out.Kernels) - 1
	}
	return &out.Kernels[i]
}

// figure returns the learned cost as a figure.
func (l *Learned) figure(was *profile.Figure, from []string) *profile.Figure {
	f := &profile.Figure{Value: l.Is, N: l.Runs, CI95: [2]float64{l.Low, l.High}, Refined: slices.Clone(from)}
	if was != nil {
		f.Refined = append(slices.Clone(was.Refined), from...)
	}
	return f
}

// applyOwn sets the learned service rate of a kernel.
func (l *Learned) applyOwn(k *profile.Kernel, from []string) {
	was, factor, low, high := k.ServiceRate.Value, l.Factor(), l.Low/l.Was, l.High/l.Was
	k.ServiceRate = &profile.Figure{Value: was / factor, N: l.Runs, CI95: [2]float64{was / high, was / low}}
	x := profile.Refined{From: slices.Clone(from), Factor: factor, Interval: [2]float64{low, high},
		Mappings: l.Mappings}
	if y := k.Refined; y != nil {
		x.From = append(slices.Clone(y.From), from...)
		x.Factor *= y.Factor
		x.Interval = [2]float64{low * y.Factor, high * y.Factor}
	}
	k.Refined = &x
}

// applySwitching sets the switching cost of a platform for the deployment of its cores.
func (l *Learned) applySwitching(out *profile.Profile, d *design.Design, from []string) {
	config := d.Program.Resources[l.resource].Config
	want := profile.Sharing{Platform: l.Platform, Processes: config["processes"].Text, Wait: config["wait"].Text,
		Scheduler: config["scheduler"].Text, Model: flow.Conserving.String()}
	i := slices.IndexFunc(out.Sharing, func(s profile.Sharing) bool {
		return s.Platform == want.Platform && s.Processes == want.Processes && s.Wait == want.Wait &&
			s.Scheduler == want.Scheduler
	})
	if i < 0 {
		out.Sharing = append(out.Sharing, want)
		i = len(out.Sharing) - 1
	}
	out.Sharing[i].SwitchCost = l.figure(out.Sharing[i].SwitchCost, from)
	if !(l.Was > 0) {
		return
	}
	for k := range out.Kernels {
		x := &out.Kernels[k]
		if x.Platform != l.Platform || x.SwitchCost == nil || !(x.SwitchCost.Value > 0) {
			continue
		}
		own := Learned{Is: x.SwitchCost.Value * l.Is / l.Was, Low: x.SwitchCost.Value * l.Low / l.Was,
			High: x.SwitchCost.Value * l.High / l.Was, Runs: l.Runs}
		x.SwitchCost = own.figure(x.SwitchCost, from)
	}
}
