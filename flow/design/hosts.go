package design

import (
	"cmp"
	"regexp"

	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// HostOf is the host of a resource, and the address by which other hosts reach it: the configs host and address
// of its platform. Both are "" where none is named.
func HostOf(p *xlang.Program, r int) (name, address string) {
	config := p.Resources[r].Config
	name = config["host"].Text
	return name, cmp.Or(config["address"].Text, name)
}

// hostName is what names a host or an address: no program reads such a word as an option, and no shell as more
// than a word.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// hosts checks which cores belong to which host: all of them to a named one or none, those of a host with one
// address, and hosts are joined by other links than memory.
func (b *builder) hosts() {
	first, named := make(map[string]int), 0
	for r := range b.prog.Resources {
		x := &b.prog.Resources[r]
		for _, config := range []string{"host", "address"} {
			if v := x.Config[config]; isSet(v) && !hostName.MatchString(v.Text) {
				b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s of resource %s is %q; want a name such as node1, or "+
					"an address such as 10.0.0.1", config, x.Name, v.Text)
			}
		}
		name, address := HostOf(b.prog, r)
		if v := x.Config["address"]; name == "" && isSet(v) {
			b.diag.errorf(faults.AddressWithoutHost, v.Pos, "resource %s has an address but no host",
				x.Name).Hint = `name its host: host="node1"`
		}
		if name == "" {
			continue
		}
		named++
		if f, ok := first[name]; !ok {
			first[name] = r
		} else if _, other := HostOf(b.prog, f); other != address {
			b.diag.errorf(faults.AddressConflict, x.Pos, "resource %s says that the address of host %s is %s, and %s "+
				"says %s", x.Name, name, address, b.prog.Resources[f].Name, other)
		}
	}
	for r := range b.prog.Resources {
		if name, _ := HostOf(b.prog, r); name == "" && named > 0 && !IsFPGA(b.prog, r) {
			b.diag.errorf(faults.ResourceWithoutHost, b.prog.Resources[r].Pos, "resource %s belongs to no host, and "+
				"others do", b.prog.Resources[r].Name).Hint = `give it one: host="localhost"`
		}
	}
	for l := range b.prog.Links {
		link := &b.prog.Links[l]
		if b.rootLinktype(link.Linktype) != "memory" || len(link.Endpoints) == 0 {
			continue
		}
		one, _ := HostOf(b.prog, link.Endpoints[0])
		for _, r := range link.Endpoints[1:] {
			if other, _ := HostOf(b.prog, r); other != one {
				b.diag.errorf(faults.MemoryBetweenHosts, link.Pos, "link %s is memory, and joins cores of host %s and "+
					"of host %s", link.Name, one, other).Hint =
					"declare a network between them: resource net is network ({ … });"
				break
			}
		}
	}
}

// joinsHosts reports whether a link joins cores of several hosts.
func (b *builder) joinsHosts(l *xlang.Link) bool {
	for _, r := range l.Endpoints {
		one, _ := HostOf(b.prog, l.Endpoints[0])
		if other, _ := HostOf(b.prog, r); other != one {
			return true
		}
	}
	return false
}

// DefaultBufferBytes is the buffer that deploy gives an edge that the X files do not size: large enough that waking a
// sleeper is rare, small enough for a cache.
const DefaultBufferBytes = 256 << 10

// NetworkBufferBytes is the same for an edge between hosts: so much is sent, received and given back at once that what
// wakes the processes at both ends costs little, and it is under way in the time that a network of some milliseconds
// takes.
const NetworkBufferBytes = 1 << 20
