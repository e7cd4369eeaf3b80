package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"xopt/mapper"
)

// maxFrontTasks is the maximum number of tasks of the instances for [Fronts].
const maxFrontTasks = 50

// Front contains the shortest periods of an instance for each number of cores, in s.
type Front struct {
	Set     string       `json:"set"`
	Name    string       `json:"name"`
	Tasks   int          `json:"tasks"`
	Proven  bool         `json:"proven"`  // xopt's front is complete
	Seconds float64      `json:"seconds"` // duration of xopt's search
	Points  []FrontPoint `json:"points"`  // by number of cores, from 1; the last point has xopt's shortest period
}

// FrontPoint contains the shortest periods with a limited number of cores, in s; 0 for none.
type FrontPoint struct {
	Cores    int     `json:"cores"`
	Period   float64 `json:"period"`   // shortest period that xopt found
	Opponent float64 `json:"opponent"` // period of the exact method
}

// Exact is an exact method. It returns a placement with the shortest period on at most the given number of cores, or
// the best placement when ctx is done.
type Exact func(ctx context.Context, p *Problem, cores int) (Placement, error)

// Fronts searches for the Pareto front of period and number of cores, for each instance without stateless tasks, in
// half of the time of a search. It compares the front with an exact method, which has the same total time, but at least
// minTime for each number of cores. When ctx is done, it returns the complete fronts and the error of ctx.
func Fronts(ctx context.Context, list []Instance, o *Options, by Exact) ([]Front, error) {
	var fronts []Front
	for n := range list {
		i := &list[n]
		if o.Progress != nil {
			o.Progress(n, len(list))
		}
		if len(i.Problem.Tasks) > maxFrontTasks || i.replicable() > 0 {
			continue
		}
		f, err := i.front(ctx, o.SearchOptions)
		if err == nil {
			err = i.compareFront(ctx, f, by)
		}
		if ctx.Err() != nil {
			return fronts, ctx.Err()
		}
		if err != nil {
			return fronts, err
		}
		fronts = append(fronts, *f)
	}
	return fronts, nil
}

// front searches for the shortest period on each number of cores.
func (i *Instance) front(ctx context.Context, o SearchOptions) (*Front, error) {
	d, err := i.Design(ctx)
	if err != nil {
		return nil, err
	}
	r, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: o.Seed, Threads: o.Threads,
		MaxTime: o.Time / 2, Goal: mapper.Goal{Objectives: []mapper.Objective{mapper.Throughput, mapper.Cores}}})
	if err != nil {
		return nil, fmt.Errorf("searching the front of %s: %w", i.Problem.Name, err)
	}
	f := &Front{Set: i.Set, Name: i.Problem.Name, Tasks: len(i.Problem.Tasks), Proven: r.Optimal(),
		Seconds: r.Elapsed.Seconds()}
	for _, c := range r.Candidates {
		p, err := placement(d, c.Mapping, len(i.Problem.Tasks))
		if err != nil {
			return nil, err
		}
		f.add(used(p), i.Problem.Period(p))
	}
	return f, nil
}

// used returns the number of cores of a placement.
func used(p Placement) int {
	cores := make(map[int]bool)
	for _, shares := range p {
		for _, s := range shares {
			cores[s.Core] = true
		}
	}
	return len(cores)
}

// add adds the period of a placement of xopt to a front.
func (f *Front) add(cores int, period float64) {
	for n := len(f.Points) + 1; n <= cores; n++ {
		x := FrontPoint{Cores: n}
		if n > 1 {
			x.Period = f.Points[n-2].Period
		}
		f.Points = append(f.Points, x)
	}
	for n := cores - 1; n < len(f.Points); n++ {
		if x := &f.Points[n]; x.Period == 0 || period < x.Period {
			x.Period = period
		}
	}
}

// compareFront adds the periods of an exact method to a front.
func (i *Instance) compareFront(ctx context.Context, f *Front, by Exact) error {
	limit := max(minTime, time.Duration(f.Seconds/float64(max(1, len(f.Points)))*float64(time.Second)))
	for n := range f.Points {
		x := &f.Points[n]
		until, cancel := context.WithTimeout(ctx, limit)
		p, err := by(until, &i.Problem, x.Cores)
		cancel()
		if err != nil {
			if errors.Is(err, ErrNotApplicable) {
				return err
			}
			continue // the method found no placement
		}
		if err := i.Problem.Check(p); err != nil {
			return err
		}
		if n := used(p); n > x.Cores {
			return fmt.Errorf("%s: the exact method uses %d cores (expected at most %d)", f.Name, n, x.Cores)
		}
		if x.Opponent = i.Problem.Period(p); f.Proven && (x.Period == 0 || x.Opponent < x.Period*(1-1e-6)) {
			return fmt.Errorf("%s: the proven front has a period of %g s with %d cores, but the exact method found "+
				"%g s", f.Name, x.Period, x.Cores, x.Opponent)
		}
	}
	return nil
}
