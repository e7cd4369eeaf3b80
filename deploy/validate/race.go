package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"xopt/deploy/faults"
	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// Minimum numbers of rounds in a race.
const (
	separatingRounds = 2 // complete rounds before a mapping can leave the race
	minRounds        = 3 // complete rounds before a race with one remaining mapping ends
)

// Sizes of a race.
const (
	usualWindow  = 500 * time.Millisecond
	windowPart   = 1.5 // duration of a run in windows, including its start and end (Options.limits)
	maxRacers    = 6
	fewestRacers = 2
)

// raceWindow returns the window of the runs of a race. It is shorter than usualWindow if limit does not suffice for
// minRounds rounds of two mappings.
func raceWindow(limit time.Duration) time.Duration {
	each := time.Duration(float64(limit) / (windowPart * minRounds * fewestRacers))
	return min(usualWindow, max(counted*run.MinFrame, each))
}

// race runs mappings in rounds, each once per round and in random order. A mapping leaves the race when its confidence
// interval is below the interval of the fastest mapping, or when it cannot run.
type race struct {
	cases   []Case
	order   func(round int) []int
	run     func(i int) error    // runs a mapping once and adds the run to its case
	elapsed func() time.Duration // time since the start
	limit   time.Duration
	ended   func() bool // reports an interruption

	rounds int   // complete rounds
	left   []int // by case: the round after which it was eliminated as too slow; 0 for none
	runs   int
}

// complete runs the rounds until one mapping remains or the time limit is reached. The last round may be incomplete.
func (r *race) complete() error {
	r.left = make([]int, len(r.cases))
	for round := 1; ; round++ {
		for _, i := range r.order(round) {
			if !r.races(i) {
				continue
			}
			if r.ended() || !r.fits() {
				return nil
			}
			if err := r.run(i); err != nil {
				return err
			}
			r.runs++
		}
		if r.ended() {
			return nil
		}
		if r.rounds = round; round >= separatingRounds {
			r.eliminate()
		}
		racing := 0
		for i := range r.cases {
			if r.races(i) {
				racing++
			}
		}
		if racing == 0 || racing == 1 && round >= minRounds {
			return nil
		}
	}
}

// races reports whether a mapping is still in the race.
func (r *race) races(i int) bool { return r.left[i] == 0 && r.cases[i].Fail == "" }

// fits reports whether another run of mean duration ends before the limit.
func (r *race) fits() bool {
	if r.runs == 0 {
		return true
	}
	spent := r.elapsed()
	return spent+spent/time.Duration(r.runs) <= r.limit
}

// eliminate removes the mappings whose intervals are below the interval of the mapping with the highest median. It
// removes no mapping while the spread of the runs is unknown.
func (r *race) eliminate() {
	spread := Repeatability(r.cases)
	if spread == nil {
		return
	}
	intervals, first, highest := make([]*[2]float64, len(r.cases)), -1, 0.0
	for i := range r.cases {
		c := &r.cases[i]
		if !r.races(i) || c.Bounded() || len(c.Runs) == 0 {
			continue
		}
		m := median(c.undisturbedTimes())
		intervals[i] = around(m, c.repeats(spread))
		if m > highest {
			first, highest = i, m
		}
	}
	for i, x := range intervals {
		if x != nil && x[1] < intervals[first][0] {
			r.left[i] = r.rounds
		}
	}
}

// Racer is a mapping of a race.
type Racer struct {
	Choice
	Structure string // its copies and the number of its cores
}

// RaceSize returns the maximum number of mappings in a race of the given duration.
func RaceSize(limit time.Duration) int {
	round := minRounds * windowPart * float64(raceWindow(limit))
	return min(maxRacers, max(fewestRacers, int(float64(limit)/round)))
}

// Raced contains the runs of a race.
type Raced struct {
	Racers      []Racer
	Cases       []Case
	Race        result.Race
	Interrupted bool
	Notes       []fault.Note

	validation *result.Validation
}

// Race runs mappings in rounds for about the given time. Building their programs takes additional time. If ctx ends,
// Race returns the runs until then.
func Race(ctx context.Context, d *design.Design, list []Racer, o Options, limit time.Duration) (_ *Raced,
	err error) {
	choices := make([]Choice, len(list))
	for i := range list {
		choices[i] = list[i].Choice
	}
	o.Window, o.Sizes, o.Runs = raceWindow(limit), true, separatingRounds
	x := newTrials(d, choices, o)
	defer func() { err = errors.Join(err, removed(x.programs)) }()
	x.at.all = len(list) + int(limit/x.o.limits().Time)
	if err := x.build(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	start := time.Now()
	x.steady.until = start.Add(limit)
	r := &race{cases: x.cases, order: x.order, limit: limit, elapsed: func() time.Duration { return time.Since(start) },
		ended: func() bool { return ctx.Err() != nil }}
	r.run = func(i int) error {
		x.at.left = max(0, limit-r.elapsed())
		x.at.done = min(x.at.done, x.at.all-2) // the number of runs is an estimate
		x.at.next()
		return x.run(ctx, i, 0)
	}
	if err := r.complete(); err != nil {
		return nil, err
	}
	raced := &Raced{Racers: list, Cases: x.cases, Interrupted: ctx.Err() != nil, Notes: x.sharedProcessors(),
		Race: result.Race{Limit: limit.Seconds(), Seconds: r.elapsed().Seconds(), Rounds: r.rounds}}
	if err := x.summarize(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	for i := range list {
		raced.Race.Racers = append(raced.Race.Racers, result.Racer{Structure: list[i].Structure, Left: r.left[i]})
	}
	raced.decide(d)
	return raced, nil
}

// sharedProcessors returns a warning about mappings with more processes than this machine has processors. Their
// throughput on this machine differs from their throughput on the architecture.
func (x *trials) sharedProcessors() []fault.Note {
	shared := 0
	for _, p := range x.programs {
		if p != nil && len(p.Description().Hosts) == 0 && len(p.Description().Processes) > runtime.NumCPU() {
			shared++
		}
	}
	if shared == 0 {
		return nil
	}
	return []fault.Note{faults.ProcessorsShared.Notef("%d of %s in the race use more cores than this machine has "+
		"processors (%d). Their processes share processors, so their measured throughput may be too low", shared,
		units.Counted(len(x.programs), "mapping", "mappings"), runtime.NumCPU())}
}

// decide ranks the mappings by their runs.
func (x *Raced) decide(d *design.Design) {
	x.validation = Result(d, x.Cases, Kind{})
	x.validation.Race = &x.Race
	r := &x.Race
	r.Interrupted, r.Winner = x.Interrupted, -1
	if r.Undecided = x.undecided(); r.Undecided != "" {
		return
	}
	for i := range x.Cases {
		if x.ranked(i) {
			r.Order = append(r.Order, i)
		}
	}
	slices.SortStableFunc(r.Order, func(a, b int) int { return cmp.Compare(x.Cases[b].Ran(), x.Cases[a].Ran()) })
	r.Winner = r.Order[0]
	for _, i := range r.Order {
		if i == r.Winner || !separate(x.validation, &x.validation.Cases[i], &x.validation.Cases[r.Winner]) {
			r.Alike = append(r.Alike, i)
		}
	}
}

// undecided returns the reason why the runs do not rank the mappings; "" if they do.
func (x *Raced) undecided() result.Unknown {
	measured, ranked := 0, 0
	for i := range x.Cases {
		if x.Cases[i].Fail == "" {
			measured++
		}
		if x.ranked(i) {
			ranked++
		}
	}
	switch why := x.validation.Verdict.Unknown; {
	case why == result.MostDisturbed, why == result.MostUnsteady, why == result.FewCorrected:
		return why
	case x.Race.Rounds < separatingRounds && (measured > 0 || x.Interrupted):
		return result.FewRounds
	case measured == 0:
		return result.NoneRan
	case ranked == 0:
		return result.MostDisturbed
	case why == result.NoInterval:
		return why
	}
	return ""
}

// ranked reports whether the runs of a mapping give it a rank.
func (x *Raced) ranked(i int) bool {
	c := &x.Cases[i]
	switch x.validation.Verdict.Standings[i] {
	case result.Disturbed, result.Unsteady, result.NotCorrected:
		return false
	}
	return c.Fail == "" && c.Measured > 0 && !c.Bounded()
}

// Ran reports whether a mapping was in the race.
func (x *Raced) Ran(m *flow.Mapping) bool {
	return x != nil && slices.ContainsFunc(x.Cases, func(c Case) bool { return c.Mapping == m })
}

// Header returns a line with the measured throughput of a mapping, for its map file; "" if the race did not rank the
// mapping.
func (x *Raced) Header(m *flow.Mapping) string {
	if x == nil {
		return ""
	}
	for i := range x.Cases {
		c := &x.Cases[i]
		if c.Mapping != m || !x.ranked(i) {
			continue
		}
		between := ""
		if ci := x.validation.Cases[i].Interval; ci != nil {
			between = fmt.Sprintf(" (95 %% confidence interval: %s to %s)", units.Rate(ci[0]), units.Rate(ci[1]))
		}
		return fmt.Sprintf("\nMeasured:  %s in a race, %s%s", units.Rate(c.Ran()),
			units.Counted(len(c.Runs), "run", "runs"), between)
	}
	return ""
}

// Report adds a race to the result of a search, whose candidates have the given mappings.
func (x *Raced) Report(r *result.Result, candidates []*flow.Mapping) {
	if x == nil {
		return
	}
	for i := range x.validation.Cases {
		c := &x.validation.Cases[i]
		if at := slices.Index(candidates, x.Cases[i].Mapping); at >= 0 {
			c.Candidate, c.Name = at, r.Candidates[at].Name
			expect(c, &r.Candidates[at])
		}
		if c.Fail != "" && c.Fail != Interrupted {
			r.Warnings = append(r.Warnings, faults.RaceFault.Notef("mapping %s (%s) could not be measured in the "+
				"race: %s", x.Racers[i].Name, x.Racers[i].Structure, c.Fail))
		}
	}
	r.Validation = x.validation
	r.Warnings = append(r.Warnings, x.Notes...)
}
