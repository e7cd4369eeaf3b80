package design

// FiringBytes returns the bytes that the sources send if each source fires once. All copies of a source count as one
// source.
func (d *Design) FiringBytes() float64 {
	a := &d.Problem.Application
	in, counted := make([]bool, len(a.Kernels)), make(map[int]bool)
	for i := range a.Edges {
		in[a.Edges[i].To] = true
	}
	bytes := 0.0
	for i := range a.Edges {
		e, origin := &a.Edges[i], d.Program.Edges[i].Origin
		if in[e.From] || e.Copy || counted[origin] {
			continue
		}
		counted[origin] = origin > 0
		bytes += e.ElementBytes * float64(max(e.Emits, 1))
	}
	return bytes
}
