// Package copies searches for copies of a design's kernels: their numbers, cores and turns.
//
// Its input is a design and the best mapping without copies. Package copyplan proposes plans, based on the loads of the
// model. For each plan, package copies creates a program with copies, as if it came from X files. The complete model
// evaluates each of these programs.
package copies

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper"
	"xopt/mapper/copyplan"
)

// Lower converts a program to a design, for the mapping that the program contains.
type Lower func(ctx context.Context, p *xlang.Program) (*design.Design, error)

// Found is the result of [Search]: the best mapping with copies, and a bound.
type Found struct {
	Design     *design.Design
	Mapping    *flow.Mapping
	Throughput float64 // bytes/s
	// Bound is an upper bound on the throughput of any mapping with any copies, in bytes/s; 0 if unknown.
	Bound float64
	Weak  string // limits that Bound ignores, as text
	// Copied contains the declared names of the copied kernels.
	Copied []string
	Plans  int  // number of mappings with copies that the complete model evaluated
	Cut    bool // the context, or its deadline, ended the search
}

// Values of [Found.Weak]: the constraints that each of the two bounds ignores.
const (
	weakSplit = "indivisible kernels and the loads of links (with copies, the bound may split any kernel)"
	weakTurns = "the turns of copies that exchange data, and links that only some routes contain"
)

// Reason is an error: the reason why the search does not try copies.
type Reason struct{ text string }

// errOneCore is the reason if the machine has too few cores for copies.
var errOneCore = &Reason{"there is only one core, so copies have no benefit"}

func (r *Reason) Error() string { return r.text }

// minGain is the minimum relative gain that justifies the additional processes of copies.
const minGain = 0.001

// RestartsUntimed is the number of consecutive restarts without improvement after which the search for copies ends if
// there is no deadline.
const RestartsUntimed = 3

// planPart is the fraction of the remaining time for the search for plans; the other time is for scoring them.
const planPart = 0.75

// Any reports whether a program has kernels that may be copied.
func Any(p *xlang.Program) bool { return slices.Contains(p.Copyable(), true) }

// search is the state of a search for copies.
type search struct {
	d      *design.Design
	base   *flow.Mapping
	policy Policy

	scorer  *flow.Scorer
	loads   flow.LoadCoefficients
	between *flow.Routes
	cores   []int   // resources whose members share time
	tasks   []int   // kernels that may move, in data order
	at      []int   // by kernel: its task, -1 for none
	best    float64 // throughput that a mapping with copies must exceed, bytes/s
}

// patience returns the number of restarts without improvement after which the first search for plans ends.
func (s *search) patience(ctx context.Context) int {
	switch _, timed := ctx.Deadline(); {
	case !timed:
		return RestartsUntimed
	case s.policy.Restarts > 0:
		return s.policy.Restarts
	}
	return math.MaxInt // the search continues to the proof or the time limit
}

// plans returns plans with copies, best first, and a lower bound on the load of all plans. cut reports that the time
// ended before the best plan was proven optimal.
func (s *search) plans(ctx context.Context, p *copyplan.Problem, restarts int) (plans []copyplan.Plan,
	bound copyplan.Bound, cut bool, err error) {
	o := copyplan.Options{Place: make([]int, len(s.tasks)), Restarts: restarts, Seed: 1}
	for t, k := range s.tasks {
		o.Place[t] = slices.Index(s.cores, s.base.Place[k])
	}
	planning := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		planning, cancel = context.WithTimeout(ctx, time.Duration(planPart*float64(time.Until(deadline))))
		defer cancel()
	}
	plans, bound, err = copyplan.Search(planning, p, o)
	if cut = planning.Err() != nil; err != nil && !cut {
		return nil, bound, false, fmt.Errorf("searching copies: %w", err)
	}
	return plans, bound, cut, nil
}

// Search searches for a mapping with copies that is faster than base, the best mapping without copies. If there is
// none, Found contains only the bound. The search ends early if the context is done. The error is a *Reason if the
// model does not support the search.
func Search(ctx context.Context, d *design.Design, base *flow.Mapping, policy Policy) (*Found, error) {
	s := &search{d: d, base: base, policy: policy}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	copyable := s.copyable(ctx)
	found := &Found{Weak: weakSplit}
	alone := s.throughput(d, base)
	s.best = alone * (1 + minGain)
	if !s.meets(d, base) {
		s.best = 0
	}
	p, bound, err := s.attempts(ctx, copyable, found)
	if err != nil {
		return nil, err
	}
	found.Bound, err = mapper.CopiesBound(ctx, d.Problem, d.Constraints, d.Program.Copyable(),
		max(alone, found.Throughput))
	if err != nil {
		return nil, fmt.Errorf("bounding mappings with copies: %w", err)
	}
	if s.boundHolds(p) && bound.Load > 0 && s.loads.Throughput(bound.Load) < found.Bound {
		found.Bound = s.loads.Throughput(bound.Load)
		if bound.Relaxed {
			found.Weak = weakTurns
		}
	}
	return found, nil
}

// maxAttempts is the maximum number of searches for plans.
const maxAttempts = 24

// attempts searches for plans, and scores them. If the copies of the best plan are invalid, it repeats the search for
// each copied unit of this plan, without copies of that unit. It returns the problem of the first search, and the bound
// for this problem.
func (s *search) attempts(ctx context.Context, copyable []bool, found *Found) (first *copyplan.Problem,
	bound copyplan.Bound, err error) {
	queue, restarts := [][]bool{copyable}, s.patience(ctx)
	for n := 0; n < len(queue) && n < maxAttempts; n++ {
		p := s.problem(queue[n])
		plans, b, cut, err := s.plans(ctx, p, restarts)
		if err != nil {
			return nil, b, err
		}
		if n == 0 {
			first, bound, restarts = p, b, RestartsUntimed // searches with fewer copies may follow
		}
		found.Cut = found.Cut || cut
		invalid, err := s.score(ctx, plans, found)
		if err != nil {
			return nil, b, err
		}
		if ctx.Err() != nil {
			found.Cut = true
			break
		}
		if invalid == nil {
			continue
		}
		for _, u := range invalid.Units {
			if len(u.Copies) < 2 {
				continue
			}
			fewer := slices.Clone(queue[n])
			for _, t := range u.Tasks {
				fewer[t] = false
			}
			if !slices.ContainsFunc(queue, func(q []bool) bool { return slices.Equal(q, fewer) }) {
				queue = append(queue, fewer)
			}
		}
	}
	return first, bound, nil
}

// score scores plans, best first, with the complete model, and stores the best one in found. It returns the first plan
// as invalid if its copies are invalid and no other plan reaches its throughput.
func (s *search) score(ctx context.Context, plans []copyplan.Plan, found *Found) (invalid *copyplan.Plan, err error) {
	for i := range plans {
		if ctx.Err() != nil {
			break
		}
		x, m, err := s.design(ctx, &plans[i])
		if err != nil && ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		if x == nil {
			if i == 0 {
				invalid = &plans[i]
			}
			continue
		}
		found.Plans++
		if t := s.throughput(x, m); t > s.best && s.meets(x, m) {
			s.best = t
			found.Design, found.Mapping, found.Throughput, found.Copied = x, m, t, copied(x.Program)
		}
	}
	if invalid != nil && s.loads.Throughput(invalid.Load) <= s.best*(1+minGain) {
		invalid = nil
	}
	return invalid, nil
}

// boundHolds reports whether a lower bound on the load of plans applies to all mappings with copies. It does so if the
// search can use every core that figures and constraints permit, no kernel can run on an FPGA, and no cost is negative.
func (s *search) boundHolds(p *copyplan.Problem) bool {
	if len(s.cores) < len(s.d.Problem.Architecture.Resources) {
		for k := range s.d.Problem.Figures {
			for r := range s.d.Problem.Figures[k] {
				if !slices.Contains(s.cores, r) && s.allowed(k, r) {
					return false
				}
			}
		}
	}
	for t, k := range s.tasks {
		if s.grouped(k) {
			return false
		}
		for c, w := range p.Work[t] {
			if p.Shared[t][c] < w {
				return false
			}
		}
	}
	return len(s.tasks) == len(s.at)
}

func copied(p *xlang.Program) []string {
	var names []string
	for i := range p.Kernels {
		if x := p.Kernels[i].Replica; x != nil && x.Index == 0 {
			names = append(names, x.Of)
		}
	}
	return names
}

// throughput returns the throughput of a mapping in the complete model, in bytes/s; 0 if the mapping is infeasible.
func (s *search) throughput(d *design.Design, m *flow.Mapping) float64 {
	_, solution, err := d.Solve(context.Background(), m)
	if err != nil {
		return 0
	}
	if len(d.Constraints.Check(d.Problem, m)) > 0 {
		return 0
	}
	return solution.Throughput
}

// meets reports whether a mapping meets the limits of the search's goal.
func (s *search) meets(d *design.Design, m *flow.Mapping) bool {
	if s.policy.Goal.Plain() {
		return true
	}
	c, err := mapper.CandidateFor(d.Problem, s.policy.Goal, m)
	return err == nil && s.policy.Goal.Meets(c)
}

// prepare determines the cores and the kernels that may move. It returns a *Reason if copies are impossible.
func (s *search) prepare() error {
	p := s.d.Problem
	var err error
	if s.scorer, err = flow.NewScorer(p, s.base); err != nil {
		return fmt.Errorf("scoring the mapping without copies: %w", err)
	}
	if s.scorer.FreeSources() != 1 {
		return &Reason{"the search tries copies only if joins connect all sources of the application"}
	}
	for r := range p.Architecture.Resources {
		switch p.Architecture.Resources[r].Sharing.Rule {
		case flow.AreaOnly:
		case flow.Conserving:
			s.cores = append(s.cores, r)
		default:
			return &Reason{fmt.Sprintf("the search tries copies only if all cores use conserving sharing, but %s "+
				"uses another sharing rule", p.Architecture.Resources[r].Name)}
		}
	}
	if len(s.cores) < 2 {
		return errOneCore
	}
	s.loads, s.between = s.scorer.LoadCoefficients(0), flow.NewRoutes(&p.Architecture)
	order, err := flow.Order(&p.Application)
	if err != nil {
		return fmt.Errorf("ordering the kernels: %w", err)
	}
	s.at = make([]int, len(order))
	for _, k := range order {
		if s.at[k] = -1; slices.Contains(s.cores, s.base.Place[k]) {
			s.at[k] = len(s.tasks)
			s.tasks = append(s.tasks, k)
		}
	}
	if len(s.tasks) == 0 {
		return &Reason{"the best mapping places no kernel on a core"}
	}
	return nil
}

// copyable reports, by task, whether its kernel may run in copies. Tasks that it cannot check before ctx is done count
// as not copyable.
func (s *search) copyable(ctx context.Context) []bool {
	may := make([]bool, len(s.tasks))
	for t, k := range s.tasks {
		if s.d.Program.Kernels[k].Stateless == nil {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		var on []xlang.Copy
		for _, r := range s.cores {
			if s.allowed(k, r) {
				on = append(on, xlang.Copy{Resource: r, Turns: 1})
			}
		}
		if len(on) < 2 || s.grouped(k) {
			continue
		}
		q := *s.d.Program
		q.Maps = []xlang.Map{{Kernel: k, Edge: -1, Resource: on[0].Resource, Copies: on, Unit: 1}}
		_, err := q.Replicate()
		may[t] = err == nil
	}
	return may
}

// allowed reports whether a kernel may run on a core, ignoring groups.
func (s *search) allowed(k, r int) bool {
	c := s.d.Constraints
	return s.d.Problem.Figures[k][r].Available && (c.Fixed[k] == nil || slices.Contains(c.Fixed[k], r)) &&
		!slices.Contains(c.Forbidden[k], r)
}

// grouped reports whether constraints place the kernel together with other kernels, or separate it from them. Such
// kernels do not move.
func (s *search) grouped(k int) bool {
	in := func(groups [][]int) bool {
		return slices.ContainsFunc(groups, func(g []int) bool { return slices.Contains(g, k) })
	}
	return in(s.d.Constraints.Together) || in(s.d.Constraints.Separate)
}

// problem returns copyplan's problem: the loads of the tasks on cores, and of their edges on cores and links. The work
// of a task includes the cost of exchanging data with kernels that do not move.
func (s *search) problem(copyable []bool) *copyplan.Problem {
	divisible := s.d.Program.Copyable()
	p := &copyplan.Problem{Copyable: copyable, Links: len(s.d.Problem.Architecture.Links)}
	p.Routes, p.Common = s.routes()
	for _, k := range s.tasks {
		work, shared := make([]float64, len(s.cores)), make([]float64, len(s.cores))
		for c, r := range s.cores {
			work[c], shared[c] = math.Inf(1), math.Inf(1)
			if s.allowed(k, r) && !s.grouped(k) || r == s.base.Place[k] {
				alone, more := s.loads.Kernel(k, r)
				work[c], shared[c] = alone, alone+more
			}
		}
		p.Work, p.Shared = append(p.Work, work), append(p.Shared, shared)
		p.Divisible = append(p.Divisible, divisible[k])
		p.Outside = append(p.Outside, make([][]copyplan.LinkLoad, len(s.cores)))
	}
	for e := range s.d.Problem.Application.Edges {
		edge := &s.d.Problem.Application.Edges[e]
		from, to := s.at[edge.From], s.at[edge.To]
		if from >= 0 && to >= 0 {
			p.Edges = append(p.Edges, s.edge(e))
			continue
		}
		for c, r := range s.cores {
			switch {
			case from >= 0:
				s.outside(p, e, from, c, [2]int{r, s.base.Place[edge.To]})
			case to >= 0:
				s.outside(p, e, to, c, [2]int{s.base.Place[edge.From], r})
			}
		}
	}
	return p
}

// edge converts an edge between two tasks, with its loads on cores and links.
func (s *search) edge(e int) copyplan.Edge {
	edge := &s.d.Problem.Application.Edges[e]
	x := copyplan.Edge{From: s.at[edge.From], To: s.at[edge.To], Send: s.edgeLoads(e, edge.From),
		Receive: s.edgeLoads(e, edge.To)}
	for l := range s.d.Problem.Architecture.Links {
		sends, receives := s.loads.Carrying(e, []int{l}, s.cores[0], s.cores[0])
		x.Carried = append(x.Carried, s.loads.Link(e, l))
		x.Sends, x.Receives = append(x.Sends, sends), append(x.Receives, receives)
	}
	return x
}

// outside adds the costs of an edge between a task on a core and a kernel that does not move. between contains the
// resources of the edge's writer and reader.
func (s *search) outside(p *copyplan.Problem, e, task, core int, between [2]int) {
	route := s.route(between[0], between[1])
	if len(route) == 0 {
		p.Work[task][core], p.Shared[task][core] = math.Inf(1), math.Inf(1)
		return
	}
	load := s.loads.EdgeLoad(e, s.tasks[task], s.cores[core])
	sends, receives := s.loads.Carrying(e, route, between[0], between[1])
	if between[0] == s.cores[core] {
		load += sends
	} else {
		load += receives
	}
	p.Work[task][core] += load
	p.Shared[task][core] += load
	for _, l := range route {
		p.Outside[task][core] = append(p.Outside[task][core], copyplan.LinkLoad{Link: l, Load: s.loads.Link(e, l)})
	}
}

// routes returns the default route from each core to each other core, and the links that are part of all routes between
// these cores.
func (s *search) routes() (routes, common [][]int) {
	for _, from := range s.cores {
		for _, to := range s.cores {
			route := s.route(from, to)
			routes = append(routes, route)
			common = append(common, slices.DeleteFunc(slices.Clone(route), func(l int) bool {
				return slices.ContainsFunc(s.between.Between(from, to), func(other []int) bool {
					return !slices.Contains(other, l)
				})
			}))
		}
	}
	return routes, common
}

// route returns the default route between two resources; nil if there is none.
func (s *search) route(from, to int) []int {
	routes := s.between.Shortest(from, to)
	if len(routes) == 0 {
		return nil
	}
	return routes[s.d.Problem.Architecture.Fastest(routes, nil, nil)]
}

// edgeLoads returns, by core, the load that an edge adds to a core that runs the given kernel.
func (s *search) edgeLoads(e, kernel int) []float64 {
	load := make([]float64, len(s.cores))
	for c, r := range s.cores {
		if s.d.Problem.Figures[kernel][r].Available {
			load[c] = s.loads.EdgeLoad(e, kernel, r)
		}
	}
	return load
}

// design returns the design of a plan; nil if its copies are invalid, for example because a kernel's join reads several
// copied kernels.
func (s *search) design(ctx context.Context, plan *copyplan.Plan) (*design.Design, *flow.Mapping, error) {
	q := *s.d.Program
	q.Maps = nil
	for k, at := range s.at {
		if at < 0 {
			q.Maps = append(q.Maps, xlang.Map{Kernel: k, Edge: -1, Resource: s.base.Place[k]})
		}
	}
	for u, unit := range plan.Units {
		var on []xlang.Copy
		for _, c := range unit.Copies {
			on = append(on, xlang.Copy{Resource: s.cores[c.Core], Turns: c.Turns})
		}
		for _, t := range unit.Tasks {
			m := xlang.Map{Kernel: s.tasks[t], Edge: -1, Resource: on[0].Resource, Unit: u + 1}
			if len(on) > 1 {
				m.Copies = on
			}
			q.Maps = append(q.Maps, m)
		}
	}
	if _, err := q.Replicate(); err != nil {
		return nil, nil, nil
	}
	d, err := s.policy.Lower(ctx, &q)
	var wrong xlang.Diagnostics
	if errors.As(err, &wrong) {
		return nil, nil, nil // the files do not permit the mapping, for example because a link is missing
	}
	if err != nil {
		return nil, nil, fmt.Errorf("copying kernels: %w", err)
	}
	m := d.Mapping
	if m == nil { // several routes are possible: choose the first
		m = &flow.Mapping{Place: d.Place, Route: make([][]int, len(d.Program.Edges))}
	}
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return nil, nil, nil
	}
	return d, n.Mapping, nil
}
