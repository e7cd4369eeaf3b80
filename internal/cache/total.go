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

// totalName is the file of a cache that tells how many bytes all entries take. A cache may have a hundred thousand
// entries: to count them takes seconds. Who changes it locks it, writes another, and renames that.
const totalName = ".xopt-total.json"

// total is what all entries take.
type total struct {
	Bytes   int64     `json:"bytes"`
	Added   int64     `json:"added"` // of them since they were counted
	Counted time.Time `json:"counted"`
}

// oldTotal is the age at which the entries are counted again in any case.
const oldTotal = 24 * time.Hour

// old reports whether the entries were counted too long ago, or in what is the future here.
func (t total) old() bool {
	age := time.Since(t.Counted)
	return age < 0 || age > oldTotal
}

// lockTotal opens the total of a cache, perhaps an empty file, and locks it until it is closed. It does not wait.
func lockTotal(dir string) (*os.File, bool) {
	path := filepath.Join(dir, totalName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false
	}
	// Where a file system has no locks, a total that misses something is counted again later.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) ||
		!same(f, path) {
		_ = f.Close()
		return nil, false
	}
	return f, true
}

// readTotal reads a total, and reports whether it can be one.
func readTotal(f *os.File) (t total, known bool) {
	if err := json.NewDecoder(f).Decode(&t); err != nil || t.Added < 0 || t.Bytes < t.Added {
		return total{}, false
	}
	return t, true
}

// writeTotal puts a total in the place of the one that is there.
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
