package flow

import (
	"math"
	"slices"
)

// These constants limit the routes between two resources. Real machines do not benefit from more hops or more
// alternatives.
const (
	maxRouteHops         = 4
	maxRouteAlternatives = 8
)

// Routes contains the routes between each pair of resources. A route is a list of links. Each link shares a resource
// with the next link. Resources on a route forward data at no cost.
type Routes struct {
	resources int
	between   [][][]int
}

// NewRoutes finds the routes of an architecture. Routes with the fewest hops come first. Routes with equally many hops
// are in the order of the declarations. A pair has at most 8 routes of at most 4 hops. NewRoutes drops a route with a
// shortcut (a link that could directly follow an earlier link than its predecessor), because the longer route only adds
// load. Between two cores of one host, NewRoutes uses links that connect hosts only if no other route exists, because
// data should not leave a machine and return.
func NewRoutes(a *Architecture) *Routes {
	n := len(a.Resources)
	r := &Routes{resources: n, between: make([][][]int, n*n)}
	finder := newRouteFinder(a)
	for from := range n {
		for to := range n {
			if from != to {
				r.between[from*n+to] = a.nearest(finder.best(a, from, to))
			}
		}
	}
	return r
}

// nearest removes the routes over a single link if a route over a nearer link exists ([Link.Nearest]).
func (a *Architecture) nearest(routes [][]int) [][]int {
	inner := func(route []int) bool { return len(route) == 1 && a.Links[route[0]].Nearest }
	fewest := math.MaxInt
	for _, r := range routes {
		if inner(r) {
			fewest = min(fewest, len(a.Links[r[0]].Endpoints))
		}
	}
	return slices.DeleteFunc(routes, func(r []int) bool { return inner(r) && len(a.Links[r[0]].Endpoints) > fewest })
}

// Between returns the routes from one resource to another, best first. It returns no routes from a resource to itself.
// The caller must not modify the routes.
func (r *Routes) Between(from, to int) [][]int { return r.between[from*r.resources+to] }

// Shortest returns the routes from one resource to another with the fewest hops. The caller must not modify the routes.
func (r *Routes) Shortest(from, to int) [][]int {
	routes := r.Between(from, to)
	n := 0
	for n < len(routes) && len(routes[n]) == len(routes[0]) {
		n++
	}
	return routes[:n]
}

// Fastest returns the index in routes of a mapping's default route: the route whose slowest link has the largest
// bandwidth. Among equal routes, it prefers the fewest edges on the busiest link, and then the first route. edges
// contains the number of edges by link. Fastest ignores links for which unlimited returns true. edges and unlimited may
// be nil.
func (a *Architecture) Fastest(routes [][]int, edges []int, unlimited func(*Link) bool) int {
	best, fastest, fewest := 0, 0.0, 0
	for i, route := range routes {
		slowest, maximum := math.Inf(1), 0
		for _, l := range route {
			if edges != nil {
				maximum = max(maximum, edges[l])
			}
			if link := &a.Links[l]; unlimited == nil || !unlimited(link) {
				slowest = min(slowest, link.Bandwidth)
			}
		}
		if slowest > fastest || slowest == fastest && maximum < fewest {
			best, fastest, fewest = i, slowest, maximum
		}
	}
	return best
}

// routeFinder contains the resources that each link connects in each direction.
type routeFinder struct {
	accepts, brings [][]bool // link × resource
	after           [][]bool // link × link: whether data can continue from the first link to the second link
	outside         []bool   // by link: it connects hosts
	inside          bool     // omit the routes over links that connect hosts
}

func newRouteFinder(a *Architecture) *routeFinder {
	n := len(a.Resources)
	f := &routeFinder{after: make([][]bool, len(a.Links))}
	for l := range a.Links {
		consumes, brings := make([]bool, n), make([]bool, n)
		for r := range n {
			consumes[r], brings[r] = a.Links[l].accepts(r), a.Links[l].brings(r)
		}
		f.accepts, f.brings = append(f.accepts, consumes), append(f.brings, brings)
		f.outside = append(f.outside, a.JoinsHosts(l))
	}
	for l := range a.Links {
		f.after[l] = make([]bool, len(a.Links))
		for m := range a.Links {
			f.after[l][m] = a.follows(l, m)
		}
	}
	return f
}

// follows reports whether link m can follow link l on a route. Data from a core to a core, or from an FPGA to an FPGA,
// cross both directions of a full-duplex link. The load of each direction is then at most the load of a half-duplex
// link with the same bandwidth.
func (a *Architecture) follows(l, m int) bool {
	if slices.Contains(a.Links[l].Into, m) {
		return true
	}
	for r := range a.Resources {
		if a.Links[l].brings(r) && a.Links[m].accepts(r) {
			return true
		}
	}
	return false
}

// best returns the routes between two resources. Within one host, these are the routes that stay in the host, if there
// are any.
func (f *routeFinder) best(a *Architecture, from, to int) [][]int {
	if host := a.Resources[from].Host; host != "" && host == a.Resources[to].Host {
		f.inside = true
		routes := f.between(from, to)
		f.inside = false
		if len(routes) > 0 {
			return routes
		}
	}
	return f.between(from, to)
}

// between searches breadth first, so that shorter routes come first.
func (f *routeFinder) between(from, to int) [][]int {
	var found, frontier [][]int
	for l := range f.accepts {
		if f.accepts[l][from] && !(f.inside && f.outside[l]) {
			frontier = append(frontier, []int{l})
		}
	}
	for hops := 1; hops <= maxRouteHops && len(frontier) > 0; hops++ {
		var next [][]int
		for _, route := range frontier {
			last := route[len(route)-1]
			if f.brings[last][to] {
				found = append(found, route)
				if len(found) == maxRouteAlternatives {
					return found
				}
				continue
			}
			for l := range f.accepts {
				if !f.accepts[l][from] && !(f.inside && f.outside[l]) && f.extends(route, l) {
					next = append(next, append(slices.Clone(route), l))
				}
			}
			if len(next) > maxRouteFrontier {
				break
			}
		}
		frontier = next
	}
	return found
}

// extends reports whether a link can follow the last link of a route, but none of the earlier links.
func (f *routeFinder) extends(route []int, link int) bool {
	for i, l := range route {
		if l == link || f.after[l][link] != (i == len(route)-1) {
			return false
		}
	}
	return true
}

// maxRouteFrontier limits the number of incomplete routes, for densely connected machines.
const maxRouteFrontier = 4096

// Joins reports whether a list of links leads from one resource to another.
func (a *Architecture) Joins(route []int, from, to int) bool {
	if len(route) == 0 {
		return from == to
	}
	for i, l := range route {
		if l < 0 || l >= len(a.Links) || i > 0 && !a.follows(route[i-1], l) {
			return false
		}
	}
	return a.Links[route[0]].accepts(from) && a.Links[route[len(route)-1]].brings(to)
}
