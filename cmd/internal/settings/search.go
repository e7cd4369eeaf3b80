package settings

import (
	"fmt"
	"slices"
	"time"

	"xopt/cmd/internal/options"
	"xopt/mapper"
	"xopt/mapper/solvers"
	"xopt/mapper/sweep"
)

// Limits of search options.
const (
	maxTop     = 1000
	maxThreads = 1024
	minRace    = time.Second // a few short runs of two mappings
)

// searchOptions returns the options for the limits and method of a search.
func (s *Settings) searchOptions() []options.Option {
	methods := mapper.Methods()
	list := []options.Option{
		{Name: "time", Kind: options.Duration, Default: "10s", Group: options.GroupSearch,
			Check:    options.ZeroOrAtLeast(0),
			Commands: []string{"search"}, To: &s.Time,
			Help:    "time limit",
			Details: "The time includes the report. 0: no limit, which is the default with --evals.",
			Common:  []string{"search"}},
		{Name: "evals", Kind: options.Count, Default: "0", Group: options.GroupSearch,
			Commands: []string{"search"}, To: &s.Evals,
			Help:    "maximum number of scored mappings",
			Details: "Partial mappings of branch and bound count, too. 0: no limit."},
		{Name: "seed", Kind: options.Count, Default: "1", Group: options.GroupSearch,
			Commands: []string{"search", "sweep"}, To: &s.Seed,
			Help:   "seed of all random choices",
			Common: []string{"search"}},
		{Name: "threads", Kind: options.Number, Default: "0", Group: options.GroupSearch,
			Check:    options.Between(0, maxThreads),
			Commands: []string{"search"}, To: &s.Threads,
			Help: "number of parallel searches; 0: one for each core"},
		{Name: "top", Kind: options.Number, Default: "5", Group: options.GroupOutput, Check: options.Between(1, maxTop),
			Commands: []string{"search"}, To: &s.Top,
			Help: "number of mappings to print and write"},
		{Name: "method", Kind: options.Text, Metavar: "METHOD", Values: methods,
			Default: "auto", Group: options.GroupSearch,
			Commands: []string{"search"}, To: &s.Method,
			Help: "search method",
			Details: "auto: exhaustive for up to 300,000 mappings; otherwise mixed, or anneal without a limit on " +
				"time or evaluations. exact: only for the objective throughput without constraints."},
		{Name: "gap", Kind: options.Text, Metavar: "PERCENT", Group: options.GroupSearch, Check: percentage,
			Commands: []string{"search"}, To: &s.Search.Gap,
			Help: "stop within this distance of the optimum, such as 1%",
			Details: "The search stops when, with unlimited buffers, no other mapping can be faster than the best " +
				"mapping by more than this percentage. Default: continue until the best mapping is proven optimal."},
		{Name: "prove", Kind: options.Text, Metavar: "SOLVER", Values: solvers.Names(), Group: options.GroupSearch,
			Commands: []string{"search"}, To: &s.Search.Prove,
			Help:    "prove a bound with this solver after the search",
			Details: "The solver must be installed. It uses half of --time."},
		{Name: "export-mps", Kind: options.File, Group: options.GroupOutput,
			Commands: []string{"search"}, To: &s.Search.MPS,
			Help: "write the model as a mixed-integer program (MPS) for other solvers"},
		{Name: "race", Kind: options.Duration, Default: "0s", Group: options.GroupSearch,
			Check:    options.ZeroOrAtLeast(minRace),
			Commands: []string{"search"}, To: &s.Search.Race,
			Help: "run the best candidates for this time, to rank them",
			Details: "The candidates run in turns on this machine's cores, after the search and in addition to " +
				"--time. 0: no runs."},
		{Name: "robust", Kind: options.Switch, Group: options.GroupGoal,
			Commands: []string{"search"}, To: &s.Robust,
			Help: "rank mappings by a low quantile of their throughput",
			Details: "The quantile reflects the confidence intervals of the figures. The report lists mappings " +
				"that the figures do not distinguish."},
		{Name: "doubt", Kind: options.Text, Metavar: "PERCENT", Group: options.GroupGoal, Check: percentage,
			Commands: []string{"search"}, To: &s.Doubt,
			Help:    "assumed error of figures without an interval, such as 10%",
			Details: "Only with --robust."},
	}
	return slices.Concat(list, s.searchCopiesOptions(), s.goalOptions(), s.resumeOptions())
}

// goalOptions returns the options for the objective and constraints of a search.
func (s *Settings) goalOptions() []options.Option {
	in := []string{"search", "sweep"}
	return []options.Option{
		{Name: "objective", Kind: options.Text, Metavar: "OBJECTIVE", Values: mapper.Objectives(),
			Default: mapper.Throughput.String(), Group: options.GroupGoal, Traits: options.AffectsGoal,
			Check:    objectives,
			Commands: in, To: &s.Objective,
			Help: "objective to optimize",
			Details: "search accepts several objectives, separated by commas, and finds the mappings that no " +
				"other mapping dominates.",
			Common: []string{"search", "sweep"}},
		{Name: "min-throughput", Kind: options.Rate, Group: options.GroupGoal, Traits: options.AffectsGoal,
			Commands: in, To: &s.MinThroughput,
			Help: "minimum throughput, such as 40MB/s",
			Details: "xopt computes latency and energy at this rate. Without this option, it uses 90 % of a " +
				"mapping's throughput. It sizes buffers for the full throughput.",
			Common: []string{"search"}},
		{Name: "max-latency", Kind: options.Time, Group: options.GroupGoal, Traits: options.AffectsGoal,
			Commands: in, To: &s.MaxLatency,
			Help: "maximum mean critical-path latency, such as 3ms"},
		{Name: "max-buffer", Kind: options.Size, Group: options.GroupGoal, Traits: options.AffectsGoal,
			Commands: in, To: &s.MaxBuffer,
			Help: "maximum size of each buffer, such as 64KiB"},
	}
}

// resumeOptions returns the options to resume an interrupted command.
func (s *Settings) resumeOptions() []options.Option {
	return []options.Option{
		{Name: "resume", Kind: options.Switch, Group: options.GroupResuming,
			Commands: []string{"search", "sweep", "validate"}, To: &s.Resume,
			Help: "continue an interrupted command",
			Details: "The inputs must be the same. The checkpoint is NAME.checkpoint.json " +
				"for search, NAME.sweep.checkpoint.json for sweep, and NAME.validate.checkpoint.json for validate.",
			Common: []string{"search", "validate"}},
		{Name: "checkpoint", Kind: options.Duration, Default: "30s", Group: options.GroupResuming,
			Check:    options.ZeroOrAtLeast(0),
			Commands: []string{"search", "sweep", "validate"}, To: &s.Checkpoint,
			Help:    "maximum time between checkpoints; 0: only when interrupted",
			Details: "--resume reads the checkpoint."},
	}
}

func (s *Settings) sweepOptions() []options.Option {
	in := []string{"sweep"}
	return []options.Option{
		{Name: "vary", Kind: options.Texts, Metavar: "RANGE", Group: options.GroupSearch,
			Commands: in, To: &s.Sweep.Vary,
			Help:    "range to vary, such as bus.bandwidth=1MB/s..9MB/s",
			Details: "Other forms: a list (NAME.config=A,B,C), or counts of a resource (fpga=1..4).",
			Common:  in},
		{Name: "points", Kind: options.Number, Default: "9", Group: options.GroupSearch,
			Check:    options.Between(2, sweep.MaxPoints),
			Commands: in, To: &s.Sweep.Points,
			Help: "number of points in each range FROM..TO",
			Details: "The points are equidistant on a logarithmic scale. A range of integers has at most one " +
				"point for each integer.",
			Common: in},
		{Name: "time", Kind: options.Duration, Default: "0s", Group: options.GroupSearch,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &s.Time,
			Help:   "time limit for all points together; 0: no limit",
			Common: in},
		{Name: "evals", Kind: options.Count, Default: "1000000", Group: options.GroupSearch,
			Commands: in, To: &s.Evals,
			Help:    "maximum number of scored mappings at each point",
			Details: "Partial mappings of branch and bound count, too."},
		{Name: "threads", Kind: options.Number, Default: "1", Group: options.GroupSearch,
			Check:    options.Between(0, maxThreads),
			Commands: in, To: &s.Threads,
			Help: "number of parallel searches at each point"},
	}
}

// Values of --copies.
const (
	CopiesAuto = "auto"
	CopiesNone = "none"
)

// searchCopiesOptions returns the options for copies of kernels in a search.
func (s *Settings) searchCopiesOptions() []options.Option {
	return []options.Option{
		{Name: "copies", Kind: options.Text, Metavar: "WHICH", Values: []string{CopiesAuto, CopiesNone},
			Default:  CopiesAuto,
			Group:    options.GroupSearch,
			Commands: []string{"search", "sweep"}, To: &s.Copies,
			Help: "try copies of stateless kernels",
			Details: "auto: search first without copies, then with copies of kernels whose blocks are declared " +
				"stateless. none: no copies."},
	}
}

// EvalSeed is the default seed of simulations with finite buffers.
const EvalSeed = 1

func (s *Settings) buffersOptions() []options.Option {
	in := []string{"buffers"}
	return []options.Option{
		{Name: "keep", Kind: options.Text, Metavar: "PERCENT", Default: "99%", Group: options.GroupGoal,
			Traits: options.PerCommand,
			Check:  keptPart, Commands: in,
			To:     &s.Buffers.Keep,
			Help:   "share of the throughput to keep",
			Common: in},
		{Name: "max-buffer-memory", Kind: options.Text, Metavar: "SIZE", Group: options.GroupGoal,
			Traits: options.PerCommand,
			Check:  bufferMemory, Commands: in,
			To:   &s.Buffers.MaxMemory,
			Help: "maximum total memory of the buffers",
			Details: "If the limit is too low for any progress, for minimum sizes, or for --keep, the error names a " +
				"sufficient limit.",
			Common: in},
		{Name: "ideal", Kind: options.Switch, Group: options.GroupGoal,
			Commands: in, To: &s.Buffers.Ideal,
			Help:    "ignore the extra space that real runs need",
			Details: "The extra space is for batches between processes, and for kernels that take turns on a core."},
		{Name: "seed", Kind: options.Count, Default: fmt.Sprint(EvalSeed), Group: options.GroupModel,
			Commands: []string{"buffers", "eval"}, To: &s.Seed,
			Help: "seed of simulations with finite buffers"},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.Buffers.Out,
			Help:   "write the mapping and the sizes to this file",
			Common: in},
		{Name: "plots", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &s.Plots,
			Help:    "write a plot and its table to this folder",
			Details: "The files are buffer-front.svg, .png and .csv.",
			Common:  in},
	}
}
