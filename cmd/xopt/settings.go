package main

import (
	"time"

	"xopt/cmd/faults"
	"xopt/internal/fault"
)

// settings are the values of the options of the command that runs; see options.go. Those of
// options that the command does not have are zero.
type settings struct {
	globals

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
	Campaign                                        string
	Checkpoint                                      time.Duration

	// What runs read and write.
	Input, Sink, From, launch string
	Elements                  uint64
	Guard                     bool

	// What is printed and written.
	JSON, Full, Force         bool
	Bytes, Report, Out, Plots string
	Waves                     string
	CSV                       string
	Markdown                  string

	search    proofSettings
	sweep     sweepFlags
	validate  validateFlags
	calibrate calibrateFlags
	front     frontFlags
	campaign  campaignFlags
}

// globals are the values of the options of every command.
type globals struct {
	Config, Cache, CacheSize string
	Quiet                    bool
}

// given reports whether an option of the command has been set, by whatever.
func (a *app) given(name string) bool { return a.inForce.Given(name) }

// positive refuses a number of elements that was given and is 0: a run without any measures
// nothing, and the default is what the X files say.
func (a *app) positive(name string, elements uint64) error {
	if a.given(name) && elements == 0 {
		return fault.WrongValue(name, elements, "1 or more; omit it to use the X files")
	}
	return nil
}

// searchSettings refuses what the options of a search cannot say together.
func (a *app) searchSettings() error {
	s := &a.settings
	if s.Evals > 0 && !a.given("time") {
		s.Time = 0 // the answer then depends on no machine
	}
	if s.Doubt != "" && !s.Robust {
		return faults.OptionRequires.Usagef("--doubt is for --robust")
	}
	return nil
}
