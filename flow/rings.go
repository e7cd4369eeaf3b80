package flow

// Rings computes the memory of buffers. The edges of one output port of a kernel on a core share a ring with the size
// of their largest buffer. This is possible because copies of a kernel, and all readers of a broadcast, read the same
// data. Each edge from an FPGA has its own ring.
type Rings struct {
	problem *Problem
	first   []int     // of each edge: the first edge of its port
	bytes   []float64 // of each ring, by its first edge
}

// placed is a placement of kernels: an [Operation] or a [Mapping].
type placed interface{ Resource(kernel int) int }

// NewRings returns the rings of the edges of a problem.
func NewRings(p *Problem) *Rings {
	type port struct {
		kernel int
		name   string
	}
	edges := p.Application.Edges
	r := &Rings{problem: p, first: make([]int, len(edges)), bytes: make([]float64, len(edges))}
	of := make(map[port]int, len(edges))
	for e := range edges {
		at := port{edges[e].From, edges[e].FromPort}
		if _, isKnown := of[at]; !isKnown {
			of[at] = e
		}
		r.first[e] = of[at]
	}
	return r
}

// Of returns the first edge of the ring that an edge uses.
func (r *Rings) Of(edge int, at placed) int {
	if from := at.Resource(r.problem.Application.Edges[edge].From); from >= 0 &&
		r.problem.Architecture.Resources[from].Sharing.Rule == AreaOnly {
		return edge
	}
	return r.first[edge]
}

// Shared reports whether several edges share a ring.
func (r *Rings) Shared(at placed) bool {
	for e := range r.first {
		if r.Of(e, at) != e {
			return true
		}
	}
	return false
}

// Memory returns the total bytes of all rings, given the number of elements in the buffer of each edge.
func (r *Rings) Memory(at placed, elements func(edge int) float64) float64 {
	clear(r.bytes)
	total := 0.0
	for e := range r.first {
		bytes := elements(e) * r.problem.Application.Edges[e].ElementBytes
		if ring := r.Of(e, at); bytes > r.bytes[ring] {
			total += bytes - r.bytes[ring]
			r.bytes[ring] = bytes
		}
	}
	return total
}
