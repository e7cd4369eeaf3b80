// Package settings defines all settings of xopt: the values that commands read, and the table of options. Flags,
// variables, files, help and documentation are generated from the table.
package settings

import (
	"time"

	"xopt/cmd/internal/options"
)

// Settings are the values of the options of the command that runs. Settings of options that the command does not have
// are zero.
type Settings struct {
	// All commands.
	Config, Cache, CacheSize string
	Quiet                    bool

	// Inputs of predictions.
	Set, Figure          []string
	Phi                  float64
	Sharing, Profile     string
	Fresh, AllowMismatch bool

	// Goals and limits of a search.
	Time                                            time.Duration
	Evals, Seed                                     uint64
	Threads, Top                                    int
	Method, Doubt, Copies                           string
	Robust                                          bool
	Objective, MinThroughput, MaxLatency, MaxBuffer string
	Resume                                          bool
	Checkpoint                                      time.Duration

	// Inputs and outputs of runs.
	Input, Sink, From, Launch string
	Elements                  uint64
	Guard                     bool

	// Output.
	JSON, Full, Force         bool
	Bytes, Report, Out, Plots string
	Waves                     string
	CSV                       string
	Markdown                  string

	// Settings of single commands.
	Search    Search
	Sweep     Sweep
	Validate  Validate
	Calibrate Calibrate
	Buffers   Buffers
	Campaign  Campaign
	Deploy    Deploy
	XEval     XEval
	Exchange  Exchange
	Machine   Machine
	Trace     Trace
	Convert   Convert
	Eval      Eval
	Check     Check
	Init      Init
}

// Search contains the options for the gap between a search's answer and its bound.
type Search struct{ Gap, Prove, MPS string }

// Sweep contains the settings of sweep only.
type Sweep struct {
	Vary   []string
	Points int
}

// Validate contains the settings of validate only.
type Validate struct {
	Best, Random, Runs int
	Window, Search     time.Duration
	Refine             string
}

// Calibrate contains the settings of calibrate only.
type Calibrate struct {
	Inputs, Refine   []string
	Nodes            []string // of a campaign
	Output           string
	Check, Against   string
	Trace, Rules, On string // of a trace that was recorded elsewhere
	All, KernelsOnly bool
	Record, Budget   time.Duration
	Precision        float64
}

// Buffers contains the settings of buffers only.
type Buffers struct {
	Keep, MaxMemory, Out string
	Ideal                bool
}

// Deploy contains the settings of deploy only.
type Deploy struct {
	Keep, Style, Wait, Scheduler, Out, Taps, Frame string
	Schedule, Batch, MonitorArea, Monitors         string
	Buffers, MaxBuffers, WriteMap, Edges           string
	Trace, TraceData                               string
	Export, Board, BoardAt                         string
	Every, Quantum, TraceMost                      uint64
	Time, Stall                                    time.Duration
	CPUs, Log                                      int
	Exact, Strict, Simulate, Unordered             bool
	CheckStateless                                 bool
	Measure                                        []string
}

// XEval contains the settings of xeval only.
type XEval struct {
	Trace, Out, Substitute, Times string
	Rule                          []string
	Timeline                      int
}

// Exchange contains the settings of import and export only.
type Exchange struct {
	Out, Arch, Mapping string
	Cores, Graph       int
	Unit               time.Duration
}

// Machine contains the settings of machine only.
type Machine struct {
	Out, From string
	Threads   bool
}

// Trace contains the settings of trace only.
type Trace struct{ Out, Window string }

// Convert contains the settings of report only.
type Convert struct{ Output, Format, Trace string }

// Eval contains the settings of eval only.
type Eval struct{ Engine string }

// Check contains the settings of check only.
type Check struct{ Build, Signals bool }

// Init contains the settings of init only.
type Init struct{ FPGA bool }

// Options returns the table of all options. There are no others. campaigns are the commands that can be computed as
// campaigns.
func (s *Settings) Options(campaigns []string) options.Table {
	var t options.Table
	for _, list := range [][]options.Option{s.globalOptions(), s.modelOptions(), s.searchOptions(), s.sweepOptions(),
		s.validateOptions(), s.calibrateOptions(), s.buffersOptions(), s.campaignOptions(campaigns), s.engineOptions(),
		s.deployOptions(), s.xevalOptions(), s.exchangeOptions(), s.machineOptions(), s.traceOptions(),
		s.reportOptions(), s.evalOptions(), s.checkOptions(), s.initOptions(), s.outputOptions(), s.wavesOptions()} {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions returns the options of every command.
func (s *Settings) globalOptions() []options.Option {
	return []options.Option{
		{Name: options.ConfigOption, Kind: options.File, Group: options.GroupGlobal, Traits: options.NotInFile,
			To:      &s.Config,
			Help:    "read settings from this file instead of " + options.FileName,
			Details: "Without this option, xopt reads " + options.FileName + " in the working folder."},
		{Name: "quiet", Kind: options.Switch, Group: options.GroupGlobal,
			To:   &s.Quiet,
			Help: "print only results and errors: no notes, warnings or progress"},
		{Name: "cache", Kind: options.Folder, Group: options.GroupGlobal,
			To:      &s.Cache,
			Help:    "folder for compiled kernels and tools",
			Details: "Default: the folder xopt in the user's cache folder."},
		{Name: "cache-size", Kind: options.Size, Default: "2GiB", Group: options.GroupGlobal,
			To:      &s.CacheSize,
			Help:    "maximum size of the cache folder",
			Details: "The least recently used files are removed first."},
	}
}
