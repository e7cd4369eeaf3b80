package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestAround: what leads into the folder of a campaign is known, by whatever name and whether it is there or not.
func TestAround(t *testing.T) {
	f := made(t, "0")
	home := t.TempDir()
	at := func(name string) string { return filepath.Join(home, name) }
	dir, err := filepath.EvalSymlinks(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(f.Dir, at("folder")), os.Symlink(f.path(campaignFile), at("file.json")),
		os.Symlink(f.path(inputsFolder), at("inputs"))); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		f.Dir: dir, f.path(campaignFile): dir, f.path("new", "table.csv"): dir, at("folder/x.csv"): dir,
		at("file.json"): dir, at("inputs/app.x"): dir, home + "/inputs/../x.csv": dir, at("x.csv"): "",
		filepath.Dir(f.Dir): "", f.path("..", "x.csv"): "",
	} {
		if got := Around(path); got != want {
			t.Errorf("%s is in %q, want %q", path, got, want)
		}
		if itself := path == f.Dir; (Below(path) != want) != itself {
			t.Errorf("%s is below %q", path, Below(path))
		}
	}
}
