package measure

import (
	"fmt"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/timetrial"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
)

// PacketSenders returns the edges of a mapping that send packets over a link, each with the position of the link on its
// route. If there are none, it returns the reason and a hint.
type PacketSenders func(*timetrial.Packets) (senders []program.OnLink, reason, hint string)

// Senders returns a function for Options.Senders. The function returns the senders of packets on a link in virtual
// time.
func Senders(d *design.Design) (PacketSenders, error) {
	network, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return nil, faults.ImpossibleMapping.Errorf("the mapping is not possible: %w", err)
	}
	links := d.Problem.Architecture.Links
	return func(p *timetrial.Packets) (senders []program.OnLink, reason, hint string) {
		of := func(l int) bool { return links[l].DeclaredName() == p.Link }
		for e, route := range network.Mapping.Route {
			edge := &d.Program.Edges[e]
			from, to := d.Mapping.Place[edge.From], d.Mapping.Place[edge.To]
			first := slices.IndexFunc(route, of)
			if first < 0 || p.From >= 0 && p.From != from || p.To >= 0 && p.To != to {
				continue
			}
			last := len(route) - 1
			for !of(route[last]) {
				last--
			}
			s := &links[route[first]].Sharing
			switch {
			case s.TransferCost == 0 && s.TransferBytes == 0:
				reason = fmt.Sprintf("link %s has no bulk and no overhead, so it sends no packets", p.Link)
				return nil, reason, "measure the rates of the edges: measure rate at " + edge.Name
			case p.From >= 0:
				last = first
			case p.To < 0 && first != last:
				out, in := d.Program.Resources[from].Name, d.Program.Resources[to].Name
				reason = fmt.Sprintf("packets cross several ports of %s, and each port counts them", p.Link)
				return nil, reason, fmt.Sprintf("choose one port: %s -> %s for output, or %s -> %s for input", out,
					p.Link, p.Link, in)
			}
			senders = append(senders, program.OnLink{Edge: e, Hop: last})
		}
		if len(senders) == 0 {
			reason = "no edge of the mapping crosses link " + p.Link
			if p.From >= 0 || p.To >= 0 {
				reason += " in this direction"
			}
			return nil, reason, "xopt eval --full shows the edges of each link"
		}
		return senders, "", ""
	}, nil
}

// packetProbe plans a measurement of packets.
func (p *Plan) packetProbe(m *timetrial.Measurement) probe {
	x := probe{boundary: -1, sources: []source{{never: true, tap: -1, held: -1, with: -1}}}
	if p.options.Senders == nil {
		p.fail(fault.NeedsSimulate, m.Pos, "run the mapping in virtual time: --simulate",
			"cannot count the packets at %s: xopt counts packets only on simulated links, but this run uses real "+
				"links", m.Target.Text)
		return x
	}
	if p.dataFrame(m) > 0 {
		p.fail(faults.PacketsWithoutFrames, m.Pos, "use time frames, as in --frame 10ms",
			"cannot measure packets at %s in frames of elements", m.Target.Text)
		return x
	}
	if m.When != nil && perElement(m.When) {
		p.fail(faults.PacketsWithCondition, m.Pos, "compare values per frame, such as mean occupancy at e1 > 5",
			"cannot measure packets at %s under a condition on elements", m.Target.Text)
		return x
	}
	senders, reason, hint := p.options.Senders(m.Target.Packets)
	if reason != "" {
		p.fail(faults.PacketsOfLink, m.Pos, hint, "%s at %s: %s", m.Type, m.Target.Text, reason)
		return x
	}
	t := program.Tap{Kind: program.PacketBytes, Edge: senders[0].Edge, Packets: senders, Every: p.every(m)}
	if m.Type == timetrial.Latency {
		t.Kind = program.PacketTime
	}
	p.collect(m, &t)
	x.sources = []source{{tap: p.addTap(t), held: -1, with: -1}}
	return x
}
