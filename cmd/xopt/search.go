package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/checkpoint"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/interrupt"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

func (a *app) searchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "search APP.x ARCH.x",
		Short: "find the best mappings by throughput or other objectives",
		Long: `search finds the mappings with the highest throughput under the constraints in the files
(fix, forbid, together, apart, area, links). In a small space it evaluates all mappings, and the answer
is optimal. In a larger space it combines simulated annealing, other methods and branch and bound. It
stops when no other mapping can be better, at --time or --evals, or after Ctrl-C. It reports an upper
bound on the throughput of any mapping. --objective selects other objectives.

search prints the best mappings (the first mapping in detail), and writes NAME.result.json and a map file for
each mapping. --race runs the best mappings on this machine's cores, and prints the fastest first.`,
		Example: `xopt search app.x arch.x
xopt search app.x arch.x --time 1m --top 10 -o night
xopt search app.x arch.x --seed 7 --evals 1000000 --threads 2    a reproducible answer
xopt search app.x arch.x --objective cores --min-throughput 40MB/s
xopt search app.x arch.x --objective throughput,cores            the gain of each further core
xopt search app.x arch.x --profile app.profile.json --race 30s   run the best, fastest first
xopt search app.x arch.x --time 8h                               after Ctrl-C:
xopt search app.x arch.x --time 8h --resume`,
		Args:              options.MinArgs(1, "X files with an application and an architecture"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			if err := a.searchSettings(); err != nil {
				return err
			}
			return a.orCampaign(a.search)(c, files)
		},
	}
}

// robustPool is the number of re-ranked mappings per displayed mapping. robustMin is the minimum number of re-ranked
// mappings.
const (
	robustPool = 10
	robustMin  = 50
)

// bufferPool and bufferMin are the corresponding numbers for a ranking by throughput with buffers.
const (
	bufferPool = 4
	bufferMin  = 20
)

// budget returns the time limit of the complete command.
func (a *app) budget() interrupt.Budget {
	return interrupt.Budget{Begun: a.begun, Limit: a.settings.Time}
}

// searchDeadline returns the end of a search, including the search with copies; zero without a limit.
func (a *app) searchDeadline(s *searching) time.Time {
	if s.deadline.IsZero() {
		s.deadline = a.budget().Deadline()
	}
	return s.deadline
}

// searchTime returns the time for the search without copies; 0 for no limit. If the command also tries copies or
// another solver, this search has half of the time.
func (a *app) searchTime(s *searching) time.Duration {
	deadline := a.searchDeadline(s)
	if deadline.IsZero() {
		return 0
	}
	left := time.Until(deadline)
	policy := a.copyPolicy(s.goal, s.files)
	policy.Robust = s.robust != nil
	if a.settings.Search.Prove != "" || policy.Tries(s.design.Program) {
		left /= 2
	}
	return max(time.Millisecond, left)
}

// searching is the state of a search, from its objective to its output.
type searching struct {
	files    []string
	design   *design.Design
	out      settings.SearchFiles
	goal     mapper.Goal
	method   mapper.Method
	robust   *mapper.RobustOptions // nil for a ranking by throughput
	keep     *checkpoint.Saver
	from     *mapper.State // state of an earlier search; nil for none
	state    *mapper.State // latest state; nil before the first snapshot
	course   predict.Course
	gap      float64        // the search ends at this gap; 0 for none
	deadline time.Time      // end of the search with copies; zero until it starts, or without a limit
	answer   *result.Solver // result of another solver; nil for none

	saveErr    error  // error of the last write of the checkpoint
	copiesLeft string // why the search tried no copies, or not all of them

	found    *mapper.Result
	improved *copies.Improved                 // designs of the candidates
	copies   *result.CopiesCompared           // the best mappings with and without copies; nil for none
	race     *validate.Raced                  // nil for none
	sized    map[*flow.Mapping]*predict.Sized // mappings whose buffers were sized before the result was created
	missed   []int                            // indices of candidates with omitted figures
	ranks    []mapper.Robustness
	ranked   *mapper.RobustReport
}

// search searches for mappings. It prints and writes them.
func (a *app) search(c *cobra.Command, files []string) error {
	ctx := c.Context()
	s, err := a.prepareSearch(ctx, files)
	if err != nil {
		return err
	}
	if err := a.runSearch(ctx, s); err != nil {
		return errors.Join(err, a.printInfeasible(s, err))
	}
	extras, cancel := interrupt.Until(ctx, a.budget().Expiry()) // for optional steps
	defer cancel()
	if err := a.askSolver(ctx, s); err != nil {
		return err
	}
	if err := a.rankRobustly(extras, s); err != nil {
		return err
	}
	if err := a.searchCopies(ctx, extras, s); err != nil {
		return err
	}
	a.keepSearch(ctx, s)
	failed := a.race(ctx, s)
	if a.settings.Search.Race > 0 { // the race has its own time
		extras, cancel = interrupt.Until(ctx, a.budget().Expiry())
		defer cancel()
	}
	// Print and save the result even after an interruption. After an error, print and save as much as possible.
	finish, stop := a.budget().Finishing(ctx)
	defer stop()
	a.brief.Closing = 3 // lines for the scored mappings and the files
	r, maps, err := a.searchResult(predict.Ending{Always: context.WithoutCancel(ctx), Finish: finish, Extras: extras,
		Interrupted: ctx, Seed: settings.EvalSeed}, s)
	err = errors.Join(err, failed, a.saveSearch(s, r, maps), a.keepReport(filepath.Base(s.out.Name), r),
		a.saveResultTables(r), a.print(r))
	if ctx.Err() != nil || s.found.Status == mapper.Interrupted {
		a.code = exitInterrupted
	}
	if err != nil {
		return err
	}
	return a.noteSearch(s, r)
}

func (a *app) saveSearch(s *searching, r *result.Result, maps []settings.MapText) error {
	err := s.out.Save(r, maps)
	if err == nil {
		a.wrote = append(a.wrote, s.out.Result())
		if n := len(r.Candidates); n > 0 {
			a.wrote = append(a.wrote, s.out.Mappings(n))
		}
	}
	return err
}

// prepareSearch reads the input files, and checks the output files and the checkpoint of an earlier search.
func (a *app) prepareSearch(ctx context.Context, files []string) (*searching, error) {
	s := &searching{files: files, out: settings.SearchFiles{Name: a.settings.Out}}
	var err error
	if s.design, err = a.design(ctx, files, design.ForSearch); err != nil {
		return nil, err
	}
	if s.out.Name == "" {
		s.out.Name = baseName(files)
	}
	plan := a.plan()
	if err := s.out.Plan(plan, a.settings.Top); err != nil {
		return nil, err
	}
	a.planReport(plan, filepath.Base(s.out.Name))
	a.planTables(plan, output.Tables())
	plan.File("--export-mps", a.settings.Search.MPS, output.MPS())
	if err := a.keepsRead(plan, s.design.Program, a.settings.Search.Race > 0, ""); err != nil {
		return nil, err
	}
	if err := a.prepareGoal(s); err != nil {
		return nil, err
	}
	return s, a.searchSaver(s)
}

// prepareGoal sets the objective and the method of a search.
func (a *app) prepareGoal(s *searching) error {
	var err error
	if s.goal, err = a.settings.Goal(); err != nil {
		return fault.Usage(err)
	}
	if err := a.prepareProof(s); err != nil {
		return err
	}
	if s.robust, err = a.settings.RobustOptions(); err != nil {
		return err
	}
	if s.robust != nil && !s.goal.Plain() {
		return faults.OptionsConflict.Usagef("--robust ranks mappings by throughput; leave out --objective and the " +
			"limits")
	}
	if s.method, err = mapper.ParseMethod(a.settings.Method); err != nil {
		return fault.Usage(err)
	}
	return a.prepareRace(s)
}

// poolOf returns the number of mappings that a search keeps.
func (a *app) poolOf(s *searching) int {
	if s.robust != nil {
		return max(robustPool*a.settings.Top, robustMin)
	}
	if a.ranksWithBuffers(s) {
		return max(bufferPool*a.keptMappings(), bufferMin)
	}
	return a.settings.Top
}

func (a *app) runSearch(ctx context.Context, s *searching) error {
	a.goOn(s)
	threads := a.settings.Threads
	if threads == 0 {
		threads = runtime.NumCPU()
		if s.from != nil {
			threads = s.from.Threads
		}
	}
	if s.from != nil {
		a.note("resumed from %s: %s evaluations in %s so far", s.keep.Path,
			units.Count(float64(s.from.Evals)), units.Time(s.from.Elapsed.Seconds()))
	}
	var bar *progress.Work
	if progress.IsTerminal(a.notes) {
		bar = a.longWork("searching")
	}
	var found atomic.Bool
	options := mapper.Options{
		Method: s.method,
		Seed:   a.settings.Seed, Threads: threads, MaxTime: a.searchTime(s), MaxEvals: a.settings.Evals,
		Top: a.poolOf(s), Goal: s.goal, Gap: s.gap,
		Progress: func(p mapper.Progress) {
			found.Store(found.Load() || p.Best > 0)
			if bar != nil {
				bar.Search(p, a.settings.Time, a.settings.Evals, s.goal.First())
			}
			s.course.Add(p)
		},
		Checkpoint: s.saveState, CheckpointEvery: cmp.Or(a.settings.Checkpoint, math.MaxInt64), Resume: s.from,
	}
	// If the search of a large application is interrupted during its preparation, there is no result.
	patience, cancel := interrupt.Outlive(ctx, interrupt.FinishTime, found.Load)
	defer cancel()
	var err error
	s.found, err = interrupt.Do(patience, func() (*mapper.Result, error) {
		return mapper.Search(ctx, s.design.Problem, s.design.Constraints, options)
	})
	bar.Stop()
	var wrong *mapper.StateError
	switch {
	case errors.As(err, &wrong):
		return faults.OtherInputs.Usagef("--resume: %s: %w (use the same options as the interrupted search, or "+
			"leave out --resume)", s.keep.Path, err)
	case err != nil:
		searching, stop := interrupt.Until(ctx, a.searchDeadline(s))
		defer stop()
		s.found, s.improved, err = copies.MeetLimits(searching, s.design, options,
			a.copyPolicy(s.goal, s.files), err)
	}
	if err != nil {
		return fmt.Errorf("searching mappings: %w", err)
	}
	if a.role.Point {
		s.found.Runs = 1 // the answer does not depend on interruptions
	}
	return nil
}

// printInfeasible prints the reason why the search found no mapping, as a JSON result if --json is set.
func (a *app) printInfeasible(s *searching, err error) error {
	var none *mapper.NoMappingError
	if !a.settings.JSON || !errors.As(err, &none) {
		return nil
	}
	r := predict.Infeasible(s.design, none, s.goal)
	r.Stamp(version(), nil)
	r.Search.Method, r.Search.Seed, r.Search.Threads = s.method.String(), a.settings.Seed, a.settings.Threads
	return report.Encoder(r)(a.stdout.JSON())
}

// rankRobustly ranks the candidates by robust throughput on request.
func (a *app) rankRobustly(ctx context.Context, s *searching) error {
	if s.robust == nil {
		return nil
	}
	list, how, summary, err := mapper.Robust(ctx, s.design.Problem, s.found.Candidates, *s.robust)
	switch {
	case err == nil:
		s.found.Candidates, s.ranks, s.ranked = list, how, summary
	case ctx.Err() != nil:
		a.noteID(faults.NotRankedRobust, "warning: the search ended before it could rank by robust throughput; the "+
			"mappings are ranked by throughput")
	default:
		return fmt.Errorf("ranking mappings: %w", err)
	}
	s.found.Candidates = s.found.Candidates[:min(a.settings.Top, len(s.found.Candidates))]
	return nil
}

// noteSearch reports the end of the search and the files it wrote.
func (a *app) noteSearch(s *searching, r *result.Result) error {
	found, nodes := s.found, ""
	if found.ProofNodes > 0 {
		nodes = fmt.Sprintf(" and %d partial mappings bounded", found.ProofNodes)
	}
	rate := fmt.Sprintf("%s mappings/s on this machine", units.Count(float64(found.Evals+found.ProofNodes)/
		max(found.Elapsed.Seconds(), 1e-9)))
	if s.improved.Tried {
		rate = "including the search for copies"
	}
	a.note("%s scored%s in %s (%s); wrote %s and %s", units.Counted(int(found.Evals), "mapping", "mappings"), nodes,
		units.Time(found.Elapsed.Seconds()), rate, s.out.Result(),
		s.out.Mappings(len(found.Candidates)))
	if len(s.missed) > 0 {
		a.note("%s computes the missing figures of candidate %d%s",
			safetext.ShellLine(a.evalLine(s, s.missed[0])), s.missed[0]+1,
			map[bool]string{true: " (likewise for the other candidates)"}[len(s.missed) > 1])
	}
	if left := s.out.Stale(len(found.Candidates)); len(left) > 0 {
		a.note("files of an earlier search remain: %s", strings.Join(left, ", "))
	}
	if !unfinished(found.Status) {
		return s.keep.Close()
	}
	if s.keep.Left() && (a.settings.JSON || !report.Continues(r)) {
		a.note("to continue: %s", s.keep.Resume())
	}
	return nil
}
