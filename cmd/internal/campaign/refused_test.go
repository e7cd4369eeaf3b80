package campaign

import (
	"os"
	"testing"
)

// TestRemove: a campaign is removed while nobody has worked on it, and not afterwards.
func TestRemove(t *testing.T) {
	f := made(t, "0", "1")
	if err := f.NoteRefused("sbatch says: no such partition"); err != nil {
		t.Fatal(err)
	}
	if got := f.Refused(); got != "sbatch says: no such partition" {
		t.Errorf("refused: %q", got)
	}
	if gone, err := f.Remove(); err != nil || !gone {
		t.Fatalf("removed %v, error %v", gone, err)
	}
	if _, err := os.Lstat(f.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	f = made(t, "0", "1")
	worked(t, f, options(t, f))
	if gone, err := f.Remove(); err != nil || gone {
		t.Errorf("removed %v, error %v", gone, err)
	}
	right(t, f)
	for _, why := range []string{"once", ""} {
		if err := f.NoteRefused(why); err != nil || f.Refused() != why {
			t.Errorf("refused %q, error %v; want %q", f.Refused(), err, why)
		}
	}
}

// TestMissingFolders: what was taken out of the folder of a campaign is named, and resume makes folders again; nothing
// of that reads as if there were no campaign.
func TestMissingFolders(t *testing.T) {
	f := made(t, "0", "1")
	worked(t, f, options(t, f))
	for _, name := range []string{resultsFolder, claimsFolder} {
		if err := os.RemoveAll(f.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := NewWatch(f, 0).Look(); err == nil || os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
	if _, err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	worked(t, f, options(t, f))
	right(t, f)
	if err := os.RemoveAll(f.path(pointsFolder)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f.Dir); err == nil || os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}
