package main

import "fmt"

// evalSeed is the seed of simulations with finite buffers if --seed does not give one.
const evalSeed = 1

// frontOptions are those of the command that chooses sizes of buffers.
func (s *settings) frontOptions() []option {
	in := []string{"buffers"}
	return []option{
		{name: "keep", kind: kindText, word: "PERCENT", usual: "99%", group: groupGoal, perhaps: ofCommand,
			check: keptPart, in: in,
			to:   &s.front.keep,
			help: "part of the throughput with large buffers that the chosen sizes keep"},
		{name: "max-buffer-memory", kind: kindText, word: "SIZE", group: groupGoal, perhaps: ofCommand,
			check: bufferMemory, in: in,
			to: &s.front.maxMemory,
			help: "memory that all buffers may take: too little for data to move, for the floors, or for --keep is " +
				"an error, which names what would do"},
		{name: "ideal", kind: kindSwitch, group: groupGoal,
			in: in, to: &s.front.ideal,
			help: "omit what a run needs beyond the model: space for batches between processes, and for the flow " +
				"while the kernels of a core run in turn"},
		{name: "seed", kind: kindCount, usual: fmt.Sprint(evalSeed), group: groupModel,
			in: []string{"buffers", "eval"}, to: &s.Seed,
			help: "seed of the draws of simulations with finite buffers"},
		{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: in, to: &s.front.out,
			help: "write the mapping with the chosen sizes to this file (X)"},
		{name: "plots", kind: kindFolder, group: groupOutput,
			in: in, to: &s.Plots,
			help: "also write pictures, buffer-front.svg and .png, and buffer-front.csv into this folder"},
	}
}
