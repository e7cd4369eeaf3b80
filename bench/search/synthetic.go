package search

import (
	"fmt"
	"math/rand/v2"

	"xopt/bench/draw/taskgraph"
	"xopt/flow"
	"xopt/flow/design"
)

// The parameters of the machine in the synthetic cases: the machine of Beard 2013, Table 2, with two FPGAs.
const (
	searchCores   = 12
	searchFPGAs   = 2
	searchSpeed   = 4    // speed of a task on an FPGA relative to a core
	searchArea    = 400  // area of an FPGA, LUTs
	minTaskArea   = 20   // minimum area of a task, LUTs
	maxTaskArea   = 80   // maximum area of a task, LUTs
	neverLimiting = 1e15 // service rate of the source and the sink, bytes/s
)

// Bus contains the bandwidths of the links in the synthetic cases, in bytes/s.
type Bus struct {
	Name   string
	Memory float64 // bandwidth between cores; 0 if they use the bus
	Bus    float64 // bandwidth of the bus between all resources
}

// Buses returns two configurations: PCI-X and shared memory at their theoretical maximum rates, as in Beard 2013, with
// which tasks limit the throughput, and a slow bus that limits the throughput.
func Buses() []Bus {
	return []Bus{{"PCI-X", 10e9, 1066e6}, {"slow bus", 0, 10e6}}
}

// Synthetic draws a task graph like [taskgraph.Draw], on a machine with 12 cores and 2 FPGAs. A task is four times as
// fast on an FPGA as on a core. An FPGA has an area for approximately eight tasks. All figures are random.
func Synthetic(seed uint64, tasks int, joined Bus) Case {
	g := taskgraph.Draw(seed, tasks)
	random := rand.New(rand.NewPCG(seed, 0x7365_6172))
	work := &stream{times: g.Times, first: g.First, last: g.Last}
	for i, a := range g.Graph.Arcs {
		work.arcs = append(work.arcs, arc{a.From, a.To, g.Sizes[i]})
	}
	p := &flow.Problem{Application: work.application()}
	n := len(g.Times)
	bus, memory := flow.Link{Name: "bus", Bandwidth: joined.Bus}, flow.Link{Name: "memory", Bandwidth: joined.Memory}
	for r := range searchCores + searchFPGAs {
		res := flow.Resource{Name: fmt.Sprintf("proc[%d]", r+1), Platform: design.CorePlatform, Area: unlimited()}
		if r >= searchCores {
			res.Name, res.Platform = fmt.Sprintf("fpga[%d]", r-searchCores+1), design.FPGAPlatform
			res.Sharing.Rule = flow.AreaOnly
			res.Area[flow.LUT] = searchArea
		}
		p.Architecture.Resources = append(p.Architecture.Resources, res)
		if bus.Endpoints = append(bus.Endpoints, r); r < searchCores {
			memory.Endpoints = append(memory.Endpoints, r)
		}
	}
	if p.Architecture.Links = []flow.Link{bus}; joined.Memory > 0 {
		p.Architecture.Links = []flow.Link{memory, bus}
	}
	for k := range n + 2 {
		fig := flow.Figures{Available: true, ServiceRate: neverLimiting, ServiceSCV: -1}
		if k > 0 && k <= n {
			fig.ServiceRate = work.consumed(k-1) / g.Times[k-1]
		}
		row := make([]flow.Figures, searchCores+searchFPGAs)
		need := float64(minTaskArea + random.IntN(maxTaskArea-minTaskArea+1))
		for r := range row {
			row[r] = fig
			if r >= searchCores {
				row[r].ServiceRate *= searchSpeed
				row[r].Area[flow.LUT] = need
				row[r].Available = k > 0 && k <= n
			}
		}
		p.Figures = append(p.Figures, row)
	}
	return Case{Group: fmt.Sprintf("%d tasks, %s", tasks, joined.Name), Name: fmt.Sprintf("seed %d", seed),
		Problem: p}
}
