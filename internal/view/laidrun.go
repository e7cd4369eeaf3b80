package view

import (
	"math"

	"xopt/internal/result"
	"xopt/internal/units"
)

// laidRun is what a run was like. What was busiest in it, whether kernel or link, is marked as what
// limited it.
func laidRun(r *result.Result) *laid {
	x := r.Measured
	m := newLaid(r, "took", x.Place)
	m.rate = units.Rate(float64(x.Throughput))
	inside := make(map[string][]string)
	for i := range x.Kernels {
		k := &x.Kernels[i]
		if at, ok := m.where[k.Kernel]; ok {
			m.kernels[at].busy, m.kernels[at].most = float64(k.Utilization), float64(k.ServiceRate)
			inside[k.Process] = append(inside[k.Process], k.Kernel)
		}
	}
	rate, via, over := make(map[string]float64), make(map[string][]string), make(map[string]float64)
	for _, e := range x.Edges {
		rate[e.Edge], via[e.Edge] = float64(e.Rate), e.Over
		for _, l := range e.Over {
			over[l] += float64(e.Rate)
		}
	}
	in, out := make(map[string]float64), make(map[string]float64)
	for _, e := range r.Edges {
		in[e.To] += rate[e.Name]
		out[e.From] += rate[e.Name]
		m.edges = append(m.edges, laidEdge{name: e.Name, from: e.From, to: e.To, rate: rate[e.Name], initial: e.Initial,
			via: via[e.Name]})
	}
	for i := range m.kernels {
		k := &m.kernels[i]
		if k.rate = in[k.name]; k.rate == 0 {
			k.rate = out[k.name]
		}
	}
	for _, l := range r.Links {
		carried, ok := over[l.Name]
		most := float64(l.Bandwidth)
		busy := math.NaN() // where the most is not known
		if most > 0 && most < noLimit {
			busy = min(1, carried/most)
		}
		if !ok || l.Linktype == "memory" && !(busy >= plentyUsed) {
			continue
		}
		m.links = append(m.links, laidLink{l.Name, carried, most, busy, false})
	}
	m.ranResources(r)
	m.markBusiest()
	m.longest(x.Paths)
	return m
}

// ranResources are the resources that ran something: a core is busy as long as all that shares its
// time, an FPGA as long as the busiest that it holds.
func (m *laid) ranResources(r *result.Result) {
	sharing := make(map[string]string)
	if p := r.Prediction; p != nil {
		for _, x := range p.Resources {
			sharing[x.Name] = x.Sharing
		}
	}
	process := make(map[string]string)
	for i := range r.Measured.Kernels {
		process[r.Measured.Kernels[i].Kernel] = r.Measured.Kernels[i].Process
	}
	for _, x := range r.Architecture {
		sum, most, known := 0.0, 0.0, false
		for _, k := range m.kernels {
			if k.on != x.Name || math.IsNaN(k.busy) {
				continue
			}
			known = true
			sum, most = sum+k.busy, max(most, k.busy)
		}
		busy := math.NaN()
		if known {
			if busy = min(1, sum); sharing[x.Name] == "area" {
				busy = most
			}
		}
		m.resources = append(m.resources, laidResource{name: x.Name, platform: x.Platform, busy: busy})
	}
}

// markBusiest marks the resource or link that was busiest, and the kernels that it held.
func (m *laid) markBusiest() {
	most := 0.0
	for _, x := range m.resources {
		if x.busy > most {
			most = x.busy
		}
	}
	for _, x := range m.links {
		if x.busy > most {
			most = x.busy
		}
	}
	least := most * (1 - alikeBusy)
	for i := range m.links {
		if x := &m.links[i]; most > 0 && x.busy >= least {
			x.limits, m.limit = true, append(m.limit, x.name)
		}
	}
	for i := range m.resources {
		if x := &m.resources[i]; most > 0 && x.busy >= least {
			x.limits, m.limit = true, append(m.limit, x.name)
		}
	}
}

// longest marks the path with the longest mean latency.
func (m *laid) longest(paths []result.PathLatency) {
	var at *result.PathLatency
	for i := range paths {
		if x := &paths[i]; x.Latency != nil && (at == nil || x.Latency.Mean > at.Latency.Mean) {
			at = x
		}
	}
	if at == nil {
		return
	}
	m.pathWords = pathWords
	for _, e := range at.Edges {
		m.path[e] = true
	}
}
