package main

import "github.com/spf13/cobra"

// command is a command of the program, with its own struct: its options set the fields, its run reads them.
type command interface {
	options() []option
	commands() []*cobra.Command
}

// commandsOf returns the commands that have structs of their own, in the order of the table of options.
func commandsOf(a *app) []command {
	return []command{&deployCommand{app: a}, &xevalCommand{app: a}, &exchangeCommand{app: a},
		&machineCommand{app: a}, &traceCommand{app: a}, &reportCommand{app: a}, &diffCommand{app: a},
		&evalCommand{app: a}, &checkCommand{app: a}, &initCommand{app: a}, &examplesCommand{app: a},
		&configCommand{app: a}}
}

// options is the table of all options: what a user can set, where, and to what. An option that
// is not here does not exist.
func (a *app) options() table {
	s := &a.settings
	lists := [][]option{s.globalOptions(), s.modelOptions(), s.searchOptions(), s.sweepOptions(),
		s.validateOptions(), s.calibrateOptions(), s.frontOptions(), s.campaignOptions(), s.engineOptions()}
	for _, c := range a.own {
		lists = append(lists, c.options())
	}
	var t table
	for _, list := range append(lists, s.outputOptions(), s.wavesOptions()) {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions are those of every command.
func (s *settings) globalOptions() []option {
	return []option{
		{name: configOption, kind: kindFile, group: groupGlobal, perhaps: notInFile,
			to:   &s.Config,
			help: "read settings from this file instead of " + configName + " in the working folder"},
		{name: "quiet", kind: kindSwitch, group: groupGlobal,
			to:   &s.Quiet,
			help: "print the answer and errors only: no notes, no warnings, no progress"},
		{name: "cache", kind: kindFolder, group: groupGlobal,
			to: &s.Cache,
			help: "keep what is compiled in this folder (default: xopt in the folder that the system gives you for " +
				"caches)"},
		{name: "cache-size", kind: kindSize, usual: "2GiB", group: groupGlobal,
			to:   &s.CacheSize,
			help: "size of that folder at most: what was used longest ago goes first"},
	}
}
