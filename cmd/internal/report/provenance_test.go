package report

import (
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/mapper/result"
)

// TestCommitOf checks that a page names the commit of the program, if the build has it.
func TestCommitOf(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0 (go1.26.8, without CLP)":                    "not recorded in this build",
		"0.1.0+a618c55435e6 (go1.26.8, without CLP)":       "a618c55435e6",
		"0.1.0+a618c55435e6-dirty (go1.26.8, without CLP)": "a618c55435e6, with uncommitted changes",
	} {
		if got := commitOf(version); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// TestMachineWithoutCompiler checks that the machine of a result without a compiler ends with its kernel, not with a
// separator.
func TestMachineWithoutCompiler(t *testing.T) {
	m := profile.Machine{CPU: "cpu", Cores: 2, Kernel: "Linux 6"}
	for _, r := range []*result.Result{{Profile: &profile.Profile{Machine: m}},
		{Measured: &result.Measured{Machine: m}}} {
		if got := machineText(r); strings.Contains(got, ",  ") || strings.HasSuffix(got, ", ") ||
			!strings.Contains(got, m.Kernel) {
			t.Errorf("got %q", got)
		}
	}
}
