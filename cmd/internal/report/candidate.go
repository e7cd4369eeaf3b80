package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// anyLength is a line width that only the terminal limits.
const anyLength = 1000

// placement lists the kernels of each resource.
func placement(c *result.Candidate) *Table {
	const lineLength = 68
	on := make(map[string][]string)
	for _, p := range c.Place {
		on[p.Resource] = append(on[p.Resource], p.Words())
	}
	t := &Table{ID: "placement", Title: "Mapping", Columns: []Column{name("resource"),
		name("kernels").fold(lineLength)}}
	for _, r := range c.Resources {
		if names := on[r.Name]; len(names) > 0 {
			t.add(text(r.Name), text(strings.Join(names, ", ")))
		}
	}
	return t
}

// gainColumn returns the column with the gain from 10 % more speed.
func gainColumn(s string) Column {
	return number(s + "\ngives").about("throughput gain if only this resource, link or kernel were 10 % faster")
}

func resources(c *result.Candidate) *Table {
	t := &Table{ID: "resources", Title: "Resources and links", Figures: "predicted", Columns: []Column{name("name"),
		number("sharers").about("kernels or edges that use the resource or " +
			"link"), number("utilization"), gainColumn("+10 %"), name("sharing").spare(1), rate("bandwidth")}}
	for _, x := range slices.Concat(c.Resources, c.Links) {
		if x.Members == 0 {
			continue
		}
		bandwidth := text("")
		if x.Rate > 0 {
			bandwidth = figure(x.Rate).from(x.Origin)
		}
		row := t.add(text(x.Name), integer(x.Members), bar(x.Utilization), gain(x.TenPercent),
			text(x.Sharing).from(x.SharingOrigin), bandwidth)
		row.Hot, row.Load = hot(x.Utilization), float64(x.Utilization)
	}
	return t.scaled()
}

func area(c *result.Candidate) *Table {
	t := &Table{ID: "area", Title: "Area", Columns: []Column{name("resource"), name("kind"), number("used"),
		number("usable"), number("in use")}}
	for _, r := range c.Resources {
		for _, a := range r.Area {
			limited := !math.IsInf(float64(a.Usable), 1)
			if r.Members == 0 || a.Used == 0 && !limited {
				continue
			}
			used := dash()
			if limited && a.Usable > 0 {
				used = bar(a.Used / a.Usable)
			}
			t.add(text(r.Name), text(a.Kind), integer(a.Used), integer(a.Usable).from(r.Origin), used)
		}
	}
	return t.orNil()
}

// factors lists the factors of a service rate.
func factors(list []result.Factor) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, " × %.3g (%s)", float64(f.Times), f.Name)
	}
	return b.String()
}

// stations returns the kernels with μ, λ and ρ.
func stations(c *result.Candidate) *Table {
	t := &Table{ID: "kernels", Title: "Kernels", Figures: "predicted", Columns: []Column{name("kernel"), name("on"),
		rate("μ alone").about("service rate of the kernel alone on its resource"),
		rate("μ shared").about("service rate of the kernel beside the other kernels of its resource"),
		rate("λ").about("arrival rate").spare(1),
		number("ρ").about("utilization, λ / μ shared"), gainColumn("+10 % μ"),
		name("origin of μ").about("origin of the service rate").detail()}}
	for _, s := range c.Stations {
		if s.IsLink {
			continue
		}
		row := t.add(text(s.Name), text(s.On), figure(s.ServiceRate).from(s.Origin), figure(s.SharedRate),
			figure(s.ArrivalRate), rho(s.Utilization), gain(s.TenPercent), text(s.Note+factors(s.Factors)))
		row.Hot, row.Load = hot(s.Utilization), float64(s.Utilization)
	}
	t.Note = derivedRates(c)
	return t.scaled()
}

// derivedRates lists the measured service rates from which predicted rates are derived.
func derivedRates(c *result.Candidate) string {
	const maximum = 4
	var list []string
	for _, s := range c.Stations {
		by := 1.0
		for _, f := range s.Factors {
			by *= float64(f.Times)
		}
		if !s.IsLink && s.Origin == flow.Measured.String() && len(s.Factors) > 0 && by > 0 {
			list = append(list, s.Name+" "+units.Rate(float64(s.ServiceRate)/by)+factors(s.Factors))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "(derived from measured rates: " + strings.Join(first(list, maximum), ", ") + ")"
}

// blocks shows the gain from faster implementations of blocks that have several instances.
func blocks(c *result.Candidate) []Part {
	var parts []Part
	for _, x := range c.Blocks {
		if x.TenPercent >= minGain {
			brings := gain(x.TenPercent)
			parts = append(parts, Part{Text: fmt.Sprintf("Making %s 10 %% faster gains %s throughput.",
				allInstances(&x), brings.String())})
		}
	}
	if len(c.Bottlenecks) > 0 && len(c.Bottlenecks[0].Limits) > 1 {
		parts = append(parts, Part{Text: "Several limits apply at once: a faster kernel at one limit has no effect " +
			"until the other limits rise, too."})
	}
	return parts
}

// load shows the components of the load of each kernel and edge; nil if the load consists only of computation and
// transfers.
func load(c *result.Candidate) *Table {
	columns, rows := Load(c)
	if !slices.ContainsFunc(columns, func(x string) bool { return x != flow.Compute.String() && x != linkTransfer }) {
		return nil
	}
	t := &Table{ID: "load", Title: "Load: components of each utilization", Figures: "predicted",
		Columns: []Column{name("on"), name("of")}}
	for _, x := range append(columns, "total") {
		t.Columns = append(t.Columns, number(x))
	}
	for _, r := range rows {
		of := r.Of
		if of == "" {
			of = "all"
		}
		cells := []Cell{text(r.On), text(of)}
		for _, x := range append(slices.Clone(r.Parts), r.Total) {
			if x == 0 {
				cells = append(cells, Cell{Text: "-", Valued: true})
			} else {
				cells = append(cells, percent(x))
			}
		}
		row := t.add(cells...)
		row.Hot, row.Load = hot(r.Total), float64(r.Total)
	}
	return t
}

// sources lists the sources of the figures.
func sources(c *result.Candidate) *Table {
	t := &Table{ID: "sources", Title: "Sources of the figures", Columns: []Column{number("figures"),
		name("source").fold(anyLength)}}
	var notes []string
	figures := make(map[string]int)
	for _, x := range c.Citations {
		note := strings.TrimSpace(x.Note)
		if !strings.HasPrefix(note, x.Origin) {
			between := " "
			if x.Origin == flow.Derived.String() && note != "" { // a sentence follows
				between = ": "
			}
			note = strings.TrimSpace(x.Origin + between + note)
		}
		if len(x.Of) > 0 && len(c.Figures) > 1 {
			note += " (" + someOf(x.Of, x.Figures) + ")"
		}
		if x.Stale != "" {
			note += "; stale: " + x.Stale
		}
		if _, ok := figures[note]; !ok {
			notes = append(notes, note)
		}
		figures[note] += x.Figures
	}
	for _, note := range notes {
		t.add(integer(figures[note]), text(note))
	}
	return t
}
