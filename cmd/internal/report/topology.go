package report

import (
	"fmt"
	"strings"

	"xopt/flow/design"
	"xopt/flow/machine"
)

// Topology is a machine as Linux describes it, each number with the file that says it, and the architecture that stands
// for it.
func Topology(a *machine.Architecture) []Part {
	m := a.Machine
	p := &script{}
	name := m.Model
	if name == "" {
		name = "processors of an unknown model"
	}
	if m.Virtual {
		name += ", virtual: the host may move its processors from core to core"
	}
	p.lead("Machine", "%s", name)
	p.show(machineCounts(m), machineCores(a), machineLinks(a))
	for _, n := range m.Notes {
		p.say("note: %s", n)
	}
	return p.parts
}

// machineCounts are the numbers, with where Linux says them.
func machineCounts(m *machine.Machine) *Table {
	t := &Table{ID: "machine", Title: "What there is, as Linux says",
		Columns: []Column{name("what"), number("number"), name("size"), name("from").fold(60)}}
	const cpus = "/sys/devices/system/cpu"
	number := func(n int) Cell {
		if n == 0 {
			return dash()
		}
		return whole(n)
	}
	threads := 0
	for i := range m.Cores {
		threads = max(threads, m.Cores[i].Threads)
	}
	t.add(text("sockets"), number(m.Sockets()), text(""), text(cpus+"/cpu*/topology/physical_package_id"))
	t.add(text("cores"), whole(len(m.Cores)), text(""), text(cpus+"/cpu*/topology/core_cpus_list"))
	if m.Kinds() > 1 {
		t.add(text("kinds of cores"), whole(m.Kinds()), text(""),
			text(cpus+"/cpu*/cpu_capacity, /sys/devices/cpu_atom"))
	}
	t.add(text("hardware threads of a core"), whole(threads), text(""), text(cpus+"/cpu*/topology/core_cpus_list"))
	t.add(text("processors online"), whole(len(m.Online)), text(machine.Ranges(m.Online)), text(cpus+"/online"))
	t.add(text("processors that may be used"), whole(len(m.Usable)), text(machine.Ranges(m.Usable)),
		text("affinity of this process"))
	if m.Quota > 0 {
		t.add(text("processors' time in a second"), decimals(m.Quota, 2), text("s"), text(m.QuotaFrom))
	}
	for _, level := range m.Levels() {
		addCaches(t, m, level)
	}
	if len(m.Nodes) == 0 {
		t.add(text("NUMA nodes"), dash(), text(""), text("/sys/devices/system/node"))
	}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		what := fmt.Sprintf("NUMA node %d", n.Number)
		if !n.Allowed {
			what += ", not for this process"
		}
		bytes := text("-")
		if n.Bytes > 0 {
			bytes = text(machine.Size(n.Bytes))
		}
		t.add(text(what), whole(len(n.Processors)), bytes,
			text(fmt.Sprintf("/sys/devices/system/node/node%d", n.Number)))
	}
	return t
}

// addCaches adds rows of the data caches of a level, one for each size.
func addCaches(t *Table, m *machine.Machine, level int) {
	type kind struct {
		bytes int64
		share int
	}
	count, from := make(map[kind]int), make(map[kind]string)
	var kinds []kind
	for i := range m.Caches {
		c := &m.Caches[i]
		if c.Level != level || c.Type == "Instruction" {
			continue
		}
		k := kind{c.Bytes, len(c.Processors)}
		if count[k] == 0 {
			kinds, from[k] = append(kinds, k), c.From
		}
		count[k]++
	}
	for _, k := range kinds {
		t.add(text(fmt.Sprintf("L%d caches, each of %s", level, ofOne(k.share, "processor"))), whole(count[k]),
			text(machine.Size(k.bytes)), text(from[k]))
	}
}

// ofOne is a number of things that may be one.
func ofOne(n int, thing string) string {
	if n == 1 {
		return "one " + thing
	}
	return count(n, thing)
}

// machineCores are the cores as the architecture names them.
func machineCores(a *machine.Architecture) *Table {
	m := a.Machine
	t := &Table{ID: "machine-cores", Title: "Cores", Columns: []Column{name("core"), number("cpu").about(
		"processor of Linux that it is pinned to"), name("threads").about("processors of the same core that may " +
		"be used"), number("socket"), number("node")}}
	kinds := m.Kinds() > 1
	if kinds {
		t.Columns = append(t.Columns, number("capacity").about("work relative to the fastest core, which has 1024"))
	}
	levels := m.Levels()
	for _, level := range levels {
		shared := name(fmt.Sprintf("L%d with", level)).about("processors that share the cache")
		t.Columns = append(t.Columns, shared.spare(max(1, len(levels)-level+1)))
	}
	number := func(n int) Cell {
		if n == machine.Unknown {
			return dash()
		}
		return whole(n)
	}
	for i, u := range a.Units {
		c := &m.Cores[u.Core]
		row := []Cell{text(a.Names[i]), whole(u.Processor), text(machine.Ranges(c.Processors)), number(c.Socket),
			number(c.Node)}
		if kinds {
			capacity := dash()
			if c.Capacity > 0 {
				capacity = whole(c.Capacity)
			}
			row = append(row, capacity)
		}
		for _, level := range levels {
			with := "-"
			if cache := m.Cache(level, u.Processor); cache != nil {
				with = machine.Ranges(cache.Processors)
			}
			row = append(row, text(with))
		}
		t.add(row...)
	}
	return t
}

// machineLinks are what cores share, as links of the architecture.
func machineLinks(a *machine.Architecture) *Table {
	t := &Table{ID: "machine-links", Title: "Links: what cores share, the nearest first; xopt calibrate measures " +
		"what they cost", Columns: []Column{name("link"), name("linktype"), name("the same"), name("cores").fold(60)}}
	for i := range a.Links {
		l := &a.Links[i]
		var names []string
		for _, u := range l.Sharing.Units {
			names = append(names, a.Names[u])
		}
		t.add(text(l.Name), text(l.Linktype), text(strings.Join(l.Sharing.What, ", ")),
			text(strings.Join(design.Ranges(names), ", ")))
	}
	return t.orNil()
}
