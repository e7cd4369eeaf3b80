package report

import (
	"math"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// laidRun is what a run was like, with its bottleneck as it was recorded.
func laidRun(r *result.Result) *laid {
	x := r.Measured
	m := newLaid(r, "took", x.Place)
	m.rate = units.Rate(float64(x.Throughput))
	inside := make(map[string][]string)
	for i := range x.Kernels {
		k := &x.Kernels[i]
		if at, ok := m.where[k.Kernel]; ok {
			m.kernels[at].busy = float64(k.Utilization)
			inside[k.Process] = append(inside[k.Process], k.Kernel)
		}
	}
	rate, via := make(map[string]float64), make(map[string][]string)
	for _, e := range x.Edges {
		rate[e.Edge], via[e.Edge] = float64(e.Rate), e.Over
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
	m.ranOver(r)
	m.longest(x.Paths)
	return m
}

// ranOver are the resources of a run, and the links that carried something, with what was recorded of their use.
func (m *laid) ranOver(r *result.Result) {
	x := r.Measured
	of := make(map[string]*result.MeasuredUse, len(x.Used))
	for i := range x.Used {
		of[x.Used[i].Name] = &x.Used[i]
	}
	limits := make(map[string]bool)
	for _, u := range limited(x) {
		limits[u.Name] = true
		m.limit = append(m.limit, u.Name)
	}
	for _, l := range r.Links {
		u := of[l.Name]
		if u == nil {
			continue
		}
		busy := float64(u.Utilization)
		if u.Bandwidth == 0 || float64(u.Bandwidth) >= noLimit {
			busy = math.NaN() // the most is not known
		}
		if l.Linktype == "memory" && !limits[l.Name] && !(busy >= plentyUsed) {
			continue
		}
		m.links = append(m.links, laidLink{l.Name, float64(u.Rate), busy, limits[l.Name]})
	}
	for _, x := range r.Architecture {
		busy := math.NaN()
		if u := of[x.Name]; u != nil {
			busy = float64(u.Utilization)
		}
		m.resources = append(m.resources, laidResource{name: x.Name, platform: x.Platform, busy: busy,
			limits: limits[x.Name]})
	}
}

// longestRecorded says which path of a run is marked: of those on which latencies were recorded.
const longestRecorded = "path with the longest latency that was recorded"

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
	m.pathWords = longestRecorded
	for _, e := range at.Edges {
		m.path[e] = true
	}
}
