package file

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/internal/testkit"
)

// table returns the options of a command.
func table() options.Table {
	var vary []string
	var points int
	return options.Table{
		{Name: "vary", Kind: options.Texts, Commands: []string{"sweep"}, To: &vary},
		{Name: "points", Kind: options.Number, Default: "9", Commands: []string{"sweep"}, To: &points},
	}
}

// TestRead checks that a file may have flags of its command and keys of its engine, and that other engines' keys are
// rejected.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	kinds := []Kind{{Name: "sweep", NeedsVary: true}}
	testkit.Write(t, path, "kind: sweep\nfiles: [/shared/a.x]\nvary: [a.b=1..4]\npoints: 3\nengine: ssh\n"+
		"hosts: [n1, n2]\nstale: 5m\n")
	f, err := Read(path, table(), kinds)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--vary", "a.b=1..4", "--points", "3"}
	if f.Kind != "sweep" || !slices.Equal(f.Files, []string{"/shared/a.x"}) || !slices.Equal(f.Options, want) ||
		f.Engine.Name != campaign.SSH || f.Engine.Stale != 5*time.Minute || len(f.Engine.Hosts) != 2 {
		t.Errorf("read %+v", f)
	}
	if err := f.CheckEngine(campaign.SSH); err != nil {
		t.Error(err)
	}
	for text, where := range map[string]string{
		"kind: swep\n":                                              "a.yaml:1",
		"kind: sweep\nvary: [a.b=1,2]\n":                            "a.yaml",
		"kind: sweep\nfiles: [a.x]\n":                               "a.yaml",
		"kind: sweep\nfiles: [a.x]\nvarry: 1\n":                     "a.yaml:3",
		"kind: sweep\nfiles: [a.x]\nvary: [a.b=1..2]\nworkers: 0\n": "a.yaml:4",
	} {
		testkit.Write(t, path, text)
		if _, err := Read(path, table(), kinds); err == nil || !strings.Contains(err.Error(), where) {
			t.Errorf("%q: error %v, want one at %s", text, err, where)
		}
	}
	testkit.Write(t, path, "kind: sweep\nfiles: [a.x]\nvary: [a.b=1..2]\nhosts: [a]\n")
	if f, err = Read(path, table(), kinds); err != nil || f.CheckEngine(campaign.Local) == nil {
		t.Errorf("error %v; hosts are accepted for the engine local", err)
	}
}
