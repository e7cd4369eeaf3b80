package settings

import (
	"time"

	"xopt/cmd/internal/options"
)

// gnuradioOptions returns the options of the commands for flow graphs of GNU Radio.
func (s *Settings) gnuradioOptions() []options.Option {
	g := &s.GNURadio
	const measure, doctor, apply, compare = "gnuradio measure", "gnuradio doctor", "gnuradio apply", "gnuradio compare"
	running := []string{measure, doctor, compare}
	return []options.Option{
		{Name: "run-time", Kind: options.Duration, Default: "2s", Group: options.GroupMeasure,
			Check:    options.AtLeast(100 * time.Millisecond),
			Commands: running, To: &g.Time,
			Help:   "measured time of each run of the flow graph",
			Common: running},
		{Name: "pairs", Kind: options.Number, Default: "5", Group: options.GroupMeasure,
			Check:    options.Between(2, 1000),
			Commands: []string{compare}, To: &g.Pairs,
			Help:   "number of runs of each flow graph",
			Common: []string{compare}},
		{Name: "headless", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: running, To: &g.Headless,
			Help:    "replace audio and radio hardware by null blocks",
			Details: "Sources run at full speed. Qt graphs always run without a screen.",
			Common:  running},
		{Name: "unthrottle", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: running, To: &g.Unthrottle,
			Help:   "remove the rate limits of throttles",
			Common: running},
		{Name: "verify", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: []string{doctor}, To: &g.Verify,
			Help:   "delay two blocks, and compare effect and prediction",
			Common: []string{doctor}},
		{Name: "change", Kind: options.Text, Metavar: "NAME", Group: options.GroupModel,
			Commands: []string{apply}, To: &g.Change,
			Help:    "change to apply, such as pin1 or buffers",
			Details: "Default: the best change that doctor advises.",
			Common:  []string{apply}},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: []string{apply}, To: &g.Out,
			Help:   "write the changed flow graph to this file",
			Common: []string{apply}},
	}
}
