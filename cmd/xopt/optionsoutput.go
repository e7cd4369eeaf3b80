package main

// wavesOptions are those of waves of signals.
func (s *settings) wavesOptions() []option {
	return []option{{name: "waves", kind: kindFile, group: groupOutput,
		in: []string{"deploy", "report"}, to: &s.Waves,
		help: "write the traces of signals (measure trace at KERNEL:SIGNAL) to this file, a value change dump " +
			"(VCD)"}}
}

// outputOptions say what is printed and written.
func (s *settings) outputOptions() []option {
	return []option{
		{name: "json", kind: kindSwitch, group: groupOutput,
			in: []string{"check", "eval", "search", "sweep", "validate", "deploy", "buffers"}, to: &s.JSON,
			help: "print the result file (JSON) instead of tables"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in: []string{"calibrate"}, to: &s.JSON,
			help: "print the profile, or what --check has measured, as JSON instead of tables"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in: []string{"machine"}, to: &s.JSON,
			help: "print what Linux says as JSON instead of tables"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in: []string{"diff", "trace", "xeval"}, to: &s.JSON,
			help: "print the figures as JSON instead of tables"},
		{name: "full", kind: kindSwitch, group: groupOutput,
			in: []string{"check", "eval", "search", "deploy"}, to: &s.Full,
			help: "print every mapping and every row of long tables"},
		{name: "bytes", kind: kindSize, group: groupOutput,
			in: []string{"eval", "search"}, to: &s.Bytes,
			help: "also print how long input of this size takes, such as 59.88MB"},
		{name: "report", kind: kindFolder, word: "PATH", group: groupOutput,
			in: []string{"eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers"}, to: &s.Report,
			help: "also write an HTML page and its result file: PATH.html names the page, any other name a folder"},
		{name: "report", kind: kindFolder, word: "PATH", group: groupOutput,
			in: []string{"check", "diff", "xeval"}, to: &s.Report,
			help: "also write an HTML page: PATH.html names it, any other name a folder"},
		{name: "md", kind: kindFile, group: groupOutput,
			in: []string{"validate", "buffers"}, to: &s.Markdown,
			help: "also write a page of Markdown to this file: command, date, machine, its load, and the tables"},
		{name: "out", short: "o", kind: kindText, word: "NAME", group: groupOutput,
			perhaps: ofCommand,
			in:      []string{"search"}, to: &s.Out,
			help: "write NAME.result.json, NAME.1.map.x and so on (default: the name of the first file)"},
		{name: "out", short: "o", kind: kindText, word: "NAME", group: groupOutput,
			perhaps: ofCommand,
			in:      []string{"sweep"}, to: &s.Out,
			help: "write the result to NAME.result.json, which xopt report reads"},
		{name: "csv", kind: kindFolder, word: "PATH", group: groupOutput,
			in: []string{"check", "eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers", "diff",
				"xeval"},
			to: &s.CSV,
			help: "also write the tables as CSV, in SI units: NAME.csv is one file, any other name a folder with a " +
				"file for each; calibrate with several data sets writes NAME.DATASET.csv or NAME/DATASET"},
		{name: "plots", kind: kindFolder, group: groupOutput,
			in: []string{"sweep"}, to: &s.Plots,
			help: "also write a picture, sweep.svg and sweep.png, and sweep.csv into this folder"},
		{name: "force", kind: kindSwitch, group: groupOutput, perhaps: notInProject,
			in: []string{"check", "eval", "search", "sweep", "diff", "validate", "calibrate", "deploy", "report",
				"buffers", "trace", "xeval", "import sdf3", "import tgff", "export sdf3", "export tgff", "machine"},
			to:   &s.Force,
			help: "also replace files that xopt did not write"},
	}
}
