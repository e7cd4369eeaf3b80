package flow

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"xopt/flow/faults"
)

// routingSumTolerance is the permitted deviation of a kernel's routing sum from 1, for fractions that are printed with
// six digits.
const routingSumTolerance = 1e-5

// Validate returns a joined error with all invalid values of the problem, or nil. Each error wraps [ErrInvalid].
// [NewFlows] detects cycles; Validate does not.
func (p *Problem) Validate() error {
	v := validator{}
	v.application(&p.Application)
	v.architecture(&p.Architecture)
	if v.figures(p); len(v.errs) == 0 && len(p.Application.Kernels) > 1 {
		v.firings(p)
	}
	if p.MaxUtilization < 0 || p.MaxUtilization > 1 || math.IsNaN(p.MaxUtilization) {
		v.addf("maximum utilization is %g, expected a value in (0, 1]", p.MaxUtilization)
	}
	return errors.Join(v.errs...)
}

// maxUtilization returns φ, or its default.
func (p *Problem) maxUtilization() float64 {
	if p.MaxUtilization == 0 {
		return DefaultMaxUtilization
	}
	return p.MaxUtilization
}

type validator struct{ errs []error }

func (v *validator) addf(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
}

func (v *validator) application(a *Application) {
	if len(a.Kernels) == 0 {
		v.addf("application %s has no kernels", a.Name)
	}
	names := make(map[string]bool, len(a.Kernels))
	for _, k := range a.Kernels {
		if names[k.Name] {
			v.addf("two kernels are named %s", k.Name)
		}
		names[k.Name] = true
		if !(k.Gain >= 0) || math.IsInf(k.Gain, 0) {
			v.addf("kernel %s has gain %g, expected a finite value of at least 0", k.Name, k.Gain)
		}
	}
	routing := make([]float64, len(a.Kernels))
	hasOut, hasIn := make([]bool, len(a.Kernels)), make([]bool, len(a.Kernels))
	for _, e := range a.Edges {
		if e.From < 0 || e.From >= len(a.Kernels) || e.To < 0 || e.To >= len(a.Kernels) {
			v.addf("edge %s connects the kernels with indices %d and %d, expected 0 to %d", e.Name, e.From, e.To,
				len(a.Kernels)-1)
			continue
		}
		if !(e.ElementBytes > 0) || math.IsInf(e.ElementBytes, 0) {
			v.addf("edge %s has elements of %g bytes, expected a positive size", e.Name, e.ElementBytes)
		}
		if e.Initial < 0 {
			v.addf("edge %s has %d initial elements, expected at least 0", e.Name, e.Initial)
		}
		if !(e.Routing >= 0 && e.Routing <= 1) {
			v.addf("edge %s has routing fraction %g, expected a value in [0, 1]", e.Name, e.Routing)
		}
		if !e.Copy {
			routing[e.From] += e.Routing
		}
		hasOut[e.From], hasIn[e.To] = true, true
	}
	once, sources := "", 0
	for i, k := range a.Kernels {
		if k.Turns != 0 && (!(k.Turns > 0) || math.IsInf(k.Turns, 0) || hasIn[i] || k.First < 0 ||
			k.First >= len(a.Kernels) || hasIn[k.First] || !(a.Kernels[k.First].Turns > 0)) {
			v.addf("kernel %s has %g turns, but only copies of a source have turns", k.Name, k.Turns)
		}
		switch {
		case k.Preload && hasIn[i]:
			v.addf("kernel %s has inputs and sends only once, but only sources can send once", k.Name)
		case k.Preload:
			once = k.Name
		case !hasIn[i]:
			sources++
		}
	}
	if once != "" && sources == 0 && !slices.Contains(Feedback(a), true) {
		v.addf("no data flows in the steady state, because the only source, %s, sends once (add another source)", once)
	}
	for i, k := range a.Kernels {
		if hasOut[i] && math.Abs(routing[i]-1) > routingSumTolerance {
			v.addf("routing fractions of kernel %s sum to %.6g, expected 1", k.Name, routing[i])
		}
		v.joins(a, i)
	}
}

func (v *validator) joins(a *Application, kernel int) {
	k := &a.Kernels[kernel]
	seen := make(map[int]bool)
	for _, j := range k.Joins {
		for _, port := range j.Ports {
			if !(port.Bytes > 0) || math.IsInf(port.Bytes, 0) {
				v.addf("join of kernel %s consumes %g bytes of %s, expected a positive size", k.Name, port.Bytes,
					port.Name)
			}
			for _, e := range port.Edges {
				switch {
				case e < 0 || e >= len(a.Edges) || a.Edges[e].To != kernel:
					v.addf("join of kernel %s contains edge %d, which does not end at this kernel", k.Name, e)
				case seen[e]:
					v.addf("edge %s is in two joins of kernel %s", a.Edges[e].Name, k.Name)
				}
				seen[e] = true
			}
		}
	}
}

func (v *validator) architecture(a *Architecture) {
	if len(a.Resources) == 0 {
		v.addf("architecture %s has no resources", a.Name)
	}
	names := make(map[string]bool)
	for _, r := range a.Resources {
		if names[r.Name] {
			v.addf("two resources are named %s", r.Name)
		}
		names[r.Name] = true
		if r.Sharing.Rule == Bulk {
			v.addf("resource %s has the sharing rule bulk, which applies only to links", r.Name)
		}
		v.sharing(r.Name, r.Sharing)
		if r.Sharing.Rule == AreaOnly && r.Sharing.SwitchCost > 0 {
			v.addf("resource %s has a switch cost, but kernels that share area do not switch (remove the cost)", r.Name)
		}
		for kind, have := range r.Area {
			if !(have >= 0) {
				v.addf("resource %s has %g %s, expected at least 0", r.Name, have, AreaKind(kind))
			}
		}
	}
	for _, l := range a.Links {
		if names[l.Name] {
			v.addf("two resources or links are named %s", l.Name)
		}
		names[l.Name] = true
		if !InRange(l.Bandwidth) {
			v.addf("link %s has bandwidth %g bytes/s, expected a value from %g to %g", l.Name, l.Bandwidth, MinFigure,
				MaxFigure)
		} else if !(l.Bandwidth > 0) {
			v.addf("link %s has bandwidth %g bytes/s, expected a positive value", l.Name, l.Bandwidth)
		}
		if l.Sharing.Rule == AreaOnly {
			v.addf("link %s has the sharing rule area, which applies only to resources", l.Name)
		}
		v.sharing(l.Name, l.Sharing)
		v.delays(&l)
		for _, r := range l.Endpoints {
			if r < 0 || r >= len(a.Resources) {
				v.addf("link %s connects the resource with index %d, expected 0 to %d", l.Name, r, len(a.Resources)-1)
			}
		}
	}
}

func (v *validator) sharing(name string, s Sharing) {
	for _, q := range []struct {
		what  string
		value float64
	}{{"switch cost", s.SwitchCost}, {"transfer cost", s.TransferCost}, {"transfer size", s.TransferBytes}} {
		if !(q.value >= 0) || math.IsInf(q.value, 0) {
			v.addf("%s of %s is %g, expected a finite value of at least 0", q.what, name, q.value)
		}
	}
}

// delays checks the delays and the flush time of a link, and the work of cores for its data.
func (v *validator) delays(l *Link) {
	for _, q := range []struct {
		what  string
		value float64
	}{{"latency", l.Latency}, {"jitter", l.Jitter}, {"return time", l.Return}, {"jitter of the return path",
		l.ReturnJitter}, {"flush time", l.Flush}} {
		if !(q.value >= 0) || math.IsInf(q.value, 0) {
			v.addf("%s of %s is %g s, expected a finite value of at least 0", q.what, l.Name, q.value)
		}
	}
	for _, x := range []float64{l.Sends.PerByte, l.Sends.PerElement, l.Receives.PerByte, l.Receives.PerElement} {
		if !(x >= 0) || math.IsInf(x, 0) {
			v.addf("the processor cost of data on %s is %g s, expected a finite value of at least 0", l.Name, x)
		}
	}
	if l.Flush > 0 && l.Sharing.TransferBytes == 0 {
		v.addf("link %s has a flush time but no bulk (set its bulk, or remove the flush time)", l.Name)
	}
}

// firings rejects a switch cost for kernels with unknown firings.
func (v *validator) firings(p *Problem) {
	streams := make([]bool, len(p.Application.Kernels))
	for _, e := range p.Application.Edges {
		if e.From >= 0 && e.From < len(streams) && e.To >= 0 && e.To < len(streams) {
			streams[e.From], streams[e.To] = true, true
		}
	}
	for k := range streams {
		for r := range p.Architecture.Resources {
			if res := &p.Architecture.Resources[r]; !streams[k] && res.Sharing.SwitchCost > 0 &&
				p.Figures[k][r].Available {
				v.addf("resource %s has a switch cost per firing, but the firing rate of kernel %s is unknown, "+
					"because it has no streams (connect the kernel, or forbid it on this resource)",
					res.Name, p.Application.Kernels[k].Name)
			}
		}
	}
}

func (v *validator) figures(p *Problem) {
	if len(p.Figures) != len(p.Application.Kernels) {
		v.addf("the problem has figures for %d kernels, expected %d", len(p.Figures), len(p.Application.Kernels))
		return
	}
	for i, row := range p.Figures {
		name := p.Application.Kernels[i].Name
		if len(row) != len(p.Architecture.Resources) {
			v.addf("kernel %s has figures for %d resources, expected %d", name, len(row), len(p.Architecture.Resources))
			continue
		}
		for r, f := range row {
			if !f.Available {
				continue
			}
			where := p.Architecture.Resources[r].Name
			if !(f.MaxClock >= 0) || math.IsInf(f.MaxClock, 1) {
				v.addf("clock of kernel %s on %s is %g Hz, expected a finite value of at least 0", name, where,
					f.MaxClock)
			}
			if !InRange(f.ServiceRate) {
				v.addf("service rate of kernel %s on %s is %g bytes/s, expected a value from %g to %g", name, where,
					f.ServiceRate, MinFigure, MaxFigure)
			} else if !(f.ServiceRate > 0) {
				v.addf("service rate of kernel %s on %s is %g bytes/s, expected a positive value", name, where,
					f.ServiceRate)
			}
			for _, c := range []struct {
				what  string
				value float64
			}{{"co-location", f.CoLocationCost}, {"switching", f.SwitchCost},
				{"receiving from another resource", f.ReceiveCost}, {"sending to another resource", f.SendCost}} {
				switch {
				case !(c.value >= 0) || math.IsInf(c.value, 0):
					v.addf("cost of %s for kernel %s on %s is %g s/byte, expected a finite value of at least 0",
						c.what, name, where, c.value)
				case c.value > 0 && p.Architecture.Resources[r].Sharing.Rule == AreaOnly:
					v.addf("cost of %s for kernel %s on %s is %g s/byte, but only kernels on cores have this cost",
						c.what, name, where, c.value)
				}
			}
			if f.Contention != nil {
				if text := f.Contention.validate(); text != "" {
					v.addf("memory contention of kernel %s on %s: %s", name, where, text)
				}
			}
			for kind, need := range f.Area {
				if !(need >= 0) || math.IsInf(need, 0) {
					v.addf("kernel %s on %s needs %g %s, expected a finite value of at least 0", name, where, need,
						AreaKind(kind))
				}
			}
		}
	}
}

// MinFigure and MaxFigure limit figures other than 0, in SI units. Real values are far inside these limits. Within
// these limits no product or quotient of the model overflows or underflows, so that every result is a finite number.
const (
	MinFigure = 1e-30
	MaxFigure = 1e30
)

// MaxSCV is the largest permitted squared coefficient of variation.
const MaxSCV = 1e6

// extremeFlow limits the bytes that a kernel receives per byte of a source. Gains multiply along a path, so their
// product may exceed this limit.
const extremeFlow = 1e60

// InRange reports whether a figure is 0, +Inf (unlimited), or from MinFigure to MaxFigure.
func InRange(x float64) bool {
	return x == 0 || math.IsInf(x, 1) || x >= MinFigure && x <= MaxFigure
}

// checkFlows returns an error if gains make a flow too large for the computation.
func (f *Flows) checkFlows(app *Application) error {
	for _, k := range f.Order {
		for _, x := range f.Arrival(k) {
			if !(math.Abs(x) <= extremeFlow) {
				return faults.GainsTooLarge.Errorf("%w: the product of the gains of the kernels before %s is %.3g, "+
					"above the limit of %g", ErrInvalid, app.Kernels[k].Name, x, extremeFlow)
			}
		}
	}
	return nil
}
