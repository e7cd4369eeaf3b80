package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// Overview describes a set of X files: the application, the machine, the possible placements and their rates, and
// missing figures. next is the next step.
func Overview(d *design.Design, next string) []Part {
	p := overviewHead(d, next)
	p.show(kernelsOf(d), edgesOf(d), resourcesOf(d), linksOf(d), ratesOf(d))
	if len(d.Missing) > 0 {
		p.missing(d, len(d.Missing))
	} else if len(d.Problem.Architecture.Resources) > 0 {
		p.parts = append(p.parts, Part{Text: "Nothing is missing: every kernel has its figures.", Separate: true})
	}
	return p.parts
}

// shortMissing is the maximum number of missing figures in the short answer of a check.
const shortMissing = 6

// ShortOverview returns the answer of a check: the application, the machine, the next step, and missing figures. If no
// figures are missing, it shows the service rates or, for an application without a machine, the kernels.
func ShortOverview(d *design.Design, next string) []Part {
	p := overviewHead(d, next)
	switch {
	case len(d.Missing) > 0:
		p.missing(d, shortMissing)
	case len(d.Problem.Architecture.Resources) > 0:
		p.top(ratesOf(d), shortRows)
	default:
		p.top(kernelsOf(d), shortRows)
	}
	p.more(nil)
	return p.parts
}

// overviewHead returns the sizes of the application and of the machine, and the next step.
func overviewHead(d *design.Design, next string) *script {
	p := &script{}
	app, arch := &d.Problem.Application, &d.Problem.Architecture
	p.lead("Application", "%s: %s, %s", d.Program.Top, count(len(app.Kernels), "kernel"), count(len(app.Edges), "edge"))
	p.lead("Machine", "%s, %s", count(len(arch.Resources), "resource"), count(len(arch.Links), "link"))
	if d.Disturbed != "" {
		p.lead("How sure", "profile disturbed: %s: "+quietProfile, d.Disturbed)
	}
	if next != "" {
		p.lead(ToDo, "%s", next)
	}
	return p
}

// missing lists up to maximum missing figures.
func (p *script) missing(d *design.Design, maximum int) {
	l := &List{Title: "Missing"}
	for i := range d.Missing {
		l.Items = append(l.Items, d.Missing[i].String())
	}
	l.Items = units.First(l.Items, maximum, "and %d more")
	p.parts = append(p.parts, Part{List: l})
}

func kernelsOf(d *design.Design) *Table {
	app := &d.Problem.Application
	unknown := make(map[string]bool)
	for _, m := range d.Missing {
		if m.Gain {
			unknown[m.Kernel] = true
		}
	}
	t := &Table{ID: "application-kernels", Title: "Kernels", Columns: []Column{name("kernel"), name("block"),
		name("inputs").spare(3), name("outputs").spare(2), {Name: "gain", Shown: "bytes out/in", Number: true,
			Meaning: "output bytes per input byte"}}}
	var joins []string
	for i := range app.Kernels {
		joins = append(joins, consumedTogether(d.Program.Kernels[i].Inputs, d.Program.Kernels[i].Joins))
	}
	joined := slices.ContainsFunc(joins, func(s string) bool { return s != "" })
	if joined {
		t.Columns = append(t.Columns, name("consumed together").spare(1))
	}
	emits := slices.ContainsFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Emits != nil })
	if emits {
		t.Columns = append(t.Columns, name("sent in a firing").spare(1))
	}
	for i := range app.Kernels {
		k := &app.Kernels[i]
		in, out := d.Program.Kernels[i].Inputs, d.Program.Kernels[i].Outputs
		grows := digits(k.Gain, 3).from(k.GainOrigin.String())
		switch {
		case len(in) == 0 || len(out) == 0:
			grows = dash()
		case unknown[k.Name]:
			grows = text("?")
		}
		row := t.add(text(k.Name), text(k.Block), text(portNames(in)), text(portNames(out)), grows)
		if joined {
			row.Cells = append(row.Cells, text(joins[i]))
		}
		if emits {
			row.Cells = append(row.Cells, text(sentTogether(&d.Program.Kernels[i])))
		}
	}
	return t
}

// sentTogether lists how many elements each firing of a kernel sends on ports with an emit statement.
func sentTogether(k *xlang.Kernel) string {
	if k.Emits == nil {
		return ""
	}
	var sent xlang.Join
	for i, e := range k.Emits {
		if e.Elements > 0 {
			sent.Ports, sent.Counts = append(sent.Ports, i), append(sent.Counts, float64(e.Elements))
		}
	}
	return consumedTogether(k.Outputs, []xlang.Join{sent})
}

// consumedTogether lists the groups of ports that a firing uses together. A number of elements other than 1 precedes
// the name of its port.
func consumedTogether(list []xlang.Port, joins []xlang.Join) string {
	var groups []string
	for _, j := range joins {
		var parts []string
		for i := 0; i < len(j.Ports); {
			n := 1 // number of consecutive ports with this count
			for i+n < len(j.Ports) && j.Counts[i+n] == j.Counts[i] {
				n++
			}
			var names []string
			for _, p := range j.Ports[i : i+n] {
				names = append(names, list[p].Name)
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

// portNames lists ports. It merges the members of an array.
func portNames(ports []xlang.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return strings.Join(design.Ranges(names), ", ")
}

// edgesOf lists the edges of an application.
func edgesOf(d *design.Design) *Table {
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
	t := &Table{ID: "application-edges", Title: "Edges: routing is the fraction of a kernel's output that the edge " +
		"carries; -: all of it",
		Columns: []Column{name("edge"), name("from"), name("to"), name("element").spare(1),
			counted("size", "bytes").spare(2), number("routing")}}
	if len(unknown) > 0 {
		t.Title += "; ?: unknown"
	}
	initial := slices.ContainsFunc(app.Edges, func(e flow.Edge) bool { return e.Initial > 0 })
	if initial {
		t.Columns = append(t.Columns, counted("initial", "elements"))
	}
	for i := range app.Edges {
		e, x := &app.Edges[i], d.Program.Edges[i]
		from, to := &d.Program.Kernels[e.From], &d.Program.Kernels[e.To]
		routing := dash()
		switch {
		case unknown[from.Name+"."+e.FromPort]:
			routing = text("?")
		case out[e.From] > 1:
			routing = digits(e.Routing, 3).from(e.RoutingOrigin.String())
		}
		cells := []Cell{text(e.Name), text(endpoint(from.Name, from.Outputs, x.FromPort)),
			text(endpoint(to.Name, to.Inputs, x.ToPort)), text(from.Outputs[x.FromPort].Type), integer(e.ElementBytes),
			routing}
		switch {
		case e.Initial > 0:
			cells = append(cells, integer(e.Initial))
		case initial:
			cells = append(cells, dash())
		}
		t.add(cells...)
	}
	return t
}

// endpoint returns the name of one end of an edge. It includes the port if the kernel has several ports.
func endpoint(kernel string, ports []xlang.Port, port int) string {
	if len(ports) == 1 {
		return kernel
	}
	return kernel + "." + ports[port].Name
}

// resourcesOf lists the resources of a machine. Equal resources share a row.
func resourcesOf(d *design.Design) *Table {
	t := &Table{ID: "machine-resources", Title: "Resources", Columns: []Column{name("resource"), name("platform"),
		name("sharing"), name("usable area")}}
	var alike []string
	for i := range d.Problem.Architecture.Resources {
		r := &d.Problem.Architecture.Resources[i]
		usable := dash()
		if have := areaOf(r); have != "" {
			usable = text(have).from(r.AreaOrigin.String())
		}
		cells := []Cell{text(r.Name), text(r.Platform), text(r.Sharing.Rule.String()).from(r.Sharing.Origin.String()),
			usable}
		if n := len(t.Rows); n > 0 && slices.Equal(t.Rows[n-1].Cells[1:], cells[1:]) {
			alike = append(alike, r.Name)
			t.Rows[n-1].Cells[0] = text(strings.Join(design.Ranges(alike), ", "))
			continue
		}
		alike = []string{r.Name}
		t.add(cells...)
	}
	return t
}

func linksOf(d *design.Design) *Table {
	arch := &d.Problem.Architecture
	t := &Table{ID: "machine-links", Title: "Links", Columns: []Column{name("link"), name("linktype"),
		rate("bandwidth"),
		name("sharing"), name("joins").about("resources that the link connects")}}
	for i := range arch.Links {
		l := &arch.Links[i]
		var ends []string
		for _, r := range l.Endpoints {
			ends = append(ends, arch.Resources[r].Name)
		}
		bandwidth := text("?")
		if l.Bandwidth > 0 {
			bandwidth = figure(l.Bandwidth).from(l.Origin.String())
		}
		t.add(text(l.Name), text(l.Type), bandwidth, text(l.Sharing.Rule.String()).from(l.Sharing.Origin.String()),
			text(strings.Join(design.Ranges(ends), ", ")))
	}
	return t.scaled()
}

// areaOf lists the limits of the FPGA's area by kind.
func areaOf(r *flow.Resource) string {
	var area []string
	for kind, have := range r.Area {
		if r.Sharing.Rule == flow.AreaOnly && !math.IsInf(have, 1) {
			area = append(area, fmt.Sprintf("%.0f %s", have, flow.AreaKind(kind)))
		}
	}
	return strings.Join(area, ", ")
}

// ratesOf shows the rate μ of every kernel on every kind of resource, with one column per kind.
func ratesOf(d *design.Design) *Table {
	p := d.Problem
	columns, names := classes(&p.Architecture)
	if len(columns) == 0 {
		return nil
	}
	t := &Table{ID: "rates", Title: "Service rates μ, each kernel alone; ?: unknown, -: cannot run there",
		Columns: []Column{name("kernel")}}
	for _, n := range names {
		t.Columns = append(t.Columns, rate(n))
	}
	for k := range p.Figures {
		row := t.add(text(p.Application.Kernels[k].Name))
		for _, r := range columns {
			switch f := &p.Figures[k][r]; {
			case !f.Available:
				row.Cells = append(row.Cells, dash())
			case !(f.ServiceRate > 0):
				row.Cells = append(row.Cells, text("?"))
			default:
				row.Cells = append(row.Cells, figure(f.ServiceRate).from(f.Origin.String()))
			}
		}
	}
	return t.scaled()
}

// classes returns the first resource of each kind, and for each kind the names of its resources.
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
