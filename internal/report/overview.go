package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/xlang"
)

// Overview prints what a set of X files describes: the application, the machine,
// which kernel may run where and how fast, and what is not known.
func Overview(w io.Writer, d *design.Design, style Style) error {
	t := &textWriter{w: w, style: style}
	p := d.Problem
	t.lead("Application", "%s: %s, %s", d.Program.Top, count(len(p.Application.Kernels), "kernel"),
		count(len(p.Application.Edges), "edge"))
	t.lead("Machine", "%s, %s", count(len(p.Architecture.Resources), "resource"), count(len(p.Architecture.Links),
		"link"))
	for _, x := range d.Warnings {
		t.remark("warning: %s", x)
	}
	for _, x := range d.Notes {
		t.remark("note: %s", x)
	}
	t.kernelOverview(d)
	t.edgeOverview(d)
	t.machineOverview(d)
	t.rateOverview(d)
	t.missing(d)
	return t.err
}

// count is a number of things, in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (t *textWriter) kernelOverview(d *design.Design) {
	app := &d.Problem.Application
	unknown := make(map[string]bool)
	for _, m := range d.Missing {
		if m.Gain {
			unknown[m.Kernel] = true
		}
	}
	var rows [][]string
	joined := false
	for i := range app.Kernels {
		k := &app.Kernels[i]
		in, out := d.Program.Kernels[i].Inputs, d.Program.Kernels[i].Outputs
		gain := marked(fmt.Sprintf("%.4g", k.Gain), k.GainOrigin.String())
		switch {
		case len(in) == 0 || len(out) == 0:
			gain = "-"
		case unknown[k.Name]:
			gain = "?"
		}
		joins := consumedTogether(in, d.Program.Kernels[i].Joins)
		joined = joined || joins != ""
		rows = append(rows, []string{k.Name, k.Block, portNames(in), portNames(out), gain, joins})
	}
	g := grid{
		title:    "Kernels (" + legend + ")",
		headings: []string{"kernel", "block", "inputs", "outputs", "gain (bytes out/in)", "consumed together"},
		rows:     rows,
		spare:    []int{5, 3, 2},
	}
	if !joined {
		g.headings, g.spare = g.headings[:5], g.spare[1:]
		for i := range g.rows {
			g.rows[i] = g.rows[i][:5]
		}
	}
	t.grid(g)
}

// consumedTogether tells which input ports are consumed together, and how many elements of each
// where that is not one.
func consumedTogether(inputs []xlang.Port, joins []xlang.Join) string {
	var groups []string
	for _, j := range joins {
		var parts []string
		for i := 0; i < len(j.Ports); {
			n := 1 // ports that follow each other and give as much
			for i+n < len(j.Ports) && j.Counts[i+n] == j.Counts[i] {
				n++
			}
			var names []string
			for _, p := range j.Ports[i : i+n] {
				names = append(names, inputs[p].Name)
			}
			for _, name := range design.Ranges(names) {
				if x := j.Counts[i]; x != 1 {
					name = fmt.Sprintf("%g %s", x, name)
				}
				parts = append(parts, name)
			}
			i += n
		}
		groups = append(groups, strings.Join(parts, " with "))
	}
	return strings.Join(groups, "; ")
}

// portNames lists ports, those of an array as one.
func portNames(ports []xlang.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return strings.Join(design.Ranges(names), ", ")
}

func (t *textWriter) edgeOverview(d *design.Design) {
	app := &d.Problem.Application
	unknown := make(map[string]bool) // kernel.port
	for _, m := range d.Missing {
		for _, p := range m.Ports {
			unknown[m.Kernel+"."+p] = true
		}
	}
	out := make([]int, len(app.Kernels))
	for _, e := range app.Edges {
		out[e.From]++
	}
	var rows [][]string
	for i := range app.Edges {
		e, x := &app.Edges[i], d.Program.Edges[i]
		from, to := &d.Program.Kernels[e.From], &d.Program.Kernels[e.To]
		routing := "-"
		switch {
		case unknown[from.Name+"."+e.FromPort]:
			routing = "?"
		case out[e.From] > 1:
			routing = marked(fmt.Sprintf("%.4g", e.Routing), e.RoutingOrigin.String())
		}
		rows = append(rows, []string{e.Name, end(from.Name, from.Outputs, x.FromPort), end(to.Name, to.Inputs,
			x.ToPort),
			from.Outputs[x.FromPort].Type, plain(Number(e.ElementBytes)), routing})
	}
	notKnown := ""
	if len(unknown) > 0 {
		notKnown = ", ? not known"
	}
	t.grid(grid{
		title: "Edges (" + legend + "; routing is the fraction of what a kernel puts out, - for all of it" +
			notKnown + ")",
		headings: []string{"edge", "from", "to", "element", " (bytes)", "routing"},
		rows:     rows,
		spare:    []int{3, 4},
	})
}

// end names one end of an edge, its port only where there are several.
func end(kernel string, ports []xlang.Port, port int) string {
	if len(ports) == 1 {
		return kernel
	}
	return kernel + "." + ports[port].Name
}

// machineOverview prints resources, those that are alike in one row, and links.
func (t *textWriter) machineOverview(d *design.Design) {
	arch := &d.Problem.Architecture
	var rows [][]string
	var alike []string
	for i := range arch.Resources {
		r := &arch.Resources[i]
		area := "-"
		if have := areaOf(r); have != "" {
			area = have + " " + mark(r.AreaOrigin.String())
		}
		row := []string{r.Name, r.Platform, marked(r.Sharing.Rule.String(), r.Sharing.Origin.String()), area}
		if n := len(rows); n > 0 && slices.Equal(rows[n-1][1:], row[1:]) {
			alike = append(alike, r.Name)
			rows[n-1][0] = strings.Join(design.Ranges(alike), ", ")
			continue
		}
		alike = []string{r.Name}
		rows = append(rows, row)
	}
	t.table("Resources ("+legend+")", []string{"resource", "platform", "sharing", "usable area"}, rows)
	var rates []float64
	for i := range arch.Links {
		rates = append(rates, arch.Links[i].Bandwidth)
	}
	scale := columnScale("B/s", rates)
	rows = nil
	for i := range arch.Links {
		l := &arch.Links[i]
		var ends []string
		for _, r := range l.Endpoints {
			ends = append(ends, arch.Resources[r].Name)
		}
		bandwidth := "?"
		if l.Bandwidth > 0 {
			bandwidth = marked(scale.Format(l.Bandwidth), l.Origin.String())
		}
		rows = append(rows, []string{l.Name, l.Type, bandwidth, marked(l.Sharing.Rule.String(),
			l.Sharing.Origin.String()), strings.Join(design.Ranges(ends), ", ")})
	}
	t.table("Links ("+legend+")", []string{"link", "linktype", scale.Heading("bandwidth"), "sharing", "joins"}, rows)
}

// areaOf lists what an FPGA offers, where that is limited.
func areaOf(r *flow.Resource) string {
	var area []string
	for kind, have := range r.Area {
		if r.Sharing.Rule == flow.AreaOnly && !math.IsInf(have, 1) {
			area = append(area, fmt.Sprintf("%.0f %s", have, flow.AreaKind(kind)))
		}
	}
	return strings.Join(area, ", ")
}

// rateOverview prints μ of every kernel on every kind of resource, those of one
// class in one column.
func (t *textWriter) rateOverview(d *design.Design) {
	p := d.Problem
	columns, names := classes(&p.Architecture)
	if len(columns) == 0 {
		return
	}
	var all []float64
	for k := range p.Figures {
		for _, r := range columns {
			if f := &p.Figures[k][r]; f.Available && f.ServiceRate < neverTheLimit {
				all = append(all, f.ServiceRate)
			}
		}
	}
	scale := columnScale("B/s", all)
	var rows [][]string
	for k := range p.Figures {
		row := []string{p.Application.Kernels[k].Name}
		for _, r := range columns {
			f := &p.Figures[k][r]
			switch {
			case !f.Available:
				row = append(row, "-")
			case !(f.ServiceRate > 0):
				row = append(row, "?")
			default:
				row = append(row, marked(scale.Format(f.ServiceRate), f.Origin.String()))
			}
		}
		rows = append(rows, row)
	}
	t.table("Service rates alone, μ, in "+scale.Unit()+" ("+legend+", ? not known, - cannot run there)",
		append([]string{"kernel"}, names...), rows)
}

// classes returns the first resource of each kind, and the names of all of that
// kind.
func classes(arch *flow.Architecture) (first []int, names []string) {
	number := make(map[string]int)
	var members [][]string
	for r := range arch.Resources {
		res := &arch.Resources[r]
		c, ok := number[res.Class]
		if !ok || res.Class == "" {
			c = len(first)
			number[res.Class] = c
			first, members = append(first, r), append(members, nil)
		}
		members[c] = append(members[c], res.Name)
	}
	for _, m := range members {
		names = append(names, strings.Join(design.Ranges(m), ", "))
	}
	return first, names
}

func (t *textWriter) missing(d *design.Design) {
	if len(d.Missing) == 0 {
		if len(d.Problem.Architecture.Resources) > 0 {
			t.printf("\n")
			t.remark("Nothing is missing: every kernel has its figures.")
		}
		return
	}
	t.printf("\n%s\n", t.bold("Missing"))
	for i := range d.Missing {
		for j, line := range t.fold(d.Missing[i].String(), 4) {
			t.printf("  %s%s\n", "  "[:2*min(j, 1)], line)
		}
	}
}
