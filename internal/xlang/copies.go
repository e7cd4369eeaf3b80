package xlang

// Copies tells of each edge whether it carries what another does, an earlier one of the same
// output port: of a port that feeds several edges each carries every element (a broadcast), and
// what the kernel sends is counted once.
func (p *Program) Copies() []bool {
	type port struct{ kernel, port int }
	seen := make(map[port]bool, len(p.Edges))
	copies := make([]bool, len(p.Edges))
	for e := range p.Edges {
		at := port{p.Edges[e].From, p.Edges[e].FromPort}
		copies[e] = seen[at]
		seen[at] = true
	}
	return copies
}
