package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// randomOptions shapes random problems.
type randomOptions struct {
	kernels, sources, resources, links int
	joins                              bool
}

// randomProblem returns an acyclic application with several sources, gains from 1e-3 to 1e3 and joins. Its
// architecture has every sharing rule, and one or two links that join all resources.
func randomProblem(rng *rand.Rand, o randomOptions) *Problem {
	p := &Problem{Architecture: randomArchitecture(rng, o), Application: randomApplication(rng, o)}
	p.Figures = make([][]Figures, len(p.Application.Kernels))
	for k := range p.Figures {
		p.Figures[k] = make([]Figures, len(p.Architecture.Resources))
		for r := range p.Figures[k] {
			p.Figures[k][r] = Figures{
				Available:   r == 0 || rng.Float64() < 0.9,
				ServiceRate: logUniform(rng, 1e5, 1e9),
			}
			n := float64(1 + rng.IntN(4096))
			if f := &p.Figures[k][r]; int(n)%2 == 0 && p.Architecture.Resources[r].Sharing.Rule != AreaOnly {
				f.CoLocationCost = math.Mod(n, 7) / 3 / f.ServiceRate
				f.ReceiveCost, f.SendCost = math.Mod(n, 3)/4/f.ServiceRate, math.Mod(n, 5)/6/f.ServiceRate
				if int(n)%4 == 0 {
					f.SwitchCost = math.Mod(n, 11) / 8 / f.ServiceRate
				}
			}
			for kind := range p.Figures[k][r].Area {
				p.Figures[k][r].Area[kind] = float64(rng.IntN(100))
			}
		}
	}
	return p
}

func randomArchitecture(rng *rand.Rand, o randomOptions) Architecture {
	a := Architecture{Name: "random"}
	for r := range o.resources {
		res := Resource{Name: fmt.Sprintf("r%d", r), Platform: "P", Area: unlimited()}
		switch rng.IntN(4) {
		case 0:
			res.Sharing.Rule = Equal
			if rng.IntN(2) == 0 {
				res.Sharing.SwitchCost = logUniform(rng, 1e-8, 1e-5)
			}
		case 1:
			res.Sharing.Rule = AreaOnly
			res.Area[LUT] = float64(50 * (1 + rng.IntN(2*o.kernels)))
		case 2:
			res.Sharing = Sharing{Rule: Conserving, SwitchCost: logUniform(rng, 1e-8, 1e-5)}
		default:
			res.Sharing.Rule = Conserving
		}
		a.Resources = append(a.Resources, res)
	}
	for l := range o.links {
		link := Link{Name: fmt.Sprintf("l%d", l), Bandwidth: logUniform(rng, 1e5, 1e9)}
		switch rng.IntN(4) {
		case 0:
			link.Sharing.Rule = Equal
			if rng.IntN(2) == 0 {
				link.Sharing.TransferCost = logUniform(rng, 1e-8, 1e-4)
			}
		case 1:
			link.Sharing = Sharing{Rule: Bulk, TransferCost: logUniform(rng, 1e-8, 1e-4)}
			if rng.IntN(2) == 1 { // below and above the elements, and not a multiple of them
				link.Sharing.TransferBytes = 100 + math.Mod(math.Floor(link.Sharing.TransferCost*1e12), 9001)
			}
		}
		if n := math.Floor(link.Bandwidth); math.Mod(n, 3) == 0 { // no draw: earlier seeds keep their networks
			link.Sends = Work{PerByte: math.Mod(n, 7) / 5 / n, PerElement: math.Mod(n, 5) * 30 / n}
			link.Receives = Work{PerByte: math.Mod(n, 11) / 8 / n, PerElement: math.Mod(n, 4) * 50 / n}
		}
		for r := range o.resources {
			// The first link joins the even resources, the second the odd ones and
			// resource 0; later links join some at random.
			if l == 0 && r%2 == 0 || l == 1 && (r%2 == 1 || r == 0) || l > 1 && rng.IntN(2) == 0 {
				link.Endpoints = append(link.Endpoints, r)
			}
		}
		a.Links = append(a.Links, link)
	}
	return a
}

func randomApplication(rng *rand.Rand, o randomOptions) Application {
	app := Application{Name: "random"}
	for k := range o.kernels {
		app.Kernels = append(app.Kernels, Kernel{Name: fmt.Sprintf("k%d", k), Gain: logUniform(rng, 1e-3, 1e3)})
		if k < o.sources {
			app.Kernels[k].Gain = 1
			continue
		}
		from := rng.Perm(k)[:min(k, 1+rng.IntN(3))]
		if k < 2*o.sources { // every source is read
			from[0] = k - o.sources
		}
		seen := make(map[int]bool)
		for _, f := range from {
			if !seen[f] {
				seen[f] = true
				app.Edges = append(app.Edges, Edge{Name: fmt.Sprintf("e%d", len(app.Edges)), From: f, To: k,
					ElementBytes: float64(1 + rng.IntN(4096)), Routing: 0.05 + rng.Float64()})
			}
		}
	}
	sum := make([]float64, o.kernels)
	for _, e := range app.Edges {
		sum[e.From] += e.Routing
	}
	for i := range app.Edges {
		app.Edges[i].Routing /= sum[app.Edges[i].From]
	}
	if o.joins {
		addJoins(rng, &app)
	}
	return app
}

// addJoins makes some kernels consume their inputs together, in ratios that one
// positive choice of source rates satisfies.
func addJoins(rng *rand.Rand, app *Application) {
	flows, err := NewFlows(app, 0)
	if err != nil {
		panic(err) // test code: the application is acyclic by construction
	}
	rate := make([]float64, len(flows.Sources))
	for i := range rate {
		rate[i] = logUniform(rng, 0.1, 10)
	}
	for k, in := range NewGraph(app).In {
		if len(in) < 2 || rng.IntN(2) == 0 {
			continue
		}
		var j Join
		scale := logUniform(rng, 0.1, 10)
		for _, e := range in {
			j.Ports = append(j.Ports, JoinPort{Name: fmt.Sprintf("x%d", e), Edges: []int{e},
				Bytes: scale * dot(flows.Edge(e), rate)})
		}
		app.Kernels[k].Joins = append(app.Kernels[k].Joins, j)
	}
}

// randomMapping places every kernel where it has an implementation.
func randomMapping(rng *rand.Rand, p *Problem) *Mapping {
	m := &Mapping{Place: make([]int, len(p.Application.Kernels)), Route: make([][]int, len(p.Application.Edges))}
	for k := range m.Place {
		for {
			m.Place[k] = rng.IntN(len(p.Architecture.Resources))
			if p.Figures[k][m.Place[k]].Available {
				break
			}
		}
	}
	routes := NewRoutes(&p.Architecture)
	for e, edge := range p.Application.Edges {
		if alternatives := routes.Between(m.Place[edge.From], m.Place[edge.To]); len(alternatives) > 0 {
			m.Route[e] = alternatives[rng.IntN(len(alternatives))]
		}
	}
	return m
}

func unlimited() Area {
	var a Area
	for kind := range a {
		a[kind] = math.Inf(1)
	}
	return a
}

func logUniform(rng *rand.Rand, lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, rng.Float64())
}
