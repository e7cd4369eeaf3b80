package calibrate

import (
	"slices"

	"xopt/flow/design"
	"xopt/flow/xlang"
)

// endsOf returns two cores that a link connects, but no nearer link, such as a cache that only some of the cores share.
// It prefers cores of the same platform. If there are no such cores, it returns one core and a copy of this core.
func endsOf(p *xlang.Program, l xlang.Link) [2]xlang.Resource {
	var cores []int
	for _, r := range l.Endpoints {
		if design.IsCore(p, r) {
			cores = append(cores, r)
		}
	}
	var found *[2]int
	for i, a := range cores {
		for _, b := range cores[i+1:] {
			alike := p.Resources[a].Platform == p.Resources[b].Platform
			if nearestEnds(p, a, b) < len(l.Endpoints) || found != nil && !alike {
				continue
			}
			if alike {
				return pair(p, a, b)
			}
			found = &[2]int{a, b}
		}
	}
	if found != nil {
		return pair(p, found[0], found[1])
	}
	return pair(p, cores[0], -1)
}

// nearestEnds returns the number of resources on the smallest memory that connects a and b. If there is none, it
// returns the number of all resources plus 1.
func nearestEnds(p *xlang.Program, a, b int) int {
	n := len(p.Resources) + 1
	for i := range p.Links {
		l := &p.Links[i]
		joins := slices.Contains(l.Endpoints, a) && slices.Contains(l.Endpoints, b)
		if joins && root(p.Linktypes, l.Linktype) == "memory" {
			n = min(n, len(l.Endpoints))
		}
	}
	return n
}

// elsewhere returns the nearest other core of the same platform that shares a memory with core r. If there is none, or
// if core r is not pinned, it returns a copy of core r.
func elsewhere(p *xlang.Program, r int) xlang.Resource {
	best, minimum := -1, len(p.Resources)+1
	for other := range p.Resources {
		if other == r || !design.IsCore(p, other) || p.Resources[other].Platform != p.Resources[r].Platform {
			continue
		}
		if n := nearestEnds(p, r, other); n < minimum {
			best, minimum = other, n
		}
	}
	return pair(p, r, best)[1]
}

// pair returns cores a and b. If b is negative, the second core is an unpinned copy of the first. The deployment
// selects the processors of unpinned cores.
func pair(p *xlang.Program, a, b int) [2]xlang.Resource {
	first := p.Resources[a]
	second := first
	second.Name = "another core"
	if _, pinned := design.Processor(&first); !pinned {
		return [2]xlang.Resource{first, second}
	}
	second = unpinned(second)
	if b >= 0 {
		second.Config[cpuConfig] = p.Resources[b].Config[cpuConfig]
		second.Platform = p.Resources[b].Platform
	}
	return [2]xlang.Resource{first, second}
}

// unpinned returns a copy of a core that is not pinned to a processor.
func unpinned(core xlang.Resource) xlang.Resource {
	config := core.Config
	core.Config = make(xlang.Values)
	for name, v := range config {
		if name != cpuConfig {
			core.Config[name] = v
		}
	}
	return core
}

// cpuConfig is the config of a core that pins it to a processor.
const cpuConfig = "cpu"

// processors returns the number of processors that a run on the given cores may use: n, or 0 (all) if a core is pinned,
// because its config selects the processor.
func processors(n int, cores ...xlang.Resource) int {
	for i := range cores {
		if _, pinned := design.Processor(&cores[i]); pinned {
			return 0
		}
	}
	return n
}
