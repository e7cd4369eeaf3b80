package design

import (
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// side is the set of resources at one port of a full-duplex link.
type side struct {
	name      string
	resources []int
}

// duplex splits a full-duplex link into its directions, each with the full bandwidth. A switch or a link between hosts
// has a port for each host and FPGA. A link with two ports has one direction each way. With more ports, or with a
// backplane, each port has an outgoing and an incoming direction. Other links connect the cores of one machine to
// FPGAs; they have directions from cores to FPGAs and back. If the command line removed one side, the link has no
// direction.
func (b *builder) duplex(l xlang.Link, link flow.Link, config xlang.Values) []flow.Link {
	v, ok := config["duplex"]
	back := b.backplane(link, config)
	if !ok || !isSet(v) || v.Text == "half" {
		if back != nil {
			b.diag.errorf(faults.BackplaneHalfDuplex, config["backplane"].Pos, "link %s is half duplex: both "+
				"directions share its bandwidth, so backplane has no effect", link.Name).Hint =
				`set duplex="full", or remove backplane`
		}
		return []flow.Link{link}
	}
	if v.Text != "full" {
		b.diag.errorf(faults.WrongConfigValue, v.Pos, "duplex of link %s is %q; expected half or full", link.Name,
			v.Text)
		return []flow.Link{link}
	}
	sides := b.sides(l)
	switch len(sides) {
	case 0, 1:
		if l.Removed { // the link leads nowhere
			return nil
		}
		b.diag.errorf(faults.FullDuplexOneSide, l.Pos, "link %s is full duplex, which needs cores and FPGAs, or "+
			"several hosts, but it connects only %s", link.Name, b.onlySide(l)).Hint =
			`set duplex="half", or declare a link for each direction`
		return []flow.Link{link}
	case 2:
		if back != nil {
			break
		}
		to, back := link, link
		to.Name, to.Declared, to.From, to.To = link.Name+">", link.Name, sides[0].resources, sides[1].resources
		back.Name, back.Declared, back.From, back.To = link.Name+"<", link.Name, sides[1].resources, sides[0].resources
		return []flow.Link{to, back}
	}
	return switched(link, back, sides, len(b.p.Architecture.Links))
}

// backplane returns the link that models the total capacity of a switch between its ports, or nil if this capacity is
// unlimited.
func (b *builder) backplane(link flow.Link, config xlang.Values) *flow.Link {
	v := config["backplane"]
	if !isSet(v) {
		return nil
	}
	x, ok := b.rate(v, "backplane of link "+link.Name)
	if !ok {
		return nil
	}
	return &flow.Link{Name: link.Name + "*", Type: link.Type, Declared: link.Name, Endpoints: link.Endpoints,
		From: []int{}, To: []int{}, Bandwidth: x, Origin: flow.Assumed,
		Sharing: flow.Sharing{Rule: flow.Conserving}}
}

// sides returns the resources at each port of a link.
func (b *builder) sides(l xlang.Link) []side {
	ports := b.rootLinktype(l.Linktype) == "switch" // a switch has a port for each host and each FPGA
	for _, r := range l.Endpoints {
		name, _ := HostOf(b.prog, r)
		ports = ports || name != ""
	}
	var sides []side
	for _, r := range l.Endpoints {
		name, _ := HostOf(b.prog, r)
		switch fpga := IsFPGA(b.prog, r); {
		case ports && fpga:
			name = b.prog.Resources[r].Name
		case fpga:
			name = "the FPGAs"
		case name == "":
			name = "cores"
		}
		i := slices.IndexFunc(sides, func(s side) bool { return s.name == name })
		if i < 0 {
			i = len(sides)
			sides = append(sides, side{name: name})
		}
		sides[i].resources = append(sides[i].resources, r)
	}
	if len(sides) == 2 && sides[1].name == "cores" {
		slices.Reverse(sides)
	}
	return sides
}

// onlySide names the endpoints of a link with one side, and their host.
func (b *builder) onlySide(l xlang.Link) string {
	const named = 3
	var names []string
	host := ""
	for _, r := range l.Endpoints {
		names = append(names, b.prog.Resources[r].Name)
		if name, _ := HostOf(b.prog, r); name != "" {
			host = ", on host " + name
		}
	}
	return strings.Join(units.First(Ranges(names), named, "%d more"), ", ") + host
}

// switched returns the directions of a link with many ports; first is the index of the first direction in the
// architecture. Data leave through one port, cross the backplane if there is one, and enter through another port. The
// latency covers both ports. The jitter covers only the outgoing port.
func switched(link flow.Link, back *flow.Link, sides []side, first int) []flow.Link {
	var out, in []flow.Link
	for i, s := range sides {
		from, to := link, link
		from.Name, from.Declared, from.From, from.To = link.Name+"<"+s.name, link.Name, s.resources, []int{}
		to.Name, to.Declared, to.From, to.To = link.Name+">"+s.name, link.Name, []int{}, s.resources
		from.Latency, to.Latency = link.Latency/2, link.Latency/2
		from.Return, to.Return = link.Return/2, link.Return/2
		to.Jitter, to.ReturnJitter = 0, 0 // the outgoing port has the jitter of the entire path
		for j := range sides {
			if (j != i || len(s.resources) > 1) && back == nil { // cores of one port may also send to each other
				from.Into = append(from.Into, first+len(sides)+j)
			}
		}
		if back != nil {
			from.Into = []int{first + 2*len(sides)}
			back.Into = append(back.Into, first+len(sides)+i)
		}
		out, in = append(out, from), append(in, to)
	}
	list := append(out, in...)
	if back != nil {
		list = append(list, *back)
	}
	return list
}
