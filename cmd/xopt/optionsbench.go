package main

import (
	"slices"
	"strings"
	"time"

	"xopt/bench/micro"
	"xopt/bench/paper"
	"xopt/bench/search"
	deployrun "xopt/deploy/run"
	"xopt/mapper"
)

// The bounds of what benchmarks can be asked for.
const (
	minBenchWindow  = 50 * time.Millisecond
	minPaperWindow  = 100 * time.Millisecond
	maxGraphs       = 10_000
	minQueued       = 1000
	maxQueued       = 1 << 20
	maxSearched     = 5000
	maxClockPackets = 10_000_000
	minSearchTime   = 10 * time.Millisecond
)

// benchOptions are those of the benchmarks. A name such as runs means something else in each of
// them, so that most are set for one alone.
func benchOptions() []option {
	return slices.Concat(benchRunOptions(), benchBuffersOptions(), benchUnseenOptions(), benchSearchOptions(),
		benchProofsOptions(), benchPaperOptions(),
		benchSyntheticOptions(),
		[]option{
			{name: "message", kind: kindNumber, usual: "0", group: groupRun,
				in:   []string{"bench taps"},
				to:   func(s *settings) any { return &s.bench.message },
				help: "only messages of this number of bytes: 64, 16384 or 65536; 0 for all"},
			{name: "message", kind: kindNumber, usual: "0", group: groupRun,
				in:   []string{"bench rivals"},
				to:   func(s *settings) any { return &s.bench.message },
				help: "only messages of this number of bytes, a multiple of 8; 0 for 64, 1024, 16384 and 262144"},
			{name: "only", kind: kindWords, word: "PARTS", values: micro.RivalParts(), group: groupRun,
				perhaps: ofCommand, check: knownWordsOrNone(micro.RivalParts()),
				in: []string{"bench rivals"},
				to: func(s *settings) any { return &s.bench.only },
				help: "only these parts, with commas between: the chain, the chain of which one kernel has half of " +
					"the work, jpeg, des"},
			{name: "elements", kind: kindCount, usual: "50000", group: groupRun, perhaps: ofCommand,
				check: between[uint64](minQueued, maxQueued),
				in:    []string{"bench queues"},
				to:    func(s *settings) any { return &s.bench.elements },
				help:  "number of elements through each queue"},
			{name: "elements", kind: kindCount, usual: "1000000", group: groupRun, perhaps: ofCommand,
				check: between[uint64](minQueued, maxClockPackets),
				in:    []string{"bench clocks"},
				to:    func(s *settings) any { return &s.bench.elements },
				help:  "number of packets that the monitors of traffic see; 1 000 000 are those of the thesis"},
			{name: "virtual", kind: kindSwitch, group: groupRun,
				in: []string{"bench queues"},
				to: func(s *settings) any { return &s.bench.virtual },
				help: "queues on cores, on an FPGA and between them, in virtual time: what agents at both ends " +
					"could estimate, beside the truth"},
			{name: "mappings", kind: kindNumber, usual: "20", group: groupDrawn, check: between(1, maxMappings),
				in:   []string{"bench hosts"},
				to:   func(s *settings) any { return &s.bench.mappings },
				help: "number of mappings that are run on each network"},
			{name: "seed", kind: kindCount, usual: "1", group: groupDrawn,
				in:   []string{"bench hosts"},
				to:   func(s *settings) any { return &s.Seed },
				help: "seed that mappings are drawn from"},
			{name: "window", kind: kindDuration, usual: "20ms", group: groupRun, perhaps: ofCommand,
				check: atLeastValue(deployrun.MinFrame),
				in:    []string{"bench xsim"},
				to:    func(s *settings) any { return &s.bench.window },
				help:  "virtual time that counts, after as much that does not"},
			{name: "runs", kind: kindNumber, usual: "9", group: groupRun, perhaps: ofCommand, check: atLeastValue(1),
				in:   []string{"bench replay"},
				to:   func(s *settings) any { return &s.bench.runs },
				help: "number of native runs of each mapping, which alternate"},
			{name: "pipes", kind: kindNumbers, usual: "1,2", group: groupRun, check: numbersBetween(1, maxGraphs),
				in:   []string{"bench xsim"},
				to:   func(s *settings) any { return &s.bench.pipes },
				help: "numbers of pipes"},
		})
}

// benchRunOptions say how long the benchmarks of the machine run.
func benchRunOptions() []option {
	var list []option
	for _, x := range []struct{ command, runs, window string }{
		{"bench ring", "9", "500ms"}, {"bench taps", "31", "400ms"}, {"bench sharing", "5", "400ms"},
		{"bench buffers", "7", "500ms"}, {"bench rivals", "7", "200ms"},
		{"bench network", "5", "2s"}, {"bench hosts", "3", "1s"},
	} {
		in := []string{x.command}
		list = append(list,
			option{name: "runs", kind: kindNumber, usual: x.runs, group: groupRun, perhaps: ofCommand,
				check: atLeastValue(1),
				in:    in,
				to:    func(s *settings) any { return &s.bench.runs },
				help:  "number of runs of each variant, which alternate"},
			option{name: "window", kind: kindDuration, usual: x.window, group: groupRun, perhaps: ofCommand,
				check: atLeastValue(minBenchWindow),
				in:    in,
				to:    func(s *settings) any { return &s.bench.window },
				help:  "length of each run"})
	}
	return list
}

// benchSearchOptions are those of bench search.
func benchSearchOptions() []option {
	in := []string{"bench search"}
	methods := mapper.Methods()
	return []option{
		{name: "time", kind: kindDuration, usual: "1s", group: groupSearch, perhaps: ofCommand,
			check: atLeastValue(minSearchTime),
			in:    in,
			to:    func(s *settings) any { return &s.bench.window },
			help:  "length of each search"},
		{name: "runs", kind: kindNumber, usual: "3", group: groupSearch, perhaps: ofCommand, check: atLeastValue(1),
			in:   in,
			to:   func(s *settings) any { return &s.bench.runs },
			help: "number of seeds of each method on each problem"},
		{name: "threads", kind: kindNumber, usual: "1", group: groupSearch, check: between(1, maxThreads),
			in:   in,
			to:   func(s *settings) any { return &s.Threads },
			help: "number of threads of each search"},
		{name: "tasks", kind: kindNumbers, usual: "20,40,80", group: groupDrawn, perhaps: ofCommand,
			check: numbersBetween(1, maxSearched),
			in:    in,
			to:    func(s *settings) any { return &s.bench.tasks },
			help:  "sizes of the synthetic applications"},
		{name: "graphs", kind: kindNumber, usual: "5", group: groupDrawn, check: between(1, maxGraphs),
			in:   in,
			to:   func(s *settings) any { return &s.bench.graphs },
			help: "number of synthetic applications of each size"},
		{name: "methods", kind: kindWords, word: "METHODS", values: methods, check: knownWords(methods),
			usual: "walk,greedy,climb,anneal,genetic,exact", group: groupSearch,
			in:   in,
			to:   func(s *settings) any { return &s.bench.methods },
			help: "which methods to compare"},
	}
}

// benchProofsOptions are those of bench proofs.
func benchProofsOptions() []option {
	in := []string{"bench proofs"}
	kinds := search.ProofKinds()
	return []option{
		{name: "time", kind: kindDuration, usual: "1m", group: groupSearch, perhaps: ofCommand,
			check: atLeastValue(minSearchTime),
			in:    in,
			to:    func(s *settings) any { return &s.bench.window },
			help:  "length of each search, at the most"},
		{name: "threads", kind: kindNumber, usual: "2", group: groupSearch, perhaps: ofCommand,
			check: between(1, maxThreads),
			in:    in,
			to:    func(s *settings) any { return &s.Threads },
			help:  "number of threads of each search"},
		{name: "kinds", kind: kindWords, word: "KINDS", values: kinds, check: knownWords(kinds),
			usual: strings.Join(kinds, ","), group: groupDrawn,
			in:   in,
			to:   func(s *settings) any { return &s.bench.kinds },
			help: "which kinds of problems to draw"},
		{name: "tasks", kind: kindNumbers, usual: "20,40", group: groupDrawn, perhaps: ofCommand,
			check: numbersBetween(1, maxSearched),
			in:    in,
			to:    func(s *settings) any { return &s.bench.tasks },
			help:  "numbers of tasks of the problems"},
		{name: "graphs", kind: kindNumber, usual: "3", group: groupDrawn, perhaps: ofCommand,
			check: between(1, maxGraphs),
			in:    in,
			to:    func(s *settings) any { return &s.bench.graphs },
			help:  "number of problems of each kind and size"},
	}
}

// benchPaperOptions are those of bench paper.
func benchPaperOptions() []option {
	in := []string{"bench paper"}
	return []option{
		{name: "only", kind: kindWords, word: "EXPERIMENTS", values: paper.Experiments(), group: groupRun,
			in:   in,
			to:   func(s *settings) any { return &s.bench.only },
			help: "only these experiments, with commas between: figures 14 to 17 of Beard 2013, others, ch7"},
		{name: "apps", kind: kindNumber, usual: "40", group: groupDrawn, check: between(1, maxGraphs),
			in:   in,
			to:   func(s *settings) any { return &s.bench.apps },
			help: "number of synthetic applications"},
		{name: "mappings", kind: kindNumber, usual: "2", group: groupDrawn, check: between(1, maxMappings),
			in:   in,
			to:   func(s *settings) any { return &s.bench.mappings },
			help: "number of random mappings of each"},
		{name: "runs", kind: kindNumber, usual: "3", group: groupRun, perhaps: ofCommand, check: atLeastValue(1),
			in:   in,
			to:   func(s *settings) any { return &s.bench.runs },
			help: "number of runs of each mapping, which alternate"},
		{name: "window", kind: kindDuration, usual: "1s", group: groupRun, perhaps: ofCommand,
			check: atLeastValue(minPaperWindow),
			in:    in,
			to:    func(s *settings) any { return &s.bench.window },
			help:  "length of each run, after it has settled"},
		{name: "short", kind: kindSwitch, group: groupRun,
			in:   in,
			to:   func(s *settings) any { return &s.bench.short },
			help: "do a little of everything, in a few minutes"},
		{name: "out", short: "o", kind: kindFolder, usual: ".", group: groupOutput, perhaps: ofCommand,
			in:   in,
			to:   func(s *settings) any { return &s.bench.out },
			help: "write to this folder"},
	}
}

// benchSyntheticOptions are those of bench synthetic, one of them with bench paper.
func benchSyntheticOptions() []option {
	in := []string{"bench synthetic"}
	return []option{
		{name: "seed", old: "random-seed", kind: kindCount, usual: "1", group: groupDrawn,
			in:   []string{"bench synthetic", "bench paper"},
			to:   func(s *settings) any { return &s.Seed },
			help: "seed that applications and mappings are drawn from"},
		{name: "tasks", kind: kindNumber, usual: "0", group: groupDrawn, perhaps: ofCommand,
			check: between(0, maxGraphs),
			in:    in,
			to:    func(s *settings) any { return &s.synthetic.tasks },
			help:  "number of tasks; 0 draws 1 to 80"},
		{name: "tgff", kind: kindFile, group: groupDrawn,
			in:   in,
			to:   func(s *settings) any { return &s.synthetic.from },
			help: "take a task graph of this file"},
		{name: "graph", kind: kindNumber, usual: "0", group: groupDrawn, check: atLeastValue(0),
			in:   in,
			to:   func(s *settings) any { return &s.synthetic.graph },
			help: "which of its graphs, by number"},
		{name: "time-unit", kind: kindDuration, usual: "1s", group: groupDrawn, check: aboveZero,
			in:   in,
			to:   func(s *settings) any { return &s.synthetic.unit },
			help: "what a time of 1 in that file means"},
		{name: "arrival", kind: kindDuration, usual: "0s", group: groupDrawn, check: timeOrNone(0),
			in: in,
			to: func(s *settings) any { return &s.synthetic.arrival },
			help: "mean time between the elements that the source sends, exponentially distributed; 0 for as fast " +
				"as possible"},
		{name: "buffer", kind: kindNumber, usual: "0", group: groupDrawn, check: atLeastValue(0),
			in:   in,
			to:   func(s *settings) any { return &s.synthetic.buffer },
			help: "number of elements that each edge buffers; 0 for xopt's own choice"},
		{name: "cores", kind: kindNumber, usual: "2", group: groupDrawn, check: between(1, maxGraphs),
			in:   in,
			to:   func(s *settings) any { return &s.synthetic.cores },
			help: "number of cores of the architecture"},
		{name: "out", short: "o", kind: kindFolder, usual: "synthetic", group: groupOutput, perhaps: ofCommand,
			in:   in,
			to:   func(s *settings) any { return &s.synthetic.output },
			help: "write to this folder, which must not exist"},
	}
}
