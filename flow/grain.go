package flow

import "math"

// Grain is the granularity of an edge: the number of elements that its kernels transfer at a time. The granularity
// determines the minimum size of the buffer, and the time that elements wait for other elements.
type Grain struct {
	Consumes float64 // elements that one firing of the reader consumes, at least 1
	Brings   float64 // elements that one firing of the writer sends, at least 1
	Sends    float64 // mean of Brings; less than 1 if not every firing sends an element
	// Gathers is the number of firings of the writer that fill one element, at least 1. It is the element's size
	// divided by the input bytes of a firing, or the number of firings per element if this number is smaller. It is 1
	// for a kernel that only filters elements of constant size.
	Gathers float64
}

// Grain returns the granularity of edge e.
func (f *Flows) Grain(e int) Grain { return f.grains[e] }

// grainRounding is the tolerance for gains and routing fractions that are printed with six digits.
const grainRounding = 1e-4

// findGrains computes the grains of all edges.
func (f *Flows) findGrains(app *Application) {
	f.grains = make([]Grain, len(app.Edges))
	consumes := make([]bool, len(app.Kernels)) // whether the kernel has input and is not a source
	for e := range app.Edges {
		consumes[app.Edges[e].To] = true
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		g := Grain{Consumes: 1, Brings: 1, Gathers: 1}
		// Elements per firing, and bytes that a firing consumes, may depend on the source. With several free sources,
		// use the largest values.
		for s := range f.Free {
			firings := f.FiringRate(edge.From, s)
			if !(firings > 0) {
				continue
			}
			perFiring, bytes := f.Edge(e)[s]/edge.ElementBytes/firings, f.Arrival(edge.From)[s]/firings
			g.Brings = max(g.Brings, math.Ceil(perFiring*(1-grainRounding)))
			g.Sends = max(g.Sends, perFiring)
			if perFiring > 0 && consumes[edge.From] {
				g.Gathers = max(g.Gathers, min(1/perFiring, edge.ElementBytes/bytes))
			}
		}
		f.grains[e] = g
	}
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			for _, p := range j.Ports {
				for _, e := range p.Edges {
					f.grains[e].Consumes = max(1, math.Ceil(p.Bytes/app.Edges[e].ElementBytes*(1-grainRounding)))
				}
			}
		}
	}
}

// BulkElements returns the number of elements of the given size in one transfer of the link, at least 1.
func (l *Link) BulkElements(elementBytes float64) float64 {
	return max(1, math.Floor(l.Sharing.TransferBytes/elementBytes))
}
