package main

import "xopt/cmd/internal/options"

// wavesOptions are those of waves of signals.
func (s *settings) wavesOptions() []options.Option {
	return []options.Option{{Name: "waves", Kind: options.File, Group: options.GroupOutput,
		Commands: []string{"deploy", "report"}, To: &s.Waves,
		Help: "write the traces of signals (measure trace at KERNEL:SIGNAL) to this file, a value change dump " +
			"(VCD)"}}
}

// outputOptions say what is printed and written.
func (s *settings) outputOptions() []options.Option {
	return []options.Option{
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"check", "eval", "search", "sweep", "validate", "deploy", "buffers"}, To: &s.JSON,
			Help: "print the result file (JSON) instead of tables"},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"calibrate"}, To: &s.JSON,
			Help: "print the profile, or what --check has measured, as JSON instead of tables"},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"machine"}, To: &s.JSON,
			Help: "print what Linux says as JSON instead of tables"},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"diff", "trace", "xeval"}, To: &s.JSON,
			Help: "print the figures as JSON instead of tables"},
		{Name: "full", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"check", "eval", "search", "sweep", "validate", "calibrate", "deploy", "buffers"},
			To:       &s.Full,
			Help:     "print all tables and every row of them, not only the answer"},
		{Name: "bytes", Kind: options.Size, Group: options.GroupOutput,
			Commands: []string{"eval", "search"}, To: &s.Bytes,
			Help: "also print how long input of this size takes, such as 59.88MB"},
		{Name: "report", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers"}, To: &s.Report,
			Help: "also write an HTML page and its result file: PATH.html names the page, any other name a folder"},
		{Name: "report", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"check", "diff", "xeval"}, To: &s.Report,
			Help: "also write an HTML page: PATH.html names it, any other name a folder"},
		{Name: "md", Kind: options.File, Group: options.GroupOutput,
			Commands: []string{"validate", "buffers"}, To: &s.Markdown,
			Help: "also write a page of Markdown to this file: command, date, machine, its load, and the tables"},
		{Name: "out", Short: "o", Kind: options.Text, Metavar: "NAME", Group: options.GroupOutput,
			Traits:   options.PerCommand,
			Commands: []string{"search"}, To: &s.Out,
			Help: "write the result to NAME.result.json, and the candidates to NAME.1.map.x, NAME.2.map.x and so on " +
				"(default: the name of the first file)"},
		{Name: "out", Short: "o", Kind: options.Text, Metavar: "NAME", Group: options.GroupOutput,
			Traits:   options.PerCommand,
			Commands: []string{"sweep"}, To: &s.Out,
			Help: "write the result to NAME.result.json, which xopt report reads"},
		{Name: "csv", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"check", "eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers", "diff",
				"xeval"},
			To: &s.CSV,
			Help: "also write the tables as CSV, in SI units: NAME.csv is one file, any other name a folder with a " +
				"file for each; calibrate with several data sets writes NAME.DATASET.csv or NAME/DATASET"},
		{Name: "plots", Kind: options.Folder, Group: options.GroupOutput,
			Commands: []string{"sweep"}, To: &s.Plots,
			Help: "also write a picture, sweep.svg and sweep.png, and sweep.csv into this folder"},
		{Name: "force", Kind: options.Switch, Group: options.GroupOutput, Traits: options.NotInProject,
			Commands: []string{"check", "eval", "search", "sweep", "diff", "validate", "calibrate", "deploy", "report",
				"buffers", "trace", "xeval", "import sdf3", "import tgff", "export sdf3", "export tgff", "machine"},
			To:   &s.Force,
			Help: "also replace files that xopt did not write"},
	}
}
