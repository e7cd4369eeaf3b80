package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/cmd/internal/options"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// maxLogged is the maximum number of firings per kernel that --log stores.
const maxLogged = 1 << 20

// processOptions returns the options that assign kernels to processes.
func (s *Settings) processOptions(in []string) []options.Option {
	return append(s.hostOptions(), []options.Option{
		{Name: "style", Kind: options.Text, Metavar: "STYLE", Values: []string{string(program.PerCore),
			string(program.PerKernel)}, Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Style,
			Help:    "one process for each core or for each kernel",
			Details: "Overrides the X files."},
		{Name: "wait", Kind: options.Text, Metavar: "HOW", Values: []string{string(program.WaitAuto),
			string(program.WaitBlock),
			string(program.WaitSpinBlock), string(program.WaitSpin), string(program.WaitYield)},
			Group:    options.GroupRun,
			Commands: in, To: &s.Deploy.Wait,
			Help:    "wait method of processes",
			Details: "Overrides the X files."},
		{Name: "scheduler", Kind: options.Text, Metavar: "POLICY", Values: []string{string(program.SchedulerOther),
			string(program.SchedulerBatch), string(program.SchedulerRR)}, Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Scheduler,
			Help:    "Linux scheduling policy of processes",
			Details: "Overrides the X files."},
		{Name: "schedule", Kind: options.Text, Metavar: "ORDER", Values: program.Schedules(), Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Schedule,
			Help:    "execution order of the kernels in a process",
			Details: "Overrides the X files."},
		{Name: "batch", Kind: options.Text, Metavar: "SIZE", Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Batch,
			Help:    "bytes that fused kernels process at a time, such as 16KiB",
			Details: "Overrides the X files. Default: half the first-level cache."},
		{Name: "cpus", Kind: options.Number, Default: "0", Group: options.GroupRun, Check: options.AtLeast(0),
			Commands: in, To: &s.Deploy.CPUs,
			Help: "number of processors to use; 0: all"},
	}...)
}

// deployOptions returns the options of deploy. validate has some of these options, too.
func (s *Settings) deployOptions() []options.Option {
	in := []string{"deploy"}
	others := slices.Concat(s.bufferOptions(in), s.simulateOptions(in), s.processOptions(in), s.copiesOptions(in))
	return slices.Concat(s.deployMeasureOptions(in), others, []options.Option{
		{Name: "input", Kind: options.File, Group: options.GroupRun,
			Commands: []string{"deploy", "validate"}, To: &s.Input,
			Help:   "input file of sources (config input)",
			Common: []string{"deploy", "validate"}},
		{Name: "sink", Kind: options.File, Group: options.GroupRun,
			Commands: in, To: &s.Sink,
			Help: "output file of sinks (config output)"},
		{Name: "elements", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &s.Elements,
			Help:    "number of elements that sources send (config elements)",
			Details: "Default: the value in the X files."},
		{Name: "time", Kind: options.Duration, Default: "0s", Group: options.GroupRun, Traits: options.PerCommand,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &s.Deploy.Time,
			Help:   "time limit of the run; 0: none",
			Common: in},
		{Name: "stall", Kind: options.Duration, Default: "10s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &s.Deploy.Stall,
			Help: "timeout of a run without progress; 0: none"},
		{Name: "guard", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &s.Guard,
			Help: "detect memory errors of kernels",
			Details: "xopt detects every write beyond the requested elements, and compiles kernels with the " +
				"compiler's sanitizers. Runs are slower."},
		{Name: "keep", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &s.Deploy.Keep,
			Help: "build in this folder and keep it, with a Makefile"},
		{Name: "board", Kind: options.Folder, Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Board,
			Help:    "run FPGA kernels on the board of this exported project",
			Details: "The other kernels run on this machine, in real time. --export writes the project."},
		{Name: "board-at", Kind: options.Text, Metavar: "WHERE", Group: options.GroupRun, Traits: options.NotInProject,
			Commands: in, To: &s.Deploy.BoardAt,
			Help: "connection to the board",
			Details: "map:PATH, device:PATH, serial:PATH or model:PATH. Default: the project's model, built by " +
				"make build/lite.so."},
		{Name: "export", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &s.Deploy.Export,
			Help: "write a project for a real board to this new folder",
			Details: "The project contains the FPGA kernels with their shells, scripts for the tools, the host " +
				"program, and the data that crossed the FPGA's boundary in this run."},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.Deploy.Out,
			Help:   "write the result to this file",
			Common: in},
	})
}

// deployMeasureOptions returns the options for measurements in a run.
func (s *Settings) deployMeasureOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "measure", Kind: options.Texts, Metavar: "STATEMENTS", Group: options.GroupMeasure,
			Traits:   options.MayNameFile,
			Commands: in, To: &s.Deploy.Measure,
			Help: "TimeTrial statements, or a file of statements",
			Details: "xopt adds only the taps that the statements need, unless --taps is all. docs/measure.md " +
				"describes the language.",
			Common: in},
		{Name: "strict", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &s.Deploy.Strict,
			Help: "exit with code 1 if an assertion fails"},
		{Name: "frame", Kind: options.Text, Metavar: "LENGTH", Group: options.GroupMeasure, Check: frameLength,
			Commands: in, To: &s.Deploy.Frame,
			Help: "report in frames of this length, such as 100ms",
			Details: "With --measure, the length may be a number of elements, such as 1000. Default: one frame, or " +
				"100ms for statements that need frames.",
			Common: in},
		{Name: "every", Kind: options.Count, Default: "0", Group: options.GroupMeasure,
			Commands: in, To: &s.Deploy.Every,
			Help:    "sampling interval, in elements",
			Details: "1: every element. 0: about one element in 300 us, with negligible overhead."},
		{Name: "taps", Kind: options.Text, Metavar: "WHICH", Values: []string{TapsAll, TapsNone},
			Group:    options.GroupMeasure,
			Commands: in, To: &s.Deploy.Taps,
			Help:    "taps to add",
			Details: "all: occupancy, latency and service time."},
		{Name: "exact", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &s.Deploy.Exact,
			Help:    "publish every element immediately, without batches",
			Details: "Occupancies are exact, but the run is slower."},
		{Name: "trace", Kind: options.File, Group: options.GroupMeasure, Traits: options.PerCommand,
			Commands: in, To: &s.Deploy.Trace,
			Help: "write a trace of all events to this file",
			Details: "Format by extension: .xtrace, .csv, .vcd, .pftrace. Events: every send, arrival and " +
				"consumption of an element, and every testpoint. In virtual time no event is lost.",
			Common: in},
		{Name: "trace-max", Kind: options.Count, Default: "0", Group: options.GroupMeasure,
			Commands: in, To: &s.Deploy.TraceMax,
			Help:    "maximum number of traced events for each edge or testpoint",
			Details: "0: no maximum."},
		{Name: "trace-data", Kind: options.Size, Group: options.GroupMeasure,
			Commands: in, To: &s.Deploy.TraceData,
			Help:    "store the first data of each edge in the trace, up to a size such as 1MiB",
			Details: "xopt trace writes the data to .dat files."},
		{Name: "log", Kind: options.Number, Default: "0", Group: options.GroupMeasure,
			Check:    options.Between(0, maxLogged),
			Commands: in, To: &s.Deploy.Log,
			Help:    "record this number of firings of each kernel and edge, the first ones",
			Details: "The run is slower. xopt report --trace draws the firings as a timeline."},
	}
}

// Values of --taps.
const (
	TapsAll  = "all"
	TapsNone = "none"
)

// frameLength checks --frame. [Deploy.FrameLength] checks the conditions that depend on other options.
func frameLength(now any) error {
	text := now.(string)
	if _, err := elementsOfFrame(text); err == nil {
		return nil
	}
	if length, err := time.ParseDuration(text); err != nil || length < deployrun.MinFrame {
		return options.Expected("a time of at least %v, such as 100ms, or a number of elements", deployrun.MinFrame)
	}
	return nil
}

// Origins of service times in virtual time.
const (
	FromMeasured = "measured"
	FromProfile  = "profile"
	FromReplay   = "replay:" // a file name follows
	FromBoard    = "board:"  // a folder name follows
)

// Models of links in virtual time.
const (
	EdgesShare = "share"
	EdgesAlone = "alone"
)

// fromWhere checks the value of --from for deploy.
func fromWhere(now any) error {
	switch from := now.(string); {
	case from == FromMeasured || from == FromProfile:
	case strings.HasPrefix(from, FromReplay) && len(from) > len(FromReplay):
	case strings.HasPrefix(from, FromBoard) && len(from) > len(FromBoard):
	default:
		return options.Expected("%s, %s, %sFILE, or %sDIR", FromMeasured, FromProfile, FromReplay, FromBoard)
	}
	return nil
}

// simulateOptions returns the options of runs in virtual time.
func (s *Settings) simulateOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "simulate", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Simulate,
			Help:    "run in virtual time",
			Details: "Mappings with an FPGA always run in virtual time."},
		{Name: "from", Kind: options.Text, Metavar: "ORIGIN", Default: FromMeasured, Group: options.GroupRun,
			Traits: options.MayNameFile, Check: fromWhere,
			Commands: in, To: &s.From,
			Help: "source of service times on cores in virtual time",
			Details: "measured: from native execution. profile: drawn from the profile. replay:FILE: from another " +
				"run, in its order. FILE is a trace of deploy --trace, a result of deploy --log, or rules (.smx) in " +
				"the folder of the times that xopt xeval wrote. board:DIR: run nothing, and read the data that a " +
				"board sent to the host program of an exported project."},
		{Name: "from", Kind: options.Text, Metavar: "ORIGIN", Values: []string{FromMeasured, FromProfile},
			Default: FromMeasured, Group: options.GroupRun,
			Commands: []string{"validate"}, To: &s.From,
			Help:    "source of service times on cores in virtual time",
			Details: "measured: from native execution. profile: drawn from the profile."},
		{Name: "edges", Kind: options.Text, Metavar: "HOW", Values: []string{EdgesShare, EdgesAlone},
			Default:  EdgesShare,
			Group:    options.GroupRun,
			Commands: in, To: &s.Deploy.Edges,
			Help: "link model in virtual time",
			Details: "share: one transfer at a time. alone: each edge has a fixed share of the bandwidth, in " +
				"proportion to its bytes, as in X-Sim."},
		{Name: "seed", Kind: options.Count, Default: "1", Group: options.GroupRun,
			Commands: in, To: &s.Seed,
			Help: "seed of service times with --from profile"},
		{Name: "monitor-area", Kind: options.Text, Metavar: "PERCENT", Group: options.GroupRun, Check: percentage,
			Commands: in, To: &s.Deploy.MonitorArea,
			Help: "FPGA area for monitors of state machines and ports, such as 5%",
			Details: "xopt adds monitors to the hardware of each FPGA until they use this share. Default: none, " +
				"because the simulation shows these signals without monitors."},
		{Name: "monitors", Kind: options.Text, Metavar: "LIST", Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Monitors,
			Help:    "kernels to monitor first, separated by commas",
			Details: "Entries: KERNEL or KERNEL:REGISTER. A leading - excludes an entry. Only with --monitor-area."},
		{Name: "quantum", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Quantum,
			Help:    "FPGA cycles between data exchanges with the cores",
			Details: "0: 64 cycles."},
	}
}

// bufferOptions returns the options for the buffers of a run.
func (s *Settings) bufferOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "buffers", Kind: options.Text, Metavar: "WHICH", Default: BuffersDefault, Group: options.GroupRun,
			Traits:    options.MayNameFile,
			Suggested: []string{BuffersDefault, BuffersTuned, BuffersRaftLib},
			Commands:  in, To: &s.Deploy.Buffers,
			Help: "buffer sizes, such as tuned",
			Details: "default: at most 256 KiB and 10 ms of flow. tuned: the recommended sizes for the " +
				"mapping. raftlib: 64 elements, doubled while the writer is blocked. These values apply to buffers " +
				"without a size in the X files. A file name: a file of X statements \"buffer { e } = n;\", which " +
				"override the X files.",
			Common: in},
		{Name: "max-buffer-memory", Kind: options.Text, Metavar: "SIZE", Group: options.GroupRun, Check: bufferMemory,
			Commands: in, To: &s.Deploy.MaxBuffers,
			Help: "maximum total memory of the buffers",
			Details: "If all kernels wait, and one of them waits for space, the smallest full buffer grows. 0: " +
				"buffers do not grow. Default: 1GiB, or the initial memory if it is larger."},
		{Name: "write-map", Kind: options.File, Group: options.GroupOutput,
			Commands: in, To: &s.Deploy.WriteMap,
			Help: "write the mapping with its final buffer sizes to this file (X)"},
	}
}

// bufferMemory checks --max-buffer-memory, which may be 0.
func bufferMemory(now any) error {
	if text := now.(string); text != "" && text != "0" {
		if bytes, err := units.ParseSize(text); err != nil || bytes > maxBufferMemory {
			return options.Expected("a size of at most 1TiB, such as 64MiB, or 0")
		}
	}
	return nil
}

// copiesOptions returns the options for copies of kernels.
func (s *Settings) copiesOptions(in []string) []options.Option {
	return []options.Option{
		{Name: "unordered", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &s.Deploy.Unordered,
			Help: "do not restore the order of elements after copies of a kernel"},
		{Name: "check-stateless", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &s.Deploy.CheckStateless,
			Help: "compare kernels declared stateless with and without copies",
			Details: "One run has one instance of each such kernel, the other run two copies. The report names the " +
				"first difference in the output."},
	}
}

// Values of --buffers. Any other value is a file name.
const (
	BuffersDefault = "default"
	BuffersTuned   = "tuned"
	BuffersRaftLib = "raftlib"
)

// ValidBuffers describes the valid values of --buffers.
const ValidBuffers = BuffersDefault + ", " + BuffersTuned + ", " + BuffersRaftLib +
	", or a file with statements such as buffer { e } = 8;"

// maxBufferMemory is the maximum memory of buffers, in bytes. A run reserves address space for all of it.
const maxBufferMemory = 1 << 40

// defaultBufferMemory is the default limit of buffer memory, in bytes. If the initial buffers are larger, their size is
// the limit.
const defaultBufferMemory = 1 << 30

// BuffersFile returns the file that --buffers names; "" for none.
func (f *Deploy) BuffersFile() string {
	switch f.Buffers {
	case "", BuffersDefault, BuffersTuned, BuffersRaftLib:
		return ""
	}
	return f.Buffers
}

// Growth returns the limits of buffer growth during a run.
func (f *Deploy) Growth() (program.Growth, error) {
	if f.MaxBuffers == "" {
		return program.Growth{MaxBytes: defaultBufferMemory, AtLeastStart: true}, nil
	}
	bytes, err := units.ParseSize(f.MaxBuffers)
	if err != nil && f.MaxBuffers != "0" {
		return program.Growth{}, fault.Usage(fmt.Errorf("--max-buffer-memory: %w", err))
	}
	return program.Growth{MaxBytes: uint64(math.Round(bytes))}, nil
}

// MonitorChoice returns the entries in --monitors.
func (f *Deploy) MonitorChoice() (list []string) {
	for _, entry := range strings.Split(f.Monitors, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	return list
}

// FrameLength returns the length of frames from --frame: a time, a number of elements, or neither.
func (f *Deploy) FrameLength() (length time.Duration, elements uint64, err error) {
	if f.Frame == "" {
		return 0, 0, nil
	}
	if n, err := elementsOfFrame(f.Frame); err == nil {
		if n == 0 || len(f.Measure) == 0 {
			return 0, 0, fault.WrongValue("frame", f.Frame,
				"a time such as 100ms, or, with --measure, a number of elements such as 1000")
		}
		return 0, n, nil
	}
	length, err = time.ParseDuration(f.Frame)
	return length, 0, err
}

// elementsOfFrame parses a number of elements.
func elementsOfFrame(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
