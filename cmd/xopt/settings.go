package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"xopt/flow"
	"xopt/internal/cache"
	"xopt/internal/infile"
	"xopt/internal/units"
	"xopt/mapper"
)

// settings are all that can be set by a flag, by XOPT_… in the environment or in
// xopt.yaml, in falling precedence.
type settings struct {
	Set     []string
	Figure  []string
	Phi     float64
	Sharing string
	Engine  string
	JSON    bool
	Bytes   string
	Full    bool
	Profile string
	Fresh   bool

	AllowMismatch bool `mapstructure:"allow-mismatch"`

	Time    time.Duration
	Evals   uint64
	Seed    uint64
	Threads int
	Top     int
	Method  string
	Output  string
	Report  string

	Objective     string
	MinThroughput string `mapstructure:"min-throughput"`
	MaxLatency    string `mapstructure:"max-latency"`
	MaxBuffer     string `mapstructure:"max-buffer"`
	Checkpoint    time.Duration
}

// configName is the file that settings are read from in the working folder.
const configName = "xopt.yaml"

// envPrefix begins the names of environment variables.
const envPrefix = "XOPT"

// bind declares the flag that every command has.
func (s *settings) bind(root *cobra.Command) {
	root.PersistentFlags().String("config", "", "read settings from this `FILE` (default: "+configName+", if there)")
}

// modelFlags declares what commands that score mappings have.
func modelFlags(f *pflag.FlagSet) {
	f.StringArray("set", nil, "set a `CONFIG`: NAME.config=VALUE, such as PCI.bandwidth=10MB/s,\n"+
		"top.pipes=3 or top.pipe[2].fft.n=64 of a kernel, or how many of a resource there are, such as\n"+
		"fpga=2 (repeatable)")
	f.StringArray("figure", nil, "set `FIGURES`, which go before all others, such as\n"+
		"FFT@fpga:mu=40MB/s,gain=2 (repeatable)")
	f.String("profile", "", "take figures that the X files do not state from a profile `FILE`")
	f.Bool("fresh", false, "refuse a profile of which figures are stale, for the sources have\n"+
		"changed since, or cannot be checked")
	mismatchFlag(f)
	f.String("sharing", "",
		"`RULE` by which cores and links are shared, whatever the X\nfiles say: equal or conserving")
	f.Float64("phi", flow.DefaultMaxUtilization, "bound on every utilization, in (0, 1] (Beard 2013, Eq. 6)")
}

// mismatchFlag declares what lets kernels run where they compute something else.
func mismatchFlag(f *pflag.FlagSet) {
	f.Bool("allow-mismatch", false, "let kernels go to FPGAs where they compute something else than on\n"+
		"a core, as the profile tells")
}

// outputFlags declares what commands that print results have.
func outputFlags(f *pflag.FlagSet) {
	f.Bool("json", false, "print the result as JSON")
	f.Bool("full", false, "print every mapping and every row of long tables")
	f.String("bytes", "", "also print how long input of this `SIZE` takes, such as 59.88MB")
}

// reportFlag declares where to put a page of what was found.
func reportFlag(f *pflag.FlagSet) {
	f.String("report", "", "also write a page to read, NAME.html with NAME.result.json,\ninto this `FOLDER`")
}

// searchFlags declares the limits of a search.
func searchFlags(f *pflag.FlagSet) {
	f.Duration("time", 10*time.Second, "stop after this long, reports included; 0 for no limit, which\n"+
		"--evals without --time means")
	f.Uint64("evals", 0, "stop after scoring so many mappings, partial ones that branch\n"+
		"and bound looks at included; 0 for no limit")
	f.Uint64("seed", 1, "seed of all random choices")
	f.Int("threads", 0, "searches that run side by side; 0 for one on each core")
	f.Int("top", 5, "how many mappings to print and write")
	f.String("method", "auto", "`METHOD` of the search: "+strings.Join(mapper.Methods()[:4], ", ")+",\n"+
		strings.Join(mapper.Methods()[4:], ", ")+";\nauto is exhaustive for up to 300,000 mappings, else mixed, or\n"+
		"anneal without a limit; exact needs sources that joins tie\ninto one, and the objective throughput")
	goalFlagSet(f)
	f.Duration("checkpoint", 30*time.Second, "keep what was found in NAME.checkpoint.json at least this often,\n"+
		"for --resume; 0 for never")
	f.StringP("output", "o", "", "write `NAME`.result.json, NAME.1.map.x and so on\n"+
		"(default: the name of the first file)")
}

// goalFlagSet declares what a search can be to find.
func goalFlagSet(f *pflag.FlagSet) {
	f.String("objective", "throughput", "what is to be best: `OBJECTIVE` of throughput, latency, area,\n"+
		"buffers, cores, energy, cost; of several, with commas, the\nfront: what none beats in all of them")
	f.String("min-throughput", "", "only mappings that let this `RATE` through, such as 40MB/s;\n"+
		"latency, buffers and energy are told at it (default: at 90 %\nof what a mapping lets through)")
	f.String("max-latency", "", "only mappings whose longest path takes up to this `TIME` in\nthe mean, such as 3ms")
	f.String("max-buffer", "", "only mappings without a buffer above this `SIZE`, such as 64KiB")
}

// load puts flags, environment and file together for one command.
func (s *settings) load(c *cobra.Command) error {
	v, err := newViper(c)
	if err != nil {
		return err
	}
	var out settings
	if err := v.UnmarshalExact(&out); err != nil {
		return &usageError{fmt.Errorf("reading settings: %w", err)}
	}
	if out.Evals > 0 && c.Flags().Lookup("time") != nil && origin(c, v, "time") == "default" {
		out.Time = 0 // the answer then depends on no machine
	}
	*s = out
	return s.check(c)
}

// check refuses settings that a command cannot work with.
func (s *settings) check(c *cobra.Command) error {
	var errs []error
	has := func(name string) bool { return c.Flags().Lookup(name) != nil }
	if has("phi") && !(s.Phi > 0 && s.Phi <= 1) {
		errs = append(errs, fmt.Errorf("phi is %g, want a value in (0, 1]", s.Phi))
	}
	const mostTop, mostThreads = 1000, 1024
	if has("top") && (s.Top < 1 || s.Top > mostTop) {
		errs = append(errs, fmt.Errorf("top is %d, want 1 to %d", s.Top, mostTop))
	}
	if has("threads") && (s.Threads < 0 || s.Threads > mostThreads) {
		errs = append(errs, fmt.Errorf("threads is %d, want 0 to %d", s.Threads, mostThreads))
	}
	if s.Time < 0 {
		errs = append(errs, fmt.Errorf("time is %s, want 0 or more", s.Time))
	}
	if s.Checkpoint < 0 {
		errs = append(errs, fmt.Errorf("checkpoint is %s, want 0 or more", s.Checkpoint))
	}
	if has("objective") {
		if _, err := s.goal(); err != nil {
			errs = append(errs, err)
		}
	}
	if s.Bytes != "" {
		if _, err := units.ParseSize(s.Bytes); err != nil {
			errs = append(errs, fmt.Errorf("--bytes: %w", err))
		}
	}
	if s.Sharing != "" && !slices.Contains(sharings(), s.Sharing) {
		errs = append(errs, fmt.Errorf("sharing is %q, want %s", s.Sharing, strings.Join(sharings(), " or ")))
	}
	if s.Method != "" {
		_, err := mapper.ParseMethod(s.Method)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	return nil
}

// newViper makes the viper of one run: the command's flags, XOPT_… and the file.
func newViper(c *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	var bindErr error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if isSetting(f.Name) {
			bindErr = errors.Join(bindErr, v.BindPFlag(f.Name, f))
		}
	})
	if bindErr != nil {
		return nil, fmt.Errorf("binding flags: %w", bindErr)
	}
	path, err := c.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	explicit := path != ""
	if !explicit {
		path = os.Getenv(envPrefix + "_CONFIG")
		explicit = path != ""
	}
	if !explicit {
		path = configName
	}
	v.SetConfigFile(path)
	v.SetConfigType("yaml")
	err = infile.Check(path)
	if err == nil {
		err = v.ReadInConfig()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !explicit:
	case err != nil:
		return nil, &usageError{fmt.Errorf("reading settings from %s: %w", path, err)}
	}
	for _, key := range v.AllKeys() {
		if v.InConfig(key) && !slices.Contains(settingNames(), key) {
			return nil, &usageError{fmt.Errorf("%s: unknown setting %q%s; known are %s", path, key,
				didYouMean("", key, settingNames()), strings.Join(settingNames(), ", "))}
		}
	}
	if err := readable(c, v); err != nil {
		return nil, err
	}
	return v, nil
}

// readable refuses values from the environment or the file that the flag of the
// same name would refuse, and parts lists in the environment at spaces, since
// figures hold commas.
func readable(c *cobra.Command, v *viper.Viper) error {
	var errs []error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !isSetting(f.Name) || f.Changed {
			return
		}
		switch from := origin(c, v, f.Name); {
		case from == "default":
		case f.Value.Type() == "stringArray":
			if env := os.Getenv(environment(f.Name)); env != "" {
				v.Set(f.Name, strings.Fields(env))
			}
		default:
			value := fmt.Sprint(v.Get(f.Name))
			if err := f.Value.Set(value); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s is %q: want %s", from, f.Name, value, wanted(f.Value.Type())))
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	return nil
}

// environment is the variable that sets a setting.
func environment(name string) string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// unknownEnvironment remarks on variables that look like settings but are none.
func unknownEnvironment(environ []string) []string {
	known := []string{envPrefix + "_CONFIG", cache.Variable}
	for _, name := range settingNames() {
		known = append(known, environment(name))
	}
	var remarks []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, envPrefix+"_") && !slices.Contains(known, name) {
			remarks = append(remarks, fmt.Sprintf("%s in the environment is no setting%s", name,
				didYouMean("", name, known)))
		}
	}
	return remarks
}

// settingNames lists the settings, as flags, keys and, upper case, environment
// variables.
func settingNames() []string {
	return []string{"set", "figure", "phi", "sharing", "engine", "json", "bytes", "time", "evals", "seed", "threads",
		"top", "full", "method", "profile", "output", "report", "objective", "min-throughput", "max-latency",
		"max-buffer", "checkpoint", "fresh", "allow-mismatch"}
}

func isSetting(name string) bool { return slices.Contains(settingNames(), name) }

// configCommand shows what is in force.
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "show the settings in force",
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	show := &cobra.Command{
		Use:   "show",
		Short: "print every setting with where it comes from",
		Long: `Prints every setting with its value and where that comes from. A flag goes before
the environment (XOPT_SEED=7), the environment before the file ` + configName + ` in the
working folder (or --config FILE, or XOPT_CONFIG), the file before the default.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := newViper(c)
			if err != nil {
				return err
			}
			if err := a.settings.load(c); err != nil {
				return err
			}
			for _, name := range settingNames() {
				fmt.Fprintf(a.stdout, "%-14s %-14v %s\n", name, show(v, name), origin(c, v, name))
			}
			return nil
		},
	}
	modelFlags(show.Flags())
	outputFlags(show.Flags())
	searchFlags(show.Flags())
	reportFlag(show.Flags())
	show.Flags().String("engine", "fast", "solver")
	c.AddCommand(show)
	return c
}

func show(v *viper.Viper, name string) any {
	switch name {
	case "set", "figure":
		if list := v.GetStringSlice(name); len(list) > 0 {
			return strings.Join(list, " ")
		}
		return "-"
	case "time", "checkpoint":
		return v.GetDuration(name)
	}
	if s := fmt.Sprint(v.Get(name)); s != "" {
		return s
	}
	return "-"
}

func origin(c *cobra.Command, v *viper.Viper, name string) string {
	switch {
	case c.Flags().Changed(name):
		return "flag"
	case os.Getenv(environment(name)) != "":
		return environment(name)
	case v.InConfig(name):
		return v.ConfigFileUsed()
	}
	return "default"
}
