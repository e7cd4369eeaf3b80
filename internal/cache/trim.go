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

// recount determines when the package counts all entries again: after the addition of 1/recount of the maximum size.
// The stored total is not exact, because entries may be damaged, and other processes may remove entries.
const recount = 16

// If a cache is too large, the package reduces its size to leaveOver/leaveUnder of the maximum size. Therefore not
// every put removes entries.
const (
	leaveOver  = 7
	leaveUnder = 8
)

// staleLock is the age at which a lock file is removed. The creation of an entry takes much less time.
const staleLock = 24 * time.Hour

// grown adds size to the total. If the total is too large, it removes the least recently used entries. It counts the
// entries only if the total is unknown or outdated.
func (c *Cache) grown(size int64) {
	c.pending += size
	f, ok := lockTotal(c.dir)
	if !ok {
		return // another process is trimming; a later put adds the size of this entry
	}
	defer f.Close() //nolint:errcheck // the file was only read
	t, isKnown := readTotal(f)
	t.Bytes, t.Added = t.Bytes+c.pending, t.Added+c.pending
	if !isKnown || t.Bytes > c.settings.Size || t.Added > c.settings.Size/recount || t.old() {
		t = c.trim()
	}
	if writeTotal(c.dir, t) == nil {
		c.pending = 0
	}
}

// trim counts all entries. If their total size is too large, it removes the least recently used entries.
func (c *Cache) trim() total {
	t, entries := total{Counted: time.Now()}, stored(c.dir)
	for _, e := range entries {
		t.Bytes += e.bytes
	}
	if t.Bytes <= c.settings.Size {
		return t
	}
	for _, e := range entries {
		if t.Bytes <= c.settings.Size/leaveUnder*leaveOver {
			break
		}
		if removeUnused(c.dir, e.dir) {
			t.Bytes -= e.bytes
		}
	}
	return t
}

type storedEntry struct {
	dir   string
	bytes int64
	used  time.Time
}

// stored returns all entries of a cache, least recently used first. It also removes the lock files of killed processes.
func stored(dir string) []storedEntry {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []storedEntry
	for _, n := range names {
		key, isLock := strings.CutSuffix(n.Name(), ".lock")
		if raw, err := hex.DecodeString(key); err != nil || len(raw) != keyBytes {
			continue // not an entry of a cache
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

// removeUnused removes an entry unless a process uses it. It reports whether it removed the entry.
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
