package main

// xevalFlags are what the command xeval can be told.
type xevalFlags struct {
	trace, out, substitute, times string
	rules                         []string
	timeline                      int
}

// maxTimeline is how many runs of a rule a timeline shows at the most.
const maxTimeline = 1000

// xevalOptions are those of xeval.
func (s *settings) xevalOptions() []option {
	in := []string{"xeval"}
	return []option{
		{name: "trace", kind: kindText, word: "PATH", group: groupRun, perhaps: ofCommand,
			in: in, to: &s.xeval.trace,
			help: "trace to evaluate: a file that deploy --trace wrote, or a folder of .ts files (default: the " +
				"folder of " +
				"the file of rules)"},
		{name: "rule", kind: kindTexts, word: "RULE", group: groupRun,
			in: in, to: &s.xeval.rules,
			help: "rule to evaluate, such as 'gen1.src -> store.sink', in place of a file of rules; its ports are " +
				"those " +
				"of the trace"},
		{name: "timeline", kind: kindNumber, usual: "0", group: groupOutput, check: between(0, maxTimeline),
			in: in, to: &s.xeval.timeline,
			help: "also draw the first runs of each rule, this number, and the events of files that are marked " +
				"with * " +
				"until they have finished"},
		{name: "substitute", kind: kindText, word: "BLOCK", group: groupRun,
			in: in, to: &s.xeval.substitute,
			help: "write when this block would take its inputs and send its outputs in the trace, if it took the " +
				"times of " +
				"another run (--times), as .ts files (--out)"},
		{name: "times", kind: kindFolder, group: groupRun,
			in: in, to: &s.xeval.times,
			help: "folder of the times that xeval --out wrote of that other run"},
		{name: "out", short: "o", kind: kindFolder, group: groupOutput, perhaps: ofCommand,
			in: in, to: &s.xeval.out,
			help: "also write the wait, execution and output conjunction of every run into this folder, as .ts " +
				"files: " +
				"BLOCK_rule1_wait.ts, _exec.ts, _index.ts"},
	}
}
