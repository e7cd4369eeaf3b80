// Package cache stores the outputs of compilers and tools by the content of their inputs. Outputs are the compiled
// runtime, the objects of kernels, Verilator's library, simulations and syntheses. A cache belongs to one user. Its
// folder is the value of XOPT_CACHE or, if this variable is not set, the subfolder xopt of the user's cache folder.
//
// An entry is a folder named by its key, with a list of its files and their checksums. The package writes an entry to a
// temporary folder and renames the folder, so that the entry is complete or absent. It verifies checksums on use, and
// creates damaged entries again. Several processes may use one cache at the same time. If two processes need the same
// missing entry, the second process waits for the first process and uses the result. Entries in use are locked (flock),
// so that they are not removed. If the total size exceeds the limit, the package removes the least recently used
// entries. A file contains the total size, so that most processes need not compute the size.
//
// xopt executes programs in the cache. The package therefore rejects a folder that another user owns or can write to.
// If the cache is unusable, the package uses a temporary folder, and a note states the reason.
//
// The cache of github.com/rogpeppe/go-internal is not sufficient. That cache stores single files, not folders. It
// removes entries by age, not by total size, and may remove entries in use.
//
// Packages that compile code, such as deploy and hdl/rtl, use this package.
package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"xopt/internal/files/scratch"
)

// Variable is the environment variable that names the cache folder.
const Variable = "XOPT_CACHE"

// DefaultSize is the default maximum size of a cache in bytes. This size is sufficient for several hundred designs with
// FPGAs.
const DefaultSize int64 = 2 << 30

// newFolder is the subfolder for temporary folders of entries that are being written or removed. newPrefix is the
// prefix of their names. Whenever the package creates a temporary folder, it also removes the folders of killed
// processes.
const (
	newFolder = ".new"
	newPrefix = "new-"
)

// Settings contains the folder and the maximum size of a cache.
type Settings struct {
	Dir  string       // "" for the folder according to the environment; see [Dir]
	Size int64        // maximum size in bytes; 0 for DefaultSize
	Note func(string) // called at most once, with the reason why nothing can be stored; may be nil
}

// Cache stores folders by key. The cache folder is created on first use.
type Cache struct {
	settings Settings

	mu     sync.Mutex
	opened bool
	dir    string // "" if nothing can be stored
	temp   string // folder for temporary results if nothing can be stored
	locked map[string]*entry
	made   []string // folders that could not become entries
	noted  bool
	// pending is the number of stored bytes that the total of the folder does not include yet.
	pending int64
}

// New returns a cache with the given settings. For an empty Dir, it uses the folder according to the environment.
func New(s Settings) *Cache {
	if s.Size <= 0 {
		s.Size = DefaultSize
	}
	return &Cache{settings: s, locked: make(map[string]*entry)}
}

// Dir returns the cache folder of this user according to the environment.
func Dir() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder for caches: %w; set %s", err, Variable)
	}
	return filepath.Join(dir, "xopt"), nil
}

type contextKey struct{}

// With returns a context that contains a cache for [From].
func With(ctx context.Context, c *Cache) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// From returns the cache of a context, or a cache according to the environment if the context has none.
func From(ctx context.Context) *Cache {
	if c, ok := ctx.Value(contextKey{}).(*Cache); ok {
		return c
	}
	return New(Settings{})
}

// Key returns the key for the given contents: a hash of all parts.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p) //nolint:errcheck // a hash does not fail
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:keyBytes])
}

// keyBytes is the number of hash bytes in a key. With this length, the probability of equal keys for different contents
// is negligible.
const keyBytes = 16

// Close releases all entries and removes the folders that could not be stored.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for key, e := range c.locked {
		errs = append(errs, e.release())
		delete(c.locked, key)
	}
	for _, dir := range append(c.made, c.temp) {
		if dir != "" {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	c.made, c.temp = nil, ""
	return errors.Join(errs...)
}

// open creates and checks the folder on its first call. It returns "" if the folder is unusable.
func (c *Cache) open() string {
	if c.opened {
		return c.dir
	}
	c.opened = true
	dir, err := c.settings.Dir, error(nil)
	if dir == "" {
		dir, err = Dir()
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = scratch.Private(dir)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, newFolder), 0o700)
	}
	if err == nil {
		err = writable(dir)
	}
	if err != nil {
		c.note(err)
		return ""
	}
	c.dir = dir
	return dir
}

// writable returns an error if this process cannot create files in a folder.
func writable(dir string) error {
	probe, err := newEntryDir(dir)
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// newEntryDir creates a folder that a rename can turn into an entry.
func newEntryDir(dir string) (string, error) {
	return scratch.Dir(filepath.Join(dir, newFolder), newPrefix)
}

// note reports the reason why outputs are not stored, once.
func (c *Cache) note(err error) {
	if c.noted || c.settings.Note == nil {
		return
	}
	c.noted = true
	c.settings.Note(fmt.Sprintf("cannot store compiled files for the next run: %v (set %s to a folder that you own)",
		err, Variable))
}

// folderForWork creates a folder. The folder is in the cache, so that a rename can turn it into an entry, or else in
// the folder for temporary files.
func (c *Cache) folderForWork() (dir string, inside bool, err error) {
	if c.open() != "" {
		if dir, err = newEntryDir(c.dir); err == nil {
			return dir, true, nil
		}
		c.note(err)
	}
	if c.temp == "" {
		if c.temp, err = scratch.Dir("", scratch.Cache); err != nil {
			return "", false, fmt.Errorf("creating a folder to compile in: %w", err)
		}
	}
	if dir, err = os.MkdirTemp(c.temp, newPrefix); err != nil {
		return "", false, fmt.Errorf("creating a folder to compile in: %w", err)
	}
	return dir, false, nil
}
