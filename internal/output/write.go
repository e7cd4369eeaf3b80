package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// WriteFile writes a file whole or not at all: beside, synced, renamed.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := CreateTemp(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name())))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// tempMark stands in the names of temporary files, before the process that made one.
const tempMark = ".xopt-"

// leftAfter is after how long a temporary file whose process is gone was left behind: the
// process may be one of another machine that shares the disk, and files are written in less.
const leftAfter = time.Minute

// CreateTemp makes a temporary file beside the file that it is to become. Those that killed
// processes left there are removed.
func CreateTemp(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	reclaim(dir, "."+base)
	return os.CreateTemp(filepath.Dir(path), fmt.Sprintf(".%s%s%d-", base, tempMark, os.Getpid()))
}

// reclaim removes what killed processes of this user left of a file.
func reclaim(dir, base string) {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // what follows will say so
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), base+tempMark)
		if !ours || !e.Type().IsRegular() {
			continue
		}
		process, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(process)
		info, statErr := e.Info()
		if err != nil || statErr != nil || time.Since(info.ModTime()) < leftAfter || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) == os.Getuid() {
			_ = os.Remove(filepath.Join(dir, e.Name())) // it is only in the way
		}
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// syncFolder makes a rename lasting where the file system can; one that cannot
// still holds the whole file.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
