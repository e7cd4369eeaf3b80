package flow

// Firing is one term of a kernel's firing rate: PerByte firings per byte on an edge or, if Edge is -1, per byte of λ.
type Firing struct {
	Edge    int
	PerByte float64
}

// A kernel fires once per round of a join, and once per element of a port outside joins. One firing of a source sends
// at most one element on each port, or the number in the emit statement. The port with the most elements determines the
// firing rate of the source.

// Firings returns the terms of the firing rate of kernel k, in firings/s. The result is empty for a kernel without
// streams, because its firings are unknown. The terms exclude data that are sent only once. The caller must not modify
// the result.
func (f *Flows) Firings(k int) []Firing { return f.firings[f.firingsOf[k]:f.firingsOf[k+1]] }

// FiringRate returns the firing rate of kernel k in firings/s per byte/s of free source s.
func (f *Flows) FiringRate(k, s int) float64 { return f.fires[k*f.Free+s] }

// addFirings computes the firing rate of every kernel as the sum of its terms.
func (f *Flows) addFirings(kernels int) {
	f.fires = make([]float64, kernels*f.Free)
	for k := range kernels {
		for _, t := range f.Firings(k) {
			for s, x := range f.rates(k, t.Edge) {
				f.fires[k*f.Free+s] += t.PerByte * x
			}
		}
	}
}

// rates returns the rate on an edge, or λ of kernel k if edge is -1. It returns one value for each free source, per
// byte/s of that source.
func (f *Flows) rates(k, edge int) []float64 {
	if edge < 0 {
		return f.Arrival(k)
	}
	return f.Edge(edge)
}

// findFirings computes the terms of all kernels.
func (f *Flows) findFirings(app *Application) {
	in, out := f.graph.In, f.graph.Out
	joined := make([]bool, len(app.Edges))
	f.firingsOf = make([]int, 1, len(app.Kernels)+1)
	for k := range app.Kernels {
		if len(in[k]) == 0 {
			f.sourceFirings(app, out[k])
		}
		for _, j := range app.Kernels[k].Joins {
			f.joinFirings(j, joined)
		}
		for _, e := range in[k] {
			if !joined[e] {
				f.firings = append(f.firings, Firing{Edge: e, PerByte: 1 / app.Edges[e].ElementBytes})
			}
		}
		f.firingsOf = append(f.firingsOf, len(f.firings))
	}
	f.addFirings(len(app.Kernels))
}

// joinFirings adds the rounds of a join. The first port with a flow determines the number of rounds.
func (f *Flows) joinFirings(j Join, joined []bool) {
	counted := false
	for _, p := range j.Ports {
		flows := false
		for _, e := range p.Edges {
			joined[e] = true
			for _, x := range f.Edge(e) {
				flows = flows || x != 0
			}
		}
		if counted || !flows {
			continue
		}
		counted = true
		for _, e := range p.Edges {
			f.firings = append(f.firings, Firing{Edge: e, PerByte: 1 / p.Bytes})
		}
	}
}

// sourceFirings adds the firings of a source: the number of elements on the port that sends the most elements.
func (f *Flows) sourceFirings(app *Application, out []int) {
	elements := make(map[string]float64, len(out)) // firings of each port, per byte of total output
	maximum := 0.0
	for _, e := range out {
		edge := &app.Edges[e]
		if edge.Copy {
			continue
		}
		elements[edge.FromPort] += edge.Routing / edge.ElementBytes / float64(max(1, edge.Emits))
		maximum = max(maximum, elements[edge.FromPort])
	}
	if maximum > 0 {
		f.firings = append(f.firings, Firing{Edge: -1, PerByte: maximum})
	}
}

// Firings returns the firing rate of a kernel at a solution, in firings/s.
func (n *Network) Firings(s *Solution, k int) float64 {
	rate := 0.0
	for _, t := range n.Flows.Firings(k) {
		if t.Edge >= 0 {
			rate += t.PerByte * s.EdgeFlow[t.Edge]
			continue
		}
		for _, src := range s.Sources {
			if src.Kernel == k {
				rate += t.PerByte * src.Rate
			}
		}
	}
	return rate
}
