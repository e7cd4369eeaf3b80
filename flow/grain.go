package flow

import "math"

// Grain is how an edge's elements are sent and taken: what a buffer has to hold at the least,
// and what elements wait for.
type Grain struct {
	Takes  float64 // elements that one firing of the reader takes, at least 1
	Brings float64 // elements that one firing of the writer sends, at least 1
	Sends  float64 // the same in the mean: less than 1 where not every firing sends one
	// Gathers is how many firings of the writer an element is made of, at least 1: as many as
	// its size says, or fewer where their output fills it earlier. A kernel that lets only some
	// elements through, each as large as it came, gathers none.
	Gathers float64
}

// Grain returns that of edge e.
func (f *Flows) Grain(e int) Grain { return f.grains[e] }

// grainRounding forgives the rounding of gains and routing fractions printed with six digits.
const grainRounding = 1e-4

// findGrains works out those of all edges.
func (f *Flows) findGrains(app *Application) {
	f.grains = make([]Grain, len(app.Edges))
	takes := make([]bool, len(app.Kernels)) // anything: it is not a source
	for e := range app.Edges {
		takes[app.Edges[e].To] = true
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		g := Grain{Takes: 1, Brings: 1, Gathers: 1}
		// Elements of a firing, and bytes that go into it: the same whatever the sources send,
		// where there is one; of several, the most.
		for s := range f.Free {
			firings := f.FiringRate(edge.From, s)
			if !(firings > 0) {
				continue
			}
			perFiring, bytes := f.Edge(e)[s]/edge.ElementBytes/firings, f.Arrival(edge.From)[s]/firings
			g.Brings = max(g.Brings, math.Ceil(perFiring*(1-grainRounding)))
			g.Sends = max(g.Sends, perFiring)
			if perFiring > 0 && takes[edge.From] {
				g.Gathers = max(g.Gathers, min(1/perFiring, edge.ElementBytes/bytes))
			}
		}
		f.grains[e] = g
	}
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			for _, p := range j.Ports {
				for _, e := range p.Edges {
					f.grains[e].Takes = max(1, math.Ceil(p.Bytes/app.Edges[e].ElementBytes*(1-grainRounding)))
				}
			}
		}
	}
}

// BulkElements is how many elements of the given size a transfer of the link moves at once,
// at least 1.
func (l *Link) BulkElements(elementBytes float64) float64 {
	return max(1, math.Floor(l.Sharing.TransferBytes/elementBytes))
}
