package arena

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper"
	"xopt/mapper/copies"
)

// SearchOptions configures a search of xopt.
type SearchOptions struct {
	Time    time.Duration // time limit of the search, including the search for copies
	Threads int
	Seed    uint64
}

// Found is the result of xopt's search for an instance.
type Found struct {
	Placement Placement
	Period    float64 // period of the placement in xopt's model, s
	Bound     float64 // lower bound of the period of any placement, in s; 0 if unknown
	Proven    bool    // no placement is better by more than Tie
	// Best is the time until the search found the best mapping. For a mapping with copies, it is an upper limit: the
	// time of the complete search.
	Best    time.Duration
	Elapsed time.Duration // time until the proof, or until the end of the search
	// Rate is the number of annealing moves per second and thread; 0 if the search did not anneal.
	Rate float64
	// Left is the reason why the search omitted some or all copies; "" for none.
	Left   string
	Design *design.Design // design of the mapping
	Map    *flow.Mapping
}

// Gap returns the largest relative gain in throughput that the bound permits; -1 if there is no bound.
func (f *Found) Gap() float64 {
	if f.Bound == 0 {
		return -1
	}
	return max(0, f.Period/f.Bound-1)
}

// Search searches for the best mapping like the command xopt search, but without simulating buffers.
func (i *Instance) Search(ctx context.Context, o SearchOptions) (*Found, error) {
	d, err := i.Design(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	until, cancel := context.WithTimeout(ctx, o.Time)
	defer cancel()
	policy := copies.Policy{Lower: lower}
	limit := o.Time
	if policy.Tries(d.Program) {
		limit /= 2
	}
	r, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: o.Seed, Threads: o.Threads,
		MaxTime: limit})
	if err != nil {
		return nil, fmt.Errorf("searching %s: %w", i.Problem.Name, err)
	}
	f := &Found{Rate: r.Annealed.Rate()}
	if n := len(r.History); n > 0 {
		f.Best = r.History[n-1].Elapsed
	}
	x, err := copies.Improve(until, d, r, policy)
	if err != nil {
		return nil, fmt.Errorf("searching copies in %s: %w", i.Problem.Name, err)
	}
	if f.Left = x.Left; x.Left == "" {
		f.Left = x.Note
	}
	f.Elapsed = time.Since(begun)
	if x.Copied != nil {
		f.Best = f.Elapsed
	}
	f.Map = r.Candidates[0].Mapping
	f.Design = x.DesignOf(f.Map)
	f.Period = f.Design.FiringBytes() / r.Candidates[0].Throughput
	f.Placement, err = placement(f.Design, f.Map, len(i.Problem.Tasks))
	complete := x.Tried || !copies.Any(d.Program) // otherwise, the bound covers only mappings without copies
	if f.Proven = r.Optimal() && complete; r.Bound > 0 && complete {
		f.Bound = d.FiringBytes() / r.Bound
	}
	if err == nil && f.Period < f.Bound*(1-1e-9) {
		err = fmt.Errorf("%s: the period of xopt, %g s, is below its bound of %g s", i.Problem.Name, f.Period, f.Bound)
	}
	if f.Proven {
		f.Bound = f.Period
	} else if gap := f.Gap(); gap >= 0 && gap <= Tie {
		f.Proven = true
	}
	return f, err
}

// lower converts a program with copies to a design with a maximum utilization of 1.
func lower(ctx context.Context, program *xlang.Program) (*design.Design, error) {
	return design.NewContext(ctx, program, design.Options{Purpose: design.ForCheck, MaxUtilization: 1})
}

// placement converts a mapping to the shares of each task.
func placement(d *design.Design, m *flow.Mapping, tasks int) (Placement, error) {
	list := make(Placement, tasks)
	core := make([]int, len(d.Problem.Architecture.Resources))
	n := 0
	for r := range core {
		core[r] = n
		if d.Problem.Architecture.Resources[r].Platform != "Pace" {
			n++
		}
	}
	for k := range d.Program.Kernels {
		x := &d.Program.Kernels[k]
		if x.Block == "PACE" {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(x.Declared(), "top.t"), "_")
		t, err := strconv.Atoi(number)
		if err != nil || t >= tasks {
			return nil, fmt.Errorf("kernel %s is not a task of the problem (expected a name such as top.t0_a)", x.Name)
		}
		list[t] = append(list[t], Share{Core: core[m.Place[k]], Part: part(x)})
	}
	return list, nil
}

// part returns the fraction of a kernel's iterations that a copy processes.
func part(k *xlang.Kernel) float64 {
	if k.Replica == nil {
		return 1
	}
	return float64(k.Replica.Own()) / float64(len(k.Replica.Turns))
}
