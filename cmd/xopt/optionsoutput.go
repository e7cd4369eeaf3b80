package main

// benchmarks are the commands that print tables of what they measure.
func benchmarks() []string {
	return []string{"bench rivals", "bench ring",
		"bench buffers", "bench unseen", "bench taps", "bench queues", "bench sharing",
		"bench search", "bench proofs", "bench network", "bench hosts",
		"bench hardware", "bench xsim", "bench replay", "bench clocks"}
}

// wavesOptions are those of waves of signals.
func wavesOptions() []option {
	return []option{{name: "waves", kind: kindFile, group: groupOutput,
		in: []string{"deploy", "report"},
		to: func(s *settings) any { return &s.Waves },
		help: "write the traces of signals (measure trace at KERNEL:SIGNAL) to this file, a value change dump " +
			"(VCD)"}}
}

// outputOptions say what is printed and written.
func outputOptions() []option {
	return []option{
		{name: "json", kind: kindSwitch, group: groupOutput,
			in:   []string{"check", "eval", "search", "sweep", "validate", "deploy", "buffers"},
			to:   func(s *settings) any { return &s.JSON },
			help: "print the result file (JSON) instead of tables"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in:   []string{"calibrate"},
			to:   func(s *settings) any { return &s.JSON },
			help: "print the profile, or what --check has measured, as JSON instead of tables"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in:   []string{"machine"},
			to:   func(s *settings) any { return &s.JSON },
			help: "print what Linux says as JSON instead of tables"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in:   append([]string{"diff", "trace", "xeval"}, benchmarks()...),
			to:   func(s *settings) any { return &s.JSON },
			help: "print the figures as JSON instead of tables"},
		{name: "full", kind: kindSwitch, group: groupOutput,
			in:   []string{"check", "eval", "search", "deploy"},
			to:   func(s *settings) any { return &s.Full },
			help: "print every mapping and every row of long tables"},
		{name: "bytes", kind: kindSize, group: groupOutput,
			in:   []string{"eval", "search"},
			to:   func(s *settings) any { return &s.Bytes },
			help: "also print how long input of this size takes, such as 59.88MB"},
		{name: "report", kind: kindFolder, word: "PATH", group: groupOutput,
			in:   []string{"eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers"},
			to:   func(s *settings) any { return &s.Report },
			help: "also write an HTML page and its result file: PATH.html names the page, any other name a folder"},
		{name: "report", kind: kindFolder, word: "PATH", group: groupOutput,
			in:   append([]string{"check", "diff", "xeval"}, benchmarks()...),
			to:   func(s *settings) any { return &s.Report },
			help: "also write an HTML page: PATH.html names it, any other name a folder"},
		{name: "md", kind: kindFile, group: groupOutput,
			in:   append([]string{"validate", "buffers"}, benchmarks()...),
			to:   func(s *settings) any { return &s.Markdown },
			help: "also write a page of Markdown to this file: command, date, machine, its load, and the tables"},
		{name: "out", short: "o", old: "output", kind: kindText, word: "NAME", group: groupOutput,
			perhaps: ofCommand,
			in:      []string{"search"},
			to:      func(s *settings) any { return &s.Out },
			help:    "write NAME.result.json, NAME.1.map.x and so on (default: the name of the first file)"},
		{name: "csv", kind: kindFolder, word: "PATH", group: groupOutput,
			in: append([]string{"check", "eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers",
				"diff", "xeval"}, benchmarks()...),
			to: func(s *settings) any { return &s.CSV },
			help: "also write the tables as CSV, in SI units: NAME.csv is one file, any other name a folder with a " +
				"file for each; calibrate with several data sets writes NAME.DATASET.csv or NAME/DATASET"},
		{name: "plots", kind: kindFolder, group: groupOutput,
			in:   []string{"sweep"},
			to:   func(s *settings) any { return &s.Plots },
			help: "also write a picture, sweep.svg and sweep.png, and sweep.csv into this folder"},
		{name: "out", short: "o", old: "output", kind: kindFile, group: groupOutput, perhaps: ofCommand | oldInSection,
			in:   []string{"report"},
			to:   func(s *settings) any { return &s.report.output },
			help: "write to this file (default: NAME.html; md, json and csv go to standard output)"},
		{name: "plots", kind: kindFolder, group: groupOutput,
			in:   []string{"report"},
			to:   func(s *settings) any { return &s.Plots },
			help: "write each picture as SVG and PNG, and each table as CSV, into this folder"},
		{name: "format", kind: kindText, word: "FORMAT", values: []string{"html", "md", "json", "csv"},
			usual: "html", group: groupOutput,
			in:   []string{"report"},
			to:   func(s *settings) any { return &s.report.format },
			help: "what is written: a page, or the tables as md, json or csv"},
		{name: "trace", kind: kindFile, group: groupOutput,
			in:   []string{"report"},
			to:   func(s *settings) any { return &s.report.trace },
			help: "write a timeline of the run to this file, in the Trace Event Format"},
		{name: "force", kind: kindSwitch, group: groupOutput,
			in: append([]string{"check", "eval", "search", "sweep", "diff", "validate", "calibrate", "deploy", "report",
				"buffers", "trace", "xeval",
				"import sdf3", "import tgff", "export sdf3", "export tgff", "bench paper", "machine"}, benchmarks()...),
			to:   func(s *settings) any { return &s.Force },
			help: "also replace files that xopt did not write"},
	}
}
