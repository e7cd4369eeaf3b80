package main

import "xopt/cmd/internal/campaign/hosts"

// maxMappings is how many mappings a validation runs at the most.
const maxMappings = 1000

// validateOptions are those of validate.
func (s *settings) validateOptions() []option {
	in := []string{"validate"}
	return []option{
		{name: "best", kind: kindNumber, usual: "3", group: groupRun, check: between(0, maxMappings),
			in: in, to: &s.validate.best,
			help: "number of the best mappings to run"},
		{name: "random", kind: kindNumber, usual: "6", group: groupRun, check: between(0, maxMappings),
			in: in, to: &s.validate.random,
			help: "number of random mappings to run"},
		{name: "runs", kind: kindNumber, usual: "3", group: groupRun, check: atLeastValue(1),
			in: in, to: &s.validate.runs,
			help: "number of runs of each mapping, which alternate; three times as many where they do not agree"},
		{name: "window", kind: kindDuration, usual: "0s", group: groupRun, check: timeOrNone(minWindow),
			in: in, to: &s.validate.window,
			help: "length of each run; 0 for 500ms, for 20ms of virtual time where mappings use an FPGA, and for " +
				"100ms with --from profile"},
		{name: "elements", kind: kindCount, usual: "0", group: groupRun,
			in: in, to: &s.Elements,
			help: "number of elements that sources send in each run, which then ends by itself unless --window ends " +
				"it: their config elements (default: as many as fit into the window)"},
		{name: "search-time", kind: kindDuration, usual: "5s", group: groupSearch, check: aboveZero,
			in: in, to: &s.validate.search,
			help: "search for the best mappings this long"},
		{name: "seed", kind: kindCount, usual: "1", group: groupSearch,
			in: in, to: &s.Seed,
			help: "seed of the search and of the random mappings"},
		{name: "refine", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: in, to: &s.validate.refine,
			help: "learn from the runs as calibrate --refine does, and write the refined profile to this file"},
	}
}

// calibrateOptions are those of calibrate.
func (s *settings) calibrateOptions() []option {
	in := []string{"calibrate"}
	return []option{
		{name: "input", kind: kindFiles, group: groupRun,
			in: in, to: &s.calibrate.inputs,
			help: "file that sources read in the recorded run: their config input; several give a profile for " +
				"each"},
		{name: "elements", kind: kindCount, usual: "0", group: groupRun,
			in: in, to: &s.Elements,
			help: "number of elements that sources send in the recorded run: their config elements (default: what " +
				"the X files say)"},
		{name: "sink", kind: kindFile, group: groupRun,
			in: in, to: &s.Sink,
			help: "file that sinks write to in every run: their config output; it is removed at the end (default: " +
				"where their configs say)"},
		{name: "record", kind: kindDuration, usual: "2s", group: groupRun, check: aboveZero,
			in: in, to: &s.calibrate.record,
			help: "how long the recorded run may take"},
		{name: "guard", kind: kindSwitch, group: groupRun,
			in: in, to: &s.Guard,
			help: "guard the recorded run as deploy --guard does: a kernel that writes past its elements is named " +
				"before anything is measured"},
		{name: "all", kind: kindSwitch, group: groupMeasure,
			in: in, to: &s.calibrate.all,
			help: "also measure kernels that have not changed"},
		{name: "kernels-only", kind: kindSwitch, group: groupMeasure,
			in: in, to: &s.calibrate.kernelsOnly,
			help: "do not measure the memory that cores share, nor how kernels share a core"},
		{name: "refine", kind: kindFiles, group: groupMeasure, perhaps: ofCommand,
			in: in, to: &s.calibrate.refine,
			help: "measure nothing: refine the figures of the profile by what kernels took in place in this " +
				"result of validate or deploy, and show what that is worth"},
		{name: "trace", kind: kindFile, group: groupMeasure, perhaps: ofCommand,
			in: in, to: &s.calibrate.trace,
			help: "measure nothing: take the figures of kernels from this trace, recorded elsewhere (.csv, .vcd, " +
				".xtrace, a folder of .ts files), and add them to the profile"},
		{name: "rules", kind: kindFile, group: groupMeasure,
			in: in, to: &s.calibrate.rules,
			help: "rules (.smx) that say which events of --trace belong together (default: those that the " +
				"application implies)"},
		{name: "on", kind: kindText, word: "NAME", group: groupMeasure,
			in: in, to: &s.calibrate.on,
			help: "resource or platform that the kernels of --trace ran on (default: what the trace says)"},
		{name: "precision", kind: kindReal, usual: "0.01", group: groupMeasure, check: fraction,
			in: in, to: &s.calibrate.precision,
			help: "how near to the median its 95 % interval must be, as a part of the median"},
		{name: "budget", kind: kindDuration, usual: "0s", group: groupMeasure, check: timeOrNone(0),
			in: in, to: &s.calibrate.budget,
			help: "time for all of it, building included; what does not fit is left out and named; 0 for 3s of " +
				"windows for each kernel"},
		{name: "check", kind: kindFile, group: groupMeasure,
			in: in, to: &s.calibrate.check,
			help: "measure some kernels again, and say whether the profile in this file still holds"},
		{name: "against", kind: kindFile, group: groupMeasure,
			in: in, to: &s.calibrate.against,
			help: "compare with the profile in this file: which figures agree within their intervals"},
		{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: in, to: &s.calibrate.output,
			help: "write the profile to this file (default: the name of the first file with " + profileSuffix +
				")"},
	}
}

// hostOptions are those of runs over hosts.
func (s *settings) hostOptions() []option {
	return []option{
		{name: "launch", kind: kindText, word: "COMMAND", group: groupRun, perhaps: notInProject,
			in: []string{"deploy", "validate", "calibrate"}, to: &s.launch,
			help: "how something is started on a host that the architecture names: {host} stands for it, {command} " +
				"for the command, quoted for a shell (default: as it is for localhost, else " + hosts.Usual + ")"},
	}
}
