package machine

import (
	"fmt"
	"slices"
)

// Unit is a core or a hardware thread that can run kernels.
type Unit struct {
	Processor int // processor to which a process is pinned
	Core      int // index in Machine.Cores
}

// Units lists the cores, each represented by its first usable processor. With threads, it lists all usable processors,
// grouped by core.
func (m *Machine) Units(threads bool) []Unit {
	var list []Unit
	for i := range m.Cores {
		n := 1
		if threads {
			n = len(m.Cores[i].Processors)
		}
		for _, p := range m.Cores[i].Processors[:n] {
			list = append(list, Unit{p, i})
		}
	}
	return list
}

// Sharing is a set of units that share a component, and are therefore nearer to each other than to other units.
type Sharing struct {
	What  []string // names of the components that these units share, such as "L3", "socket"
	Units []int    // indices in ascending order; two or more
	Cache *Cache   // nil if the component is not a cache; the largest of several caches
}

// partition assigns each unit a group name.
type partition struct {
	what  string
	group []int // group of each unit
	cache []*Cache
}

// Sharings returns the components that units share, from the nearest to the farthest: hardware threads of a core,
// caches, dies, nodes, sockets, and the machine. Each level consists of complete groups of the previous level. Sharings
// omits a level that violates this rule because of errors in sysfs.
func (m *Machine) Sharings(units []Unit) []Sharing {
	if len(units) < 2 {
		return nil
	}
	parts := m.partitions(units)
	// Sort finer partitions first, and keep the order of equally fine partitions.
	slices.SortStableFunc(parts, func(a, b partition) int { return groups(b.group) - groups(a.group) })
	var list []Sharing
	var last []int
	for i := range parts {
		p := &parts[i]
		if last != nil && !isRefinement(last, p.group) {
			continue
		}
		last = p.group
		for _, members := range members(p.group) {
			var cache *Cache
			if p.cache != nil {
				cache = p.cache[members[0]]
			}
			at := slices.IndexFunc(list, func(s Sharing) bool { return slices.Equal(s.Units, members) })
			switch {
			case len(members) < 2:
			case at < 0:
				list = append(list, Sharing{What: []string{p.what}, Units: members, Cache: cache})
			default:
				list[at].What = append(list[at].What, p.what)
				if cache != nil {
					list[at].Cache = cache
				}
			}
		}
	}
	return list
}

// partitions returns all groupings of the units.
func (m *Machine) partitions(units []Unit) []partition {
	by := func(what string, of func(u Unit) int) partition {
		p := partition{what: what}
		for i, u := range units {
			g := of(u)
			if g == Unknown { // a separate group
				g = -2 - i
			}
			p.group = append(p.group, g)
		}
		return p
	}
	parts := []partition{by("core", func(u Unit) int { return u.Core })}
	for _, level := range m.Levels() {
		p := by(fmt.Sprintf("L%d", level), func(u Unit) int {
			if c := m.Cache(level, u.Processor); c != nil {
				return c.Processors[0]
			}
			return Unknown
		})
		for _, u := range units {
			p.cache = append(p.cache, m.Cache(level, u.Processor))
		}
		parts = append(parts, p)
	}
	const maximum = 1 << 16 // dies are numbered within their socket
	return append(parts,
		by("die", func(u Unit) int {
			c := &m.Cores[u.Core]
			if c.Die == Unknown || c.Socket == Unknown {
				return Unknown
			}
			return c.Socket*maximum + c.Die
		}),
		by("node", func(u Unit) int { return m.Cores[u.Core].Node }),
		by("socket", func(u Unit) int { return m.Cores[u.Core].Socket }),
		by("machine", func(Unit) int { return 0 }))
}

// groups returns the number of groups of a partition.
func groups(group []int) int {
	seen := make(map[int]bool)
	for _, g := range group {
		seen[g] = true
	}
	return len(seen)
}

// isRefinement reports whether each group of partition fine is within one group of partition coarse.
func isRefinement(fine, coarse []int) bool {
	in := make(map[int]int)
	for i, g := range fine {
		if c, ok := in[g]; ok && c != coarse[i] {
			return false
		}
		in[g] = coarse[i]
	}
	return true
}

// members lists the units of each group, with groups in the order of their first unit.
func members(group []int) [][]int {
	at := make(map[int]int)
	var list [][]int
	for i, g := range group {
		k, ok := at[g]
		if !ok {
			k = len(list)
			at[g] = k
			list = append(list, nil)
		}
		list[k] = append(list[k], i)
	}
	return list
}
