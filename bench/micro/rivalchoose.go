package micro

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/flow/profile"
)

// pilotRounds is the number of short runs of each mapping or setting after which the slower half leaves the choice.
const pilotRounds = 2

// minPilot is the minimum duration of a short run.
const minPilot = 60 * time.Millisecond

// pilot returns the duration of a run with which one of left mappings or settings is chosen. The last two have complete
// windows: copies with large batches start slowly, and a short run would choose a mapping without copies.
func (o *RivalsOptions) pilot(left int) time.Duration {
	if left <= 2 {
		return max(o.Window, minPilot)
	}
	return max(o.Window/3, minPilot)
}

// fastest chooses one of n mappings or settings by successive halving. All run in rounds of alternating order, and the
// slower half leaves after every pilotRounds rounds. fastest returns the index of the last one, and the median rate of
// the runs of each. run receives the index of a candidate, and the number of candidates left. Runs with errNothing have
// the rate 0. A single mapping does not run, and has the rate 0.
func fastest(n int, run func(i, left int) (float64, error)) (best int, medians []float64, err error) {
	rates, left := make([][]float64, n), make([]int, n)
	medians = make([]float64, n)
	for i := range left {
		left[i] = i
	}
	for round := 0; len(left) > 1; {
		for range pilotRounds {
			for k := range calibrate.Alternating(round, len(left)) {
				i := left[k]
				rate, err := run(i, len(left))
				if errors.Is(err, errNothing) {
					rate, err = 0, nil
				}
				if err != nil {
					return 0, nil, err
				}
				rates[i] = append(rates[i], rate)
			}
			round++
		}
		for _, i := range left {
			medians[i] = profile.MedianOf(rates[i]).Value
		}
		slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(medians[b], medians[a]) })
		left = left[:(len(left)+1)/2]
	}
	return left[0], medians, nil
}

// bestMapping returns the mapping that is fastest in short runs, among the fixed mappings and the mapping of the
// search, and its program. It stores the name and the predicted rate of this mapping in c, and the relative rate of the
// mapping of the search.
func (r *rivalChain) bestMapping(ctx context.Context, c *RivalsCase) (_ deployment, best *program.Program, err error) {
	x, err := r.model(ctx, &c.RivalInput)
	if err != nil {
		return deployment{}, nil, err
	}
	list := r.mappings()
	if list[foundName], err = r.searched(ctx, x); err != nil {
		return deployment{}, nil, err
	}
	names := slices.Sorted(maps.Keys(list))
	var all []deployment
	var programs []*program.Program
	defer func() {
		for _, p := range programs {
			if p != best {
				err = errors.Join(err, p.Remove())
			}
		}
	}()
	for _, name := range names {
		d, err := r.predict(ctx, &c.RivalInput, x, list[name])
		if err != nil {
			return deployment{}, nil, err
		}
		p, err := r.deploy(ctx, &c.RivalInput, d)
		if err != nil {
			return deployment{}, nil, fmt.Errorf("building the mapping %q: %w", name, err)
		}
		all, programs = append(all, d), append(programs, p)
	}
	at, rates, err := fastest(len(names), func(i, left int) (float64, error) {
		rate, err := calibrate.SinkRate(ctx, programs[i], r.o.pilot(left))
		if err != nil {
			return 0, fmt.Errorf("running the mapping %q: %w", names[i], err)
		}
		return rate, nil
	})
	if err != nil {
		return deployment{}, nil, err
	}
	c.Mapping, c.Predicted = names[at], all[at].rate
	if rates[at] > 0 {
		c.Found = rates[slices.Index(names, foundName)] / rates[at]
	}
	return all[at], programs[at], nil
}

// bestSettings returns the settings with which a method is fastest in short runs, or nil if the method is not
// installed, or if no message arrived in any run.
func (r *rivalChain) bestSettings(ctx context.Context, c *RivalInput, kind int) (*way, error) {
	list := slices.DeleteFunc(ways(c, kind), func(w way) bool { return r.programs[w.framework] == "" })
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return &list[0], nil
	}
	at, rates, err := fastest(len(list), func(i, left int) (float64, error) {
		now, err := r.run(ctx, c, &list[i], r.o.pilot(left))
		if err != nil {
			return 0, fmt.Errorf("%s with %s: %w", RivalWays()[kind], list[i], err)
		}
		return now.rate, nil
	})
	if err != nil || rates[at] == 0 {
		return nil, err
	}
	return &list[at], nil
}
