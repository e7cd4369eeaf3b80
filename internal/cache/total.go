package cache

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"xopt/internal/files/scratch"
)

// totalName is the file that contains the total size of all entries. Computing the total takes seconds, because a cache
// may have a hundred thousand entries. A writer locks the file and replaces it with a new file.
const totalName = ".xopt-total.json"

// total is the total size of all entries.
type total struct {
	Bytes   int64     `json:"bytes"`
	Added   int64     `json:"added"` // bytes added since the last count
	Counted time.Time `json:"counted"`
}

// oldTotal is the age of a total at which the package computes the total again.
const oldTotal = 24 * time.Hour

// old reports whether the last count is too old, or in the future.
func (t total) old() bool {
	age := time.Since(t.Counted)
	return age < 0 || age > oldTotal
}

// lockTotal opens the file with the total of a cache, which may be empty, and locks the file until it is closed. It
// returns false if it cannot open the file, or cannot lock it without waiting.
func lockTotal(dir string) (*os.File, bool) {
	path := filepath.Join(dir, totalName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false
	}
	// On file systems without locks, a later count corrects an incomplete total.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) ||
		!same(f, path) {
		_ = f.Close()
		return nil, false
	}
	return f, true
}

// readTotal reads a total and reports whether it is valid.
func readTotal(f *os.File) (t total, isKnown bool) {
	if err := json.NewDecoder(f).Decode(&t); err != nil || t.Added < 0 || t.Bytes < t.Added {
		return total{}, false
	}
	return t, true
}

func writeTotal(dir string, t total) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := scratch.File(filepath.Join(dir, newFolder), newPrefix)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, totalName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
