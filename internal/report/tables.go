package report

import (
	"fmt"
	"math"

	"xopt/internal/units"
)

// saturated is the utilization from which a row stands out as the bottleneck.
const saturated = 0.999

// Of more than mostNames kernels on a resource, the first shownNames are named.
const (
	mostNames  = 200
	shownNames = 100
)

// mapping prints what runs where.
func (t *textWriter) mapping(c *Candidate) {
	on := make(map[string][]string)
	for _, p := range c.Place {
		on[p.Resource] = append(on[p.Resource], p.Kernel)
	}
	width := 68
	if t.style.Width >= narrowest {
		width = min(width, t.style.Width-12)
	}
	var rows [][]string
	for _, r := range c.Resources {
		if len(on[r.Name]) == 0 {
			continue
		}
		names, more := on[r.Name], 0
		if !t.style.Full && len(names) > mostNames {
			names, more = names[:shownNames], len(names)-shownNames
		}
		lines := wrapNames(names, width)
		if more > 0 {
			lines = append(lines, fmt.Sprintf("and %d more; --full shows all", more))
		}
		for i, line := range lines {
			name := r.Name
			if i > 0 {
				name = ""
			}
			rows = append(rows, []string{name, line})
		}
	}
	t.table("Mapping", []string{"resource", "kernels"}, rows)
}

// resources prints the load of resources and links, and the area in use.
func (t *textWriter) resources(c *Candidate) {
	var rates []float64
	for _, l := range c.Links {
		rates = append(rates, float64(l.Rate))
	}
	scale := columnScale("B/s", rates)
	g := grid{
		title:    "Resources and links (" + legend + ")",
		headings: []string{"name", "sharers", "utilization", "+10 % (gives)", "sharing", scale.Heading("bandwidth")},
		spare:    []int{4},
		hot:      make(map[int]bool),
	}
	for _, r := range c.Resources {
		if r.Members > 0 {
			g.hot[len(g.rows)] = r.Utilization > saturated
			g.rows = append(g.rows, []string{r.Name, fmt.Sprint(r.Members), units.Percent(float64(r.Utilization)),
				worth(r.TenPercent), marked(r.Sharing, r.SharingOrigin), ""})
		}
	}
	for _, l := range c.Links {
		if l.Members > 0 {
			g.hot[len(g.rows)] = l.Utilization > saturated
			g.rows = append(g.rows, []string{l.Name, fmt.Sprint(l.Members), units.Percent(float64(l.Utilization)),
				worth(l.TenPercent),
				marked(l.Sharing, l.SharingOrigin), marked(scale.Format(float64(l.Rate)), l.Origin)})
		}
	}
	t.grid(g)
	var rows [][]string
	for _, r := range c.Resources {
		if r.Members == 0 {
			continue
		}
		for _, a := range r.Area {
			if a.Used == 0 && math.IsInf(float64(a.Usable), 1) {
				continue
			}
			part := "-"
			if a.Usable > 0 && !math.IsInf(float64(a.Usable), 1) {
				part = units.Percent(float64(a.Used / a.Usable))
			}
			rows = append(rows, []string{r.Name, a.Kind, plain(a.Used), marked(plain(a.Usable), r.Origin), part})
		}
	}
	t.table("Area", []string{"resource", "kind", "used", "usable", "in use"}, rows)
}

// plain prints a count in full.
func plain(n Number) string {
	if math.IsInf(float64(n), 1) {
		return "unlimited"
	}
	return fmt.Sprintf("%.0f", float64(n))
}

// stations prints μ, λ and ρ of every kernel.
func (t *textWriter) stations(c *Candidate) {
	var all []float64
	for _, s := range c.Stations {
		all = append(all, float64(s.ArrivalRate))
		if !s.IsLink && s.ServiceRate < neverTheLimit {
			all = append(all, float64(s.ServiceRate))
		}
	}
	scale := columnScale("B/s", all)
	g := grid{
		title: "Kernels (" + legend + "; without a letter, predicted)",
		headings: []string{"kernel", "on", scale.Heading("μ alone"), scale.Heading("μ shared"), scale.Heading("λ"), "ρ",
			"+10 % μ (gives)"},
		spare: []int{4},
		hot:   make(map[int]bool),
	}
	for _, s := range c.Stations {
		if s.IsLink {
			continue
		}
		g.hot[len(g.rows)] = s.Utilization > saturated
		g.load = append(g.load, float64(s.Utilization))
		g.rows = append(g.rows, []string{s.Name, s.On, marked(scale.Format(float64(s.ServiceRate)), s.Origin),
			scale.Format(float64(s.SharedRate)),
			scale.Format(float64(s.ArrivalRate)), rho(s.Utilization), worth(s.TenPercent)})
	}
	t.grid(g)
	for _, x := range c.Blocks {
		if x.TenPercent >= leastWorth {
			t.remark("%s 10 %% faster in all %d instances on %s gives %s.", x.Name, x.Instances, x.Platform,
				worth(x.TenPercent))
		}
	}
	if len(c.Bottlenecks) > 0 && len(c.Bottlenecks[0].Limits) > 1 {
		t.remark("Several limits bind at once: a faster kernel at one of them brings nothing until the others are " +
			"faster too.")
	}
}

// neverTheLimit is a rate in bytes/s that no kernel has: one that is stated so
// is meant as no limit, and has no part in choosing a column's scale.
const neverTheLimit = 1e15

func rho(n Number) string { return fmt.Sprintf("%.5f", float64(n)) }

// leastWorth is the smallest gain that is printed; below lies rounding.
const leastWorth = 1e-6

// worth prints what ten percent more service brings.
func worth(gain Number) string {
	if gain < leastWorth {
		return "-"
	}
	return fmt.Sprintf("%+.2f %%", 100*float64(gain))
}

// queues prints the buffers.
func (t *textWriter) queues(c *Candidate) {
	if len(c.Queues) == 0 {
		return
	}
	var flows []float64
	given, full := false, false
	for _, q := range c.Queues {
		flows = append(flows, float64(q.Flow))
		given = given || q.Given != nil
		full = full || q.Utilization > saturated
	}
	flow := columnScale("B/s", flows)
	g := grid{
		title:    "Buffers: K, the element in service included, for a probability of 1e-7",
		headings: []string{"edge", "before", flow.Heading("flow"), "element (bytes)", "ρ"},
		spare:    []int{3, 2, 9, 4, 8},
		hot:      make(map[int]bool),
	}
	g.headings = append(g.headings, "recommended (elements)", " (bytes)", "by")
	// The size to allocate, and the papers' figure beside it; the result file has them all.
	const shown = 1
	estimates := c.Queues[0].Estimates
	for _, q := range c.Queues {
		if len(q.Estimates) > len(estimates) {
			estimates = q.Estimates
		}
	}
	for _, e := range estimates[:min(shown, len(estimates))] {
		g.headings = append(g.headings, e.Estimator+" (elements)", " (bytes)")
	}
	if given {
		g.headings = append(g.headings, "given (elements)")
	}
	for _, q := range c.Queues {
		row := []string{q.Edge, q.Before, flow.Format(float64(q.Flow)), plain(q.ElementBytes), rho(q.Utilization)}
		if s := q.Recommended; s != nil {
			row = append(row, plain(s.Elements), plain(s.Bytes), s.Estimator)
		} else {
			row = append(row, "-", "-", "-")
		}
		for i := range min(shown, len(estimates)) {
			if i < len(q.Estimates) {
				row = append(row, plain(q.Estimates[i].Elements), plain(q.Estimates[i].Bytes))
			} else {
				row = append(row, "-", "-")
			}
		}
		if given {
			size := ""
			if q.Given != nil {
				size = plain(q.Given.Elements)
			}
			row = append(row, size)
		}
		g.hot[len(g.rows)] = q.Utilization > saturated
		g.load = append(g.load, float64(q.Utilization))
		g.rows = append(g.rows, row)
	}
	t.grid(g)
	t.remark("Recommended sizes are heuristic: from means and variances, and no less than a firing or a transfer needs.")
	if full {
		t.remark("Where ρ is nearly 1, at the bottleneck, the sizes say little: the queue there grows to whatever " +
			"room it has, and the buffer need only bridge interruptions.")
	}
}
