package flow

import (
	"math"

	"xopt/queueing/int128"
)

// scorerTables contains the read-only data that all scorers of a problem share. The tables are flat arrays of the loads
// of kernels on resources and of edges on links, per byte/s of each free source. A move only adds and subtracts rows of
// these tables.
type scorerTables struct {
	*Prepared
	phi       float64
	free      int // free sources, F
	resources int
	links     int
	unit      float64         // of int128 numbers
	clocks    []*clockRanking // by resource; nil if no rate follows its clock

	rule     []shares     // by resource, then by link
	alone    []int128.Int // kernel × resource × F: λ/μ
	shared   []int128.Int // kernel × resource × F: switching and co-location with other kernels; nil for none
	costly   []bool       // by resource: shared equally, with costs in addition to 1/μ
	crossing []int128.Int // edge × link × F: load of the edge on the link
	from     []int128.Int // edge × resource × F: cost at the sending resource; nil for none
	to       []int128.Int // edge × resource × F: cost at the receiving resource; nil for none
	carrying carryingTables
	rank     []*ranking  // by resource, then by link: order of the members by load; nil if shared in time
	need     []areaUnits // kernel × resource
	have     []areaUnits // of each resource
	arcs     []arc       // of all kernels in sequence: in-edges, then out-edges
	arcsOf   []int32     // index of the first arc of each kernel

	// defaults contains the default routes of each pair of resources. A block of routes from the second to the first
	// resource (for in-edges) precedes a block of routes in the opposite direction (for out-edges).
	defaults []int32
	pairs    []pair       // resource × resource
	ways     []int32      // route numbers of all pairs in sequence
	hops     []int32      // links of all routes in sequence
	volume   []int128.Int // by edge: traffic on each hop
	volUnit  float64      // of volume
	hopsOf   []int32      // index of the first hop of each route
	scale    float64      // throughput times the maximum load, with one free source
	simple   bool         // one free source, and no co-location costs
	anyEnds  bool

	rankedLinks bool // some links are not shared in time

	contention *contentionTables // nil if no kernel slows another
}

// shares is the rule that combines the loads of the members of a resource or link.
type shares uint8

const (
	inTime  shares = iota // Σ λ/μ: Conserving, and all rules for links except Equal
	equally               // n times the largest load: Equal
	inArea                // the largest load: AreaOnly
)

// arc is an edge of a kernel, from the kernel's point of view. way is the index in defaults at which the block for the
// arc's direction starts.
type arc struct {
	edge, other, way int32
}

// pair is the range of the routes from one resource to another within the list of all routes.
type pair struct{ first, count int32 }

// These are the route numbers of edges that cross no links.
const (
	inside   int32 = iota // both ends on one resource
	unjoined              // no route connects the two resources
	firstRoute
)

// areaUnits is an area as a fraction of the resource's area, in integers, so that sums are exact.
type areaUnits [NumAreaKinds]int64

func newScorerTables(p *Prepared) *scorerTables {
	t := &scorerTables{
		Prepared: p, phi: p.maxUtilization(),
		free: p.Flows.Free, resources: len(p.Architecture.Resources), links: len(p.Architecture.Links),
	}
	for r := range p.Architecture.Resources {
		switch p.Architecture.Resources[r].Sharing.Rule {
		case Equal:
			t.rule = append(t.rule, equally)
		case AreaOnly:
			t.rule = append(t.rule, inArea)
		default:
			t.rule = append(t.rule, inTime)
		}
	}
	for l := range p.Architecture.Links {
		if p.Architecture.Links[l].Sharing.Rule == Equal {
			t.rule, t.rankedLinks = append(t.rule, equally), true
		} else {
			t.rule = append(t.rule, inTime)
		}
	}
	t.fillLoads()
	t.contention = newContentionTables(p)
	t.fillClocks()
	t.fillAreas()
	t.fillArcs()
	t.fillRoutes()
	t.fillVolumes()
	return t
}

// clockRanking is the order of the kernels whose rates follow the clock of a resource: by their cycles, and by the
// period of their own maximum clock.
type clockRanking struct {
	cycles, period *ranking
	follows        []bool // of each kernel
}

// fillClocks computes the rankings. With several free sources, there is no fixed order by cycles.
func (t *scorerTables) fillClocks() {
	kernels := len(t.Problem.Application.Kernels)
	t.clocks = make([]*clockRanking, t.resources)
	for r := range t.clocks {
		c := &clockRanking{follows: make([]bool, kernels)}
		cycles, period := make([]float64, kernels), make([]float64, kernels)
		any := false
		for k := range kernels {
			f := &t.Problem.Figures[k][r]
			if t.rule[r] != inArea || !f.Available || f.MaxClock == 0 {
				continue
			}
			any, c.follows[k] = true, true
			cycles[k], period[k] = t.alone[(k*t.resources+r)*t.free].Load()*f.MaxClock, 1/f.MaxClock
		}
		if any {
			c.cycles, c.period = newRanking(cycles), newRanking(period)
			t.clocks[r] = c
		}
	}
}

// fillAreas converts areas to fractions of each resource's area.
func (t *scorerTables) fillAreas() {
	p := t.Problem
	kernels := len(p.Application.Kernels)
	// The sum of the rounded areas of all kernels must fit into an int64.
	parts := math.Ldexp(1, min(52, 61-int(math.Ceil(math.Log2(float64(kernels+1))))))
	t.need, t.have = make([]areaUnits, kernels*t.resources), make([]areaUnits, t.resources)
	for r := range p.Architecture.Resources {
		if t.rule[r] != inArea {
			continue
		}
		for kind, have := range p.Architecture.Resources[r].Area {
			if math.IsInf(have, 1) {
				continue // no limit
			}
			limit := int64(parts * (1 + areaRounding))
			if have <= 0 {
				limit = 0
			}
			t.have[r][kind] = limit
			for k := range kernels {
				need := p.Figures[k][r].Area[kind]
				units := int64(limit) + 1 // an area that does not fit even alone
				switch {
				case need <= 0:
					units = 0
				case need <= have*(1+areaRounding):
					units = int64(math.Round(need / have * parts))
				}
				t.need[k*t.resources+r][kind] = units
			}
		}
	}
}

func (t *scorerTables) fillArcs() {
	p := t.Problem
	kernels := len(p.Application.Kernels)
	in, out := make([][]arc, kernels), make([][]arc, kernels)
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		if edge.From == edge.To {
			continue // the edge stays with the kernel on its resource
		}
		out[edge.From] = append(out[edge.From], arc{edge: int32(e), other: int32(edge.To), way: t.outward()})
		in[edge.To] = append(in[edge.To], arc{edge: int32(e), other: int32(edge.From)})
	}
	for k := range kernels {
		t.arcsOf = append(t.arcsOf, int32(len(t.arcs)))
		t.arcs = append(append(t.arcs, in[k]...), out[k]...)
	}
	t.arcsOf = append(t.arcsOf, int32(len(t.arcs)))
}

// outward returns the index of the first default route of out-edges.
func (t *scorerTables) outward() int32 { return int32(t.resources * t.resources) }

// arcsAt returns the in-edges and out-edges of a kernel.
func (t *scorerTables) arcsAt(kernel int32) []arc {
	return t.arcs[t.arcsOf[kernel]:t.arcsOf[kernel+1]]
}

// fillRoutes numbers the routes. Equal routes of different pairs share a number, so that a single comparison shows
// whether a move changes the route of an edge.
func (t *scorerTables) fillRoutes() {
	t.hopsOf = []int32{0, 0, 0} // inside, unjoined
	number := make(map[string]int32)
	n := t.resources
	t.pairs, t.defaults = make([]pair, n*n), make([]int32, 2*n*n)
	for from := range n {
		for to := range n {
			pr := &t.pairs[from*n+to]
			pr.first = int32(len(t.ways))
			if from == to {
				continue // inside
			}
			t.setDefault(from, to, unjoined)
			for i, route := range t.Routes.Between(from, to) {
				var key []byte
				for _, l := range route {
					key = append(key, byte(l), byte(l>>8), byte(l>>16))
				}
				id, isKnown := number[string(key)]
				if !isKnown {
					id = int32(len(t.hopsOf)) - 1
					number[string(key)] = id
					for _, l := range route {
						t.hops = append(t.hops, int32(l))
					}
					t.hopsOf = append(t.hopsOf, int32(len(t.hops)))
				}
				if i == 0 {
					t.setDefault(from, to, id)
				}
				t.ways = append(t.ways, id)
				pr.count++
			}
		}
	}
}

func (t *scorerTables) setDefault(from, to int, route int32) {
	t.defaults[to*t.resources+from], t.defaults[int(t.outward())+from*t.resources+to] = route, route
}

func (t *scorerTables) hopsOn(route int32) []int32 {
	return t.hops[t.hopsOf[route]:t.hopsOf[route+1]]
}

// fillVolumes computes the flow of each edge per byte/s of throughput.
func (t *scorerTables) fillVolumes() {
	volume := make([]float64, len(t.Problem.Application.Edges))
	total := 0.0
	for e := range volume {
		for _, f := range t.Flows.Edge(e) {
			volume[e] += math.Abs(f)
		}
		total += maxRouteHops * volume[e]
	}
	unit := int128.Unit(total)
	t.volUnit = math.Ldexp(1, unit)
	for _, v := range volume {
		t.volume = append(t.volume, int128.New(v, unit))
	}
}
