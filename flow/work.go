package flow

// Works are the loads that single kernels and edges bring to resources and links, each per
// byte/s of the one free source: what bounds on all mappings are made of. They hold for
// applications with one free source only.
type Works struct {
	s *Scorer
}

// Works returns them; ok is false with several free sources, where throughput is no minimum
// over resources and links.
func (s *Scorer) Works() (w Works, ok bool) { return Works{s}, s.flows.Free == 1 }

// Throughput is Γ in bytes/s of a mapping whose greatest load is that.
func (w Works) Throughput(load float64) float64 { return w.s.flows.objective[0] * (w.s.phi / load) }

// Load is the greatest load of a mapping of that throughput.
func (w Works) Load(throughput float64) float64 {
	return w.s.flows.objective[0] * (w.s.phi / throughput)
}

// Kernel is λ/μ of a kernel on a resource, alone; Shared is what company and switching add
// where others are there.
func (w Works) Kernel(kernel, resource int) (alone, shared float64) {
	at := kernel*w.s.resources + resource
	if w.s.shared != nil {
		shared = w.s.shared[at].float() * w.s.unit
	}
	return w.s.alone[at].float() * w.s.unit, shared
}

// End is what an edge adds to the resource of one of its kernels when the other is
// elsewhere.
func (w Works) End(edge, kernel, resource int) float64 {
	if !w.s.anyEnds {
		return 0
	}
	table := w.s.to
	if w.s.problem.Application.Edges[edge].From == kernel {
		table = w.s.from
	}
	return table[edge*w.s.resources+resource].float() * w.s.unit
}

// Link is what an edge brings to a link that it crosses.
func (w Works) Link(edge, link int) float64 {
	return w.s.crossing[edge*w.s.links+link].float() * w.s.unit
}
