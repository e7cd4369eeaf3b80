package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/options"
	deployrun "xopt/deploy/run"
	"xopt/internal/files/output"
)

// MaxMappings is the maximum number of mappings in a validation.
const MaxMappings = 1000

func (s *Settings) validateOptions() []options.Option {
	in := []string{"validate"}
	return []options.Option{
		{Name: "best", Kind: options.Number, Default: "3", Group: options.GroupRun,
			Check:    options.Between(0, MaxMappings),
			Commands: in, To: &s.Validate.Best,
			Help:   "number of best mappings to run",
			Common: in},
		{Name: "random", Kind: options.Number, Default: "6", Group: options.GroupRun,
			Check:    options.Between(0, MaxMappings),
			Commands: in, To: &s.Validate.Random,
			Help:   "number of random mappings to run",
			Common: in},
		{Name: "runs", Kind: options.Number, Default: "3", Group: options.GroupRun, Check: options.AtLeast(1),
			Commands: in, To: &s.Validate.Runs,
			Help: "number of runs of each mapping",
			Details: "Runs of different mappings alternate. If the runs of a mapping disagree, xopt runs this " +
				"mapping three times as often. The default with --from profile is 1.",
			Common: in},
		{Name: "window", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(minWindow),
			Commands: in, To: &s.Validate.Window,
			Help:    "length of each run",
			Details: "0: 500ms; 20ms of virtual time if a mapping uses an FPGA; 100ms with --from profile.",
			Common:  in},
		{Name: "elements", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &s.Elements,
			Help: "number of elements that sources send in each run",
			Details: "Sets the config elements. A run ends after the last element, or at --window. " +
				"Default: the number that fits into the window."},
		{Name: "search-time", Kind: options.Duration, Default: "5s", Group: options.GroupSearch,
			Check:    options.Positive,
			Commands: in, To: &s.Validate.Search,
			Help: "time limit of the search for the best mappings"},
		{Name: "seed", Kind: options.Count, Default: "1", Group: options.GroupSearch,
			Commands: in, To: &s.Seed,
			Help: "seed of the search and of the random mappings"},
		{Name: "refine", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.Validate.Refine,
			Help:    "refine the profile with these runs, and write the result to this file",
			Details: "See calibrate --refine."},
	}
}

func (s *Settings) waitOptions() []options.Option {
	return []options.Option{{Name: "wait-quiet", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
		Check:    options.ZeroOrAtLeast(0),
		Commands: []string{"calibrate", "validate", "deploy", "search"}, To: &s.WaitQuiet,
		Help: "timeout of the wait for a quiet machine before measurements",
		Details: "A machine is quiet if other programs use less than a quarter of a processor for 1.2 s. After the " +
			"timeout, the command measures anyway. search waits before --race."}}
}

// WaitsForNothing returns an error if a command that measures nothing has the flag --wait-quiet. why is the reason that
// it measures nothing.
func (s *Settings) WaitsForNothing(why string, isFlag func(name string) bool) error {
	if s.WaitQuiet == 0 || !isFlag("wait-quiet") {
		return nil
	}
	return faults.OptionsConflict.Usagef("--wait-quiet is for measurements, but %s; leave out --wait-quiet", why)
}

func (s *Settings) calibrateOptions() []options.Option {
	in := []string{"calibrate"}
	return []options.Option{
		{Name: "input", Kind: options.Files, Group: options.GroupRun,
			Commands: in, To: &s.Calibrate.Inputs,
			Help:    "input file of sources (config input)",
			Details: "With several files, xopt writes one profile for each file.",
			Common:  in},
		{Name: "elements", Kind: options.Count, Default: "0", Group: options.GroupRun,
			Commands: in, To: &s.Elements,
			Help:    "number of elements that sources send in the recorded run",
			Details: "Sets the config elements. Default: the value in the X files."},
		{Name: "sink", Kind: options.File, Group: options.GroupRun,
			Commands: in, To: &s.Sink,
			Help:    "output file of sinks (config output)",
			Details: "xopt removes the file at the end. Default: the value in the X files."},
		{Name: "record", Kind: options.Duration, Default: "2s", Group: options.GroupRun, Check: options.Positive,
			Commands: in, To: &s.Calibrate.Record,
			Help: "maximum duration of the recorded run"},
		{Name: "guard", Kind: options.Switch, Group: options.GroupRun,
			Commands: in, To: &s.Guard,
			Help:    "detect kernels that write beyond their elements",
			Details: "Before any measurement, xopt checks the recorded run as deploy --guard does."},
		{Name: "all", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &s.Calibrate.All,
			Help:   "measure all kernels again, even unchanged kernels",
			Common: in},
		{Name: "kernels-only", Kind: options.Switch, Group: options.GroupMeasure,
			Commands: in, To: &s.Calibrate.KernelsOnly,
			Help: "measure only kernels; skip shared memory and core sharing"},
		{Name: "refine", Kind: options.Files, Group: options.GroupMeasure, Traits: options.PerCommand,
			Commands: in, To: &s.Calibrate.Refine,
			Help: "refine the profile with this result",
			Details: "The file is a result of validate or deploy. xopt measures nothing. It corrects the figures " +
				"by the service times in the result, and reports the improvement.",
			Common: in},
		{Name: "trace", Kind: options.File, Group: options.GroupMeasure, Traits: options.PerCommand,
			Commands: in, To: &s.Calibrate.Trace,
			Help:    "add figures of kernels from this trace",
			Details: "xopt measures nothing. Formats: .csv, .vcd, .xtrace, or a folder of .ts files."},
		{Name: "rules", Kind: options.File, Group: options.GroupMeasure,
			Commands: in, To: &s.Calibrate.Rules,
			Help:    "rules (.smx) that group the events of --trace",
			Details: "Default: the rules that the application implies."},
		{Name: "on", Kind: options.Text, Metavar: "NAME", Group: options.GroupMeasure,
			Commands: in, To: &s.Calibrate.On,
			Help:    "resource or platform on which --trace was recorded",
			Details: "Default: the resource that the trace names."},
		{Name: "precision", Kind: options.Real, Default: "0.01", Group: options.GroupMeasure, Check: options.Fraction,
			Commands: in, To: &s.Calibrate.Precision,
			Help: "target precision of service rates",
			Details: "Precision is half the width of the 95 % confidence interval, relative to the " +
				"median.",
			Common: in},
		{Name: "budget", Kind: options.Duration, Default: "0s", Group: options.GroupMeasure,
			Check:    options.ZeroOrAtLeast(0),
			Commands: in, To: &s.Calibrate.Budget,
			Help: "time limit, including compilation",
			Details: "xopt skips and lists figures that do not fit. 0: 3s of measurement for each kernel, " +
				"less if --precision is above 0.1.",
			Common: in},
		{Name: "check", Kind: options.File, Group: options.GroupMeasure,
			Commands: in, To: &s.Calibrate.Check,
			Help:   "check this profile by measuring some kernels again",
			Common: in},
		{Name: "against", Kind: options.File, Group: options.GroupMeasure,
			Commands: in, To: &s.Calibrate.Against,
			Help:    "compare the figures with the figures of this profile",
			Details: "The comparison uses their confidence intervals.",
			Common:  in},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: in, To: &s.Calibrate.Output,
			Help:    "write the profile to this file",
			Details: "Default: NAME" + ProfileSuffix + " for the first file NAME.x.",
			Common:  in},
	}
}

// hostOptions returns the options of runs on several hosts.
func (s *Settings) hostOptions() []options.Option {
	return []options.Option{
		{Name: "launch", Kind: options.Text, Metavar: "COMMAND", Group: options.GroupRun, Traits: options.NotInProject,
			Commands: []string{"deploy", "validate", "calibrate"}, To: &s.Launch,
			Help: "command that starts a program on a remote host",
			Details: "{host} stands for the host, {command} for the quoted command. Default: no command " +
				"for localhost, otherwise " + hosts.Usual + "."},
	}
}

// minWindow is the duration of the shortest run: five frames.
const minWindow = 5 * deployrun.MinFrame

// ProfileSuffix is the extension of profiles.
const ProfileSuffix = ".profile.json"

// DefaultProfile returns the existing default profile of an X file, next to the file or in the working folder; "" for
// none.
func DefaultProfile(file string) string {
	stem, isX := strings.CutSuffix(file, ".x")
	if !isX {
		return ""
	}
	for _, path := range []string{stem + ProfileSuffix, filepath.Base(stem) + ProfileSuffix} {
		if output.Wrote(path, output.Profile()) {
			return path
		}
	}
	return ""
}

// Profiles returns the paths of the profiles of data sets. A single profile has the path base. Several profiles are
// in the folder of base, and their names contain the names of the data sets.
func (f *Calibrate) Profiles(base string) []string {
	if len(f.Inputs) < 2 {
		return []string{base}
	}
	var paths []string
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".json"), ".profile")
	for i, input := range f.Inputs {
		name := strings.TrimSuffix(filepath.Base(input), filepath.Ext(input))
		path := stem + "." + name + ProfileSuffix
		if slices.Contains(paths, path) {
			path = fmt.Sprintf("%s.%s.%d%s", stem, name, i+1, ProfileSuffix)
		}
		paths = append(paths, path)
	}
	return paths
}

// ValidationRuns returns the number of runs of each mapping. With times from the profile, the number is 1 unless the
// user set it. One run is sufficient, because the interval of the figures exceeds the variation of the draws.
func (s *Settings) ValidationRuns(given bool) int {
	if s.From == FromProfile && !given {
		return 1
	}
	return s.Validate.Runs
}
