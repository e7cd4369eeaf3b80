//go:build linux

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// stranger is a user other than the owner of temporary folders.
const stranger = 65534

// startCommands returns a call of every command that needs no compiler.
func startCommands(t *testing.T) [][]string {
	t.Helper()
	var list [][]string
	for _, line := range []string{"version", "--version", "--help", "config show", "examples",
		"check app.x arch.x", "eval app.x arch.x found.1.map.x",
		"eval app.x arch.x found.1.map.x --report out", "search app.x arch.x --time 50ms -o out/found",
		"report found.result.json --format md", "report found.result.json -o out/x.html --plots out/p",
		"diff found.result.json found.result.json"} {
		list = append(list, strings.Fields(line))
	}
	root, err := newApp(io.Discard, io.Discard).rootCommand()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range root.Commands() {
		list = append(list, []string{c.Name(), "--help"})
	}
	return list
}

// strangerHome returns a folder that the other user may read, with the program, an example, and a folder out that the
// user may write to.
func strangerHome(t *testing.T) (dir, program string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	program = filepath.Join(dir, "xopt")
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	err = out.Close()
	for _, name := range []string{filepath.Dir(dir), dir} {
		err = errors.Join(err, os.Chmod(name, 0o755))
	}
	t.Chdir(dir)
	var output bytes.Buffer
	for _, line := range []string{"examples beard-jpeg .", "search app.x arch.x --time 50ms -o found"} {
		if code := run(t.Context(), strings.Fields(line), &output, &output); code != exitDone {
			t.Fatalf("xopt %s: %s", line, output.String())
		}
	}
	out2 := filepath.Join(dir, "out")
	if err := errors.Join(err, os.Mkdir(out2, 0o777), os.Chmod(out2, 0o777)); err != nil {
		t.Fatal(err)
	}
	return dir, program
}

// fullFolder returns a folder on a full device; it skips the test unless root runs it.
func fullFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4k,mode=1777"); err != nil {
		t.Skipf("cannot mount a small device: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<16), 0o644)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the device takes 64 KiB: %v", err)
	}
	return dir
}

// TestStart starts every command as another user, with a temporary folder that is read-only, full or missing, and
// with planted machine code of an earlier version. All commands must work and leave nothing there. With strace, the
// test also checks that they open nothing there, and write only to the requested places.
func TestStart(t *testing.T) {
	home, program := strangerHome(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Log("strace is not installed: only what is left in folders is looked at")
	}
	for k, c := range []struct {
		name   string
		folder func(t *testing.T) string
	}{
		{"unwritable", func(t *testing.T) string {
			dir := t.TempDir()
			planted := filepath.Join(dir, "go-graphviz", "wazero-v1.12.0-amd64-linux")
			if err := errors.Join(os.MkdirAll(planted, 0o700), os.Chmod(dir, 0o555)); err != nil {
				t.Fatal(err)
			}
			return dir
		}},
		{"full", fullFolder},
		{"missing", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			temp := c.folder(t)
			before := tree(temp)
			for i, args := range startCommands(t) {
				if k > 0 && slices.Contains(args, "--help") {
					continue // once is enough of these many
				}
				trace := ""
				cmd := exec.Command(program, args...)
				if strace != "" && i%3 == k { // strace is slow: a third in each case
					trace = filepath.Join(home, "out", "trace")
					cmd = exec.Command(strace,
						append([]string{"-f", "-qq", "-e",
							"trace=openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,memfd_create",
							"-o", trace, program}, args...)...)
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &out, home
				cmd.Env = []string{"TMPDIR=" + temp, "HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
				if os.Getuid() == 0 {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger,
						Gid: stranger}}
				}
				if err := cmd.Run(); err != nil {
					t.Errorf("xopt %s: %v\n%s", strings.Join(args, " "), err, out.String())
				}
				if trace != "" {
					checkTrace(t, trace, args, temp)
				}
			}
			if after := tree(temp); !slices.Equal(before, after) {
				t.Errorf("in the temporary folder there were %q, now there are %q", before, after)
			}
		})
	}
}

// tree lists the content of a folder; nothing if it is missing.
func tree(dir string) []string {
	var list []string
	// Unreadable entries are listed, too.
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		list = append(list, path)
		return nil
	})
	return list
}

// checkTrace checks which files a command opened.
func checkTrace(t *testing.T, trace string, args []string, temp string) {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(trace); err != nil {
		t.Fatal(err)
	}
	requested := slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(s, "out") })
	writes := regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|mkdir|rename|link|memfd_create|creat\(`)
	file := regexp.MustCompile(`"([^"]*)"`)
	lines := 0
	for line := range strings.Lines(string(text)) {
		m := file.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		lines++
		name := m[1]
		if strings.HasPrefix(name, temp) {
			t.Errorf("xopt %s looks into the temporary folder: %s", strings.Join(args, " "), line)
		}
		if writes.MatchString(line) && !(requested && strings.HasPrefix(name, "out")) {
			t.Errorf("xopt %s writes: %s", strings.Join(args, " "), line)
		}
	}
	if lines == 0 {
		t.Errorf("nothing was traced of xopt %s", strings.Join(args, " "))
	}
}

// TestSweepWithoutCheckpoint checks that a sweep in a read-only folder has its answer, without a checkpoint.
func TestSweepWithoutCheckpoint(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a program as another user")
	}
	home, program := strangerHome(t)
	cmd := exec.Command(program, strings.Fields("sweep app.x arch.x --vary PCIX.bandwidth=2MB/s,4MB/s "+
		"--evals 10 --csv out/s.csv")...)
	cmd.Dir, cmd.SysProcAttr = home, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "cannot be resumed") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(home, "out", "s.csv")); err != nil {
		t.Error(err)
	}
}
