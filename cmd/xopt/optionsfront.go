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
			To:   &s.front.keep,
			Help: "part of the throughput with large buffers that the chosen sizes keep"},
		{Name: "max-buffer-memory", Kind: options.Text, Metavar: "SIZE", Group: options.GroupGoal,
			Traits: options.PerCommand,
			Check:  bufferMemory, Commands: in,
			To: &s.front.maxMemory,
			Help: "memory that all buffers may take: too little for data to move, for the floors, or for --keep is " +
				"an error, which names what would do"},
		{Name: "ideal", Kind: options.Switch, Group: options.GroupGoal,
			Commands: in, To: &s.front.ideal,
			Help: "omit what a run needs beyond the model: space for batches between processes, and for the flow " +
				"while the kernels of a core run in turn"},
		{Name: "seed", Kind: options.Count, Default: fmt.Sprint(evalSeed), Group: options.GroupModel,
			Commands: []string{"buffers", "eval"}, To: &s.Seed,
			Help: "seed of the draws of simulations with finite buffers"},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.front.out,
			Help: "write the mapping with the chosen sizes to this file (X)"},
		{Name: "plots", Kind: options.Folder, Group: options.GroupOutput,
			Commands: in, To: &s.Plots,
			Help: "also write pictures, buffer-front.svg and .png, and buffer-front.csv into this folder"},
	}
}
