package predict

import (
	"slices"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
	"xopt/queueing"
)

// Describe returns a result with the parts of a design that do not depend on the mapping: its files, application and
// machine.
func Describe(d *design.Design) *result.Result {
	p := d.Problem
	phi := p.MaxUtilization
	if phi == 0 {
		phi = flow.DefaultMaxUtilization
	}
	r := &result.Result{
		Schema: result.Schema, Tool: "xopt", Application: d.Program.Top,
		MaxUtilization: result.Number(phi), Probability: queueing.DefaultProbability,
		Warnings: d.Warnings, Notes: d.Notes,
	}
	r.Stale, r.Unchecked, r.Mismatched = doubted(d.Stale), doubted(d.Unchecked), doubted(d.Mismatched)
	r.ProfileDisturbed, r.MismatchAllowed = d.Disturbed, d.MismatchAllowed
	if repeats, ok := d.Reference().Repeats(); ok {
		n := result.Number(repeats)
		r.ProfileRepeatability = &n
	}
	if len(r.Stale)+len(r.Unchecked) > 0 {
		r.Remeasure = d.MeasureCommand()
	}
	for _, f := range d.Program.Files {
		r.Inputs = append(r.Inputs, result.Input{Path: f.Path, SHA256: f.SHA256})
	}
	r.Kernels = slices.Grow(r.Kernels, len(p.Application.Kernels))
	for i := range p.Application.Kernels {
		k := &p.Application.Kernels[i]
		kernel := result.Kernel{Name: k.Name, Block: k.Block, Gain: result.Number(k.Gain),
			GainOrigin: k.GainOrigin.String(), GainNote: k.GainNote}
		if x := d.Program.Kernels[i].Replica; x != nil {
			kernel.CopyOf, kernel.Copy, kernel.Copies = x.Of, x.Index+1, x.Count
		}
		r.Kernels = append(r.Kernels, kernel)
	}
	r.Edges = slices.Grow(r.Edges, len(p.Application.Edges))
	for i := range p.Application.Edges {
		e := &p.Application.Edges[i]
		from := &d.Program.Kernels[e.From]
		r.Edges = append(r.Edges, result.Edge{
			Name: e.Name, From: from.Name, FromPort: e.FromPort, To: p.Application.Kernels[e.To].Name, ToPort: e.ToPort,
			Element: from.Outputs[d.Program.Edges[i].FromPort].Type, ElementBytes: result.Number(e.ElementBytes),
			Routing: result.Number(e.Routing), RoutingOrigin: e.RoutingOrigin.String(), RoutingNote: e.RoutingNote,
			Initial: e.Initial,
		})
	}
	for i := range p.Architecture.Resources {
		r.Architecture = append(r.Architecture, result.Resource{Name: p.Architecture.Resources[i].Name,
			Platform: p.Architecture.Resources[i].Platform})
	}
	for i := range p.Architecture.Links {
		l := &p.Architecture.Links[i]
		link := result.Link{Name: l.Name, Linktype: l.Type, Bandwidth: result.Number(l.Bandwidth),
			Origin: l.Origin.String(),
			Note:   l.Note}
		for _, e := range l.Endpoints {
			link.Joins = append(link.Joins, p.Architecture.Resources[e].Name)
		}
		r.Links = append(r.Links, link)
	}
	return r
}

func doubted(list []design.Doubt) []result.Doubted {
	var out []result.Doubted
	for _, x := range list {
		out = append(out, result.Doubted{Kernel: x.Kernel, Resources: x.Resources, Why: x.Why})
	}
	return out
}

// Add adds the kernels, edges and notes of a design that a result lacks, such as copies, which differ between
// candidates.
func Add(r *result.Result, d *design.Design) {
	all := Describe(d)
	for _, k := range all.Kernels {
		if !slices.ContainsFunc(r.Kernels, func(x result.Kernel) bool {
			return x.Name == k.Name && x.Copies == k.Copies
		}) {
			r.Kernels = append(r.Kernels, k)
		}
	}
	for _, e := range all.Edges {
		if !slices.ContainsFunc(r.Edges, func(x result.Edge) bool {
			return x.Name == e.Name && x.From == e.From && x.To == e.To
		}) {
			r.Edges = append(r.Edges, e)
		}
	}
	for _, n := range d.Notes {
		if !slices.Contains(r.Notes, n) {
			r.Notes = append(r.Notes, n)
		}
	}
}
