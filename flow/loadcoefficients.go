package flow

import "xopt/queueing/int128"

// LoadCoefficients contains the loads of single kernels and edges on resources and links, per byte/s of one free
// source. They are the basis of bounds on all mappings. With one free source, the largest sum of these loads determines
// the throughput.
type LoadCoefficients struct {
	s      *Scorer
	source int
}

// LoadCoefficients returns the load coefficients for one of the free sources.
func (s *Scorer) LoadCoefficients(source int) LoadCoefficients { return LoadCoefficients{s, source} }

// FreeSources returns the number of free sources.
func (s *Scorer) FreeSources() int { return s.free }

// Additive reports whether the load of every resource and link is a sum of load coefficients, and only loads limit the
// throughput. This is the case if there is one free source, kernels on different cores do not slow each other, and no
// kernels wait for each other in a cycle.
func (s *Scorer) Additive() bool { return s.free == 1 && s.contention == nil && s.waiting == nil }

// Weight returns the throughput in bytes/s per byte/s of the free source.
func (w LoadCoefficients) Weight() float64 { return w.s.Flows.objective[w.source] }

// Throughput returns Γ in bytes/s of a mapping with the given maximum load.
func (w LoadCoefficients) Throughput(load float64) float64 { return w.Weight() * (w.s.phi / load) }

// Load returns the maximum load of a mapping with the given throughput.
func (w LoadCoefficients) Load(throughput float64) float64 {
	return w.Weight() * (w.s.phi / throughput)
}

// at returns the load in a row of a table, for the free source.
func (w LoadCoefficients) at(table []int128.Int, row int) float64 {
	return table[row*w.s.free+w.source].Float() * w.s.unit
}

// Kernel returns λ/μ of a kernel that is alone on a resource. shared is the additional load of co-location and
// switching, on resources with conserving time sharing.
func (w LoadCoefficients) Kernel(kernel, resource int) (alone, shared float64) {
	row := kernel*w.s.resources + resource
	if w.s.shared != nil && w.s.rule[resource] == inTime {
		shared = w.at(w.s.shared, row)
	}
	return w.at(w.s.alone, row), shared
}

// EdgeLoad returns the load that an edge adds to the resource of one of its kernels if the other kernel is on another
// resource.
func (w LoadCoefficients) EdgeLoad(edge, kernel, resource int) float64 {
	if !w.s.anyEnds || w.s.rule[resource] != inTime {
		return 0
	}
	table := w.s.to
	if w.s.Problem.Application.Edges[edge].From == kernel {
		table = w.s.from
	}
	return w.at(table, edge*w.s.resources+resource)
}

// Carrying returns the loads that an edge on a route adds to the resources of its writer and of its reader.
func (w LoadCoefficients) Carrying(edge int, route []int, writer, reader int) (sends, receives float64) {
	if w.s.carrying.sends == nil || len(route) == 0 {
		return 0, 0
	}
	if w.s.rule[writer] == inTime {
		sends = w.at(w.s.carrying.sends, edge*w.s.links+route[0])
	}
	if w.s.rule[reader] == inTime {
		receives = w.at(w.s.carrying.receives, edge*w.s.links+route[len(route)-1])
	}
	return sends, receives
}

// Link returns the load that an edge adds to a link that it crosses.
func (w LoadCoefficients) Link(edge, link int) float64 {
	return w.at(w.s.crossing, edge*w.s.links+link)
}
