package main

import (
	"slices"
	"strings"
	"time"

	"xopt/cmd/internal/options"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/internal/units"
)

// maxLogged is how many firings of a kernel --log keeps at the most.
const maxLogged = 1 << 20

// processOptions say how kernels become processes.
func (f *deployCommand) processOptions(in []string) []options.Option {
	return append(f.settings.hostOptions(), []options.Option{
		{Name: "style", Kind: options.Text, Metavar: "STYLE", Values: []string{string(program.PerCore),
			string(program.PerKernel)}, Group: options.GroupRun,
			Commands: in, To: &f.style,
			Help: "core or kernel: a process for each core or for each kernel, whatever the X files say"},
		{Name: "wait", Kind: options.Text, Metavar: "HOW", Values: []string{string(program.WaitAuto),
			string(program.WaitBlock),
			string(program.WaitSpinBlock), string(program.WaitSpin), string(program.WaitYield)},
			Group:    options.GroupRun,
			Commands: in, To: &f.wait,
			Help: "how processes wait, whatever the X files say: auto, block, spin-block, spin, yield"},
		{Name: "scheduler", Kind: options.Text, Metavar: "POLICY", Values: []string{string(program.SchedulerOther),
			string(program.SchedulerBatch), string(program.SchedulerRR)}, Group: options.GroupRun,
			Commands: in, To: &f.scheduler,
			Help: "policy by which Linux schedules processes, whatever the X files say: other, batch, rr"},
		{Name: "schedule", Kind: options.Text, Metavar: "ORDER", Values: program.Schedules(), Group: options.GroupRun,
			Commands: in, To: &f.schedule,
			Help: "order in which the kernels of a process take turns, whatever the X files say: auto, fused, sinks"},
		{Name: "batch", Kind: options.Text, Metavar: "SIZE", Group: options.GroupRun,
			Commands: in, To: &f.batch,
			Help: "bytes that pass through fused kernels before the next, such as 16KiB, whatever the X files say " +
				"(default: half of the first cache)"},
		{Name: "cpus", Kind: options.Number, Default: "0", Group: options.GroupRun, Check: options.AtLeast(0),
			Commands: in, To: &f.cpus,
			Help: "number of this machine's processors to use; 0 for all"},
	}...)
}

// options are those of deploy, some with validate.
func (f *deployCommand) options() []options.Option {
	in := []string{"deploy"}
	others := slices.Concat(f.bufferOptions(in), f.simulateOptions(in), f.processOptions(in), f.copiesOptions(in))
	return slices.Concat(f.deployMeasureOptions(in), others, []options.Option{
		{Name: "input", Kind: options.File, Group: options.GroupRun,
			Commands: []string{"deploy", "validate"}, To: &f.settings.Input,
			Help: "file that sources read: their config input"},
		{Name: "sink", Kind: options.File, Group: options.GroupRun,
			Commands: in, To: &f.settings.Sink,
			Help: "file that sinks write: their config output"},
		{Name: "elements", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &f.settings.Elements,
			Help: "number of elements that sources send: their config elements (default: what the X files " +
				"say)"},
		{Name: "time", Kind: options.Duration, Default: "0s", Group: options.GroupRun, Traits: options.PerCommand,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &f.time,
			Help: "end the run after this time; 0 for no limit"},
		{Name: "stall", Kind: options.Duration, Default: "10s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &f.stall,
			Help: "end the run when nothing has moved for this time"},
		{Name: "guard", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &f.settings.Guard,
			Help: "find every write beyond the elements that a kernel has asked space for, and compile kernels with " +
				"the compiler's sanitizers: slower; for kernels that you do not trust yet"},
		{Name: "keep", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &f.keep,
			Help: "build in this folder and keep it, with a Makefile"},
		{Name: "board", Kind: options.Folder, Group: options.GroupRun,
			Commands: in, To: &f.board,
			Help: "run the kernels on the FPGA on the board of this project, which --export wrote, and the others " +
				"here, in real time"},
		{Name: "board-at", Kind: options.Text, Metavar: "WHERE", Group: options.GroupRun, Traits: options.NotInProject,
			Commands: in, To: &f.boardAt,
			Help: "how that board is reached: map:PATH, device:PATH, serial:PATH or model:PATH (default: the " +
				"project's model, which make build/lite.so makes)"},
		{Name: "export", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &f.export,
			Help: "write a project for a real board to this folder, which must not be there: the kernels on the FPGA " +
				"in shells, scripts for the tools, the program for the host, and what crossed the FPGA's border in " +
				"this run"},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &f.out,
			Help: "write the result to exactly this file, such as run.result.json"},
	})
}

// deployMeasureOptions say what a run measures.
func (f *deployCommand) deployMeasureOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "measure", Kind: options.Texts, Metavar: "STATEMENTS", Group: options.GroupMeasure,
			Commands: in, To: &f.measure,
			Help: "statements of the TimeTrial language, or a file of them; only what they need is then built in, " +
				"unless --taps is all"},
		{Name: "strict", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &f.strict,
			Help: "exit with 1 when an assertion fails"},
		{Name: "frame", Kind: options.Text, Metavar: "LENGTH", Group: options.GroupMeasure, Check: frameLength,
			Commands: in, To: &f.frame,
			Help: "measure in frames of this length: a time (100ms), or, for statements, a number of elements " +
				"(1000) (default: one frame, or 100ms with statements that need frames)"},
		{Name: "every", Kind: options.Count, Default: "0", Group: options.GroupMeasure,
			Commands: in, To: &f.every,
			Help: "taps take one element in this number; 1 for all; 0 for one in about 300 us, which costs nearly " +
				"nothing"},
		{Name: "taps", Kind: options.Text, Metavar: "WHICH", Values: []string{tapsAll, tapsNone},
			Group:    options.GroupMeasure,
			Commands: in, To: &f.taps,
			Help: "which taps are built in: all (occupancy, latency, service time) or none"},
		{Name: "exact", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &f.exact,
			Help: "publish every element by itself, not in batches: slower, but occupancies are exact"},
		{Name: "trace", Kind: options.File, Group: options.GroupMeasure, Traits: options.PerCommand,
			Commands: in, To: &f.trace,
			Help: "record when every element is sent, arrives and is taken, and every testpoint passed, in this " +
				"file, in the format of its ending (.xtrace, .csv, .vcd, .pftrace); in virtual time none is lost"},
		{Name: "trace-most", Kind: options.Count, Default: "0", Group: options.GroupMeasure,
			Commands: in, To: &f.traceMost,
			Help: "maximum number of events that --trace keeps of each edge and testpoint; 0 for no maximum"},
		{Name: "trace-data", Kind: options.Size, Group: options.GroupMeasure,
			Commands: in, To: &f.traceData,
			Help: "keep in the trace the elements themselves, too: of each edge the first, up to this size, such as " +
				"1MiB (for the .dat files of xopt trace)"},
		{Name: "log", Kind: options.Number, Default: "0", Group: options.GroupMeasure,
			Check:    options.Between(0, maxLogged),
			Commands: in, To: &f.log,
			Help: "record every firing and element, which slows the run, and keep the first of each kernel and " +
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
		return options.Wants("a time of at least %v, such as 100ms, or a number of elements", deployrun.MinFrame)
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
		return options.Wants("%s, %s, %sFILE, or %sDIR", fromMeasured, fromProfile, fromReplay, fromBoard)
	}
	return nil
}

// simulateOptions are those of runs in virtual time.
func (f *deployCommand) simulateOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "simulate", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &f.simulate,
			Help: "run in virtual time, as a mapping with an FPGA does"},
		{Name: "from", Kind: options.Text, Metavar: "ORIGIN", Default: fromMeasured, Group: options.GroupRun,
			Check:    fromWhere,
			Commands: in, To: &f.settings.From,
			Help: "origin of the service times of kernels on cores in virtual time: measured as they run; drawn from " +
				"the profile; or replay:FILE, those of another run in their order: a trace of deploy --trace, a " +
				"result of deploy --log, or the " +
				"rules (.smx) beside the times that xopt xeval wrote; board:DIR runs nothing, and reads what a board " +
				"has sent to the host of a project that deploy --export wrote"},
		{Name: "from", Kind: options.Text, Metavar: "ORIGIN", Values: []string{fromMeasured, fromProfile},
			Default: fromMeasured, Group: options.GroupRun,
			Commands: []string{"validate"}, To: &f.settings.From,
			Help: "origin of the service times of kernels on cores in virtual time: measured as they run, or drawn " +
				"from the profile (validate then runs each mapping once)"},
		{Name: "edges", Kind: options.Text, Metavar: "HOW", Values: []string{edgesShare, edgesAlone},
			Default:  edgesShare,
			Group:    options.GroupRun,
			Commands: in, To: &f.edges,
			Help: "how edges cross links in virtual time: share them, one transfer at a time, or alone, each with " +
				"the " +
				"part of the bandwidth that its bytes are of all, as X-Sim has it"},
		{Name: "seed", Kind: options.Count, Default: "1", Group: options.GroupRun,
			Commands: in, To: &f.settings.Seed,
			Help: "seed of the service times that --from profile draws"},
		{Name: "monitor-area", Kind: options.Text, Metavar: "PERCENT", Group: options.GroupRun, Check: percentage,
			Commands: in, To: &f.monitorArea,
			Help: "put monitors of all state machines and ports of kernels into the hardware of each FPGA, as far as " +
				"they fit into this part of it, such as 5% (default: none, as the simulation sees the same)"},
		{Name: "monitors", Kind: options.Text, Metavar: "LIST", Group: options.GroupRun,
			Commands: in, To: &f.monitors,
			Help: "kernels, or KERNEL:REGISTER, separated by commas, whose monitors --monitor-area puts in before " +
				"others; -KERNEL or -KERNEL:REGISTER gets none (default: all as they come)"},
		{Name: "quantum", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &f.quantum,
			Help: "number of cycles between exchanges of data of an FPGA with the cores; 0 for 64"},
	}
}

// bufferOptions say how large the buffers of a run are.
func (f *deployCommand) bufferOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "buffers", Kind: options.Text, Metavar: "WHICH", Default: buffersDefault, Group: options.GroupRun,
			Suggested: []string{buffersDefault, buffersTuned, buffersRaftLib},
			Commands:  in, To: &f.buffers,
			Help: "sizes of buffers that the X files do not give: default (256 KiB each), tuned (as recommended for " +
				"the mapping), or raftlib (64 elements, doubled while their writers are blocked, as RaftLib does); " +
				"or a file with buffer { e } = n; statements, which override those of the X files"},
		{Name: "max-buffer-memory", Kind: options.Text, Metavar: "SIZE", Group: options.GroupRun, Check: bufferMemory,
			Commands: in, To: &f.maxBuffers,
			Help: "memory that all buffers may take: where every kernel waits, and one for space, the smallest full " +
				"buffer grows; 0: none grows (default: 1GiB, or what they take at the start, if that is more)"},
		{Name: "write-map", Kind: options.File, Group: options.GroupOutput,
			Commands: in, To: &f.writeMap,
			Help: "write the mapping to this file (X), with the sizes that were given to its buffers, and those " +
				"that buffers have grown to"},
	}
}

// bufferMemory checks --max-buffer-memory, of which 0 has a meaning.
func bufferMemory(now any) error {
	if text := now.(string); text != "" && text != "0" {
		if bytes, err := units.ParseSize(text); err != nil || bytes > maxBufferMemory {
			return options.Wants("a size such as 64MiB, at most 1TiB, or 0")
		}
	}
	return nil
}

// copiesOptions are those of kernels that run in several copies.
func (f *deployCommand) copiesOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "unordered", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &f.unordered,
			Help: "let kernels take what copies of a kernel send as it comes, not in the order in which one would " +
				"have sent it"},
		{Name: "check-stateless", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &f.checkStateless,
			Help: "run two copies of each kernel that is declared stateless beside a run with one, compare what they " +
				"send, and name the first difference"},
	}
}
