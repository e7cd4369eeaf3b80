package fresh_test

import (
	"testing"

	"xopt/calibrate/fresh"
	"xopt/flow/profile"
)

// TestBelongs distinguishes the profile of an application whose kernels changed from the profile of another one.
func TestBelongs(t *testing.T) {
	p := readProgram(t, t.TempDir(), code, app)
	source := func(path, sum string) *profile.Source {
		return &profile.Source{Files: []profile.SourceFile{{Path: path, SHA256: sum}}}
	}
	now, err := fresh.Of(p, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		entry profile.Kernel
		want  bool
	}{
		{"the same source", profile.Kernel{Block: "Half", Instance: "top.half", Source: now}, true},
		{"changed text", profile.Kernel{Block: "Half", Source: source("half.c", "other")}, true},
		{"a renamed file", profile.Kernel{Block: "Half", Source: source("old.c", now.Files[0].SHA256)}, true},
		{"no source, as for a trace", profile.Kernel{Block: "Half"}, true},
		{"the same names, but other sources", profile.Kernel{Block: "Half", Instance: "top.half",
			Source: source("other.c", "other")}, false},
		{"another instance", profile.Kernel{Block: "Half", Instance: "top.other", Source: now}, false},
		{"another block", profile.Kernel{Block: "Other", Source: now}, false},
	} {
		c.entry.Platform = "C"
		if got := fresh.Belongs(p, &profile.Profile{Kernels: []profile.Kernel{c.entry}}); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
	if !fresh.Belongs(p, &profile.Profile{}) {
		t.Error("figures of the machine alone must suit every application")
	}
}
