package main

import (
	"fmt"

	"xopt/flow"
)

// scoring are the commands that predict mappings.
func scoring() []string { return []string{"check", "eval", "search", "sweep", "validate", "buffers"} }

// modelOptions say what predictions are made of. They stand in the order in which command lines
// are written into results.
func (s *settings) modelOptions() []option {
	return []option{
		{name: "set", kind: kindTexts, word: "CONFIG", group: groupModel, perhaps: ofScore, check: assignments,
			in: append(scoring(), "deploy", "calibrate"), to: &s.Set,
			help: "set a config: NAME.config=VALUE, such as PCI.bandwidth=10MB/s, top.pipes=3, or " +
				"top.pipe[2].fft.n=64 of a kernel; or the number of a resource, such as fpga=2"},
		{name: "figure", kind: kindTexts, word: "FIGURES", group: groupModel, perhaps: ofScore,
			in: scoring(), to: &s.Figure,
			help: "set figures of a kernel, which override all others, such as FFT@fpga:mu=40MB/s,gain=2"},
		{name: "phi", kind: kindReal, group: groupModel, perhaps: ofScore, check: utilization,
			usual: fmt.Sprint(flow.DefaultMaxUtilization),
			in:    scoring(), to: &s.Phi,
			help: "bound on every utilization, in (0, 1] (Beard 2013, Eq. 6)"},
		{name: "profile", kind: kindFile, group: groupModel, perhaps: ofScore,
			in: scoring(), to: &s.Profile,
			help: "profile with the figures that the X files do not state, or none (default: NAME.profile.json of a " +
				"file NAME.x, if calibrate wrote it)"},
		{name: "profile", kind: kindFile, group: groupModel, perhaps: ofScore,
			in: []string{"deploy"}, to: &s.Profile,
			help: "profile for the prediction beside what is measured, and for --from profile, or none (default: " +
				"NAME.profile.json of a file NAME.x, if calibrate wrote it)"},
		{name: "sharing", kind: kindText, word: "RULE", values: sharings(), group: groupModel, perhaps: ofScore,
			in: scoring(), to: &s.Sharing,
			help: "rule by which cores and links are shared, whatever the X files say: equal or conserving"},
		{name: "allow-mismatch", kind: kindSwitch, group: groupModel, perhaps: ofScore,
			in: append(scoring(), "deploy"), to: &s.AllowMismatch,
			help: "allow kernels on FPGAs where, according to the profile, their output differs from that on a core"},
		{name: "fresh", kind: kindSwitch, group: groupModel,
			in: scoring(), to: &s.Fresh,
			help: "refuse a profile whose figures are stale, because the sources have changed since, or cannot be " +
				"checked"},
	}
}
