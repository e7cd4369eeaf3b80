package settings

import "xopt/cmd/internal/options"

// wavesOptions returns the options for signal waves.
func (s *Settings) wavesOptions() []options.Option {
	return []options.Option{{Name: "waves", Kind: options.File, Group: options.GroupOutput,
		Commands: []string{"deploy", "report"}, To: &s.Waves,
		Help:    "write signal traces to this file (VCD)",
		Details: "The statement measure trace at KERNEL:SIGNAL records a signal."}}
}

func (s *Settings) outputOptions() []options.Option {
	flowGraphs := []string{"gnuradio measure", "gnuradio doctor", "gnuradio apply", "gnuradio compare"}
	full := []string{"check", "eval", "search", "sweep", "validate", "calibrate", "deploy", "buffers",
		"gnuradio measure", "gnuradio doctor"}
	return []options.Option{
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"check", "eval", "search", "sweep", "validate", "deploy", "buffers"}, To: &s.JSON,
			Help:    "print JSON instead of tables",
			Details: "The JSON is the result file.",
			Common:  []string{"check", "eval", "validate", "buffers"}},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"calibrate"}, To: &s.JSON,
			Help:    "print JSON instead of tables",
			Details: "The JSON is the profile, or the result of --check."},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"machine"}, To: &s.JSON,
			Help:   "print JSON instead of tables",
			Common: []string{"machine"}},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: append([]string{"diff", "trace", "xeval"}, flowGraphs...), To: &s.JSON,
			Help:   "print JSON instead of tables",
			Common: append([]string{"diff", "trace", "xeval"}, flowGraphs...)},
		{Name: "full", Kind: options.Switch, Group: options.GroupOutput,
			Commands: full, To: &s.Full,
			Help:   "print all tables in full",
			Common: full},
		{Name: "bytes", Kind: options.Size, Group: options.GroupOutput,
			Commands: []string{"eval", "search"}, To: &s.Bytes,
			Help:    "print the processing time of an input of this size",
			Details: "The size has a unit, such as 59.88MB.",
			Common:  []string{"eval"}},
		{Name: "report", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers"}, To: &s.Report,
			Help:    "write an HTML page and its result file",
			Details: "PATH.html names the page; any other name is a folder.",
			Common:  []string{"eval", "search", "sweep", "validate", "deploy", "buffers"}},
		{Name: "report", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"check", "diff", "xeval"}, To: &s.Report,
			Help:    "write an HTML page",
			Details: "PATH.html names the page; any other name is a folder.",
			Common:  []string{"check", "diff", "xeval"}},
		{Name: "md", Kind: options.File, Group: options.GroupOutput,
			Commands: []string{"validate", "buffers"}, To: &s.Markdown,
			Help:    "write a Markdown page to this file",
			Details: "The page contains the command, date, machine, load and tables."},
		{Name: "out", Short: "o", Kind: options.Text, Metavar: "NAME", Group: options.GroupOutput,
			Traits:   options.PerCommand | options.MayNameFile,
			Commands: []string{"search"}, To: &s.Out,
			Help: "base name of output files",
			Details: "The result is NAME.result.json; mappings are NAME.1.map.x, NAME.2.map.x and so on. Default: " +
				"the name of the first file.",
			Common: []string{"search"}},
		{Name: "out", Short: "o", Kind: options.Text, Metavar: "NAME", Group: options.GroupOutput,
			Traits:   options.PerCommand | options.MayNameFile,
			Commands: []string{"sweep"}, To: &s.Out,
			Help:    "write the result to NAME.result.json",
			Details: "xopt report reads this file.",
			Common:  []string{"sweep"}},
		{Name: "csv", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"check", "eval", "search", "sweep", "validate", "deploy", "calibrate", "buffers", "diff",
				"xeval"},
			To:   &s.CSV,
			Help: "write tables as CSV, in SI units",
			Details: "NAME.csv is one file; any other name is a folder with a file for each table. calibrate with " +
				"several data sets writes NAME.DATASET.csv or NAME/DATASET.",
			Common: []string{"eval", "sweep", "diff", "xeval"}},
		{Name: "plots", Kind: options.Folder, Group: options.GroupOutput,
			Commands: []string{"sweep"}, To: &s.Plots,
			Help: "write sweep.svg, sweep.png and sweep.csv to this folder"},
		{Name: "force", Kind: options.Switch, Group: options.GroupOutput, Traits: options.NotInProject,
			Commands: []string{"check", "eval", "search", "sweep", "diff", "validate", "calibrate", "deploy", "report",
				"buffers", "trace", "xeval", "import", "export", "machine", "gnuradio measure", "gnuradio apply"},
			To:   &s.Force,
			Help: "overwrite files that xopt did not write"},
	}
}
