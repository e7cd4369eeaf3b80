// Package scratch creates temporary files and folders whose names identify their process, and removes the files of
// killed processes.
//
// A name consists of a prefix, the process id, a stamp, and a random part, such as xopt-deploy-4711-0a1b2c3d-5566. The
// stamp identifies the boot of the machine and the container. The package never removes files of another user or of a
// live process. Machines may share a folder, so a process with another stamp may be alive. The package removes the
// files of such a process only after a day.
package scratch

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"xopt/internal/proc"
)

// These are the prefixes of names in the folder for temporary files.
const (
	Deploy    = "xopt-deploy-"
	Calibrate = "xopt-calibrate-"
	Links     = "xopt-links-"
	RTL       = "xopt-rtl-"
	Bench     = "xopt-bench-"
	Examples  = "xopt-examples-"
	Cache     = "xopt-cache-"
	Trace     = "xopt-trace-"
	GNURadio  = "xopt-gnuradio-"
)

// strangersAge is the age at which the package removes the files of a process with another stamp.
const strangersAge = 24 * time.Hour

// Dir creates a folder in parent, or in the folder for temporary files if parent is "".
func Dir(parent, prefix string) (string, error) {
	parent = reclaim(parent, prefix)
	dir, err := os.MkdirTemp(parent, name(prefix))
	return dir, explain(parent, err)
}

// File creates a file in parent, or in the folder for temporary files if parent is "".
func File(parent, prefix string) (*os.File, error) {
	parent = reclaim(parent, prefix)
	f, err := os.CreateTemp(parent, name(prefix))
	return f, explain(parent, err)
}

// explain adds TMPDIR to an error if this environment variable selects the unusable folder.
func explain(parent string, err error) error {
	if err != nil && parent == os.Getenv("TMPDIR") {
		return fmt.Errorf("TMPDIR is %s: %w", parent, err)
	}
	return err
}

// Private returns an error if another user can change the contents of a folder, because such contents are not
// trustworthy.
func Private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	const othersWrite = 0o002
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(s.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode()&othersWrite != 0:
		return fmt.Errorf("%s is writable by every user", dir)
	}
	return nil
}

// name returns the prefix of the names that this process creates.
func name(prefix string) string { return fmt.Sprintf("%s%d-%s-", prefix, os.Getpid(), stamp()) }

// stamp identifies the boot of the machine and the container. Live processes with the same stamp have different ids.
func stamp() string {
	h := fnv.New32a()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	container, err2 := os.Readlink("/proc/self/ns/pid")
	host, err3 := os.Hostname()
	if errors.Join(err, err2, err3) != nil {
		return "00000000" // the stamps of existing files are unknown
	}
	fmt.Fprintf(h, "%s %s %s", boot, container, host)
	return fmt.Sprintf("%08x", h.Sum32())
}

// reclaim removes the files of this user's killed processes from a folder, and returns the folder. reclaim ignores
// errors, because the caller did not request the removal.
func reclaim(parent, prefix string) string {
	prefixes := []string{prefix}
	if parent == "" {
		parent, prefixes = os.TempDir(), []string{prefix, Deploy, Calibrate, Links, RTL, Bench, Examples, Cache,
			Trace, GNURadio}
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return parent // the creation of a file in the folder reports the error
	}
	own := stamp()
	for _, e := range entries {
		for _, p := range prefixes {
			if rest, ok := strings.CutPrefix(e.Name(), p); ok && left(e, rest, own) {
				_ = os.RemoveAll(filepath.Join(parent, e.Name()))
				break
			}
		}
	}
	return parent
}

// left reports whether a folder entry belongs to a killed process. rest is the name of the entry without the prefix.
func left(e fs.DirEntry, rest, own string) bool {
	info, err := e.Info()
	if err != nil || !e.IsDir() && !e.Type().IsRegular() {
		return false
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Getuid() {
		return false
	}
	parts := strings.Split(rest, "-")
	pid, err := strconv.Atoi(parts[0])
	if err != nil || pid <= 0 {
		return false // not created by this package
	}
	const existing = 3 // parts of a name
	if len(parts) == existing && parts[1] == own && own != "00000000" {
		return !lives(pid)
	}
	return len(parts) <= existing && time.Since(info.ModTime()) > strangersAge
}

// lives reports whether a process is alive. An ended process keeps its id until its parent waits for the process. In
// containers, the parent may never wait.
func lives(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	s, ok := proc.Read(pid)
	return !ok || !s.Ended() // an unreadable process may be alive
}
