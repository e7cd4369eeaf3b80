package main

import (
	"fmt"

	"xopt/cmd/internal/options"
)

// evalSeed is the seed of simulations with finite buffers if --seed does not give one.
const evalSeed = 1

// frontOptions are those of the command that chooses sizes of buffers.
func (s *settings) frontOptions() []options.Option {
	in := []string{"buffers"}
	return []options.Option{
		{Name: "keep", Kind: options.Text, Metavar: "PERCENT", Default: "99%", Group: options.GroupGoal,
			Traits: options.PerCommand,
			Check:  keptPart, Commands: in,
			To:     &s.front.keep,
			Help:   "share of the throughput to keep",
			Common: in},
		{Name: "max-buffer-memory", Kind: options.Text, Metavar: "SIZE", Group: options.GroupGoal,
			Traits: options.PerCommand,
			Check:  bufferMemory, Commands: in,
			To:   &s.front.maxMemory,
			Help: "maximum memory of all buffers",
			Details: "If the limit is too low for any progress, for minimum sizes, or for --keep, the error names " +
				"a sufficient one.",
			Common: in},
		{Name: "ideal", Kind: options.Switch, Group: options.GroupGoal,
			Commands: in, To: &s.front.ideal,
			Help:    "ignore the extra space that real runs need",
			Details: "Omitted: space for batches between processes, and for kernels that run in turn on one core."},
		{Name: "seed", Kind: options.Count, Default: fmt.Sprint(evalSeed), Group: options.GroupModel,
			Commands: []string{"buffers", "eval"}, To: &s.Seed,
			Help: "seed of simulations with finite buffers"},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.front.out,
			Help:   "write the mapping with these sizes to this file",
			Common: in},
		{Name: "plots", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &s.Plots,
			Help:    "write a picture and its table to this folder",
			Details: "The files are buffer-front.svg, .png and .csv.",
			Common:  in},
	}
}
