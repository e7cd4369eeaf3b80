package settings

import (
	"time"

	"xopt/cmd/internal/options"
	"xopt/flow/exchange"
)

func (s *Settings) xevalOptions() []options.Option {
	in := []string{"xeval"}
	return []options.Option{
		{Name: "trace", Kind: options.Text, Metavar: "PATH", Group: options.GroupRun,
			Traits:   options.PerCommand | options.MayNameFile,
			Commands: in, To: &s.XEval.Trace,
			Help:    "trace file or folder of .ts files",
			Details: "deploy --trace writes such files. Default: the folder of the rules.",
			Common:  in},
		{Name: "rule", Kind: options.Texts, Metavar: "RULE", Group: options.GroupRun,
			Commands: in, To: &s.XEval.Rule,
			Help:    "rule such as 'gen1.src -> store.sink'",
			Details: "The rule replaces the rules file, and uses the ports of the trace.",
			Common:  in},
		{Name: "timeline", Kind: options.Number, Default: "0", Group: options.GroupOutput,
			Check:    options.Between(0, maxTimeline),
			Commands: in, To: &s.XEval.Timeline,
			Help:    "draw the first runs of each rule, up to this number",
			Details: "Above these runs, xopt draws the events of the files that the rules mark with *.",
			Common:  in},
		{Name: "substitute", Kind: options.Text, Metavar: "BLOCK", Group: options.GroupRun,
			Commands: in, To: &s.XEval.Substitute,
			Help:    "write predicted events of this block to .ts files",
			Details: "The prediction uses the times of another run (--times). xopt writes the files to --out."},
		{Name: "times", Kind: options.Folder, Group: options.GroupRun,
			Commands: in, To: &s.XEval.Times,
			Help:    "folder with the times of another run, written by xeval --out",
			Details: "Only with --substitute."},
		{Name: "out", Short: "o", Kind: options.Folder, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.XEval.Out,
			Help: "write the times of each run to .ts files in this folder",
			Details: "BLOCK_rule1_wait.ts: waiting times. _exec.ts: execution times. " +
				"_index.ts: output conjunctions.",
			Common: in},
	}
}

// maxTimeline is the maximum number of runs of a rule that a timeline shows.
const maxTimeline = 1000

// exchangeOptions returns the options of import and export.
func (s *Settings) exchangeOptions() []options.Option {
	imports, exports := []string{"import"}, []string{"export"}
	return []options.Option{
		{Name: "times", Kind: options.Files, Group: options.GroupModel, Traits: options.PerCommand,
			Commands: imports, To: &s.Exchange.Times,
			Help:    "add times (CSV, trace log or report) from this file",
			Details: "Reports are csynth.xml and stats_node.yaml. Later files replace the times in earlier files.",
			Common:  imports},
		{Name: "arch", Kind: options.File, Group: options.GroupOutput,
			Commands: imports, To: &s.Exchange.Arch,
			Help:    "write an architecture to this file",
			Details: "Without an architecture in the graph file, xopt writes cores for its kernels.",
			Common:  imports},
		{Name: "map", Kind: options.File, Group: options.GroupOutput,
			Commands: imports, To: &s.Exchange.Mapping,
			Help: "write a mapping to this file",
			Details: "Each kernel is on its host or default processor. Unavailable if the graph file has an " +
				"architecture.",
			Common: imports},
		{Name: "graph", Kind: options.Number, Default: "0",
			Group: options.GroupOutput, Traits: options.PerCommand,
			Check:    options.AtLeast(0),
			Commands: imports, To: &s.Exchange.Graph,
			Help:   "number of the task graph to convert (TGFF)",
			Common: imports},
		{Name: "out", Short: "o", Kind: options.File,
			Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: imports, To: &s.Exchange.Out,
			Help:    "write the application to this file",
			Details: "Default: standard output.",
			Common:  imports},
		{Name: "cores", Kind: options.Number, Default: "0",
			Group: options.GroupOutput, Traits: options.PerCommand,
			Check:    options.Between(0, maxCores),
			Commands: imports, To: &s.Exchange.Cores,
			Help:    "number of cores of each processor type",
			Details: "0: the resources in the files, or one for each kernel that can run there.",
			Common:  imports},
		{Name: "out", Short: "o", Kind: options.File,
			Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: exports, To: &s.Exchange.Out,
			Help:    "write the graph to this file",
			Details: "Default: standard output.",
			Common:  exports},
		{Name: "format", Kind: options.Text, Metavar: "FORMAT", Values: exchange.Formats(), Default: "sdf3",
			Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: exports, To: &s.Exchange.Format,
			Help:   "output format",
			Common: exports},
		{Name: "time-unit", Kind: options.Duration, Default: "0s", Group: options.GroupModel,
			Check:    options.ZeroOrAtLeast(time.Nanosecond),
			Commands: []string{"import", "export"}, To: &s.Exchange.Unit,
			Help:    "duration of one time unit in the graph",
			Details: "0: 1us, or 1s for TGFF.",
			Common:  []string{"import", "export"}},
	}
}

// maxCores is the maximum number of cores of each type in an import.
const maxCores = 10_000

func (s *Settings) machineOptions() []options.Option {
	in := []string{"machine"}
	return []options.Option{
		{Name: "threads", Kind: options.Switch, Group: options.GroupModel, Traits: options.PerCommand,
			Commands: in, To: &s.Machine.Threads,
			Help:    "model each hardware thread as a core",
			Details: "The model does not include the slowdown between hardware threads of one core.",
			Common:  in},
		{Name: "root", Kind: options.Folder, Group: options.GroupModel,
			Commands: in, To: &s.Machine.From,
			Help: "read the description of another machine from this folder",
			Details: "The folder contains copies of that machine's /sys/devices/system/cpu and " +
				"/sys/devices/system/node, and optionally /proc/cpuinfo."},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.Machine.Out,
			Help:   "write the architecture to this file (X)",
			Common: in},
	}
}

func (s *Settings) traceOptions() []options.Option {
	return []options.Option{
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: []string{"trace"}, To: &s.Trace.Out,
			Help: "convert the trace to this file or folder",
			Details: "Format by extension: .csv, .vcd, .pftrace (Perfetto), .xtrace. An additional .gz compresses " +
				"the file. A name without an extension, or with a trailing slash, is a folder for .ts and .dat files.",
			Common: []string{"trace"}},
		{Name: "window", Kind: options.Text, Metavar: "FROM..TO", Group: options.GroupModel,
			Traits: options.PerCommand, Commands: []string{"trace"},
			To:     &s.Trace.Window,
			Help:   "read only this period of the run, such as 10ms..12ms",
			Common: []string{"trace"}},
	}
}

func (s *Settings) reportOptions() []options.Option {
	return []options.Option{
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: []string{"report"}, To: &s.Convert.Output,
			Help:    "write to this file",
			Details: "Default: NAME.html. md, json and csv go to standard output.",
			Common:  []string{"report"}},
		{Name: "plots", Kind: options.Folder, Group: options.GroupOutput,
			Commands: []string{"report"}, To: &s.Plots,
			Help:   "write plots (SVG, PNG) and tables (CSV) to this folder",
			Common: []string{"report"}},
		{Name: "format", Kind: options.Text, Metavar: "FORMAT", Values: []string{"html", "md", "json", "csv"},
			Default: "html", Group: options.GroupOutput,
			Commands: []string{"report"}, To: &s.Convert.Format,
			Help:   "output format",
			Common: []string{"report"}},
		{Name: "trace", Kind: options.File, Group: options.GroupOutput,
			Commands: []string{"report"}, To: &s.Convert.Trace,
			Help:   "write a timeline in Trace Event Format to this file",
			Common: []string{"report"}},
	}
}

func (s *Settings) evalOptions() []options.Option {
	return []options.Option{
		{Name: "engine", Kind: options.Text, Metavar: "ENGINE", Values: engines(),
			Default: "fast", Group: options.GroupModel,
			Commands: []string{"eval"}, To: &s.Eval.Engine,
			Help:    "solver",
			Details: "fast: the default algorithm. clp: the edge-by-edge linear program, in builds with CLP."},
	}
}

func (s *Settings) checkOptions() []options.Option {
	return []options.Option{
		{Name: "build", Kind: options.Switch, Group: options.GroupModel,
			Commands: []string{"check"}, To: &s.Check.Build,
			Help:   "compile each kernel",
			Common: []string{"check"}},
		{Name: "signals", Kind: options.Switch, Group: options.GroupModel,
			Commands: []string{"check"}, To: &s.Check.Signals,
			Help:   "list state machines and streams of FPGA kernels",
			Common: []string{"check"}},
	}
}

func (s *Settings) initOptions() []options.Option {
	return []options.Option{
		{Name: "fpga", Kind: options.Switch, Group: options.GroupModel,
			Commands: []string{"init"}, To: &s.Init.FPGA,
			Help:   "add a Verilog kernel and an architecture with an FPGA",
			Common: []string{"init"}},
	}
}
