// Package settings is all that a user of xopt can set: the values that commands read, and the table of options that
// flags, variables, files, help and documentation are made from.
package settings

import (
	"time"

	"xopt/cmd/internal/options"
)

// Settings are the values of the options of the command that runs. Those of options that the command does not have are
// zero.
type Settings struct {
	// All commands.
	Config, Cache, CacheSize string
	Quiet                    bool

	// What predictions are made of.
	Set, Figure          []string
	Phi                  float64
	Sharing, Profile     string
	Fresh, AllowMismatch bool

	// What a search looks for, and for how long.
	Time                                            time.Duration
	Evals, Seed                                     uint64
	Threads, Top                                    int
	Method, Doubt, Copies                           string
	Robust                                          bool
	Objective, MinThroughput, MaxLatency, MaxBuffer string
	Resume                                          bool
	Checkpoint                                      time.Duration

	// What runs read and write.
	Input, Sink, From, Launch string
	Elements                  uint64
	Guard                     bool

	// What is printed and written.
	JSON, Full, Force         bool
	Bytes, Report, Out, Plots string
	Waves                     string
	CSV                       string
	Markdown                  string

	// What single commands have.
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

// Search is how near the answer of a search comes to the bound on all mappings.
type Search struct{ Gap, Prove, MPS string }

// Sweep is what only sweep has.
type Sweep struct {
	Vary   []string
	Points int
}

// Validate is what only validate has.
type Validate struct {
	Best, Random, Runs int
	Window, Search     time.Duration
	Refine             string
}

// Calibrate is what only calibrate has.
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

// Buffers is what only buffers has.
type Buffers struct {
	Keep, MaxMemory, Out string
	Ideal                bool
}

// Deploy is what only deploy has.
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

// XEval is what only xeval has.
type XEval struct {
	Trace, Out, Substitute, Times string
	Rule                          []string
	Timeline                      int
}

// Exchange is what only import and export have.
type Exchange struct {
	Out, Arch, Mapping string
	Cores, Graph       int
	Unit               time.Duration
}

// Machine is what only machine has.
type Machine struct {
	Out, From string
	Threads   bool
}

// Trace is what only trace has.
type Trace struct{ Out, Window string }

// Convert is what only report has.
type Convert struct{ Output, Format, Trace string }

// Eval is what only eval has.
type Eval struct{ Engine string }

// Check is what only check has.
type Check struct{ Build, Signals bool }

// Init is what only init has.
type Init struct{ FPGA bool }

// Options returns the table of all options: what a user can set, where, and to what. An option that is not here does
// not exist.
func (s *Settings) Options() options.Table {
	var t options.Table
	for _, list := range [][]options.Option{s.globalOptions(), s.modelOptions(), s.searchOptions(), s.sweepOptions(),
		s.validateOptions(), s.calibrateOptions(), s.buffersOptions(), s.campaignOptions(), s.engineOptions(),
		s.deployOptions(), s.xevalOptions(), s.exchangeOptions(), s.machineOptions(), s.traceOptions(),
		s.reportOptions(), s.evalOptions(), s.checkOptions(), s.initOptions(), s.outputOptions(), s.wavesOptions()} {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions are those of every command.
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
