package settings

import (
	"fmt"

	"xopt/cmd/internal/options"
	"xopt/flow"
)

// scoring lists the commands that predict mappings.
func scoring() []string { return []string{"check", "eval", "search", "sweep", "validate", "buffers"} }

// modelOptions returns the options for the inputs of predictions, in the order in which results store them.
func (s *Settings) modelOptions() []options.Option {
	return []options.Option{
		{Name: "set", Kind: options.Texts, Metavar: "CONFIG", Group: options.GroupModel,
			Traits:   options.AffectsScore | options.MayNameFile, // kernels may write to a path in a config
			Check:    assignments,
			Commands: append(scoring(), "deploy", "calibrate"), To: &s.Set,
			Help: "set a config, such as bus.bandwidth=10MB/s",
			Details: "Kernels have configs, too: top.pipes=3, or top.pipe[2].fft.n=64 for one kernel of an array. " +
				"The name of a resource sets its count: fpga=2.",
			Common: []string{"check", "eval", "search", "sweep", "buffers", "calibrate"}},
		{Name: "figure", Kind: options.Texts, Metavar: "FIGURES", Group: options.GroupModel,
			Traits:   options.AffectsScore,
			Commands: scoring(), To: &s.Figure,
			Help: "set figures of a kernel, such as FFT@fpga:mu=40MB/s",
			Details: "Separate several figures with commas: mu=40MB/s,gain=2. The figures override the X files and " +
				"the profile.",
			Common: []string{"eval"}},
		{Name: "phi", Kind: options.Real, Group: options.GroupModel, Traits: options.AffectsScore,
			Check:    options.Utilization,
			Default:  fmt.Sprint(flow.DefaultMaxUtilization),
			Commands: scoring(), To: &s.Phi,
			Help:    "maximum utilization of every resource, in (0, 1]",
			Details: "Beard 2013, Eq. 6."},
		{Name: "profile", Kind: options.File, Group: options.GroupModel, Traits: options.AffectsScore,
			Commands: scoring(), To: &s.Profile,
			Help: "profile with measured figures, or none",
			Details: "The profile supplies figures that the X files do not state. Default: NAME.profile.json, if " +
				"this file describes kernels of NAME.x.",
			Common: []string{"check", "eval", "search", "sweep", "validate", "buffers"}},
		{Name: "profile", Kind: options.File, Group: options.GroupModel, Traits: options.AffectsScore,
			Commands: []string{"deploy"}, To: &s.Profile,
			Help: "profile for the prediction, or none",
			Details: "xopt prints the prediction beside the measurement. --from profile uses the same file. " +
				"Default: NAME.profile.json, if this file describes kernels of NAME.x.",
			Common: []string{"deploy"}},
		{Name: "sharing", Kind: options.Text, Metavar: "RULE", Values: sharings(), Group: options.GroupModel,
			Traits:   options.AffectsScore,
			Commands: scoring(), To: &s.Sharing,
			Help: "rule for sharing cores and links",
			Details: "Overrides the X files. equal: equal shares. conserving: unused shares go to " +
				"other sharers.",
			Common: []string{"eval"}},
		{Name: "allow-mismatch", Kind: options.Switch, Group: options.GroupModel, Traits: options.AffectsScore,
			Commands: append(scoring(), "deploy"), To: &s.AllowMismatch,
			Help:    "allow FPGA kernels whose output differs from the output on a core",
			Details: "The profile records which kernels differ."},
		{Name: "fresh", Kind: options.Switch, Group: options.GroupModel,
			Commands: scoring(), To: &s.Fresh,
			Help:    "reject a profile with stale or unverifiable figures",
			Details: "A figure is stale if the sources of its kernel have changed since calibration."},
	}
}

// engines returns the solvers of eval.
func engines() []string { return []string{"fast", "clp"} }

// sharings returns the rules that --sharing accepts.
func sharings() []string {
	var names []string
	for _, rule := range flow.CommonSharingRules() {
		names = append(names, rule.String())
	}
	return names
}

// NoProfile is the value of --profile that disables profiles.
const NoProfile = "none"
