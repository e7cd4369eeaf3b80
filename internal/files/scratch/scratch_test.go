package scratch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// gone returns the id of a process that has ended.
func gone(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// TestReclaim checks that the files of killed processes are removed, whatever created them. Files of live processes, of
// other users and of other programs stay.
func TestReclaim(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dead, own := gone(t), stamp()
	old := time.Now().Add(-48 * time.Hour)
	type entry struct {
		name  string
		aged  bool
		other bool // belongs to another user
		stays bool
	}
	var list []entry
	for _, p := range []string{Deploy, Calibrate, Links, RTL, Bench, Examples, Cache, Trace} {
		list = append(list, entry{name: fmt.Sprintf("%s%d-%s-1", p, dead, own)}, entry{name: p + "12345", aged: true},
			entry{name: fmt.Sprintf("%s%d-%s-1", p, os.Getpid(), own), stays: true}, entry{name: p + "123456",
				stays: true})
	}
	list = append(list,
		entry{name: fmt.Sprintf("%s%d-deadbeef-1", Deploy, dead), stays: true}, // possibly of another machine
		entry{name: fmt.Sprintf("%s%d-deadbeef-2", Deploy, dead), aged: true},
		entry{name: Deploy + "notes", aged: true, stays: true},
		entry{name: "xopt-other-1-" + own + "-1", aged: true, stays: true},
	)
	if os.Getuid() == 0 {
		list = append(list, entry{name: fmt.Sprintf("%s%d-%s-2", Deploy, dead, own), other: true, stays: true})
	}
	for _, e := range list {
		path := filepath.Join(temp, e.name)
		if err := os.MkdirAll(filepath.Join(path, "within"), 0o755); err != nil {
			t.Fatal(err)
		}
		if e.aged {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if e.other {
			if err := os.Chown(path, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir, err := Dir("", Links)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || filepath.Dir(dir) != temp {
		t.Errorf("the folder %s: %v", dir, err)
	}
	for _, e := range list {
		if _, err := os.Stat(filepath.Join(temp, e.name)); (err == nil) != e.stays {
			t.Errorf("%s: %v; it should stay: %v", e.name, err, e.stays)
		}
	}
	if _, err := Dir(filepath.Join(temp, "none"), Links); err == nil {
		t.Error("a folder is made in one that is not there")
	}
}

// TestPrivate checks that a folder that others own or may write to is not trusted.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Private(dir); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if Private(dir) == nil {
		t.Error("a folder that everybody may write to is trusted")
	}
	if os.Getuid() != 0 {
		return
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chown(dir, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if Private(dir) == nil {
		t.Error("the folder of another user is trusted")
	}
}

// TestFile checks that a temporary file has the process in its name, and is removed after the process is killed.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, fmt.Sprintf(".r.json.xopt-%d-%s-77", gone(t), stamp()))
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := File(dir, ".r.json.xopt-")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 ||
		filepath.Join(dir, entries[0].Name()) != f.Name() {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestNotReaped checks that an ended process whose parent has not waited for it does not count as alive.
func TestNotReaped(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if !lives(pid) {
		t.Error("a process that runs is taken for one that has ended")
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if !testkit.Eventually(func() bool { return !lives(pid) }) {
		t.Fatal("a process that has ended is taken for one that lives")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
