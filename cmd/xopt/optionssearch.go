package main

import (
	"fmt"
	"slices"
	"strings"

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
func (s *settings) searchOptions() []option {
	methods := mapper.Methods()
	list := []option{
		{name: "time", kind: kindDuration, usual: "10s", group: groupSearch, check: timeOrNone(0),
			in: []string{"search"}, to: &s.Time,
			help: "stop after this time, reports included; 0 for no limit, the default with --evals"},
		{name: "evals", kind: kindCount, usual: "0", group: groupSearch,
			in: []string{"search"}, to: &s.Evals,
			help: "stop after this number of scored mappings, including the partial ones of branch and bound; 0 " +
				"for no limit"},
		{name: "seed", kind: kindCount, usual: "1", group: groupSearch,
			in: []string{"search", "sweep"}, to: &s.Seed,
			help: "seed of all random choices"},
		{name: "threads", kind: kindNumber, usual: "0", group: groupSearch, check: between(0, maxThreads),
			in: []string{"search"}, to: &s.Threads,
			help: "number of searches that run side by side; 0 for one on each core"},
		{name: "top", kind: kindNumber, usual: "5", group: groupOutput, check: between(1, maxTop),
			in: []string{"search"}, to: &s.Top,
			help: "number of mappings to print and write"},
		{name: "method", kind: kindText, word: "METHOD", values: methods, usual: "auto", group: groupSearch,
			in: []string{"search"}, to: &s.Method,
			help: fmt.Sprintf("method of the search: %s; auto tries all of up to 300,000 mappings, and uses mixed "+
				"for more, or anneal where there is no limit; exact needs the objective throughput, without "+
				"limits", strings.Join(methods, ", "))},
		{name: "gap", kind: kindText, word: "PERCENT", group: groupSearch, check: percentage,
			in: []string{"search"}, to: &s.search.gap,
			help: "stop when no mapping can be better than the best found by more than this, such as 1% (default: go " +
				"on until it is proven the best)"},
		{name: "prove", kind: kindText, word: "SOLVER", values: milp.Names(), group: groupSearch,
			in: []string{"search"}, to: &s.search.prove,
			help: "have another solver, if it is installed, bound all mappings after the search, in half of --time: " +
				strings.Join(milp.Names(), ", ")},
		{name: "export-mps", kind: kindFile, group: groupOutput,
			in: []string{"search"}, to: &s.search.mps,
			help: "write the search's model to this file (MPS), for solvers of mixed integer programs"},
		{name: "robust", kind: kindSwitch, group: groupGoal,
			in: []string{"search"}, to: &s.Robust,
			help: "rank mappings by a low quantile of their throughput within the confidence intervals of their " +
				"figures, and say which cannot be told apart"},
		{name: "doubt", kind: kindText, word: "PERCENT", group: groupGoal, check: percentage,
			in: []string{"search"}, to: &s.Doubt,
			help: "with --robust: by how many percent figures without an interval may be off"},
	}
	return slices.Concat(list, s.searchCopiesOptions(), s.goalOptions(), s.resumeOptions())
}

// goalOptions say what a search looks for.
func (s *settings) goalOptions() []option {
	in := []string{"search", "sweep"}
	return []option{
		{name: "objective", kind: kindText, word: "OBJECTIVE", values: mapper.Objectives(),
			usual: mapper.Throughput.String(), group: groupGoal, perhaps: ofGoal, check: objectives,
			in: in, to: &s.Objective,
			help: "what should be best: one of " + strings.Join(mapper.Objectives(), ", ") +
				"; search takes several, with commas between, and finds the mappings that no other one dominates"},
		{name: "min-throughput", kind: kindRate, group: groupGoal, perhaps: ofGoal,
			in: in, to: &s.MinThroughput,
			help: "only mappings with at least this throughput, such as 40MB/s; latency and energy are those at " +
				"this rate (default: at 90 % of a mapping's throughput), buffers those for all of the throughput"},
		{name: "max-latency", kind: kindTime, group: groupGoal, perhaps: ofGoal,
			in: in, to: &s.MaxLatency,
			help: "only mappings whose longest path takes at most this time on average, such as 3ms"},
		{name: "max-buffer", kind: kindSize, group: groupGoal, perhaps: ofGoal,
			in: in, to: &s.MaxBuffer,
			help: "only mappings without a buffer above this size, such as 64KiB"},
	}
}

// resumeOptions are about going on after an interruption.
func (s *settings) resumeOptions() []option {
	return []option{
		{name: "resume", kind: kindSwitch, group: groupResuming,
			in: []string{"search", "sweep", "validate"}, to: &s.Resume,
			help: "go on from the checkpoint that an interrupted command with the same inputs has left " +
				"(NAME.checkpoint.json of search, NAME.sweep.checkpoint.json, NAME.validate.checkpoint.json)"},
		{name: "checkpoint", kind: kindDuration, usual: "30s", group: groupResuming, check: timeOrNone(0),
			in: []string{"search"}, to: &s.Checkpoint,
			help: "write NAME.checkpoint.json, for --resume, at least once in this time; 0 for never"},
		{name: "checkpoint", kind: kindDuration, usual: "30s", group: groupResuming, check: timeOrNone(0),
			in: []string{"sweep", "validate"}, to: &s.Checkpoint,
			help: "write what is done to the checkpoint, for --resume, at least once in this time; 0 for only when " +
				"interrupted"},
	}
}

// sweepOptions are those of sweep.
func (s *settings) sweepOptions() []option {
	in := []string{"sweep"}
	return []option{
		{name: "vary", kind: kindTexts, word: "RANGE", group: groupSearch,
			in: in, to: &s.sweep.vary,
			help: "what varies: NAME.config=FROM..TO, NAME.config=A,B,C, or RESOURCE=1..4"},
		{name: "points", kind: kindNumber, usual: "9", group: groupSearch, check: between(2, sweep.MaxPoints),
			in: in, to: &s.sweep.points,
			help: "number of points of each FROM..TO"},
		{name: "time", kind: kindDuration, usual: "0s", group: groupSearch, check: timeOrNone(0),
			in: in, to: &s.Time,
			help: "stop after this time, which the points share; 0 for no limit"},
		{name: "evals", kind: kindCount, usual: "1000000", group: groupSearch,
			in: in, to: &s.Evals,
			help: "stop each search after this number of scored mappings, including the partial ones of branch and " +
				"bound"},
		{name: "threads", kind: kindNumber, usual: "1", group: groupSearch, check: between(0, maxThreads),
			in: in, to: &s.Threads,
			help: "number of searches that run side by side at each point"},
	}
}

// What --copies says.
const (
	copiesAuto = "auto"
	copiesNone = "none"
)

// searchCopiesOptions say whether a search runs kernels in copies.
func (s *settings) searchCopiesOptions() []option {
	return []option{
		{name: "copies", kind: kindText, word: "WHICH", values: []string{copiesAuto, copiesNone}, usual: copiesAuto,
			group: groupSearch,
			in:    []string{"search", "sweep"}, to: &s.Copies,
			help: "auto also tries copies of kernels whose blocks are stateless, behind the search for the best " +
				"mapping without; none does not"},
	}
}
