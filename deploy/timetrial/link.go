package timetrial

import (
	"slices"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
)

// linkTarget parses a target for the packets of a link: LINK, LINK -> RESOURCE or RESOURCE -> LINK. It reports whether
// the target is a link and whether it can be measured. An edge, port or kernel with the same name takes precedence.
func (c *checker) linkTarget(m *Measurement, t *targetTree) (found, ok bool) {
	packets := &Packets{From: -1, To: -1}
	link, port, arrow := c.link(t.At.name()), -1, "to"
	switch {
	case t.To == nil && link == nil:
		return false, false
	case t.To == nil:
	case c.isKernel(&t.At) && c.isKernel(t.To):
		return false, false
	case link != nil:
		port = c.resource(t.To.name())
		packets.To = port
	default:
		if link = c.link(t.To.name()); link == nil {
			return false, false
		}
		port, arrow = c.resource(t.At.name()), "from"
		packets.From = port
	}
	packets.Link = link.Name
	if t.To != nil && (port < 0 || !slices.Contains(link.Endpoints, port)) {
		c.fail(faults.LinkNotJoined, t.Pos, link.Name+" connects "+c.endpoints(link),
			"%s measures packets %s a resource that %s does not connect", m.Target.Text, arrow, link.Name)
		return true, false
	}
	if m.Type != Rate && m.Type != Size && m.Type != Latency {
		c.fail(faults.NotOfPackets, t.Pos, "measure the rate, size or latency of the packets",
			"packets of link %s have no %s", link.Name, m.Type)
		return true, false
	}
	m.Target.Packets = packets
	return true, true
}

// link finds a declared link; nil for none.
func (c *checker) link(name string) *xlang.Link {
	if l := slices.IndexFunc(c.program.Links, func(l xlang.Link) bool { return l.Name == name }); l >= 0 {
		return &c.program.Links[l]
	}
	return nil
}

// resource finds a resource; -1 for none.
func (c *checker) resource(name string) int {
	return slices.IndexFunc(c.program.Resources, func(r xlang.Resource) bool { return r.Name == name })
}

// isKernel reports whether a kernel or a port has the given name.
func (c *checker) isKernel(t *pathTree) bool {
	in, out := c.attached(t.name())
	return len(in)+len(out) > 0
}

// endpoints lists the names of the resources on a link.
func (c *checker) endpoints(l *xlang.Link) string {
	text := ""
	for i, r := range l.Endpoints {
		switch {
		case i == 8:
			return text + ", …"
		case i > 0:
			text += ", "
		}
		text += c.program.Resources[r].Name
	}
	return text
}

// anyLink returns the name of some link, or a placeholder if the architecture has no links.
func (c *checker) anyLink() string {
	if len(c.program.Links) > 0 {
		return c.program.Links[0].Name
	}
	return "LINK"
}
