package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"xopt/cmd/internal/campaign"
	"xopt/mapper"
)

// The options of a search that islands share.
const (
	islandsOption = "islands"
	roundsOption  = "rounds"
	maxIslands    = 1000
	maxRounds     = 1000
)

// leastRound is how many evaluations a round of an island has at least, and islandSeed the difference of the seeds of
// two islands, far from any that a user would give.
const (
	leastRound = 1000
	islandSeed = 1 << 32
)

// How many of its evaluations branch and bound begins with, before its branches are shared out: a part, and at most
// and at least so many.
const (
	beginPart  = 64
	beginMost  = 4_000_000
	beginLeast = 100_000
)

// settleIslands refuses what islands cannot do.
func (a *app) settleIslands() error {
	s := &a.settings
	n := s.campaign.islands
	switch {
	case n == 0 && a.given(roundsOption):
		return wrongUse("--%s is for --%s", roundsOption, islandsOption)
	case n == 0:
		return nil
	case len(s.campaign.seeds) > 0:
		return wrongUse("--%s and --%s do not go together: islands have the seeds that follow from --seed",
			islandsOption, seedsOption)
	case s.Time > 0 || s.Evals == 0:
		return wrongUse("--%s needs --evals, and no --time: a round ends after so many evaluations, so that the "+
			"answer is the same on all machines", islandsOption)
	case s.Method == mapper.Exhaustive.String():
		return wrongUse("--%s and --method exhaustive do not go together: every mapping is tried once", islandsOption)
	}
	if least := uint64(n) * uint64(s.campaign.rounds) * leastRound; s.Evals < max(least, beginLeast) {
		return wrongUse("--evals is %d, want at least %d for %d islands and %d rounds", s.Evals,
			max(least, beginLeast), n, s.campaign.rounds)
	}
	return nil
}

// islandPlan is how a search is cut into points: first a beginning, where branch and bound has one, then rounds of
// islands, each of which comes after all of the round before, then a point that puts together what was found.
type islandPlan struct {
	islands, rounds int
	first           int // points before the rounds
	evals           uint64
}

func (a *app) islandPlan() islandPlan {
	s := &a.settings
	p := islandPlan{islands: s.campaign.islands, rounds: s.campaign.rounds, evals: s.Evals}
	if s.Method == mapper.Exact.String() {
		p.first = 1
	}
	return p
}

// begin is how many evaluations the beginning of branch and bound has.
func (p islandPlan) begin() uint64 {
	return min(max(p.evals/beginPart, beginLeast), beginMost, p.evals/2)
}

// share is how many partial mappings a share of branch and bound looks at in a round.
func (p islandPlan) share() uint64 {
	return max(1, (p.evals-p.begin())/uint64(p.islands)/uint64(p.rounds))
}

// limit is how many evaluations an island has made at the end of a round, from 1.
func (p islandPlan) limit(island, round int) uint64 {
	all := p.evals / uint64(p.islands)
	if uint64(island) < p.evals%uint64(p.islands) {
		all++
	}
	return max(1, all/uint64(p.rounds)*uint64(round)+all%uint64(p.rounds)*uint64(round)/uint64(p.rounds))
}

// end is the last point.
func (p islandPlan) end() int { return p.first + p.rounds*p.islands }

// at is the round and the island of a point, both from 0; round -1 is the beginning, and the last that of the end.
func (p islandPlan) at(n int) (round, island int) {
	if n < p.first {
		return -1, 0
	}
	return (n - p.first) / p.islands, (n - p.first) % p.islands
}

// islandPoints are the points of a search that islands share.
func (a *app) islandPoints() ([]campaign.Point, error) {
	p := a.islandPlan()
	points := make([]campaign.Point, p.end()+1)
	for n := range points {
		x := &points[n]
		round, island := p.at(n)
		switch {
		case round < 0:
			x.Label = "the beginning"
		case round == p.rounds:
			x.Label = "the end"
		default:
			x.Label = fmt.Sprintf("round %d of island %d", round+1, island+1)
		}
		x.Args = []string{strconv.Itoa(round + 1), strconv.Itoa(island + 1)}
		if from := n - island - p.islands; round > 0 {
			x.After = &campaign.Range{From: from, To: from + p.islands - 1}
		} else if round == 0 && p.first > 0 {
			x.After = &campaign.Range{From: 0, To: p.first - 1}
		}
	}
	return points, nil
}

// islandAnswer is where an island is at the end of a round: what the next begins with.
type islandAnswer struct {
	State  *mapper.State         `json:"state,omitempty"`
	Limit  uint64                `json:"limit,omitempty"`  // on evaluations, that State came to
	Others []mapper.StateMapping `json:"others,omitempty"` // that it had heard of
	Best   *mapper.StateMapping  `json:"best,omitempty"`
	Ended  bool                  `json:"ended,omitempty"`  // it has come to its end by itself
	Proven bool                  `json:"proven,omitempty"` // no mapping can be better
	// Of branch and bound: the share that it was dealt, with what it has left open, and of the first share, how much
	// was looked at in the rounds before. State is that of the beginning.
	Share *mapper.Branches `json:"share,omitempty"`
	Evals uint64           `json:"evals,omitempty"`
	Nodes uint64           `json:"nodes,omitempty"`
}

// islandComputer computes the points of a search that islands share.
func (a *app) islandComputer(files []string) (computer, error) {
	plan := a.islandPlan()
	return func(ctx context.Context, t *campaign.Task) (any, error) {
		before := make([]islandAnswer, len(t.Answers))
		for i, text := range t.Answers {
			if err := json.Unmarshal(text, &before[i]); err != nil {
				return nil, fmt.Errorf("reading where island %d is: %w", i+1, err)
			}
		}
		x := &islandSearch{a: a, task: t, plan: plan, before: before}
		x.round, x.island = plan.at(t.N)
		if y := x.over(); y != nil {
			return y, nil
		}
		s, err := a.prepareSearch(ctx, files)
		if err != nil {
			return nil, err
		}
		x.s = s
		switch exact := plan.first > 0; {
		case x.round == plan.rounds && exact:
			err = x.endShares(ctx)
		case x.round == plan.rounds:
			err = x.endIslands(ctx)
		case x.round < 0:
			return x.beginShares(ctx)
		case exact:
			return x.exploreShare(ctx)
		default:
			return x.searchIsland(ctx)
		}
		if err != nil {
			return nil, err
		}
		s.found.Runs = 1
		return a.searchedAnswer(ctx, s)
	}, nil
}

// islandSearch is one point of a search that islands share.
type islandSearch struct {
	a             *app
	s             *searching
	task          *campaign.Task
	plan          islandPlan
	round, island int
	before        []islandAnswer // of the round before
}

// over is what is carried on where there is nothing more to be done before the end; else nil.
func (x *islandSearch) over() *islandAnswer {
	switch {
	case x.round <= 0 || x.round == x.plan.rounds:
		return nil
	case x.plan.first > 0:
		return x.allShared()
	}
	own := &x.before[x.island]
	for i := range x.before {
		own.Ended = own.Ended || x.before[i].Proven
	}
	if own.Ended {
		return own
	}
	return nil
}

// allShared is what is carried on of shares that have nothing open; nil where one has.
func (x *islandSearch) allShared() *islandAnswer {
	y := x.carried()
	for i := range x.before {
		b := x.before[i].Share
		switch {
		case b == nil:
		case len(b.Open) > 0:
			return nil
		case x.island == 0 && y.Share == nil:
			y.Share = b
		case x.island == 0:
			y.Share.Learn(b)
		}
	}
	if y.Share != nil {
		y.Share.Evals, y.Share.Nodes = 0, 0 // they are counted
	}
	return y
}

// carried is what the first share carries on, for the end; nothing for the others.
func (x *islandSearch) carried() *islandAnswer {
	y := &islandAnswer{}
	if x.island > 0 {
		return y
	}
	first := &x.before[0]
	y.State, y.Limit, y.Evals, y.Nodes = first.State, first.Limit, first.Evals, first.Nodes
	for i := range x.before {
		if b := x.before[i].Share; b != nil {
			y.Evals, y.Nodes = y.Evals+b.Evals, y.Nodes+b.Nodes
		}
	}
	return y
}

// options are those of a search up to a limit.
func (x *islandSearch) options(island int, limit uint64) mapper.Options {
	o := mapper.Options{Method: x.s.method, Seed: x.a.settings.Seed + uint64(island)*islandSeed,
		Threads: max(1, x.a.settings.Threads), MaxEvals: limit, Top: x.a.poolOf(x.s), Goal: x.s.goal,
		Checkpoint: func(*mapper.State) {}, CheckpointEvery: x.task.Every}
	if island > 0 { // one of them proves
		o.ProofNodes = -1
	}
	return o
}

// search searches up to a limit, from what was kept of this point, and returns where the search is then.
func (x *islandSearch) search(o mapper.Options, run func(mapper.Options) error) (*mapper.State, error) {
	var last *mapper.State
	keep := x.a.keeping(x.task)
	o.Checkpoint = func(s *mapper.State) { last = s; keep(s) }
	from := o.Resume
	if kept := stateOf(x.task); kept != nil {
		o.Resume = kept
	}
	err := run(o)
	var wrong *mapper.StateError
	if errors.As(err, &wrong) && o.Resume != from { // what was kept cannot be used
		o.Resume = from
		err = run(o)
	}
	if err != nil {
		return nil, fmt.Errorf("searching mappings: %w", err)
	}
	if last == nil {
		return nil, errors.New("the search has left no state to go on from")
	}
	return last, nil
}

// searchIsland searches on, for a round of an island.
func (x *islandSearch) searchIsland(ctx context.Context) (*islandAnswer, error) {
	y := &islandAnswer{Limit: x.plan.limit(x.island, x.round+1)}
	o := x.options(x.island, y.Limit)
	if x.island == 0 && x.s.method != mapper.Auto && x.s.method != mapper.Mixed {
		o.ProofNodes = -1 // the end has the bound
	}
	for i := range x.before {
		if b := &x.before[i]; i == x.island {
			o.Resume = b.State
		} else if b.Best != nil {
			y.Others = append(y.Others, *b.Best)
		}
	}
	o.Others = y.Others
	var found *mapper.Result
	state, err := x.search(o, func(o mapper.Options) (err error) {
		found, err = mapper.Search(ctx, x.s.design.Problem, x.s.design.Constraints, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	best := found.Candidates[0].Kept()
	y.State, y.Best, y.Proven, y.Ended = state, &best, found.Optimal(), found.Status != mapper.EvalLimit
	return y, nil
}

// endIslands puts together what the islands have found: each goes on from where it was at its last mark to its end.
func (x *islandSearch) endIslands(ctx context.Context) error {
	var list []*mapper.Result
	for i := range x.before {
		b := &x.before[i]
		o := x.options(i, b.Limit)
		o.Resume, o.Others = b.State, b.Others
		r, err := mapper.Search(ctx, x.s.design.Problem, x.s.design.Constraints, o)
		if err != nil {
			return fmt.Errorf("putting together what island %d has found: %w", i+1, err)
		}
		list = append(list, r)
	}
	x.s.found = mapper.Merge(list, x.a.poolOf(x.s))
	return nil
}

// beginShares begins branch and bound.
func (x *islandSearch) beginShares(ctx context.Context) (*islandAnswer, error) {
	y := &islandAnswer{Limit: x.plan.begin()}
	var err error
	y.State, err = x.search(x.options(0, y.Limit), func(o mapper.Options) (err error) {
		_, y.Share, err = mapper.BeginBranches(ctx, x.s.design.Problem, x.s.design.Constraints, o)
		return err
	})
	return y, err
}

// exploreShare looks at a share of what branch and bound has open.
func (x *islandSearch) exploreShare(ctx context.Context) (*islandAnswer, error) {
	y := x.carried()
	var left []*mapper.Branches
	for i := range x.before {
		if b := x.before[i].Share; b != nil {
			left = append(left, b)
		}
	}
	if len(left) == 0 { // it was proven at the beginning
		return y, nil
	}
	p, c := x.s.design.Problem, x.s.design.Constraints
	dealt, err := mapper.Deal(p, c, left, x.island, x.plan.islands)
	if err != nil {
		return nil, fmt.Errorf("dealing out branches: %w", err)
	}
	explore := func(b *mapper.Branches) error {
		y.Share = b
		return b.Explore(ctx, p, c, x.plan.share(), x.task.Every, func(b *mapper.Branches) { x.a.keepTask(x.task, b) })
	}
	kept := new(mapper.Branches)
	if len(x.task.Kept) > 0 && json.Unmarshal(x.task.Kept, kept) == nil && explore(kept) == nil {
		return y, nil
	}
	if err := explore(dealt); err != nil {
		return nil, fmt.Errorf("looking at branches: %w", err)
	}
	return y, nil
}

// endShares puts together what branch and bound has found.
func (x *islandSearch) endShares(ctx context.Context) error {
	first := &x.before[0]
	o := x.options(0, first.Limit)
	o.Resume = first.State
	r, _, err := mapper.BeginBranches(ctx, x.s.design.Problem, x.s.design.Constraints, o)
	if err != nil {
		return fmt.Errorf("putting together what was found: %w", err)
	}
	x.s.found = r
	evals, nodes := first.Evals, first.Nodes
	var left []*mapper.Branches
	for i := range x.before {
		if b := x.before[i].Share; b != nil {
			left, evals, nodes = append(left, b), evals+b.Evals, nodes+b.Nodes
		}
	}
	if len(left) == 0 {
		return nil
	}
	return mapper.EndBranches(x.s.design.Problem, x.s.design.Constraints, r, left, evals, nodes)
}
