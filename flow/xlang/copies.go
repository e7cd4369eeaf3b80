package xlang

// Copies tells of each edge whether it carries what another does, an earlier one of the same
// output port: of a port that feeds several edges each carries every element (a broadcast), and
// what the kernel sends is counted once. The edges to the copies of a kernel ([Program.Replicate]) divide
// what their port sends: of them none carries what another does.
func (p *Program) Copies() []bool {
	type port struct{ kernel, port int }
	first := make(map[port]int, len(p.Edges)) // as the application was before kernels were copied
	copies := make([]bool, len(p.Edges))
	for e := range p.Edges {
		at, origin := port{p.Edges[e].From, p.Edges[e].FromPort}, e
		if p.Edges[e].Origin > 0 {
			origin = p.Edges[e].Origin - 1
		}
		was, seen := first[at]
		if copies[e] = seen && (was != origin || !p.Edges[e].Shared); !seen {
			first[at] = origin
		}
	}
	return copies
}
