package xsim

import (
	"context"
	"fmt"
	"math"

	"xopt/deploy/program"
	"xopt/flow"
)

// alone replaces shared links by a separate set of links for each edge, as in xmodel of Gayen 2008 (§3.4, §6.2.2).
// Edges do not affect each other, and elements of an edge do not overlap on a link. The bandwidth of a link is divided
// among its edges in proportion to their bytes.
func alone(ctx context.Context, n *flow.Network, v *program.Virtual) error {
	shared := v.Links
	parts, err := parts(ctx, n, v)
	if err != nil {
		return err
	}
	v.Links = nil
	routes := make([][]int, len(v.Routes))
	for e, route := range v.Routes {
		for hop, l := range route {
			link := shared[l]
			if !math.IsInf(link.Bandwidth, 1) {
				link.Bandwidth *= parts[e][hop]
			}
			routes[e] = append(routes[e], len(v.Links))
			v.Links = append(v.Links, link)
		}
	}
	v.Routes = routes
	return nil
}

// parts returns, by edge and link on its route, the fraction of the link's bytes that the edge carries; nil if there is
// no bandwidth to divide.
func parts(ctx context.Context, n *flow.Network, v *program.Virtual) ([][]float64, error) {
	divided := false
	for _, route := range v.Routes {
		for _, l := range route {
			divided = divided || !math.IsInf(v.Links[l].Bandwidth, 1)
		}
	}
	if !divided {
		return nil, nil
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("dividing the bandwidth of links in proportion to the bytes of their edges: %w", err)
	}
	total := make([]float64, len(v.Links))
	for i := range n.Stations {
		if st := &n.Stations[i]; st.Kind == flow.LinkStation {
			total[st.Link] += s.Stations[i].ArrivalRate
		}
	}
	out := make([][]float64, len(v.Routes))
	for e, route := range v.Routes {
		out[e] = make([]float64, len(route))
	}
	for i := range n.Stations {
		st := &n.Stations[i]
		if st.Kind != flow.LinkStation || st.Hop >= len(out[st.Edge]) {
			continue
		}
		if out[st.Edge][st.Hop] = s.Stations[i].ArrivalRate / total[st.Link]; !(out[st.Edge][st.Hop] > 0) {
			out[st.Edge][st.Hop] = 1 // nothing crosses it
		}
	}
	return out, nil
}
