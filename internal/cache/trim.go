package cache

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// After this share of the size that a cache may have was put by one process, it counts again what is there:
// others put, too.
const recount = 16

// A cache that is too large is trimmed to this share, so that not every put has to trim.
const (
	leaveOver  = 7
	leaveUnder = 8
)

// staleLock is how old a lock file must be that is removed: nothing takes as long to make.
const staleLock = 24 * time.Hour

// grown counts what was put, and removes the least recently used entries where all take too much.
func (c *Cache) grown(size int64) {
	c.total, c.added = c.total+size, c.added+size
	if c.total-size >= 0 && c.total <= c.settings.Size && c.added < c.settings.Size/recount {
		return
	}
	entries := stored(c.dir)
	c.total, c.added = 0, 0
	for _, e := range entries {
		c.total += e.bytes
	}
	if c.total <= c.settings.Size {
		return
	}
	for _, e := range entries {
		if c.total <= c.settings.Size/leaveUnder*leaveOver {
			return
		}
		if removeUnused(c.dir, e.dir) {
			c.total -= e.bytes
		}
	}
}

// storedEntry is an entry, in use or not.
type storedEntry struct {
	dir   string
	bytes int64
	used  time.Time
}

// stored are all entries of a cache, the least recently used first. On the way, lock files of processes that were
// killed are removed.
func stored(dir string) []storedEntry {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []storedEntry
	for _, n := range names {
		key, isLock := strings.CutSuffix(n.Name(), ".lock")
		if raw, err := hex.DecodeString(key); err != nil || len(raw) != keyBytes {
			continue // not ours
		}
		path := filepath.Join(dir, n.Name())
		if isLock {
			if info, err := n.Info(); err == nil && time.Since(info.ModTime()) > staleLock {
				_ = os.Remove(path)
			}
			continue
		}
		e := storedEntry{dir: path, bytes: 2 * page}
		if info, err := os.Stat(filepath.Join(path, listName)); err == nil {
			e.used = info.ModTime()
		}
		if text, err := os.ReadFile(filepath.Join(path, listName)); err == nil {
			var l list
			if json.Unmarshal(text, &l) == nil {
				e.bytes = l.disk()
			}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b storedEntry) int {
		return cmp.Or(a.used.Compare(b.used), strings.Compare(a.dir, b.dir))
	})
	return out
}

// removeUnused removes an entry that no process uses, and reports whether it did.
func removeUnused(cache, dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, listName), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist) && discard(cache, dir) == nil
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return false
	}
	return same(f, filepath.Join(dir, listName)) && discard(cache, dir) == nil
}
