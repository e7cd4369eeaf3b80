package main

import (
	"fmt"

	"xopt/cmd/internal/options"
	"xopt/flow"
)

// scoring are the commands that predict mappings.
func scoring() []string { return []string{"check", "eval", "search", "sweep", "validate", "buffers"} }

// modelOptions say what predictions are made of. They stand in the order in which command lines
// are written into results.
func (s *settings) modelOptions() []options.Option {
	return []options.Option{
		{Name: "set", Kind: options.Texts, Metavar: "CONFIG", Group: options.GroupModel, Traits: options.AffectsScore,
			Check:    assignments,
			Commands: append(scoring(), "deploy", "calibrate"), To: &s.Set,
			Help: "set a config: NAME.config=VALUE, such as PCI.bandwidth=10MB/s, top.pipes=3, or " +
				"top.pipe[2].fft.n=64 of a kernel; or the number of a resource, such as fpga=2"},
		{Name: "figure", Kind: options.Texts, Metavar: "FIGURES", Group: options.GroupModel,
			Traits:   options.AffectsScore,
			Commands: scoring(), To: &s.Figure,
			Help: "set figures of a kernel, which override all others, such as FFT@fpga:mu=40MB/s,gain=2"},
		{Name: "phi", Kind: options.Real, Group: options.GroupModel, Traits: options.AffectsScore,
			Check:    options.Utilization,
			Default:  fmt.Sprint(flow.DefaultMaxUtilization),
			Commands: scoring(), To: &s.Phi,
			Help: "bound on every utilization, in (0, 1] (Beard 2013, Eq. 6)"},
		{Name: "profile", Kind: options.File, Group: options.GroupModel, Traits: options.AffectsScore,
			Commands: scoring(), To: &s.Profile,
			Help: "profile with the figures that the X files do not state, or none (default: NAME.profile.json of a " +
				"file NAME.x, if calibrate wrote it)"},
		{Name: "profile", Kind: options.File, Group: options.GroupModel, Traits: options.AffectsScore,
			Commands: []string{"deploy"}, To: &s.Profile,
			Help: "profile for the prediction beside what is measured, and for --from profile, or none (default: " +
				"NAME.profile.json of a file NAME.x, if calibrate wrote it)"},
		{Name: "sharing", Kind: options.Text, Metavar: "RULE", Values: sharings(), Group: options.GroupModel,
			Traits:   options.AffectsScore,
			Commands: scoring(), To: &s.Sharing,
			Help: "rule by which cores and links are shared, whatever the X files say: equal or conserving"},
		{Name: "allow-mismatch", Kind: options.Switch, Group: options.GroupModel, Traits: options.AffectsScore,
			Commands: append(scoring(), "deploy"), To: &s.AllowMismatch,
			Help: "allow kernels on FPGAs where, according to the profile, their output differs from that on a core"},
		{Name: "fresh", Kind: options.Switch, Group: options.GroupModel,
			Commands: scoring(), To: &s.Fresh,
			Help: "refuse a profile whose figures are stale, because the sources have changed since, or cannot be " +
				"checked"},
	}
}
