package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/units"
)

// Overview prints what a set of X files describes: the application, the machine,
// which kernel may run where and how fast, and what is not known.
func Overview(w io.Writer, d *design.Design, style Style) error {
	t := &textWriter{w: w, style: style}
	p := d.Problem
	t.printf("%s  %s: %d kernels, %d edges, %d resources, %d links\n", t.bold("Application"), d.Program.Top,
		len(p.Application.Kernels), len(p.Application.Edges), len(p.Architecture.Resources), len(p.Architecture.Links))
	for _, x := range d.Warnings {
		t.printf("warning: %s\n", x)
	}
	for _, x := range d.Notes {
		t.printf("note: %s\n", x)
	}
	t.kernelOverview(d)
	t.edgeOverview(d)
	t.machineOverview(d)
	t.rateOverview(d)
	t.missing(d)
	return t.err
}

func (t *textWriter) kernelOverview(d *design.Design) {
	app := &d.Problem.Application
	in, out := make([]int, len(app.Kernels)), make([]int, len(app.Kernels))
	for _, e := range app.Edges {
		in[e.To]++
		out[e.From]++
	}
	unknown := make(map[string]bool)
	for _, m := range d.Missing {
		if m.Gain {
			unknown[m.Kernel] = true
		}
	}
	var rows [][]string
	for i := range app.Kernels {
		k := &app.Kernels[i]
		gain, source := fmt.Sprintf("%.4g", k.Gain), k.GainOrigin.String()
		switch {
		case in[i] == 0:
			gain, source = "-", "source"
		case out[i] == 0:
			gain, source = "-", "sink"
		case unknown[k.Name]:
			gain, source = "unknown", ""
		}
		joins := ""
		for _, j := range k.Joins {
			var ports []string
			for _, p := range j.Ports {
				ports = append(ports, p.Name)
			}
			joins = strings.Join(ports, " with ")
		}
		rows = append(rows, []string{k.Name, k.Block, fmt.Sprint(in[i]), fmt.Sprint(out[i]), gain, source, joins})
	}
	t.table("Kernels", []string{"kernel", "block", "in", "out", "gain (bytes out/in)", "source", "joins"}, rows)
}

func (t *textWriter) edgeOverview(d *design.Design) {
	app := &d.Problem.Application
	out := make([]int, len(app.Kernels))
	for _, e := range app.Edges {
		out[e.From]++
	}
	var rows [][]string
	for i := range app.Edges {
		e := &app.Edges[i]
		source := e.RoutingOrigin.String()
		if out[e.From] == 1 {
			source = "the only edge"
		}
		from, to := d.Program.Kernels[e.From], d.Program.Edges[i]
		rows = append(rows, []string{e.Name, app.Kernels[e.From].Name + "." + e.FromPort, app.Kernels[e.To].Name + "." + e.ToPort,
			from.Outputs[to.FromPort].Type, plain(Number(e.ElementBytes)), fmt.Sprintf("%.4g", e.Routing), source})
	}
	t.table("Edges", []string{"edge", "from", "to", "element", "bytes", "routing", "source"}, rows)
}

func (t *textWriter) machineOverview(d *design.Design) {
	arch := &d.Problem.Architecture
	var rows [][]string
	for i := range arch.Resources {
		r := &arch.Resources[i]
		var area []string
		for kind, have := range r.Area {
			if r.Sharing.Rule == flow.AreaOnly && !math.IsInf(have, 1) {
				area = append(area, fmt.Sprintf("%.0f %s", have, flow.AreaKind(kind)))
			}
		}
		rows = append(rows, []string{r.Name, r.Platform, r.Sharing.Rule.String(), strings.Join(area, ", ")})
	}
	t.table("Resources", []string{"resource", "platform", "sharing", "usable area"}, rows)
	rows = nil
	for i := range arch.Links {
		l := &arch.Links[i]
		var ends []string
		for _, r := range l.Endpoints {
			ends = append(ends, arch.Resources[r].Name)
		}
		for j, line := range wrap(ends, 50) {
			if j > 0 {
				rows = append(rows, []string{"", "", "", "", "", line})
				continue
			}
			rows = append(rows, []string{l.Name, l.Type, units.Rate(l.Bandwidth), l.Sharing.Rule.String(), l.Origin.String(), line})
		}
	}
	t.table("Links", []string{"link", "linktype", "bandwidth", "sharing", "source", "joins"}, rows)
}

// rateOverview prints μ of every kernel on every kind of resource, those of one
// class in one column.
func (t *textWriter) rateOverview(d *design.Design) {
	p := d.Problem
	var columns []int // first resource of each class
	heading := []string{"kernel"}
	class := make(map[string]int)
	for r := range p.Architecture.Resources {
		res := &p.Architecture.Resources[r]
		if c, ok := class[res.Class]; ok && res.Class != "" {
			heading[c] = strings.TrimSuffix(heading[c], " …") + " …"
			continue
		}
		class[res.Class] = len(heading)
		heading = append(heading, res.Name)
		columns = append(columns, r)
	}
	var all []float64
	for k := range p.Figures {
		for _, r := range columns {
			if f := &p.Figures[k][r]; f.Available && f.ServiceRate < 1e15 {
				all = append(all, f.ServiceRate)
			}
		}
	}
	scale := units.ScaleFor("B/s", all...)
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
				row = append(row, scale.Format(f.ServiceRate)+" "+f.Origin.String()[:1])
			}
		}
		rows = append(rows, row)
	}
	t.table("Service rates alone, μ ("+scale.Unit()+"); m measured, p published, a assumed, ? not known, - cannot run there", heading, rows)
}

func (t *textWriter) missing(d *design.Design) {
	if len(d.Missing) == 0 {
		if len(d.Problem.Architecture.Resources) > 0 {
			t.printf("\nNothing is missing: every kernel has its figures.\n")
		}
		return
	}
	t.printf("\n%s\n", t.bold("Missing"))
	for i := range d.Missing {
		t.printf("  %s\n", d.Missing[i].String())
	}
}
