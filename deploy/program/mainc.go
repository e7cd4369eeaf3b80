package program

import (
	"maps"
	"slices"

	"xopt/flow/xlang"
	"xopt/internal/release"
)

// tables contains the values for main.c.tmpl. These tables adapt the runtime to one application.
type tables struct {
	Name, Version        string
	Bytes, ProcessOffset uint64
	Reference            []uint64 // offset of the turns of the reference load, by process; nil without one
	Turns                int
	Grows                bool
	PointsOffset         uint64
	EventsMost           uint64
	Blocks               []block
	Processes            []Process
	Edges                []edgeRow
	Loops                []loopRow
	Kernels              []kernelRow
	Steps                []Step
	Taps                 []tapRow
	Hops                 []hop
	PacketTaps           []packetTap
	Virtual              *virtualMachine // nil for a run on this machine
}

// edgeRow is a row of x_edges. From and To are the runtime's numbers of its kernels.
type edgeRow struct {
	Edge
	From, To int
	Type     string
	Out, In  string // port names
	Ring     int    // edge that owns its data area
	Consumes int    // if copies divide the stream: elements of a firing
	Counted  int    // if the reader counts a copy's batches: elements of each batch
	Only     bool   // it is the only path between its kernels
}

// loopRow is a row of x_loops.
type loopRow struct{ Edges, Kernels []int }

// kernelRow is a row of x_kernels, with the tables that it points to.
type kernelRow struct {
	Kernel
	Number int // number in the design, which the names of its tables contain
	Point  int // index of its first testpoint
	Config []member
	Groups []portGroup
	Copy   *copyRow // nil if there is only one copy
}

// copyRow is the part of the stream that a copy of a kernel processes.
type copyRow struct {
	*xlang.Replica
	Keyed bool
	Plain bool // see plan.plain
	// Part is the number of firings in a part of a batch. A claim contains up to Parts parts. Copies that do not claim
	// batches have one part per batch.
	Part, Parts int
	claimed
}

// tapRow is a row of x_taps.
type tapRow struct {
	PlacedTap
	Object           int // index of an edge or a kernel
	FirstStep, Steps int // steps of its condition
}

// virtualMachine describes the machine that a run in virtual time simulates. Times are in ps.
type virtualMachine struct {
	Cores         int
	Quantum, Seed uint64
	Services      []serviceRow // by the runtime's kernel number
	Links         []linkRow
	Routes        []routeRow // route of each edge
	FPGAs         []fpgaRow
}

type serviceRow struct {
	Core         int
	Byte, SCV    float64
	Times, Count uint64 // offset and number of recorded times
}

type linkRow struct {
	Byte, Cost             float64
	Transfer               uint64 // bytes
	Latency, Jitter, Flush float64
}

type routeRow struct {
	Links   []int
	Inside  bool // inside an FPGA
	Share   float64
	Packets uint64
}

type fpgaRow struct {
	Process int
	Period  float64
	Phase   float64
	At      uint64
}

// mainC returns the text of main.c, with the tables.
func (p *plan) mainC() (string, error) {
	d := p.describe()
	t := &tables{Name: p.program.Top, Version: release.Version, Bytes: d.Bytes, ProcessOffset: p.layout.processes,
		Reference: p.layout.reference, Turns: referenceTurns,
		Grows: p.grows, PointsOffset: p.layout.points, EventsMost: p.options.EventsMost,
		Processes: d.Processes, Hops: p.hops, PacketTaps: p.packetTaps, Virtual: p.machine()}
	for _, name := range p.blocks() {
		t.Blocks = append(t.Blocks, blockOf(p.program, name))
	}
	for e, x := range d.Edges {
		out := &p.program.Kernels[x.From].Outputs[x.FromPort]
		t.Edges = append(t.Edges, edgeRow{Edge: x, From: p.rank[x.From], To: p.rank[x.To], Type: valueType(out.Type),
			Out: out.Name, In: p.program.Kernels[x.To].Inputs[x.ToPort].Name, Ring: p.layout.ring[e],
			Consumes: p.divides(e), Counted: p.countedParts(e), Only: p.bridges[e]})
	}
	for _, l := range d.Loops {
		row := loopRow{Edges: l.Edges}
		for _, k := range l.Kernels {
			row.Kernels = append(row.Kernels, p.rank[k])
		}
		t.Loops = append(t.Loops, row)
	}
	for _, k := range p.order {
		row := kernelRow{Kernel: d.Kernels[k], Number: k, Groups: portGroups(&p.program.Kernels[k]),
			Copy: p.copyOf(k)}
		if len(p.points[k]) > 0 {
			row.Point = p.points[k][0]
		}
		for _, name := range slices.Sorted(maps.Keys(p.program.Kernels[k].Config)) {
			row.Config = append(row.Config, member{Name: name, Value: p.configValue(k, name)})
		}
		t.Kernels = append(t.Kernels, row)
	}
	for _, x := range d.Taps {
		row := tapRow{PlacedTap: x, Object: x.Edge, FirstStep: len(t.Steps), Steps: len(x.When)}
		if x.Kind == Service {
			row.Object = p.rank[x.Kernel]
		}
		for _, s := range x.When {
			if s.Op == Running {
				s.Object = p.rank[s.Object]
			}
			t.Steps = append(t.Steps, s)
		}
		t.Taps = append(t.Taps, row)
	}
	return generate("main.c.tmpl", t)
}

// machine returns the simulated machine of a run in virtual time; nil for a run on this machine.
func (p *plan) machine() *virtualMachine {
	v := p.options.Virtual
	if v == nil {
		return nil
	}
	m := &virtualMachine{Cores: len(v.Cores), Quantum: max(v.Quantum, 1), Seed: v.Seed}
	for _, k := range p.order {
		row := serviceRow{Core: v.Core[k], SCV: v.SCV[k]}
		if v.Rate[k] > 0 {
			row.Byte = 1e12 / v.Rate[k]
		}
		if v.Times != nil {
			row.Times, row.Count = p.layout.times[k], uint64(len(v.Times[k]))
		}
		m.Services = append(m.Services, row)
	}
	for _, l := range v.Links {
		m.Links = append(m.Links, linkRow{1e12 / l.Bandwidth, 1e12 * l.TransferCost, uint64(l.TransferBytes),
			1e12 * l.Latency, 1e12 * l.Jitter, 1e12 * l.Flush})
	}
	for e, r := range v.Routes {
		row := routeRow{r, p.inside(e), 1, p.layout.packets[e]}
		if x := &p.program.Edges[e]; x.Shared {
			row.Share = x.Share
		}
		m.Routes = append(m.Routes, row)
	}
	for i, f := range v.Federates {
		m.FPGAs = append(m.FPGAs, fpgaRow{i + 1, 1e12 * f.Period, 1e12 * f.Phase, p.federateAt(i)})
	}
	return m
}

// bridges reports for each edge whether it is the only connection between its two kernels, in either direction (a
// bridge of the graph). While the reader of such an edge waits for space, its writer cannot free this space. The
// writer's data may then remain in the cache (fused.c). The depth-first search follows Tarjan 1974, "A note on finding
// the bridges of a graph".
func bridges(p *xlang.Program) []bool {
	type edgeEnd struct{ edge, kernel int }
	ends := make([][]edgeEnd, len(p.Kernels))
	for e := range p.Edges {
		from, to := p.Edges[e].From, p.Edges[e].To
		ends[from] = append(ends[from], edgeEnd{e, to})
		ends[to] = append(ends[to], edgeEnd{e, from})
	}
	only := make([]bool, len(p.Edges))
	number, low := make([]int, len(p.Kernels)), make([]int, len(p.Kernels)) // from 1, in the order of the search
	count := 0
	var visit func(k, by int)
	visit = func(k, by int) {
		count++
		number[k], low[k] = count, count
		for _, x := range ends[k] {
			switch {
			case x.edge == by:
			case number[x.kernel] > 0:
				low[k] = min(low[k], number[x.kernel])
			default:
				visit(x.kernel, x.edge)
				low[k] = min(low[k], low[x.kernel])
				only[x.edge] = low[x.kernel] > number[k]
			}
		}
	}
	for k := range p.Kernels {
		if number[k] == 0 {
			visit(k, -1)
		}
	}
	return only
}
