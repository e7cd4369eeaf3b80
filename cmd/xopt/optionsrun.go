package main

import (
	"slices"
	"time"

	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
)

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

// maxLogged is how many firings of a kernel --log keeps at the most.
const maxLogged = 1 << 20

// processOptions say how kernels become processes.
func (s *settings) processOptions(in []string) []option {
	return append(s.hostOptions(), []option{
		{name: "style", kind: kindText, word: "STYLE", values: []string{string(program.PerCore),
			string(program.PerKernel)}, group: groupRun,
			in: in, to: &s.deploy.style,
			help: "core or kernel: a process for each core or for each kernel, whatever the X files say"},
		{name: "wait", kind: kindText, word: "HOW", values: []string{string(program.WaitAuto),
			string(program.WaitBlock),
			string(program.WaitSpinBlock), string(program.WaitSpin), string(program.WaitYield)}, group: groupRun,
			in: in, to: &s.deploy.wait,
			help: "how processes wait, whatever the X files say: auto, block, spin-block, spin, yield"},
		{name: "scheduler", kind: kindText, word: "POLICY", values: []string{string(program.SchedulerOther),
			string(program.SchedulerBatch), string(program.SchedulerRR)}, group: groupRun,
			in: in, to: &s.deploy.scheduler,
			help: "policy by which Linux schedules processes, whatever the X files say: other, batch, rr"},
		{name: "schedule", kind: kindText, word: "ORDER", values: program.Schedules(), group: groupRun,
			in: in, to: &s.deploy.schedule,
			help: "order in which the kernels of a process take turns, whatever the X files say: auto, fused, sinks"},
		{name: "batch", kind: kindText, word: "SIZE", group: groupRun,
			in: in, to: &s.deploy.batch,
			help: "bytes that pass through fused kernels before the next, such as 16KiB, whatever the X files say " +
				"(default: half of the first cache)"},
		{name: "cpus", kind: kindNumber, usual: "0", group: groupRun, check: atLeastValue(0),
			in: in, to: &s.deploy.cpus,
			help: "number of this machine's processors to use; 0 for all"},
	}...)
}

// deployOptions are those of deploy, some with validate.
func (s *settings) deployOptions() []option {
	in := []string{"deploy"}
	others := slices.Concat(s.bufferOptions(in), s.simulateOptions(in), s.processOptions(in), s.copiesOptions(in))
	return slices.Concat(s.deployMeasureOptions(in), others, []option{
		{name: "input", kind: kindFile, group: groupRun,
			in: []string{"deploy", "validate"}, to: &s.Input,
			help: "file that sources read: their config input"},
		{name: "sink", kind: kindFile, group: groupRun,
			in: in, to: &s.Sink,
			help: "file that sinks write: their config output"},
		{name: "elements", kind: kindCount, usual: "0", group: groupRun,
			in: in, to: &s.Elements,
			help: "number of elements that sources send: their config elements (default: what the X files " +
				"say)"},
		{name: "time", kind: kindDuration, usual: "0s", group: groupRun, perhaps: ofCommand, check: timeOrNone(0),
			in: in, to: &s.deploy.time,
			help: "end the run after this time; 0 for no limit"},
		{name: "stall", kind: kindDuration, usual: "10s", group: groupRun, check: timeOrNone(0),
			in: in, to: &s.deploy.stall,
			help: "end the run when nothing has moved for this time"},
		{name: "guard", kind: kindSwitch, group: groupRun,
			in: in, to: &s.Guard,
			help: "find every write beyond the elements that a kernel has asked space for, and compile kernels with " +
				"the compiler's sanitizers: slower; for kernels that you do not trust yet"},
		{name: "keep", kind: kindFolder, group: groupOutput,
			in: in, to: &s.deploy.keep,
			help: "build in this folder and keep it, with a Makefile"},
		{name: "board", kind: kindFolder, group: groupRun,
			in: in, to: &s.deploy.board,
			help: "run the kernels on the FPGA on the board of this project, which --export wrote, and the others " +
				"here, in real time"},
		{name: "board-at", kind: kindText, word: "WHERE", group: groupRun, perhaps: notInProject,
			in: in, to: &s.deploy.boardAt,
			help: "how that board is reached: map:PATH, device:PATH, serial:PATH or model:PATH (default: the " +
				"project's model, which make build/lite.so makes)"},
		{name: "export", kind: kindFolder, group: groupOutput,
			in: in, to: &s.deploy.export,
			help: "write a project for a real board to this folder, which must not be there: the kernels on the FPGA " +
				"in shells, scripts for the tools, the program for the host, and what crossed the FPGA's border in " +
				"this run"},
		{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: in, to: &s.deploy.out,
			help: "write the result to this file (NAME.result.json)"},
	})
}

// deployMeasureOptions say what a run measures.
func (s *settings) deployMeasureOptions(in []string) []option {
	return []option{
		{name: "measure", kind: kindTexts, word: "STATEMENTS", group: groupMeasure,
			in: in, to: &s.deploy.measure,
			help: "statements of the TimeTrial language, or a file of them; only what they need is then built in, " +
				"unless --taps is all"},
		{name: "strict", kind: kindSwitch, group: groupMeasure,
			in: in, to: &s.deploy.strict,
			help: "exit with 1 when an assertion fails"},
		{name: "frame", kind: kindText, word: "LENGTH", group: groupMeasure, check: frameLength,
			in: in, to: &s.deploy.frame,
			help: "measure in frames of this length: a time (100ms), or, for statements, a number of elements " +
				"(1000) (default: one frame, or 100ms with statements that need frames)"},
		{name: "every", kind: kindCount, usual: "0", group: groupMeasure,
			in: in, to: &s.deploy.every,
			help: "taps take one element in this number; 1 for all; 0 for one in about 300 us, which costs nearly " +
				"nothing"},
		{name: "taps", kind: kindText, word: "WHICH", values: []string{tapsAll, tapsNone}, group: groupMeasure,
			in: in, to: &s.deploy.taps,
			help: "which taps are built in: all (occupancy, latency, service time) or none"},
		{name: "exact", kind: kindSwitch, group: groupMeasure,
			in: in, to: &s.deploy.exact,
			help: "publish every element by itself, not in batches: slower, but occupancies are exact"},
		{name: "trace", kind: kindFile, group: groupMeasure, perhaps: ofCommand,
			in: in, to: &s.deploy.trace,
			help: "record when every element is sent, arrives and is taken, and every testpoint passed, in this " +
				"file, in the format of its ending (.xtrace, .csv, .vcd, .pftrace); in virtual time none is lost"},
		{name: "trace-most", kind: kindCount, usual: "0", group: groupMeasure,
			in: in, to: &s.deploy.traceMost,
			help: "number of events that --trace keeps of each edge and testpoint at the most; 0 for all"},
		{name: "trace-data", kind: kindSize, group: groupMeasure,
			in: in, to: &s.deploy.traceData,
			help: "keep in the trace the elements themselves, too: of each edge the first, up to this size, such as " +
				"1MiB (for the .dat files of xopt trace)"},
		{name: "log", kind: kindNumber, usual: "0", group: groupMeasure, check: between(0, maxLogged),
			in: in, to: &s.deploy.log,
			help: "record every firing and element, which slows the run, and keep the first of each kernel and " +
				"edge, this number, for the timeline of xopt report --trace"},
	}
}

// What --taps says.
const (
	tapsAll  = "all"
	tapsNone = "none"
)

// frameLength checks --frame as far as it can be without the other options.
func frameLength(now any) error {
	text := now.(string)
	if _, err := elementsOfFrame(text); err == nil {
		return nil
	}
	if length, err := time.ParseDuration(text); err != nil || length < deployrun.MinFrame {
		return wants("a time of at least %v, such as 100ms, or a number of elements", deployrun.MinFrame)
	}
	return nil
}
