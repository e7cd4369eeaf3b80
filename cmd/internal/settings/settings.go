// Package settings defines all settings of xopt: the values that commands read, and the table of options. xopt
// generates flags, variables, files, help and documentation from the table.
package settings

import (
	"time"

	"xopt/cmd/internal/options"
)

// Settings contains the option values of the running command. Settings that belong to options of other commands are
// zero.
type Settings struct {
	// Settings of all commands.
	Config, Cache, CacheSize string
	Quiet                    bool

	// Inputs of predictions.
	Set, Figure          []string
	Phi                  float64
	Sharing, Profile     string
	Fresh, AllowMismatch bool

	// Objectives and limits of a search.
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
	WaitQuiet                 time.Duration

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
	GNURadio  GNURadio
}

// Search contains the settings that only search has: for its bound, and for the race of its best candidates.
type Search struct {
	Gap, Prove, MPS string
	Race            time.Duration
}

// Sweep contains the settings that only sweep has.
type Sweep struct {
	Vary   []string
	Points int
}

// Validate contains the settings that only validate has.
type Validate struct {
	Best, Random, Runs int
	Window, Search     time.Duration
	Refine             string
}

// Calibrate contains the settings that only calibrate has.
type Calibrate struct {
	Inputs, Refine   []string
	Nodes            []string // nodes of a campaign
	Output           string
	Check, Against   string
	Trace, Rules, On string // for a trace of another system
	All, KernelsOnly bool
	Record, Budget   time.Duration
	Precision        float64
}

// Buffers contains the settings that only buffers has.
type Buffers struct {
	Keep, MaxMemory, Out string
	Ideal                bool
}

// Deploy contains the settings that only deploy has.
type Deploy struct {
	Keep, Style, Wait, Scheduler, Out, Taps, Frame string
	Schedule, Batch, MonitorArea, Monitors         string
	Buffers, MaxBuffers, WriteMap, Edges           string
	Trace, TraceData                               string
	Export, Board, BoardAt                         string
	Every, Quantum, TraceMax                       uint64
	Time, Stall                                    time.Duration
	CPUs, Log                                      int
	Exact, Strict, Simulate, Unordered             bool
	CheckStateless                                 bool
	Measure                                        []string
}

// XEval contains the settings that only xeval has.
type XEval struct {
	Trace, Out, Substitute, Times string
	Rule                          []string
	Timeline                      int
}

// Exchange contains the settings that only import and export have.
type Exchange struct {
	Out, Arch, Mapping, Format string
	Times                      []string
	Cores, Graph               int
	Unit                       time.Duration
}

// Machine contains the settings that only machine has.
type Machine struct {
	Out, From string
	Threads   bool
}

// Trace contains the settings that only trace has.
type Trace struct{ Out, Window string }

// Convert contains the settings that only report has.
type Convert struct{ Output, Format, Trace string }

// Eval contains the settings that only eval has.
type Eval struct{ Engine string }

// Check contains the settings that only check has.
type Check struct{ Build, Signals bool }

// Init contains the settings that only init has.
type Init struct{ FPGA bool }

// GNURadio contains the settings that only the commands for flow graphs of GNU Radio have.
type GNURadio struct {
	Time                         time.Duration
	Pairs                        int
	Headless, Unthrottle, Verify bool
	Change, Out                  string
}

// Options returns the table of all options. campaigns lists the commands that can run as campaigns.
func (s *Settings) Options(campaigns []string) options.Table {
	var t options.Table
	for _, list := range [][]options.Option{s.globalOptions(), s.modelOptions(), s.searchOptions(), s.sweepOptions(),
		s.validateOptions(), s.calibrateOptions(), s.waitOptions(), s.buffersOptions(), s.campaignOptions(campaigns),
		s.engineOptions(), s.deployOptions(), s.xevalOptions(), s.exchangeOptions(), s.machineOptions(),
		s.traceOptions(), s.gnuradioOptions(),
		s.reportOptions(), s.evalOptions(), s.checkOptions(), s.initOptions(), s.outputOptions(), s.wavesOptions()} {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions returns the options that all commands have.
func (s *Settings) globalOptions() []options.Option {
	return []options.Option{
		{Name: options.ConfigOption, Kind: options.File, Group: options.GroupGlobal, Traits: options.NotInFile,
			To:      &s.Config,
			Help:    "read settings from this file instead of " + options.FileName,
			Details: "Default: " + options.FileName + " in the working folder."},
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
			Details: "xopt removes the least recently used files first."},
	}
}
