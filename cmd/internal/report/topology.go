package report

import (
	"fmt"
	"math"
	"strings"
	clock "time"

	"xopt/bench/networks"
	"xopt/flow/design"
	"xopt/flow/machine"
	"xopt/flow/profile"
)

// Topology shows a machine as Linux describes it, the file of each number, and the resulting architecture.
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
		p.add("note: %s", n.Text)
	}
	return p.parts
}

// machineCounts lists the numbers of processors, caches and NUMA nodes, and the files that contain these numbers.
func machineCounts(m *machine.Machine) *Table {
	t := &Table{ID: "machine", Title: "The machine, as described by Linux",
		Columns: []Column{name("item"), number("number"), name("size"), name("from").fold(60)}}
	const cpus = "/sys/devices/system/cpu"
	number := func(n int) Cell {
		if n == 0 {
			return dash()
		}
		return integer(n)
	}
	threads := 0
	for i := range m.Cores {
		threads = max(threads, m.Cores[i].Threads)
	}
	t.add(text("sockets"), number(m.Sockets()), text(""), text(cpus+"/cpu*/topology/physical_package_id"))
	t.add(text("cores"), integer(len(m.Cores)), text(""), text(cpus+"/cpu*/topology/core_cpus_list"))
	if m.Kinds() > 1 {
		t.add(text("kinds of cores"), integer(m.Kinds()), text(""),
			text(cpus+"/cpu*/cpu_capacity, /sys/devices/cpu_atom"))
	}
	t.add(text("hardware threads of a core"), integer(threads), text(""), text(cpus+"/cpu*/topology/core_cpus_list"))
	t.add(text("processors online"), integer(len(m.Online)), text(machine.Ranges(m.Online)), text(cpus+"/online"))
	t.add(text("usable processors"), integer(len(m.Usable)), text(machine.Ranges(m.Usable)),
		text("affinity of this process"))
	if m.Quota > 0 {
		t.add(text("processor time per second"), decimals(m.Quota, 2), text("s"), text(m.QuotaFrom))
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
			what += ", not available to this process"
		}
		bytes := text("-")
		if n.Bytes > 0 {
			bytes = text(machine.Size(n.Bytes))
		}
		t.add(text(what), integer(len(n.Processors)), bytes,
			text(fmt.Sprintf("/sys/devices/system/node/node%d", n.Number)))
	}
	return t
}

// addCaches adds rows for the data caches of a level. Caches with the same size and the same number of processors share
// a row.
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
		t.add(text(fmt.Sprintf("L%d caches, each of %s", level, ofOne(k.share, "processor"))), integer(count[k]),
			text(machine.Size(k.bytes)), text(from[k]))
	}
}

// ofOne formats a count with its noun, including a count of one.
func ofOne(n int, thing string) string {
	if n == 1 {
		return "one " + thing
	}
	return count(n, thing)
}

// machineCores lists the cores with their names in the architecture.
func machineCores(a *machine.Architecture) *Table {
	m := a.Machine
	t := &Table{ID: "machine-cores", Title: "Cores", Columns: []Column{name("core"), number("cpu").about(
		"Linux processor to which the core is pinned"), name("threads").about("usable processors of the same core"),
		number("socket"), number("node")}}
	kinds := m.Kinds() > 1
	if kinds {
		t.Columns = append(t.Columns, number("capacity").about("work relative to the fastest core, which has 1024"))
	}
	levels := m.Levels()
	for _, level := range levels {
		shared := name(fmt.Sprintf("L%d shared by", level)).about("processors that share the cache")
		t.Columns = append(t.Columns, shared.spare(max(1, len(levels)-level+1)))
	}
	number := func(n int) Cell {
		if n == machine.Unknown {
			return dash()
		}
		return integer(n)
	}
	for i, u := range a.Units {
		c := &m.Cores[u.Core]
		row := []Cell{text(a.Names[i]), integer(u.Processor), text(machine.Ranges(c.Processors)), number(c.Socket),
			number(c.Node)}
		if kinds {
			capacity := dash()
			if c.Capacity > 0 {
				capacity = integer(c.Capacity)
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

// machineLinks lists the hardware that cores share, which the architecture describes as links.
func machineLinks(a *machine.Architecture) *Table {
	t := &Table{ID: "machine-links", Title: "Links: shared levels of the hierarchy, the nearest first; xopt " +
		"calibrate measures their " +
		"costs", Columns: []Column{name("link"), name("linktype"), name("shared hardware"),
		name("cores").fold(60)}}
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

// Hosts returns a table of the accuracy of predictions for mappings over several hosts, by network.
func Hosts(cases []networks.Case, runs int, window clock.Duration) *Table {
	t := &Table{ID: "hosts", Title: "Mappings on several hosts, predicted and measured: " + turns(runs, window),
		Columns: []Column{number("hosts"), name("cables"), rate("bandwidth").own(), time("latency").own(),
			number("sending a byte").about("processor time to send a byte"),
			number("receiving").about("processor time to receive a byte"), number("mappings"), number("median error"),
			number("worst"), number("first candidate / best").about("throughput of the search's first candidate " +
				"relative to the fastest mapping that the search could choose, minus 1")}}
	for i := range cases {
		c := &cases[i]
		median, worst := c.Median()
		ran := 0
		for _, m := range c.Mappings {
			if m.Measured > 0 {
				ran++
			}
		}
		t.add(integer(c.Network.Hosts), text(c.Network.Cable.String()), figure(c.Bandwidth), figure(c.Latency),
			text(perByteOf(c.Send)), text(perByteOf(c.Receive)), integer(ran), part(median), part(worst),
			part(-c.Choice()))
	}
	t.Note = "bandwidth, latency, and the processor cost of sending and receiving are calibrated; error: difference " +
		"between predicted and measured throughput, relative to the measured throughput"
	return t.scaled()
}

// perByteOf formats a time per byte, given in seconds, in ns.
func perByteOf(seconds float64) string { return fmt.Sprintf("%.3g ns", seconds*1e9) }

// HostMappings lists the mappings that ran on each network.
func HostMappings(cases []networks.Case) *Table {
	t := &Table{ID: "mappings", Title: "The mappings", Columns: []Column{number("hosts"), name("cables"),
		name("mapping"), rate("predicted").own(), rate("measured").own(),
		number("error").about("predicted throughput relative to the measured throughput, minus 1"), name("")}}
	for i := range cases {
		c := &cases[i]
		for _, m := range c.Mappings {
			note := m.Fail
			if m.First {
				note = "the search's first candidate"
			}
			failed, measured := dash(), dash()
			if m.Measured > 0 {
				failed, measured = part(m.Predicted/m.Measured-1), figure(m.Measured)
			}
			t.add(integer(c.Network.Hosts), text(c.Network.Cable.String()), text(m.Text), figure(m.Predicted), measured,
				failed, text(note))
		}
	}
	return t.scaled()
}

// Nodes lists the nodes of a cluster by machine type. For nodes that differ from their type, it lists the figures that
// differ.
func Nodes(types []profile.Type) []Part {
	t := &Table{ID: "nodes", Title: "Nodes by type of machine (measured)", Columns: []Column{name("node"),
		name("type"), number("figures"), number("different\nfigures").about("figures that differ from the figures " +
			"of the typical node"),
		number("largest\nchange").about("largest difference from the typical node"), name("figure"),
		name("verdict")},
		Note: fmt.Sprintf("A node is odd if a figure differs from the typical node of its type by more than %.0f "+
			"%% (assumed), and their 95 %% confidence intervals are disjoint. The typical node differs least from "+
			"the other nodes.",
			100*profile.OddChange)}
	parts := []Part{{Table: t}}
	for i := range types {
		y := &types[i]
		typical := &y.Nodes[y.Typical]
		for j := range y.Nodes {
			n := &y.Nodes[j]
			verdict := "alike"
			if j == y.Typical {
				verdict = "typical"
			}
			var odd *profile.Odd
			for k := range y.Odd {
				if y.Odd[k].Node == n.Node {
					odd, verdict = &y.Odd[k], "ODD"
				}
			}
			all := profile.Speeds(typical.Profile, n.Profile)
			cells := []Cell{text(n.Node), text(fmt.Sprint(i + 1)), digits(float64(len(all)), 6)}
			if odd == nil {
				cells = append(cells, digits(0.0, 3), signed(maxDifference(all)), text(""), text(verdict))
				t.add(cells...)
				continue
			}
			d := &odd.Differ[0]
			cells = append(cells, digits(float64(len(odd.Differ)), 6), signed(d.Relative()),
				text(d.What+" of "+d.Kernel),
				text(verdict))
			t.add(cells...).Hot = true
			parts = append(parts, Part{Table: Differences(typical.Node, n.Node, odd.Differ)})
		}
	}
	return parts
}

// maxDifference returns the largest change in a list, with its sign.
func maxDifference(list []profile.Difference) float64 {
	largest := 0.
	for i := range list {
		if r := list[i].Relative(); math.Abs(r) > math.Abs(largest) {
			largest = r
		}
	}
	return largest
}
