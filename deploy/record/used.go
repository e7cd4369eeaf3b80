package record

import (
	"math"

	"xopt/flow/design"
	"xopt/mapper/result"
)

// used is how much of each resource and link was used. Kernels on an FPGA work side by side, those on a core
// by turns.
func (r *recorder) used() {
	d := r.design
	resources := make([]result.MeasuredUse, len(d.Program.Resources))
	most := make([]float64, len(resources))
	for i := range r.out.Kernels {
		at := d.Mapping.Place[r.from.Kernels[i].Kernel]
		x, busy := &resources[at], r.from.Kernels[i].Utilization
		x.Name = d.Program.Resources[at].Name
		x.Sharers++
		if busy > most[at] {
			most[at], x.Busiest = busy, r.out.Kernels[i].Kernel
		}
		if design.IsFPGA(d.Program, at) {
			x.Utilization = result.Number(most[at])
		} else {
			x.Utilization += result.Number(busy)
		}
	}
	links := make([]result.MeasuredUse, len(d.Problem.Architecture.Links))
	for _, e := range r.from.Edges {
		if e.Edge >= len(d.Mapping.Route) {
			continue
		}
		for _, l := range d.Mapping.Route[e.Edge] {
			links[l].Sharers++
			links[l].Rate += result.Number(e.Rate)
		}
	}
	for l := range links {
		x, link := &links[l], &d.Problem.Architecture.Links[l]
		x.Name, x.IsLink = link.Name, true
		if link.Bandwidth > 0 && !math.IsInf(link.Bandwidth, 1) {
			x.Bandwidth, x.Origin = result.Number(link.Bandwidth), link.Origin.String()
			x.Utilization = x.Rate / x.Bandwidth
		}
	}
	for _, x := range append(resources, links...) {
		if x.Sharers == 0 {
			continue
		}
		switch {
		case x.IsLink && x.Utilization > disproved:
			x.Utilization, x.Exceeded = 0, x.Utilization
		case x.Utilization > 1: // calls of several processes overlap
			x.Utilization, x.Estimated = 1, true
		}
		r.out.Used = append(r.out.Used, x)
	}
}

// disproved is the utilization of a link above which its bandwidth is wrong: less may be an error of the time.
const disproved = 1.05
