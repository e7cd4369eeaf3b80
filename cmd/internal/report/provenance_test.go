package report

import "testing"

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
