package search

import (
	"fmt"
	"math"
	"math/rand/v2"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/exchange/tgff"
)

// Kind is a kind of random problems that is based on a publication: the cores of the machine, and the ranges of
// figures.
type Kind struct {
	Name string
	// Cores contains the speeds of the cores relative to the fastest core.
	Cores []float64
	// times, bytes and area are the ranges of values for each task, arc and accelerator. Values are uniformly
	// distributed, on a logarithmic scale if log is set. speedup is the range of an accelerator's speed relative to the
	// fastest core.
	times, bytes, area, speedup bounds
	log                         bool
	repeats                     int     // maximum number of firings of a task per iteration, a power of 2
	plain                       float64 // fraction of tasks without an accelerator
}

type bounds struct{ min, max float64 }

// Kinds returns two kinds of problems. The first has the ranges with which the generator of SDF3 created the graphs of
// mocasin. Tasks fire once, twice or four times per iteration. A firing lasts 15 to 100 µs, and tokens have 6 to 100
// bytes. The machine has two fast cores, two slow cores and an FPGA.
//
// The second has the ranges of the tasks in FARSI's audio decoder (Boroujerdian et al. 2023). Tasks last from 100 to
// 1.5 million cycles of 1 ns, and arcs carry 250 to 330,000 bytes. Two of three tasks have accelerators, which are up
// to 50 times as fast and need 500 to 480,000 units of area. The machine has three cores and an FPGA for accelerators.
//
// On both machines, the FPGA has an area for two fifths of all accelerators. One bus connects all resources. If half of
// all bytes crossed the bus, it would be as busy as the cores.
func Kinds() []Kind {
	return []Kind{
		{Name: "SDF3", Cores: []float64{1, 1, 0.5, 0.5}, times: bounds{15e-6, 100e-6}, bytes: bounds{6, 100},
			area: bounds{20, 80}, speedup: bounds{2, 8}, repeats: 4, plain: 0.2},
		{Name: "FARSI", Cores: []float64{1, 1, 1}, times: bounds{1e-7, 1.5e-3}, bytes: bounds{250, 330_000},
			area: bounds{500, 480_000}, speedup: bounds{2, 50}, repeats: 1, plain: 1. / 3, log: true},
	}
}

// kindDegree is the maximum in-degree and out-degree of a task. kindArea is the area of the FPGA as a fraction of the
// area of all accelerators. kindBus is the fraction of all bytes for which the bus is as busy as the cores.
const (
	kindDegree = 3
	kindArea   = 0.4
	kindBus    = 0.5
)

func (k *Kind) draw(random *rand.Rand, b bounds) float64 {
	if k.log {
		return math.Exp(math.Log(b.min) + random.Float64()*math.Log(b.max/b.min))
	}
	return b.min + random.Float64()*(b.max-b.min)
}

// Draw returns an application with the given number of tasks, a source and a sink, and its machine. All figures are
// random.
func (k *Kind) Draw(seed uint64, tasks int) Case {
	random := rand.New(rand.NewPCG(seed, 0x6b69_6e64))
	graph := tgff.Generate(tasks, tgff.Degrees{In: kindDegree, Out: kindDegree}, random)
	s := &stream{times: make([]float64, tasks), first: make([]int, tasks), last: make([]int, tasks)}
	repeats := make([]int, tasks)
	for t := range tasks {
		repeats[t] = 1
		for repeats[t] < k.repeats && random.IntN(2) == 0 {
			repeats[t] *= 2
		}
		s.times[t] = k.draw(random, k.times) * float64(repeats[t])
	}
	in, out := make([]int, tasks), make([]int, tasks)
	total := 0
	for _, a := range graph.Arcs {
		bytes := int(k.draw(random, k.bytes)) * max(repeats[a.From], repeats[a.To])
		s.arcs = append(s.arcs, arc{a.From, a.To, bytes})
		in[a.To]++
		out[a.From]++
		total += bytes
	}
	for t := range tasks {
		if in[t] == 0 {
			s.first[t] = int(k.draw(random, k.bytes)) * repeats[t]
		}
		if out[t] == 0 {
			s.last[t] = int(k.draw(random, k.bytes)) * repeats[t]
		}
		total += s.first[t] + s.last[t]
	}
	p := &flow.Problem{Application: s.application()}
	k.machine(random, p, s, float64(total))
	return Case{Group: fmt.Sprintf("%s, %d tasks", k.Name, tasks), Name: fmt.Sprintf("seed %d", seed), Problem: p}
}

// machine adds the cores, the FPGA, the bus, and the figures of tasks to a problem. total is the number of bytes of all
// arcs per iteration.
func (k *Kind) machine(random *rand.Rand, p *flow.Problem, s *stream, total float64) {
	bus := flow.Link{Name: "bus"}
	speed, work := 0.0, 0.0
	for _, part := range k.Cores {
		speed += part
	}
	for _, time := range s.times {
		work += time
	}
	bus.Bandwidth = kindBus * total / (work / speed)
	fpga := len(k.Cores)
	for r := range fpga + 1 {
		res := flow.Resource{Name: fmt.Sprintf("proc[%d]", r+1), Platform: design.CorePlatform, Area: unlimited()}
		if r == fpga {
			res.Name, res.Platform, res.Sharing.Rule = "fpga", design.FPGAPlatform, flow.AreaOnly
		}
		p.Architecture.Resources = append(p.Architecture.Resources, res)
		bus.Endpoints = append(bus.Endpoints, r)
	}
	sum := 0.0
	for n := range p.Application.Kernels {
		fig := flow.Figures{Available: true, ServiceRate: neverLimiting, ServiceSCV: -1}
		row := make([]flow.Figures, fpga+1)
		t := n - 1
		task := t >= 0 && t < len(s.times)
		if task {
			fig.ServiceRate = s.consumed(t) / s.times[t]
		}
		for r := range row {
			row[r] = fig
			if r < fpga && task {
				row[r].ServiceRate *= k.Cores[r]
			}
		}
		row[fpga].Available = task && random.Float64() >= k.plain
		row[fpga].ServiceRate *= k.draw(random, k.speedup)
		if row[fpga].Area[flow.LUT] = math.Round(k.draw(random, k.area)); row[fpga].Available {
			sum += row[fpga].Area[flow.LUT]
		}
		p.Figures = append(p.Figures, row)
	}
	p.Architecture.Resources[fpga].Area[flow.LUT] = kindArea * sum
	p.Architecture.Links = []flow.Link{bus}
}
