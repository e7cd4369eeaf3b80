package main

import (
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/internal/units"
)

// maxLogged is how many firings of a kernel --log keeps at the most.
const maxLogged = 1 << 20

// processOptions say how kernels become processes.
func (f *deployCommand) processOptions(in []string) []option {
	return append(f.settings.hostOptions(), []option{
		{name: "style", kind: kindText, word: "STYLE", values: []string{string(program.PerCore),
			string(program.PerKernel)}, group: groupRun,
			in: in, to: &f.style,
			help: "core or kernel: a process for each core or for each kernel, whatever the X files say"},
		{name: "wait", kind: kindText, word: "HOW", values: []string{string(program.WaitAuto),
			string(program.WaitBlock),
			string(program.WaitSpinBlock), string(program.WaitSpin), string(program.WaitYield)}, group: groupRun,
			in: in, to: &f.wait,
			help: "how processes wait, whatever the X files say: auto, block, spin-block, spin, yield"},
		{name: "scheduler", kind: kindText, word: "POLICY", values: []string{string(program.SchedulerOther),
			string(program.SchedulerBatch), string(program.SchedulerRR)}, group: groupRun,
			in: in, to: &f.scheduler,
			help: "policy by which Linux schedules processes, whatever the X files say: other, batch, rr"},
		{name: "schedule", kind: kindText, word: "ORDER", values: program.Schedules(), group: groupRun,
			in: in, to: &f.schedule,
			help: "order in which the kernels of a process take turns, whatever the X files say: auto, fused, sinks"},
		{name: "batch", kind: kindText, word: "SIZE", group: groupRun,
			in: in, to: &f.batch,
			help: "bytes that pass through fused kernels before the next, such as 16KiB, whatever the X files say " +
				"(default: half of the first cache)"},
		{name: "cpus", kind: kindNumber, usual: "0", group: groupRun, check: atLeastValue(0),
			in: in, to: &f.cpus,
			help: "number of this machine's processors to use; 0 for all"},
	}...)
}

// options are those of deploy, some with validate.
func (f *deployCommand) options() []option {
	in := []string{"deploy"}
	others := slices.Concat(f.bufferOptions(in), f.simulateOptions(in), f.processOptions(in), f.copiesOptions(in))
	return slices.Concat(f.deployMeasureOptions(in), others, []option{
		{name: "input", kind: kindFile, group: groupRun,
			in: []string{"deploy", "validate"}, to: &f.settings.Input,
			help: "file that sources read: their config input"},
		{name: "sink", kind: kindFile, group: groupRun,
			in: in, to: &f.settings.Sink,
			help: "file that sinks write: their config output"},
		{name: "elements", kind: kindCount, usual: "0", group: groupRun,
			in: in, to: &f.settings.Elements,
			help: "number of elements that sources send: their config elements (default: what the X files " +
				"say)"},
		{name: "time", kind: kindDuration, usual: "0s", group: groupRun, perhaps: ofCommand, check: timeOrNone(0),
			in: in, to: &f.time,
			help: "end the run after this time; 0 for no limit"},
		{name: "stall", kind: kindDuration, usual: "10s", group: groupRun, check: timeOrNone(0),
			in: in, to: &f.stall,
			help: "end the run when nothing has moved for this time"},
		{name: "guard", kind: kindSwitch, group: groupRun,
			in: in, to: &f.settings.Guard,
			help: "find every write beyond the elements that a kernel has asked space for, and compile kernels with " +
				"the compiler's sanitizers: slower; for kernels that you do not trust yet"},
		{name: "keep", kind: kindFolder, group: groupOutput,
			in: in, to: &f.keep,
			help: "build in this folder and keep it, with a Makefile"},
		{name: "board", kind: kindFolder, group: groupRun,
			in: in, to: &f.board,
			help: "run the kernels on the FPGA on the board of this project, which --export wrote, and the others " +
				"here, in real time"},
		{name: "board-at", kind: kindText, word: "WHERE", group: groupRun, perhaps: notInProject,
			in: in, to: &f.boardAt,
			help: "how that board is reached: map:PATH, device:PATH, serial:PATH or model:PATH (default: the " +
				"project's model, which make build/lite.so makes)"},
		{name: "export", kind: kindFolder, group: groupOutput,
			in: in, to: &f.export,
			help: "write a project for a real board to this folder, which must not be there: the kernels on the FPGA " +
				"in shells, scripts for the tools, the program for the host, and what crossed the FPGA's border in " +
				"this run"},
		{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: in, to: &f.out,
			help: "write the result to this file (NAME.result.json)"},
	})
}

// deployMeasureOptions say what a run measures.
func (f *deployCommand) deployMeasureOptions(in []string) []option {
	return []option{
		{name: "measure", kind: kindTexts, word: "STATEMENTS", group: groupMeasure,
			in: in, to: &f.measure,
			help: "statements of the TimeTrial language, or a file of them; only what they need is then built in, " +
				"unless --taps is all"},
		{name: "strict", kind: kindSwitch, group: groupMeasure,
			in: in, to: &f.strict,
			help: "exit with 1 when an assertion fails"},
		{name: "frame", kind: kindText, word: "LENGTH", group: groupMeasure, check: frameLength,
			in: in, to: &f.frame,
			help: "measure in frames of this length: a time (100ms), or, for statements, a number of elements " +
				"(1000) (default: one frame, or 100ms with statements that need frames)"},
		{name: "every", kind: kindCount, usual: "0", group: groupMeasure,
			in: in, to: &f.every,
			help: "taps take one element in this number; 1 for all; 0 for one in about 300 us, which costs nearly " +
				"nothing"},
		{name: "taps", kind: kindText, word: "WHICH", values: []string{tapsAll, tapsNone}, group: groupMeasure,
			in: in, to: &f.taps,
			help: "which taps are built in: all (occupancy, latency, service time) or none"},
		{name: "exact", kind: kindSwitch, group: groupMeasure,
			in: in, to: &f.exact,
			help: "publish every element by itself, not in batches: slower, but occupancies are exact"},
		{name: "trace", kind: kindFile, group: groupMeasure, perhaps: ofCommand,
			in: in, to: &f.trace,
			help: "record when every element is sent, arrives and is taken, and every testpoint passed, in this " +
				"file, in the format of its ending (.xtrace, .csv, .vcd, .pftrace); in virtual time none is lost"},
		{name: "trace-most", kind: kindCount, usual: "0", group: groupMeasure,
			in: in, to: &f.traceMost,
			help: "number of events that --trace keeps of each edge and testpoint at the most; 0 for all"},
		{name: "trace-data", kind: kindSize, group: groupMeasure,
			in: in, to: &f.traceData,
			help: "keep in the trace the elements themselves, too: of each edge the first, up to this size, such as " +
				"1MiB (for the .dat files of xopt trace)"},
		{name: "log", kind: kindNumber, usual: "0", group: groupMeasure, check: between(0, maxLogged),
			in: in, to: &f.log,
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

// The origins of service times in virtual time.
const (
	fromMeasured = "measured"
	fromProfile  = "profile"
	fromReplay   = "replay:" // and a file
	fromBoard    = "board:"  // and a folder
)

// How edges cross links in virtual time.
const (
	edgesShare = "share"
	edgesAlone = "alone"
)

// fromWhere checks --from of deploy.
func fromWhere(now any) error {
	switch from := now.(string); {
	case from == fromMeasured || from == fromProfile:
	case strings.HasPrefix(from, fromReplay) && len(from) > len(fromReplay):
	case strings.HasPrefix(from, fromBoard) && len(from) > len(fromBoard):
	default:
		return wants("%s, %s, %sFILE, or %sDIR", fromMeasured, fromProfile, fromReplay, fromBoard)
	}
	return nil
}

// simulateOptions are those of runs in virtual time.
func (f *deployCommand) simulateOptions(in []string) []option {
	return []option{
		{name: "simulate", kind: kindSwitch, group: groupRun,
			in: in, to: &f.simulate,
			help: "run in virtual time, as a mapping with an FPGA does"},
		{name: "from", kind: kindText, word: "ORIGIN", usual: fromMeasured, group: groupRun, check: fromWhere,
			in: in, to: &f.settings.From,
			help: "origin of the service times of kernels on cores in virtual time: measured as they run; drawn from " +
				"the profile; or replay:FILE, those of another run in their order: a trace of deploy --trace, a " +
				"result of deploy --log, or the " +
				"rules (.smx) beside the times that xopt xeval wrote; board:DIR runs nothing, and reads what a board " +
				"has sent to the host of a project that deploy --export wrote"},
		{name: "from", kind: kindText, word: "ORIGIN", values: []string{fromMeasured, fromProfile},
			usual: fromMeasured, group: groupRun,
			in: []string{"validate"}, to: &f.settings.From,
			help: "origin of the service times of kernels on cores in virtual time: measured as they run, or drawn " +
				"from the profile (validate then runs each mapping once)"},
		{name: "edges", kind: kindText, word: "HOW", values: []string{edgesShare, edgesAlone}, usual: edgesShare,
			group: groupRun,
			in:    in, to: &f.edges,
			help: "how edges cross links in virtual time: share them, one transfer at a time, or alone, each with " +
				"the " +
				"part of the bandwidth that its bytes are of all, as X-Sim has it"},
		{name: "seed", kind: kindCount, usual: "1", group: groupRun,
			in: in, to: &f.settings.Seed,
			help: "seed of the service times that --from profile draws"},
		{name: "monitor-area", kind: kindText, word: "PERCENT", group: groupRun, check: percentage,
			in: in, to: &f.monitorArea,
			help: "put monitors of all state machines and ports of kernels into the hardware of each FPGA, as far as " +
				"they fit into this part of it, such as 5% (default: none, as the simulation sees the same)"},
		{name: "monitors", kind: kindText, word: "LIST", group: groupRun,
			in: in, to: &f.monitors,
			help: "kernels, or KERNEL:REGISTER, separated by commas, whose monitors --monitor-area puts in before " +
				"others; -KERNEL or -KERNEL:REGISTER gets none (default: all as they come)"},
		{name: "quantum", kind: kindCount, usual: "0", group: groupRun,
			in: in, to: &f.quantum,
			help: "number of cycles between exchanges of data of an FPGA with the cores; 0 for 64"},
	}
}

// bufferOptions say how large the buffers of a run are.
func (f *deployCommand) bufferOptions(in []string) []option {
	return []option{
		{name: "buffers", kind: kindText, word: "WHICH", usual: buffersDefault, group: groupRun,
			in: in, to: &f.buffers,
			help: "sizes of buffers that the X files do not give: default (256 KiB each), tuned (as recommended for " +
				"the mapping), or raftlib (64 elements, doubled while their writers are blocked, as RaftLib does); " +
				"or a file with buffer { e } = n; statements, which override those of the X files"},
		{name: "max-buffer-memory", kind: kindText, word: "SIZE", group: groupRun, check: bufferMemory,
			in: in, to: &f.maxBuffers,
			help: "memory that all buffers may take: where every kernel waits, and one for space, the smallest full " +
				"buffer grows; 0: none grows (default: 1GiB, or what they take at the start, if that is more)"},
		{name: "write-map", kind: kindFile, group: groupOutput,
			in: in, to: &f.writeMap,
			help: "write the mapping to this file (X), with the sizes that were given to its buffers, and those " +
				"that buffers have grown to"},
	}
}

// bufferMemory checks --max-buffer-memory, of which 0 has a meaning.
func bufferMemory(now any) error {
	if text := now.(string); text != "" && text != "0" {
		if bytes, err := units.ParseSize(text); err != nil || bytes > maxBufferMemory {
			return wants("a size such as 64MiB, at most 1TiB, or 0")
		}
	}
	return nil
}

// copiesOptions are those of kernels that run in several copies.
func (f *deployCommand) copiesOptions(in []string) []option {
	return []option{
		{name: "unordered", kind: kindSwitch, group: groupRun,
			in: in, to: &f.unordered,
			help: "let kernels take what copies of a kernel send as it comes, not in the order in which one would " +
				"have sent it"},
		{name: "check-stateless", kind: kindSwitch, group: groupRun,
			in: in, to: &f.checkStateless,
			help: "run two copies of each kernel that is declared stateless beside a run with one, compare what they " +
				"send, and name the first difference"},
	}
}
