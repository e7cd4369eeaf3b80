package arena

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Instance is a problem of a benchmark set: a graph on a machine.
type Instance struct {
	Set     string
	Source  string // repository and commit
	Problem Problem
	// Published is the period in s of the best published schedule on this machine; 0 for none.
	Published float64
	// Limit is the period in s with unlimited resources, as stated by the set for the times of this machine; 0 for
	// none. In contrast, Problem.Cycle is computed from the graph.
	Limit float64
	Note  string // assumptions about the machine
	// Measured reports that the authors measured the times. Otherwise, the times are published estimates or random
	// numbers.
	Measured bool
}

// Seconds per unit of time of the sets. The sources do not state these units, so the values are assumed.
const (
	perCycle = 1e-9 // a clock cycle
	perChain = 1e-6 // a unit of amp-chains
	perWork  = 1e-3 // a unit of dagbench
)

// farsiBus is the rate of FARSI's narrowest interconnect in bytes/s: words of 4 bytes at 100 MHz.
const farsiBus = 4 * 1e8

// workKind is the kind of core in sets that state one amount of work for each task, instead of a time on each kind of
// core.
const workKind = "work"

// Load returns the instances of a set whose names contain the string in only. The file NAME.json of the set is in
// folder; "" selects a shipped set. The error wraps [ErrNoTimes] if the set has no times.
func Load(name, folder, only string) ([]Instance, error) {
	s, err := readSet(name, folder)
	if err != nil {
		return nil, err
	}
	var list []Instance
	for i := range s.Rows {
		for _, x := range s.Rows[i].instances() {
			if strings.Contains(x.Problem.Name, only) {
				list = append(list, x)
			}
		}
	}
	for i := range s.Instances {
		more, err := s.instances(&s.Instances[i], only)
		if err != nil {
			return nil, fmt.Errorf("converting %s: %w", s.Instances[i].Name, err)
		}
		list = append(list, more...)
	}
	for i := range list {
		list[i].Set, list[i].Source = name, s.Source
	}
	return list, nil
}

// instances returns the instances of a chain: one for each of the three machines in its publication.
func (c *chainRow) instances() []Instance {
	var list []Instance
	for m, cores := range [][2]int{{16, 4}, {10, 10}, {4, 16}} {
		p := Problem{Name: fmt.Sprintf("chain-%d-%g-%dB%dL", c.Seed, c.Ratio, cores[0], cores[1]),
			Kinds: []string{"big", "little"}}
		for k, n := range cores {
			p.Cores = append(p.Cores, slices.Repeat([]int{k}, n)...)
		}
		for t := range c.Big {
			p.Tasks = append(p.Tasks, Task{Name: fmt.Sprintf("t%d", t), Replicable: c.Stateless[t] == '1',
				Work: []float64{c.Big[t] * perChain, c.Little[t] * perChain}})
			if t > 0 {
				p.Edges = append(p.Edges, Edge{From: t - 1, To: t, Bytes: 1})
			}
		}
		list = append(list, Instance{Problem: p, Published: c.Published[m] * perChain,
			Note: "random times; a unit of time is 1 us: assumed"})
	}
	return list
}

// times returns the times of a task by kind, in units of the set.
func (t *taskEntry) times() map[string]phases {
	switch {
	case t.Time != nil:
		times := make(map[string]phases, len(t.Time))
		for k, x := range t.Time {
			times[k] = phases{x}
		}
		return times
	case t.Work > 0:
		return map[string]phases{workKind: {t.Work}}
	}
	return t.Cycles
}

// instances returns an instance of a graph for each of its machines, if the name of the graph contains the string in
// only. If the source has no time for some task, it returns no instances.
func (s *set) instances(e *entry, only string) ([]Instance, error) {
	unit, note := perCycle, "a cycle is 1 ns: assumed"
	var machines []machine
	core, others := coreKind(e.Tasks)
	switch s.Set {
	case "dvbs2-amp":
		unit, note = 1, ""
	case "farsi":
		unit, note = 1, "one bus of 400 MB/s, the rate of the narrowest interconnect of the source"
	case "dagbench":
		m, err := dagMachine(e.Machine)
		if err != nil {
			return nil, err
		}
		unit, note, machines = perWork, "a unit of time is 1 ms: assumed", []machine{m}
	case "preesm":
		if e.Timing != "every actor" {
			return nil, nil
		}
	}
	if m, ok := counted(e.Machine); ok {
		machines = []machine{m}
	}
	if machines == nil {
		machines = standard(core, others)
	}
	g := newGraph(s.Set, e)
	var list []Instance
	for _, m := range machines {
		if s.Set == "farsi" {
			m.bus = farsiBus
		}
		name := strings.ReplaceAll(e.Name, "_", "-")
		if len(machines) > 1 {
			name += "-" + m.name
		}
		if !strings.Contains(name, only) {
			continue
		}
		i, err := g.on(&m, unit)
		if err != nil {
			return nil, err
		}
		i.Problem.Name = name
		i.Note, i.Measured = joined(note, m.note), s.Set == "dvbs2-amp"
		if i.Published = e.Published.Value; s.Set != "dvbs2-amp" {
			i.Published = 0 // in other sets, the value is a throughput with unlimited resources
		}
		if e.Limit.Cycles != nil && g.fastest(&m) {
			i.Limit = *e.Limit.Cycles * unit
		}
		list = append(list, *i)
	}
	return list, nil
}

func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// graph converts an entry of a set to problems.
type graph struct {
	set   string
	entry *entry
	index map[string]int // by name: index of the task in the entry
	own   float64        // cached period in s with the fastest kinds of the source; 0 before it is computed
	into  []int          // by task of the entry: the task that represents it in the problem, usually itself
}

// newGraph returns the graph of an entry. In csdf-tue, it merges the actor L-x (a latency, which uses no resource) into
// the actor II-x (its initiation interval).
func newGraph(name string, e *entry) *graph {
	g := &graph{set: name, entry: e, index: make(map[string]int)}
	for t := range e.Tasks {
		g.index[e.Tasks[t].Name] = t
	}
	for t := range e.Tasks {
		g.into = append(g.into, t)
		if rest, ok := strings.CutPrefix(e.Tasks[t].Name, "L-"); ok {
			if pair, ok := g.index["II-"+rest]; ok {
				g.into[t] = pair
			}
		}
	}
	return g
}

// replicable reports whether several cores may share the firings of a task. FARSI and DAGBench do not state which tasks
// have state, so their tasks count as stateful. In csdf-kiter, every task is stateful, because it has an edge to
// itself.
func (g *graph) replicable(t int) bool {
	switch stateless := g.entry.Tasks[t].Stateless; {
	case stateless != nil:
		return *stateless
	case g.set == "preesm":
		return !slices.ContainsFunc(g.entry.Edges, func(e edgeEntry) bool {
			return e.From == e.To && e.From == g.entry.Tasks[t].Name
		})
	}
	return false
}

// fastest reports whether a machine has, for every task, the fastest kind of core in the source, with unscaled times.
func (g *graph) fastest(m *machine) bool {
	for t := range g.entry.Tasks {
		fast, minimum := false, math.Inf(1)
		times := g.entry.Tasks[t].times()
		for _, p := range times {
			minimum = min(minimum, p.sum(g.entry.Tasks[t].firings()))
		}
		for _, k := range m.kinds {
			if k.scale < 1 {
				return false
			}
			p, ok := times[k.of]
			fast = fast || ok && k.scale == 1 && p.sum(g.entry.Tasks[t].firings()) == minimum
		}
		if !fast && len(times) > 0 {
			return false
		}
	}
	return true
}

// on returns the instance of the graph on a machine. unit is the benchmark set's unit of time, in seconds.
func (g *graph) on(m *machine, unit float64) (*Instance, error) {
	var p Problem
	for k, x := range m.kinds {
		p.Kinds = append(p.Kinds, plain(x.name))
		p.Cores = append(p.Cores, slices.Repeat([]int{k}, x.count)...)
	}
	at := make([]int, len(g.into))
	for t := range g.into {
		if g.into[t] == t {
			at[t] = len(p.Tasks)
			p.Tasks = append(p.Tasks, Task{Name: g.entry.Tasks[t].Name, Replicable: g.replicable(t)})
		}
	}
	for t, owner := range g.into {
		at[t] = at[owner]
		if owner == t {
			p.Tasks[at[t]].Work = g.work(t, m, unit)
		}
	}
	bytes := g.bytes(m)
	p.Bus = m.bus * bytes.scale
	var pairs [][2]int
	for i := range g.entry.Edges {
		e := &g.entry.Edges[i]
		x := Edge{From: at[g.index[e.From]], To: at[g.index[e.To]], Bytes: bytes.of[i]}
		if x.From != x.To && !reaches(pairs, x.To, x.From) {
			pairs = append(pairs, [2]int{x.From, x.To})
			p.Edges = append(p.Edges, x)
		}
	}
	if !slices.ContainsFunc(g.entry.Edges, func(e edgeEntry) bool { return e.Initial > 0 }) && g.set != "csdf-tue" &&
		g.set != "sdf3" && g.set != "csdf-kiter" {
		return &Instance{Problem: p}, nil
	}
	var err error
	p.Cycle, err = g.period(m, unit)
	return &Instance{Problem: p}, err
}

// work returns the time of an iteration of a task on each kind of core of a machine, in s; +Inf if the kind cannot run
// the task.
func (g *graph) work(t int, m *machine, unit float64) []float64 {
	task := &g.entry.Tasks[t]
	times := task.times()
	list := make([]float64, len(m.kinds))
	for k, x := range m.kinds {
		p, ok := times[x.of]
		switch {
		case len(times) == 0: // the task only moves data
		case !ok, x.largest && !g.isLarge(t, x.of):
			list[k] = math.Inf(1)
		default:
			list[k] = p.sum(task.firings()) * x.scale * unit
		}
	}
	return list
}

// isLarge reports whether a task belongs to the half of the tasks with the most work on a kind of core. Among tasks
// with equal work, earlier tasks count as larger.
func (g *graph) isLarge(t int, of string) bool {
	own, larger, n := g.total(t, of), 0, 0
	for u := range g.into {
		if g.into[u] != u {
			continue
		}
		n++
		if x := g.total(u, of); x > own || x == own && u < t {
			larger++
		}
	}
	return 2*larger < n
}

// total returns the time of an iteration of a task on a kind of core, in units of the set.
func (g *graph) total(t int, of string) float64 {
	return g.entry.Tasks[t].times()[of].sum(g.entry.Tasks[t].firings())
}

// edgeBytes contains the sizes of edges in bytes.
type edgeBytes struct {
	of    []float64 // bytes per iteration, by edge
	scale float64   // bytes per unit of size in the source
}

// sizeScale is the number of bytes per unit of size if some sizes are not integers, because X requires integer numbers
// of bytes.
const sizeScale = 1e4

// bytes returns the sizes of the edges on a machine.
func (g *graph) bytes(m *machine) edgeBytes {
	b := edgeBytes{scale: 1}
	for i := range g.entry.Edges {
		if s := g.entry.Edges[i].Size; s != math.Trunc(s) {
			b.scale = sizeScale
		}
	}
	for i := range g.entry.Edges {
		e := &g.entry.Edges[i]
		n := 1.0 // without a bus, sizes have no effect
		if m.bus > 0 {
			n = max(1, math.Round(max(e.Size, e.Bytes)*b.scale))
		}
		b.of = append(b.of, n)
	}
	return b
}

// reaches reports whether a path of edges leads from one task to another.
func reaches(pairs [][2]int, from, to int) bool {
	seen := map[int]bool{from: true}
	for changed := true; changed && !seen[to]; {
		changed = false
		for _, p := range pairs {
			if seen[p[0]] && !seen[p[1]] {
				seen[p[1]], changed = true, true
			}
		}
	}
	return seen[to]
}

// plain converts a name to an X identifier.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
