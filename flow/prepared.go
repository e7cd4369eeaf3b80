package flow

// Prepared is a problem with the data that do not depend on a mapping: adjacency, flows and routes. [Prepare] computes
// these data once. The networks, scorers, searches and bounds of the problem only read these data. The caller must not
// change the problem.
type Prepared struct {
	*Problem
	Graph  *Graph
	Flows  *Flows
	Routes *Routes
}

// Prepare validates a problem and computes the data that its mappings share. The errors are the errors of
// [Problem.Validate] and [NewFlows].
func Prepare(p *Problem) (*Prepared, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return prepare(p)
}

// prepare is like Prepare without validation.
func prepare(p *Problem) (*Prepared, error) {
	g := NewGraph(&p.Application)
	flows, err := newFlows(g, p.JoinTolerance)
	if err != nil {
		return nil, err
	}
	return &Prepared{Problem: p, Graph: g, Flows: flows, Routes: NewRoutes(&p.Architecture)}, nil
}

// With prepares another problem with the same application, resources and links: only figures, bandwidths and sharing
// rules may differ. It reuses flows and routes.
func (p *Prepared) With(other *Problem) *Prepared {
	return &Prepared{Problem: other, Graph: p.Graph, Flows: p.Flows, Routes: p.Routes}
}

// Graph is the adjacency of an application: the in-edges and out-edges of each kernel.
type Graph struct {
	In, Out [][]int

	app *Application
}

// NewGraph returns the adjacency of an application.
func NewGraph(app *Application) *Graph {
	ends := make([]int, 2*len(app.Kernels)) // by kernel: number of in-edges, then number of out-edges
	for i := range app.Edges {
		ends[app.Edges[i].To]++
		ends[len(app.Kernels)+app.Edges[i].From]++
	}
	lists, all := make([][]int, len(ends)), make([]int, 2*len(app.Edges))
	for i, n := range ends {
		lists[i], all = all[:0:n], all[n:]
	}
	g := &Graph{In: lists[:len(app.Kernels)], Out: lists[len(app.Kernels):], app: app}
	for i := range app.Edges {
		to, from := app.Edges[i].To, app.Edges[i].From
		g.In[to], g.Out[from] = append(g.In[to], i), append(g.Out[from], i)
	}
	return g
}
