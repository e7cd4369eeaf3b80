package main

import (
	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
)

// command is a command of the program, with its own struct: its options set the fields, its run reads them.
type command interface {
	options() []options.Option
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
func (a *app) options() options.Table {
	s := &a.settings
	lists := [][]options.Option{s.globalOptions(), s.modelOptions(), s.searchOptions(), s.sweepOptions(),
		s.validateOptions(), s.calibrateOptions(), s.frontOptions(), s.campaignOptions(), s.engineOptions()}
	for _, c := range a.own {
		lists = append(lists, c.options())
	}
	var t options.Table
	for _, list := range append(lists, s.outputOptions(), s.wavesOptions()) {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions are those of every command.
func (s *settings) globalOptions() []options.Option {
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
