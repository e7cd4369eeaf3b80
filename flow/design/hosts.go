package design

import (
	"cmp"
	"regexp"

	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// HostOf returns the host of a resource, and the address by which other hosts reach this host. Both come from the
// configs host and address of the resource, and are "" if the resource has no host.
func HostOf(p *xlang.Program, r int) (name, address string) {
	config := p.Resources[r].Config
	name = config["host"].Text
	return name, cmp.Or(config["address"].Text, name)
}

// hostName matches host names and addresses that are no command-line options, and that need no quotes in a shell.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// hosts checks the hosts of cores. If one core belongs to a named host, all cores must belong to named hosts. A host
// must have one address. Links between hosts must not be memory.
func (b *builder) hosts() {
	first, named := make(map[string]int), 0
	for r := range b.prog.Resources {
		x := &b.prog.Resources[r]
		for _, config := range []string{"host", "address"} {
			if v := x.Config[config]; isSet(v) && !hostName.MatchString(v.Text) {
				b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s of resource %s is %q; expected a name such as "+
					"node1, or "+
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
			b.diag.errorf(faults.AddressConflict, x.Pos, "resource %s states the address of host %s as %s, but "+
				"resource %s states the address %s", x.Name, name, address, b.prog.Resources[f].Name,
				other).Hint = "state the same address for all cores of the host"
		}
	}
	for r := range b.prog.Resources {
		if name, _ := HostOf(b.prog, r); name == "" && named > 0 && !IsFPGA(b.prog, r) {
			b.diag.errorf(faults.ResourceWithoutHost, b.prog.Resources[r].Pos, "resource %s belongs to no host, "+
				"but other resources do", b.prog.Resources[r].Name).Hint = `name its host: host="localhost"`
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
				b.diag.errorf(faults.MemoryBetweenHosts, link.Pos, "link %s is memory, but connects cores of host %s "+
					"and of host %s", link.Name, one, other).Hint =
					"declare a network between them: resource net is network ({ … });"
				break
			}
		}
	}
}

// joinsHosts reports whether a link connects cores of several hosts.
func (b *builder) joinsHosts(l *xlang.Link) bool {
	for _, r := range l.Endpoints {
		one, _ := HostOf(b.prog, l.Endpoints[0])
		if other, _ := HostOf(b.prog, r); other != one {
			return true
		}
	}
	return false
}

// DefaultBufferBytes is the deployed buffer size of an edge without a size in the X files. It is large enough to make
// wake-ups rare, and small enough for a cache.
const DefaultBufferBytes = 256 << 10

// NetworkBufferBytes is the deployed buffer size of an edge between hosts without a size in the X files. It is large
// enough to make wake-ups at both ends cheap, and to cover a network delay of some milliseconds.
const NetworkBufferBytes = 1 << 20
