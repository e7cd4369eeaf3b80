package design

import (
	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// kernels converts kernels, edges and joins. Later steps of the builder set the gains and the routing.
func (b *builder) kernels() {
	app := &b.p.Application
	app.Name = b.prog.Top
	copies := b.prog.Copies()
	for i, e := range b.prog.Edges {
		from, to := &b.prog.Kernels[e.From], &b.prog.Kernels[e.To]
		emits := 0
		if from.Emits != nil && !e.Shared {
			emits = from.Emits[e.FromPort].Elements
		}
		app.Edges = append(app.Edges, flow.Edge{
			Name: e.Name, From: e.From, To: e.To,
			FromPort: from.Outputs[e.FromPort].Name, ToPort: to.Inputs[e.ToPort].Name,
			ElementBytes: from.Outputs[e.FromPort].ElementBytes, Copy: copies[i], Initial: e.Initial, Emits: emits,
			Shared: e.Shared, Round: e.Round,
		})
	}
	for k := range b.prog.Kernels {
		kernel := &b.prog.Kernels[k]
		app.Kernels = append(app.Kernels, flow.Kernel{
			Name: kernel.Name, Block: kernel.Block, Gain: 1, Joins: b.joins(k), Preload: kernel.Once,
		})
		if x := kernel.Replica; x != nil && len(kernel.Inputs) == 0 {
			app.Kernels[k].Turns, app.Kernels[k].First = float64(x.Own()), k-x.Index
		}
	}
	if len(app.Kernels) == 0 {
		if b.prog.Top == "" {
			b.diag.errorf(faults.NoApplication, b.prog.UsePos, "no application is declared; declare a block with "+
				"instances and edges, such as `block top { A a; B b; a -> b; }; use top;`")
		} else {
			b.diag.errorf(faults.NoInstances, b.prog.UsePos, "application %s has no instances; declare some in its "+
				"block, such as `A a; B b;`", b.prog.Top)
		}
	}
}

// joins converts the joins of a kernel. A port with several in-edges is one port of the join, and all of these edges
// feed this port.
func (b *builder) joins(k int) []flow.Join {
	kernel := &b.prog.Kernels[k]
	var joins []flow.Join
	for _, j := range kernel.Joins {
		var join flow.Join
		for i, port := range j.Ports {
			in := kernel.Inputs[port]
			jp := flow.JoinPort{Name: in.Name, Bytes: j.Counts[i] * in.ElementBytes}
			for _, e := range b.in[k] {
				if b.prog.Edges[e].ToPort == port {
					jp.Edges = append(jp.Edges, e)
				}
			}
			if len(jp.Edges) == 0 && !b.isSource(k) {
				b.diag.errorf(faults.JoinUnconnected, kernel.Pos, "kernel %s joins port %s with other ports, but that "+
					"port is not connected", kernel.Name, in.Name).Relate(j.Pos, "connect the port, or remove it "+
					"from the join")
			}
			join.Ports = append(join.Ports, jp)
		}
		if !b.isSource(k) {
			joins = append(joins, join)
		}
	}
	return joins
}

// firing returns the bytes that one firing of a kernel consumes (for a source: sends), or false if this number is
// unknown. A firing consumes one round of a join, or one element of a port outside joins. The number is unknown if the
// rounds and elements of several ports have different sizes. A source sends the elements of its emit statements in each
// firing. Without emit statements, it sends one element on every port, if the routing has the same ratio.
func (b *builder) firing(k int) (float64, bool) {
	if b.isSource(k) {
		return b.sourceFiring(k)
	}
	kernel := &b.prog.Kernels[k]
	joined := make([]bool, len(kernel.Inputs))
	var sizes []float64
	for _, j := range kernel.Joins {
		size := 0.0
		for i, port := range j.Ports {
			joined[port] = true
			size += j.Counts[i] * kernel.Inputs[port].ElementBytes
		}
		sizes = append(sizes, size)
	}
	for _, e := range b.in[k] {
		if port := b.prog.Edges[e].ToPort; !joined[port] {
			sizes = append(sizes, kernel.Inputs[port].ElementBytes)
		}
	}
	return same(sizes)
}

func (b *builder) sourceFiring(k int) (float64, bool) {
	kernel := &b.prog.Kernels[k]
	if bytes, ok := b.emitted(k); ok {
		return bytes, true
	}
	routing := make(map[int]float64) // port -> fraction
	for _, e := range b.out[k] {
		fraction := b.p.Application.Edges[e].Routing
		if x := &b.prog.Edges[e]; x.Shared { // all copies together consume the port's stream
			fraction /= x.Share
		}
		routing[b.prog.Edges[e].FromPort] = fraction
	}
	var perElement []float64
	size := 0.0
	for port, fraction := range routing {
		element := kernel.Outputs[port].ElementBytes
		size += element
		perElement = append(perElement, fraction/element)
	}
	if len(routing) == 1 {
		return size, true
	}
	_, ok := same(perElement)
	return size, ok && size > 0
}

// sameTolerance is the tolerance for fractions that are printed with six digits.
const sameTolerance = 1e-5

// same returns the common value of all elements, within sameTolerance, or false if they differ or are not positive.
func same(values []float64) (float64, bool) {
	for _, v := range values {
		if !(v > 0) || relativeDifference(v, values[0]) > sameTolerance {
			return 0, false
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	return values[0], true
}

// firings converts service times to rates.
func (b *builder) firings() {
	for k := range b.prog.Kernels {
		size, ok := b.firing(k)
		requested := make(map[xlang.Pos]bool)
		for r, t := range b.times[k] {
			if !t.set {
				continue
			}
			if ok {
				fig := &b.p.Figures[k][r]
				fig.ServiceRate = size / t.value
				if t.half > 0 {
					fig.Low, fig.High = size/(t.value+t.half), size/(t.value-t.half)
				}
				continue
			}
			if !requested[t.pos] {
				requested[t.pos] = true
				b.diag.errorf(faults.AmbiguousTime, t.pos, "time is ambiguous for kernel %s: %s",
					b.prog.Kernels[k].Name, b.whyAmbiguous(k)).Relate(b.prog.Kernels[k].Pos, "state mu, the rate in "+
					"bytes/s, instead of time")
			}
			b.p.Figures[k][r].ServiceRate = 1 // prevents a second error about a missing rate
		}
	}
}

func (b *builder) whyAmbiguous(k int) string {
	if b.isSource(k) {
		if len(b.out[k]) == 0 {
			return "it has no connected port"
		}
		return "it does not emit one element at a time on every output port, so the size of a firing is unknown"
	}
	return "its input ports have elements of different sizes, and no join lists the ports that it consumes together"
}
