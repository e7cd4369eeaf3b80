package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/queueing"
)

// Describe begins a result with what a design holds, whatever the mapping: its
// files, the application and the machine.
func Describe(d *design.Design) *Result {
	p := d.Problem
	phi := p.MaxUtilization
	if phi == 0 {
		phi = flow.DefaultMaxUtilization
	}
	r := &Result{
		Schema: Schema, Tool: "xopt", Application: d.Program.Top,
		MaxUtilization: Number(phi), Probability: queueing.DefaultProbability,
		Warnings: d.Warnings, Notes: d.Notes,
	}
	r.Stale, r.Unchecked, r.Mismatched = doubted(d.Stale), doubted(d.Unchecked), doubted(d.Mismatched)
	r.ProfileDisturbed, r.MismatchAllowed = d.Disturbed, d.MismatchAllowed
	if len(r.Stale)+len(r.Unchecked) > 0 {
		r.Remeasure = d.MeasureCommand()
	}
	for _, f := range d.Program.Files {
		r.Inputs = append(r.Inputs, Input{f.Path, f.SHA256})
	}
	for i := range p.Application.Kernels {
		k := &p.Application.Kernels[i]
		r.Kernels = append(r.Kernels, Kernel{k.Name, k.Block, Number(k.Gain), k.GainOrigin.String(), k.GainNote})
	}
	for i := range p.Application.Edges {
		e := &p.Application.Edges[i]
		from := &d.Program.Kernels[e.From]
		r.Edges = append(r.Edges, Edge{
			Name: e.Name, From: from.Name, FromPort: e.FromPort, To: p.Application.Kernels[e.To].Name, ToPort: e.ToPort,
			Element: from.Outputs[d.Program.Edges[i].FromPort].Type, ElementBytes: Number(e.ElementBytes),
			Routing: Number(e.Routing), RoutingOrigin: e.RoutingOrigin.String(), RoutingNote: e.RoutingNote,
		})
	}
	for i := range p.Architecture.Resources {
		r.Architecture = append(r.Architecture, Resource{p.Architecture.Resources[i].Name,
			p.Architecture.Resources[i].Platform})
	}
	for i := range p.Architecture.Links {
		l := &p.Architecture.Links[i]
		link := Link{Name: l.Name, Linktype: l.Type, Bandwidth: Number(l.Bandwidth), Origin: l.Origin.String(),
			Note: l.Note}
		for _, e := range l.Endpoints {
			link.Joins = append(link.Joins, p.Architecture.Resources[e].Name)
		}
		r.Links = append(r.Links, link)
	}
	return r
}

func doubted(list []design.Doubt) []Doubted {
	var out []Doubted
	for _, x := range list {
		out = append(out, Doubted{x.Kernel, x.Resources, x.Why})
	}
	return out
}

// Gap is by what part, at the most, any mapping could be better than one of a throughput; 0
// where no bound is known.
func (s *Search) Gap(best Number) float64 {
	if s.Bound == 0 || best == 0 {
		return 0
	}
	return math.Max(0, float64(s.Bound/best)-1)
}

// Basis says in words what a prediction rests on.
func (c *Candidate) Basis() string {
	var parts []string
	total := 0
	for _, f := range c.Figures {
		parts = append(parts, fmt.Sprintf("%d %s", f.Count, f.Origin))
		total += f.Count
	}
	doubts := ""
	if c.Stale > 0 {
		doubts += fmt.Sprintf(", %d of them stale", c.Stale)
	}
	if c.Disturbed > 0 {
		doubts += fmt.Sprintf(", %d measured on a disturbed machine", c.Disturbed)
	}
	switch len(parts) {
	case 0:
		return "predicted from no figures"
	case 1:
		return fmt.Sprintf("predicted from %s figures%s", parts[0], doubts)
	}
	return "predicted from " + strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1] + " figures" +
		doubts
}
