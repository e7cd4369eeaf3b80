package design

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// routing sets the routing fraction of every edge: the fraction of the kernel's output that leaves through the edge's
// port. Each of several edges from one port carries the port's complete stream.
func (b *builder) routing() {
	b.routes = make(map[string][]int)
	for i, r := range b.prog.Routes {
		b.routes[r.Kernel] = append(b.routes[r.Kernel], i)
	}
	for k := range b.prog.Kernels {
		if b.isSink(k) {
			continue
		}
		ports := b.connectedPorts(k)
		sum, complete := 0.0, true
		var places []xlang.Pos
		sent, _ := b.emitted(k)
		for _, port := range ports {
			f := b.portFraction(k, port, ports, sent)
			if !f.set {
				b.lacking[k].Ports = append(b.lacking[k].Ports, b.prog.Kernels[k].Outputs[port].Name)
				complete = false
				continue
			}
			sum += f.value
			if f.pos != (xlang.Pos{}) {
				places = append(places, f.pos)
			}
			for _, e := range b.out[k] {
				if b.prog.Edges[e].FromPort == port {
					edge := &b.p.Application.Edges[e]
					edge.Routing, edge.RoutingOrigin, edge.RoutingNote = f.value, f.origin, f.note
					if x := &b.prog.Edges[e]; x.Shared {
						edge.Routing *= x.Share // derived from the turns of the copies
					}
				}
			}
		}
		if complete && math.Abs(sum-1) > sameTolerance {
			b.routingSum(k, sum, places)
		}
	}
}

func (b *builder) routingSum(k int, sum float64, places []xlang.Pos) {
	pos, other := b.prog.Kernels[k].Pos, xlang.Pos{}
	if len(places) > 0 {
		pos = places[len(places)-1]
	}
	if len(places) > 1 {
		other = places[0]
	}
	b.diag.errorf(faults.RoutingSum, pos, "routing fractions of %s sum to %.6g; expected 1", b.prog.Kernels[k].Name,
		sum).Relate(other, "each fraction is the part of the kernel's output that leaves through one port")
}

// connectedPorts returns the output ports of a kernel that have edges, in order of declaration.
func (b *builder) connectedPorts(k int) []int {
	var ports []int
	for port := range b.prog.Kernels[k].Outputs {
		for _, e := range b.out[k] {
			if b.prog.Edges[e].FromPort == port {
				ports = append(ports, port)
				break
			}
		}
	}
	return ports
}

// portFraction returns a port's fraction from the first available source: emit statements, a route of the instance, a
// route of the block, or the profile. The fraction of a kernel's only port is 1. sent is the output in bytes of a
// firing on all ports; 0 if unknown.
func (b *builder) portFraction(k, port int, ports []int, sent float64) figure {
	kernel := &b.prog.Kernels[k]
	name := kernel.Outputs[port].Name
	var best figure
	for _, i := range append(slices.Clone(b.routes[kernel.Block]), b.routes[kernel.Declared()]...) {
		route := b.prog.Routes[i]
		if route.Port != name || route.Instance && route.Kernel != kernel.Declared() || !route.Instance &&
			route.Kernel != kernel.Block {
			continue
		}
		f := figure{value: route.Fraction, set: true, pos: route.Pos, rank: rankResource}
		if route.Instance {
			f.rank += rankInstance
		}
		f.origin, f.note = routeOrigin(route)
		if best.set && best.rank == f.rank && best.value != f.value {
			b.diag.errorf(faults.GivenTwice, f.pos, "two route statements set different fractions for %s.%s",
				kernel.Name, name).Relate(best.pos, "keep one of the two route statements")
		}
		if !best.set || f.rank > best.rank {
			best = f
		}
	}
	if derived := b.derivedFraction(k, port, ports, sent); derived.set {
		b.fractionAgainstEmit(k, port, derived, best)
		return derived
	}
	if best.set {
		return best
	}
	if len(ports) == 1 {
		return figure{value: 1, set: true, origin: flow.Derived, note: "the only output"}
	}
	if b.opt.Profile != nil {
		if x, how, ok := b.opt.Profile.Routing(kernel.Declared(), kernel.Block, name); ok {
			if b.routed == nil {
				b.routed = make(map[int]bool)
			}
			b.routed[k] = true
			return b.fromProfile(x, how)
		}
	}
	return figure{}
}

// routeOrigin reads the origin of a stated fraction.
func routeOrigin(route xlang.Route) (flow.Origin, string) {
	from := route.Attrs["from"].Text
	return origin(from), from
}
