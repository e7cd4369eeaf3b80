package design

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Citation is a source of figures, with the figures from this source.
type Citation struct {
	Origin  flow.Origin
	Note    string // the source in words; empty if the X files state none
	Figures int    // number of figures with this source
	// Of lists the figures, such as "gain of top.fir".
	Of []string
	// Stale describes the difference between the current and the measured sources; "" means none.
	Stale string
	// Profile reports whether the figures were measured on the machine of the profile.
	Profile bool
}

// Citations returns the origins of the figures in a mapping's score, weakest origin first. The figures are the rates of
// the placed kernels, their gains and routing, the bandwidth of the crossed links, and the sharing rules.
func (d *Design) Citations(m *flow.Mapping) []Citation {
	type source struct {
		origin      flow.Origin
		note, stale string
	}
	found := make(map[source]*Citation)
	cite := func(of string, o flow.Origin, note, stale string) {
		c := found[source{o, note, stale}]
		if c == nil {
			c = &Citation{Origin: o, Note: note, Stale: stale, Profile: d.profileNote != "" &&
				strings.HasPrefix(note, d.profileNote)}
			found[source{o, note, stale}] = c
		}
		c.Figures, c.Of = c.Figures+1, append(c.Of, of)
	}
	app := &d.Problem.Application
	in, out := make([]int, len(app.Kernels)), make([]int, len(app.Kernels))
	port := make(map[int]string, len(app.Kernels))
	choice := make([]bool, len(app.Kernels)) // kernels with several output ports, and so with routing fractions
	for _, e := range app.Edges {
		first, seen := port[e.From]
		choice[e.From] = choice[e.From] || seen && first != e.FromPort
		port[e.From] = cmp.Or(first, e.FromPort)
		out[e.From]++
		in[e.To]++
	}
	for k := range app.Kernels {
		kernel := &app.Kernels[k]
		fig := &d.Problem.Figures[k][m.Place[k]]
		cite("rate of "+kernel.Name, fig.Origin, fig.Note, d.staleRates[pair{k, m.Place[k]}])
		if in[k] > 0 && out[k] > 0 {
			cite("gain of "+kernel.Name, kernel.GainOrigin, kernel.GainNote, d.staleGains[k])
		}
	}
	crossed := make([]bool, len(d.Problem.Architecture.Links))
	last := make(map[int]string, len(app.Kernels)) // the last port whose fraction was cited
	for e := range app.Edges {
		edge := &app.Edges[e]
		// Copies of a reader divide the fraction of its port equally or by turns. This division needs no figure.
		again := edge.Shared && last[edge.From] == edge.FromPort
		if last[edge.From] = edge.FromPort; choice[edge.From] && !edge.Copy && !again {
			cite("routing of "+edge.Name, edge.RoutingOrigin, edge.RoutingNote, d.staleRoutings[edge.From])
		}
		if e < len(m.Route) {
			for _, l := range m.Route[e] {
				crossed[l] = true
			}
		}
	}
	for l, is := range crossed {
		if link := &d.Problem.Architecture.Links[l]; is {
			cite("bandwidth of "+link.Name, link.Origin, link.Note, "")
		}
	}
	rules, names := d.shared(m)
	for i, s := range rules {
		cite("sharing of "+names[i], s.Origin, cmp.Or(s.Note, "sharing: "+s.Rule.String()), "")
	}
	var list []Citation
	for _, c := range found {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Citation) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(b.Figures, a.Figures), cmp.Compare(a.Note, b.Note),
			cmp.Compare(a.Stale, b.Stale))
	})
	return list
}

// shared returns the sharing rules in use, and the names of their resources and links: resources with several kernels,
// and links that several edges cross. It omits area sharing, because area is a limit and not a rule for sharing time.
func (d *Design) shared(m *flow.Mapping) (list []*flow.Sharing, names []string) {
	arch := &d.Problem.Architecture
	kernels, edges := make([]int, len(arch.Resources)), make([]int, len(arch.Links))
	for _, r := range m.Place {
		kernels[r]++
	}
	for _, route := range m.Route {
		for _, l := range route {
			edges[l]++
		}
	}
	for r := range arch.Resources {
		if s := &arch.Resources[r].Sharing; kernels[r] > 1 && s.Rule != flow.AreaOnly {
			list, names = append(list, s), append(names, arch.Resources[r].Name)
		}
	}
	for l := range arch.Links {
		if edges[l] > 1 {
			list, names = append(list, &arch.Links[l].Sharing), append(names, arch.Links[l].Name)
		}
	}
	return list, names
}

// collector gathers faults.
type collector struct {
	faults xlang.Diagnostics
}

// errorf adds a fault at a position; the zero Pos means no position. It reports equal faults only once, because the
// builder reads a statement for an array of resources once per resource. It drops faults beyond the maximum number.
func (c *collector) errorf(id fault.ID, pos xlang.Pos, format string, args ...any) *xlang.Diagnostic {
	message := fmt.Sprintf(format, args...)
	if i := slices.IndexFunc(c.faults, func(x xlang.Diagnostic) bool {
		return x.ID == id && x.Pos == pos && x.Message == message
	}); i >= 0 {
		return &c.faults[i]
	}
	if len(c.faults) >= xlang.MaxDiagnostics {
		return &xlang.Diagnostic{}
	}
	c.faults = append(c.faults, xlang.Diagnostic{ID: id, Pos: pos, Message: message})
	return &c.faults[len(c.faults)-1]
}

func (c *collector) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}
