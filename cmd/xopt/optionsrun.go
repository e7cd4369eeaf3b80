package main

import (
	"xopt/cmd/internal/campaign/hosts"

	"xopt/cmd/internal/options"
)

// maxMappings is how many mappings a validation runs at the most.
const maxMappings = 1000

// validateOptions are those of validate.
func (s *settings) validateOptions() []options.Option {
	in := []string{"validate"}
	return []options.Option{
		{Name: "best", Kind: options.Number, Default: "3", Group: options.GroupRun,
			Check:    options.Between(0, maxMappings),
			Commands: in, To: &s.validate.best,
			Help: "number of the best mappings to run"},
		{Name: "random", Kind: options.Number, Default: "6", Group: options.GroupRun,
			Check:    options.Between(0, maxMappings),
			Commands: in, To: &s.validate.random,
			Help: "number of random mappings to run"},
		{Name: "runs", Kind: options.Number, Default: "3", Group: options.GroupRun, Check: options.AtLeast(1),
			Commands: in, To: &s.validate.runs,
			Help: "number of runs of each mapping, which alternate; three times as many where they do not agree"},
		{Name: "window", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(minWindow),
			Commands: in, To: &s.validate.window,
			Help: "length of each run; 0 for 500ms, for 20ms of virtual time where mappings use an FPGA, and for " +
				"100ms with --from profile"},
		{Name: "elements", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &s.Elements,
			Help: "number of elements that sources send in each run, which then ends by itself unless --window ends " +
				"it: their config elements (default: as many as fit into the window)"},
		{Name: "search-time", Kind: options.Duration, Default: "5s", Group: options.GroupSearch,
			Check:    options.Positive,
			Commands: in, To: &s.validate.search,
			Help: "search for the best mappings this long"},
		{Name: "seed", Kind: options.Count, Default: "1", Group: options.GroupSearch,
			Commands: in, To: &s.Seed,
			Help: "seed of the search and of the random mappings"},
		{Name: "refine", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.validate.refine,
			Help: "learn from the runs as calibrate --refine does, and write the refined profile to this file"},
	}
}

// calibrateOptions are those of calibrate.
func (s *settings) calibrateOptions() []options.Option {
	in := []string{"calibrate"}
	return []options.Option{
		{Name: "input", Kind: options.Files, Group: options.GroupRun,
			Commands: in, To: &s.calibrate.inputs,
			Help: "file that sources read in the recorded run: their config input; several give a profile for " +
				"each"},
		{Name: "elements", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &s.Elements,
			Help: "number of elements that sources send in the recorded run: their config elements (default: what " +
				"the X files say)"},
		{Name: "sink", Kind: options.File, Group: options.GroupRun,
			Commands: in, To: &s.Sink,
			Help: "file that sinks write to in every run: their config output; it is removed at the end (default: " +
				"where their configs say)"},
		{Name: "record", Kind: options.Duration, Default: "2s", Group: options.GroupRun, Check: options.Positive,
			Commands: in, To: &s.calibrate.record,
			Help: "how long the recorded run may take"},
		{Name: "guard", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &s.Guard,
			Help: "guard the recorded run as deploy --guard does: a kernel that writes past its elements is named " +
				"before anything is measured"},
		{Name: "all", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &s.calibrate.all,
			Help: "also measure kernels that have not changed"},
		{Name: "kernels-only", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &s.calibrate.kernelsOnly,
			Help: "do not measure the memory that cores share, nor how kernels share a core"},
		{Name: "refine", Kind: options.Files, Group: options.GroupMeasure, Traits: options.PerCommand,
			Commands: in, To: &s.calibrate.refine,
			Help: "measure nothing: refine the figures of the profile by what kernels took in place in this " +
				"result of validate or deploy, and show what that is worth"},
		{Name: "trace", Kind: options.File, Group: options.GroupMeasure, Traits: options.PerCommand,
			Commands: in, To: &s.calibrate.trace,
			Help: "measure nothing: take the figures of kernels from this trace, recorded elsewhere (.csv, .vcd, " +
				".xtrace, a folder of .ts files), and add them to the profile"},
		{Name: "rules", Kind: options.File, Group: options.GroupMeasure,
			Commands: in, To: &s.calibrate.rules,
			Help: "rules (.smx) that say which events of --trace belong together (default: those that the " +
				"application implies)"},
		{Name: "on", Kind: options.Text, Metavar: "NAME", Group: options.GroupMeasure,
			Commands: in, To: &s.calibrate.on,
			Help: "resource or platform that the kernels of --trace ran on (default: what the trace says)"},
		{Name: "precision", Kind: options.Real, Default: "0.01", Group: options.GroupMeasure, Check: options.Fraction,
			Commands: in, To: &s.calibrate.precision,
			Help: "how near to the median its 95 % interval must be, as a part of the median"},
		{Name: "budget", Kind: options.Duration, Default: "0s", Group: options.GroupMeasure,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &s.calibrate.budget,
			Help: "time for all of it, building included; what does not fit is left out and named; 0 for 3s of " +
				"windows for each kernel"},
		{Name: "check", Kind: options.File, Group: options.GroupMeasure,
			Commands: in, To: &s.calibrate.check,
			Help: "measure some kernels again, and say whether the profile in this file still holds"},
		{Name: "against", Kind: options.File, Group: options.GroupMeasure,
			Commands: in, To: &s.calibrate.against,
			Help: "compare with the profile in this file: which figures agree within their intervals"},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.calibrate.output,
			Help: "write the profile to this file (default: the name of the first file with " + profileSuffix +
				")"},
	}
}

// hostOptions are those of runs over hosts.
func (s *settings) hostOptions() []options.Option {
	return []options.Option{
		{Name: "launch", Kind: options.Text, Metavar: "COMMAND", Group: options.GroupRun, Traits: options.NotInProject,
			Commands: []string{"deploy", "validate", "calibrate"}, To: &s.launch,
			Help: "how something is started on a host that the architecture names: {host} stands for it, {command} " +
				"for the command, quoted for a shell (default: as it is for localhost, else " + hosts.Usual + ")"},
	}
}
