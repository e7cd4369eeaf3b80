package main

import (
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/internal/options"
	"xopt/mapper"
	"xopt/mapper/milp"
	"xopt/mapper/sweep"
)

// The bounds of what a search can be asked for.
const (
	maxTop     = 1000
	maxThreads = 1024
)

// searchOptions are the limits and the goal of a search.
func (s *settings) searchOptions() []options.Option {
	methods := mapper.Methods()
	list := []options.Option{
		{Name: "time", Kind: options.Duration, Default: "10s", Group: options.GroupSearch,
			Check:    options.ZeroOrAtLeast(0),
			Commands: []string{"search"}, To: &s.Time,
			Help: "stop after this time, reports included; 0 for no limit, the default with --evals"},
		{Name: "evals", Kind: options.Count, Default: "0", Group: options.GroupSearch,
			Commands: []string{"search"}, To: &s.Evals,
			Help: "stop after this number of scored mappings, including the partial ones of branch and bound; 0 " +
				"for no limit"},
		{Name: "seed", Kind: options.Count, Default: "1", Group: options.GroupSearch,
			Commands: []string{"search", "sweep"}, To: &s.Seed,
			Help: "seed of all random choices"},
		{Name: "threads", Kind: options.Number, Default: "0", Group: options.GroupSearch,
			Check:    options.Between(0, maxThreads),
			Commands: []string{"search"}, To: &s.Threads,
			Help: "number of searches that run side by side; 0 for one on each core"},
		{Name: "top", Kind: options.Number, Default: "5", Group: options.GroupOutput, Check: options.Between(1, maxTop),
			Commands: []string{"search"}, To: &s.Top,
			Help: "number of mappings to print and write"},
		{Name: "method", Kind: options.Text, Metavar: "METHOD", Values: methods,
			Default: "auto", Group: options.GroupSearch,
			Commands: []string{"search"}, To: &s.Method,
			Help: fmt.Sprintf("method of the search: %s; auto tries all of up to 300,000 mappings, and uses mixed "+
				"for more, or anneal where there is no limit; exact needs the objective throughput, without "+
				"limits", strings.Join(methods, ", "))},
		{Name: "gap", Kind: options.Text, Metavar: "PERCENT", Group: options.GroupSearch, Check: percentage,
			Commands: []string{"search"}, To: &s.search.gap,
			Help: "stop when no mapping can be better than the best found by more than this, such as 1% (default: go " +
				"on until it is proven the best)"},
		{Name: "prove", Kind: options.Text, Metavar: "SOLVER", Values: milp.Names(), Group: options.GroupSearch,
			Commands: []string{"search"}, To: &s.search.prove,
			Help: "have another solver, if it is installed, bound all mappings after the search, in half of --time: " +
				strings.Join(milp.Names(), ", ")},
		{Name: "export-mps", Kind: options.File, Group: options.GroupOutput,
			Commands: []string{"search"}, To: &s.search.mps,
			Help: "write the search's model to this file (MPS), for solvers of mixed integer programs"},
		{Name: "robust", Kind: options.Switch, Group: options.GroupGoal,
			Commands: []string{"search"}, To: &s.Robust,
			Help: "rank mappings by a low quantile of their throughput within the confidence intervals of their " +
				"figures, and say which cannot be told apart"},
		{Name: "doubt", Kind: options.Text, Metavar: "PERCENT", Group: options.GroupGoal, Check: percentage,
			Commands: []string{"search"}, To: &s.Doubt,
			Help: "with --robust: by how many percent figures without an interval may be off"},
	}
	return slices.Concat(list, s.searchCopiesOptions(), s.goalOptions(), s.resumeOptions())
}

// goalOptions say what a search looks for.
func (s *settings) goalOptions() []options.Option {
	in := []string{"search", "sweep"}
	return []options.Option{
		{Name: "objective", Kind: options.Text, Metavar: "OBJECTIVE", Values: mapper.Objectives(),
			Default: mapper.Throughput.String(), Group: options.GroupGoal, Traits: options.AffectsGoal,
			Check:    objectives,
			Commands: in, To: &s.Objective,
			Help: "what should be best: one of " + strings.Join(mapper.Objectives(), ", ") +
				"; search takes several, with commas between, and finds the mappings that no other one dominates"},
		{Name: "min-throughput", Kind: options.Rate, Group: options.GroupGoal, Traits: options.AffectsGoal,
			Commands: in, To: &s.MinThroughput,
			Help: "only mappings with at least this throughput, such as 40MB/s; latency and energy are those at " +
				"this rate (default: at 90 % of a mapping's throughput), buffers those for all of the throughput"},
		{Name: "max-latency", Kind: options.Time, Group: options.GroupGoal, Traits: options.AffectsGoal,
			Commands: in, To: &s.MaxLatency,
			Help: "only mappings whose longest path takes at most this time on average, such as 3ms"},
		{Name: "max-buffer", Kind: options.Size, Group: options.GroupGoal, Traits: options.AffectsGoal,
			Commands: in, To: &s.MaxBuffer,
			Help: "only mappings without a buffer above this size, such as 64KiB"},
	}
}

// resumeOptions are about going on after an interruption.
func (s *settings) resumeOptions() []options.Option {
	return []options.Option{
		{Name: "resume", Kind: options.Switch, Group: options.GroupResuming,
			Commands: []string{"search", "sweep", "validate"}, To: &s.Resume,
			Help: "go on from the checkpoint that an interrupted command with the same inputs has left " +
				"(NAME.checkpoint.json of search, NAME.sweep.checkpoint.json, NAME.validate.checkpoint.json)"},
		{Name: "checkpoint", Kind: options.Duration, Default: "30s", Group: options.GroupResuming,
			Check:    options.ZeroOrAtLeast(0),
			Commands: []string{"search"}, To: &s.Checkpoint,
			Help: "write NAME.checkpoint.json, for --resume, at least once in this time; 0 for never"},
		{Name: "checkpoint", Kind: options.Duration, Default: "30s", Group: options.GroupResuming,
			Check:    options.ZeroOrAtLeast(0),
			Commands: []string{"sweep", "validate"}, To: &s.Checkpoint,
			Help: "write what is done to the checkpoint, for --resume, at least once in this time; 0 for only when " +
				"interrupted"},
	}
}

// sweepOptions are those of sweep.
func (s *settings) sweepOptions() []options.Option {
	in := []string{"sweep"}
	return []options.Option{
		{Name: "vary", Kind: options.Texts, Metavar: "RANGE", Group: options.GroupSearch,
			Commands: in, To: &s.sweep.vary,
			Help: "what varies: NAME.config=FROM..TO, NAME.config=A,B,C, or RESOURCE=1..4"},
		{Name: "points", Kind: options.Number, Default: "9", Group: options.GroupSearch,
			Check:    options.Between(2, sweep.MaxPoints),
			Commands: in, To: &s.sweep.points,
			Help: "number of points of each FROM..TO"},
		{Name: "time", Kind: options.Duration, Default: "0s", Group: options.GroupSearch,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &s.Time,
			Help: "stop after this time, which the points share; 0 for no limit"},
		{Name: "evals", Kind: options.Count, Default: "1000000", Group: options.GroupSearch,
			Commands: in, To: &s.Evals,
			Help: "stop each search after this number of scored mappings, including the partial ones of branch and " +
				"bound"},
		{Name: "threads", Kind: options.Number, Default: "1", Group: options.GroupSearch,
			Check:    options.Between(0, maxThreads),
			Commands: in, To: &s.Threads,
			Help: "number of searches that run side by side at each point"},
	}
}

// What --copies says.
const (
	copiesAuto = "auto"
	copiesNone = "none"
)

// searchCopiesOptions say whether a search runs kernels in copies.
func (s *settings) searchCopiesOptions() []options.Option {
	return []options.Option{
		{Name: "copies", Kind: options.Text, Metavar: "WHICH", Values: []string{copiesAuto, copiesNone},
			Default:  copiesAuto,
			Group:    options.GroupSearch,
			Commands: []string{"search", "sweep"}, To: &s.Copies,
			Help: "auto also tries copies of kernels whose blocks are stateless, behind the search for the best " +
				"mapping without; none does not"},
	}
}
