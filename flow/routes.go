package flow

import "slices"

// Limits of the routes that are considered between two resources. More hops or
// more alternatives than these have no use on the machines the model is for.
const (
	maxRouteHops         = 4
	maxRouteAlternatives = 8
)

// Routes holds, for each pair of resources, the routes that join them: lists of
// links, each sharing a resource with the next. Resources on the way forward
// data at no cost.
type Routes struct {
	resources int
	between   [][][]int
}

// NewRoutes finds the routes of an architecture: those with fewest hops first,
// then in order of declaration; at most 4 hops and 8 alternatives for a pair.
// A route with a shortcut, a link that meets more than the one before it, is left
// out, for it only adds load.
func NewRoutes(a *Architecture) *Routes {
	n := len(a.Resources)
	r := &Routes{resources: n, between: make([][][]int, n*n)}
	reaches := make([][]bool, len(a.Links)) // link, resource
	for l := range a.Links {
		reaches[l] = make([]bool, n)
		for _, e := range a.Links[l].Endpoints {
			reaches[l][e] = true
		}
	}
	for from := range n {
		for to := range n {
			if from != to {
				r.between[from*n+to] = routesBetween(reaches, from, to)
			}
		}
	}
	return r
}

// Between returns the routes from one resource to another, best first; none for
// a resource to itself. Do not modify.
func (r *Routes) Between(from, to int) [][]int { return r.between[from*r.resources+to] }

// routesBetween searches breadth first, so that shorter routes come first.
func routesBetween(reaches [][]bool, from, to int) [][]int {
	var found, frontier [][]int
	for l := range reaches {
		if reaches[l][from] {
			frontier = append(frontier, []int{l})
		}
	}
	for hops := 1; hops <= maxRouteHops && len(frontier) > 0; hops++ {
		var next [][]int
		for _, route := range frontier {
			last := route[len(route)-1]
			if reaches[last][to] {
				found = append(found, route)
				if len(found) == maxRouteAlternatives {
					return found
				}
				continue
			}
			for l := range reaches {
				if !reaches[l][from] && extends(reaches, route, l) {
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

// extends reports whether a link meets the last of a route and no earlier one.
func extends(reaches [][]bool, route []int, link int) bool {
	for i, l := range route {
		if l == link || meet(reaches[l], reaches[link]) != (i == len(route)-1) {
			return false
		}
	}
	return true
}

// maxRouteFrontier bounds the search on densely linked machines.
const maxRouteFrontier = 4096

func meet(a, b []bool) bool {
	for i := range a {
		if a[i] && b[i] {
			return true
		}
	}
	return false
}

// joins reports whether a list of links leads from one resource to another.
func (a *Architecture) joins(route []int, from, to int) bool {
	if len(route) == 0 {
		return from == to
	}
	for i, l := range route {
		if l < 0 || l >= len(a.Links) {
			return false
		}
		if i > 0 && !slices.ContainsFunc(a.Links[l].Endpoints, func(r int) bool {
			return slices.Contains(a.Links[route[i-1]].Endpoints, r)
		}) {
			return false
		}
	}
	return slices.Contains(a.Links[route[0]].Endpoints, from) &&
		slices.Contains(a.Links[route[len(route)-1]].Endpoints, to)
}
