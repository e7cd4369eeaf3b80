package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"xopt/bench/taskgraph"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/mapper"
)

// Case is one problem on which methods of search are compared.
type Case struct {
	Group       string // cases of one group are summed up together
	Name        string
	Problem     *flow.Problem
	Constraints *flow.Constraints
}

// The machine of the synthetic cases: that of Beard 2013, Table 2, with two FPGAs.
const (
	searchCores   = 12
	searchFPGAs   = 2
	searchSpeed   = 4    // how much faster a task is on an FPGA
	searchArea    = 400  // of an FPGA, LUTs
	searchLeast   = 20   // of a task
	searchMost    = 80   // likewise
	neverLimiting = 1e15 // bytes/s, of the source and the sink
)

// Bus is what joins the machine of the synthetic cases, in bytes/s.
type Bus struct {
	Name   string
	Memory float64 // between cores; 0 for by the bus
	Bus    float64 // between all
}

// Buses returns that of Beard 2013: PCI-X and the cores' memory (their theoretical
// maxima), which leave the tasks to limit, and one that is so slow that it limits.
func Buses() []Bus {
	return []Bus{{"PCI-X", 10e9, 1066e6}, {"slow bus", 0, 10e6}}
}

// Synthetic draws a task graph as [taskgraph.Draw] does and puts it on 12 cores and 2
// FPGAs. A task is four times as fast on an FPGA, whose area holds some eight of
// them; every figure is drawn, none measured.
func Synthetic(seed uint64, tasks int, joined Bus) Case {
	g := taskgraph.Draw(seed, tasks)
	random := rand.New(rand.NewPCG(seed, 0x7365_6172))
	p := &flow.Problem{}
	app := &p.Application
	n := len(g.Graph.Tasks)
	in, out := make([]float64, n+2), make([]float64, n+2) // bytes of one firing; task t is kernel t+1
	edge := func(from, to, bytes int) {
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprintf("e%d", len(app.Edges)+1), From: from, To: to,
			ElementBytes: float64(bytes), Routing: float64(bytes)})
		out[from] += float64(bytes)
		in[to] += float64(bytes)
	}
	for t, bytes := range g.First {
		if bytes > 0 {
			edge(0, t+1, bytes)
		}
	}
	for i, a := range g.Graph.Arcs {
		edge(a.From+1, a.To+1, g.Sizes[i])
	}
	for t, bytes := range g.Last {
		if bytes > 0 {
			edge(t+1, n+1, bytes)
		}
	}
	for i := range app.Edges {
		app.Edges[i].Routing /= out[app.Edges[i].From]
	}
	bus, memory := flow.Link{Name: "bus", Bandwidth: joined.Bus}, flow.Link{Name: "memory", Bandwidth: joined.Memory}
	for r := range searchCores + searchFPGAs {
		res := flow.Resource{Name: fmt.Sprintf("proc[%d]", r+1), Platform: design.CorePlatform}
		for kind := range res.Area {
			res.Area[kind] = math.Inf(1)
		}
		if r >= searchCores {
			res.Name, res.Platform, res.Sharing.Rule = fmt.Sprintf("fpga[%d]", r-searchCores+1), design.FPGAPlatform, flow.AreaOnly
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
		kernel := flow.Kernel{Name: fmt.Sprintf("t%d", k-1), Gain: 1}
		fig := flow.Figures{Available: true, ServiceRate: neverLimiting, ServiceSCV: -1}
		switch k {
		case 0:
			kernel.Name = "source"
		case n + 1:
			kernel.Name = "sink"
		default:
			kernel.Gain = out[k] / in[k]
			fig.ServiceRate = in[k] / g.Times[k-1]
		}
		app.Kernels = append(app.Kernels, kernel)
		row := make([]flow.Figures, searchCores+searchFPGAs)
		need := float64(searchLeast + random.IntN(searchMost-searchLeast+1))
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

// Options say how to compare methods.
type Options struct {
	Time     time.Duration // of every search
	Runs     int           // seeds of every method on every case
	Threads  int
	Methods  []mapper.Method
	Progress func(done, all int) // called before each run, if set
}

// Moments are the parts of the time at which searches are compared.
func Moments() []float64 { return []float64{0.001, 0.01, 0.1, 1} }

// Row is how one method did on one group of cases.
type Row struct {
	Group  string `json:"group"`
	Method string `json:"method"`
	// Quality is, at each of the Moments, the best throughput that was found by then
	// over the best that any run found on that case: the median of the runs, and the worst.
	Quality []float64 `json:"quality"`
	Worst   []float64 `json:"worst"`
	Rate    float64   `json:"mappingsPerSecond"` // median
	Proven  int       `json:"proven"`            // runs that proved their answer optimal
	Runs    int       `json:"runs"`              // 0 where the method does not apply
}

// Compare runs every method for the same time on every case, in turns.
func Compare(ctx context.Context, cases []Case, o Options) ([]Row, error) {
	type run struct {
		at     []float64 // throughput by each moment
		rate   float64
		proven bool
	}
	all := make([][][]run, len(cases)) // case, method
	best := make([]float64, len(cases))
	total, done := len(cases)*o.Runs*len(o.Methods), 0
	for i := range cases {
		all[i] = make([][]run, len(o.Methods))
	}
	for seed := range o.Runs {
		for i := range cases {
			for m, method := range o.Methods {
				if o.Progress != nil {
					o.Progress(done, total)
				}
				done++
				found, err := mapper.Search(ctx, cases[i].Problem, cases[i].Constraints, mapper.Options{
					Method: method, Seed: uint64(seed + 1), Threads: o.Threads, MaxTime: o.Time,
					ProofNodes: proofOf(method)})
				var goal *mapper.GoalError
				if errors.As(err, &goal) {
					continue // it does not apply
				}
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return nil, fmt.Errorf("searching %s, %s by %v: %w", cases[i].Group, cases[i].Name, method, err)
				}
				r := run{rate: float64(found.Evals) / found.Elapsed.Seconds(), proven: found.Optimal()}
				for _, part := range Moments() {
					at := 0.0
					for _, p := range found.History {
						if p.Elapsed.Seconds() <= part*o.Time.Seconds() {
							at = p.Throughput
						}
					}
					r.at = append(r.at, at)
				}
				r.at[len(r.at)-1] = found.Candidates[0].Throughput
				best[i] = math.Max(best[i], found.Candidates[0].Throughput)
				all[i][m] = append(all[i][m], r)
			}
		}
	}
	var groups []string
	for i := range cases {
		if !slices.Contains(groups, cases[i].Group) {
			groups = append(groups, cases[i].Group)
		}
	}
	var rows []Row
	for _, group := range groups {
		for m, method := range o.Methods {
			row := Row{Group: group, Method: method.String()}
			quality := make([][]float64, len(Moments()))
			var rates []float64
			for i := range cases {
				if cases[i].Group != group {
					continue
				}
				for _, r := range all[i][m] {
					for q := range quality {
						quality[q] = append(quality[q], r.at[q]/best[i])
					}
					rates = append(rates, r.rate)
					row.Runs++
					if r.proven {
						row.Proven++
					}
				}
			}
			if row.Runs > 0 {
				for _, q := range quality {
					slices.Sort(q)
					row.Quality = append(row.Quality, q[(len(q)-1)/2])
					row.Worst = append(row.Worst, q[0])
				}
				slices.Sort(rates)
				row.Rate = rates[len(rates)/2]
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// proofOf is how many nodes may go into a proof: none, but where the proof is the search.
func proofOf(m mapper.Method) int {
	if m == mapper.Exact {
		return 0
	}
	return -1
}
