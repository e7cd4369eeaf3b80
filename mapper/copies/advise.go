package copies

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/copyplan"
	"xopt/mapper/result"
)

// The limits of [Advise].
const (
	adviceGain  = 0.05 // minimum relative gain in throughput
	adviceBusy  = 0.9  // minimum utilization of a core whose kernels are copied
	adviceTried = 2    // maximum number of kernels that are copied, one at a time
	adviceMore  = 4    // maximum number of additional copies
	// adviceKernels is the maximum number of kernels of an application, because each attempt loads a complete design.
	adviceKernels = 1000
)

// Advise returns the copies of a single kernel that increase the throughput of a mapping most. It returns nil if no
// copies gain at least 5 %, or if the mapping already has copies. It tries the two kernels with the largest shares of
// fully utilized cores, with copies on the least utilized cores. c is the prediction of the mapping.
func Advise(ctx context.Context, d *design.Design, m *flow.Mapping, c *result.Candidate, lower Lower) (
	*result.CopyAdvice, error) {
	s := &search{d: d, base: m, policy: Policy{Lower: lower}}
	copied := slices.ContainsFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Replica != nil })
	var why *Reason
	if copied || len(d.Program.Kernels) > adviceKernels || !Any(d.Program) {
		return nil, nil
	}
	switch err := s.prepare(); {
	case errors.As(err, &why):
		return nil, nil
	case err != nil:
		return nil, err
	}
	used := make([]float64, len(s.cores))
	for i, r := range s.cores {
		used[i] = float64(c.Resources[slices.IndexFunc(c.Resources, func(x result.Share) bool {
			return x.Name == d.Program.Resources[r].Name
		})].Utilization)
	}
	var advice *result.CopyAdvice
	best := s.throughput(d, m) * (1 + adviceGain)
	for _, t := range s.heaviest(c, used) {
		for _, on := range s.coresFor(t, slices.Index(s.cores, m.Place[s.tasks[t]]), used) {
			x, err := s.with(ctx, t, on)
			if err != nil {
				return nil, err
			}
			if x > best {
				best, advice = x*(1+minGain), &result.CopyAdvice{Kernel: d.Program.Kernels[s.tasks[t]].Name,
					Throughput: result.Number(x)}
				for _, i := range on {
					advice.Resources = append(advice.Resources, d.Program.Resources[s.cores[i]].Name)
				}
			}
		}
	}
	return advice, nil
}

// heaviest returns the stateless tasks with the largest shares of the time of fully utilized cores, largest first. used
// contains the utilization of each core.
func (s *search) heaviest(c *result.Candidate, used []float64) (tasks []int) {
	share := make(map[string]result.Number)
	for i := range c.Stations {
		share[c.Stations[i].Name] = c.Stations[i].Share
	}
	of := func(t int) result.Number { return share[s.d.Program.Kernels[s.tasks[t]].Name] }
	for t, k := range s.tasks {
		if s.d.Program.Kernels[k].Stateless != nil && !s.grouped(k) &&
			used[slices.Index(s.cores, s.base.Place[k])] >= adviceBusy {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b int) int { return cmp.Compare(of(b), of(a)) })
	return tasks[:min(len(tasks), adviceTried)]
}

// coresFor returns lists of cores to try for the copies of a task, short lists first. Each list contains the least
// utilized cores that can run the task, with or without its current core.
func (s *search) coresFor(t, now int, used []float64) [][]int {
	var others []int
	for i, r := range s.cores {
		if i != now && s.allowed(s.tasks[t], r) {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(used[a], used[b]) })
	var lists [][]int
	for n := 1; n <= min(len(others), adviceMore); n++ {
		lists = append(lists, append([]int{now}, others[:n]...))
		if n > 1 {
			lists = append(lists, others[:n])
		}
	}
	return lists
}

// with returns the throughput of the mapping with copies of one task on the given cores, in bytes/s; 0 if the copies
// are invalid.
func (s *search) with(ctx context.Context, t int, on []int) (float64, error) {
	var plan copyplan.Plan
	for i, k := range s.tasks {
		u := copyplan.Unit{Tasks: []int{i}, Copies: []copyplan.Copy{{Core: slices.Index(s.cores, s.base.Place[k]),
			Turns: 1}}}
		if i == t {
			u.Copies = nil
			for _, core := range on {
				u.Copies = append(u.Copies, copyplan.Copy{Core: core, Turns: 1})
			}
		}
		plan.Units = append(plan.Units, u)
	}
	x, m, err := s.design(ctx, &plan)
	if x == nil || err != nil {
		return 0, err
	}
	return s.throughput(x, m), nil
}
