package arena

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
)

// kind is a group of equal cores of a machine.
type kind struct {
	name  string
	count int     // number of cores
	of    string  // kind of core in the set that provides the times
	scale float64 // time of a task relative to the time in the set
	// largest restricts the kind to the half of the tasks with the most work.
	largest bool
}

// machine is a set of cores that a bus connects. bus is in bytes/s; 0 for no bus.
type machine struct {
	name  string
	kinds []kind
	bus   float64
	note  string
}

// The time of a task on an assumed little core or accelerator, relative to its time on a big core.
const (
	littleScale = 2
	accelScale  = 0.25
)

// standard returns the three machines for graphs whose source states no machine. accelerators contains the kinds of
// accelerators with times in the source. If it is empty, standard assumes one accelerator.
func standard(core string, accelerators []string) []machine {
	third := machine{name: "2c1a", kinds: []kind{{name: core, count: 2, of: core, scale: 1}}}
	for _, a := range accelerators {
		third.kinds = append(third.kinds, kind{name: a, count: 1, of: a, scale: 1})
		third.note = "one accelerator of each kind, shared by all tasks: assumed"
	}
	if len(accelerators) == 0 {
		third.kinds = append(third.kinds, kind{name: "accelerator", count: 1, of: core, scale: accelScale,
			largest: true})
		third.note = "the accelerator runs the half of the tasks with the most work, in a quarter of the time: assumed"
	}
	return []machine{
		{name: "4c", kinds: []kind{{name: core, count: 4, of: core, scale: 1}}, note: "four equal cores: assumed"},
		{name: "8b4l", kinds: []kind{{name: core, count: 8, of: core, scale: 1},
			{name: "little", count: 4, of: core, scale: littleScale}},
			note: "little cores need twice the time: assumed"},
		third,
	}
}

// counted returns the machine with the numbers of cores by kind in raw; ok is false if raw does not contain these
// numbers.
func counted(raw json.RawMessage) (m machine, ok bool) {
	var counts map[string]*int
	if json.Unmarshal(raw, &counts) != nil {
		return m, false
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if counts[k] == nil {
			return m, false
		}
		m.kinds = append(m.kinds, kind{name: k, count: *counts[k], of: k, scale: 1})
	}
	return m, len(m.kinds) > 0
}

// coreKind returns the kind of core that can run the most tasks, and the other kinds.
func coreKind(tasks []taskEntry) (core string, others []string) {
	counts := make(map[string]int)
	for t := range tasks {
		for k := range tasks[t].times() {
			counts[k]++
		}
	}
	others = slices.Sorted(maps.Keys(counts))
	for _, k := range others {
		if counts[k] > counts[core] {
			core = k
		}
	}
	return core, slices.DeleteFunc(others, func(k string) bool { return k == core })
}

// nodes is the machine of a DAGBench graph, in DAGBench's units.
type nodes struct {
	Speed    map[string]float64
	Links    [][3]any `json:"link_speed"`
	AllPairs float64  `json:"link_speed_all_pairs"`
}

// dagMachine returns the machine of a DAGBench graph. Nodes of equal speed are cores of one kind. One bus with the
// speed of the slowest link replaces all links.
func dagMachine(raw json.RawMessage) (machine, error) {
	var n nodes
	if err := json.Unmarshal(raw, &n); err != nil {
		return machine{}, fmt.Errorf("reading the machine: %w", err)
	}
	m := machine{bus: math.Inf(1), note: "one bus with the speed of the slowest link: assumed"}
	for _, l := range n.Links {
		if speed, ok := l[2].(float64); ok {
			m.bus = min(m.bus, speed/perWork)
		}
	}
	if n.AllPairs > 0 {
		m.bus = min(m.bus, n.AllPairs/perWork)
	}
	if math.IsInf(m.bus, 1) { // no links
		m.bus = 0
	}
	counts := make(map[float64]int)
	for _, s := range n.Speed {
		counts[s]++
	}
	speeds := slices.Collect(maps.Keys(counts))
	sort.Sort(sort.Reverse(sort.Float64Slice(speeds)))
	for i, s := range speeds {
		m.kinds = append(m.kinds, kind{name: fmt.Sprintf("node%d", i+1), count: counts[s], of: workKind, scale: 1 / s})
	}
	return m, nil
}
