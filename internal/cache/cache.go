// Package cache keeps what compilers and tools have made, by the content of what it was made from: the compiled
// runtime, the objects of kernels, Verilator's library, simulations, syntheses. It belongs to a user, in the folder
// XOPT_CACHE, else xopt in the folder that the system gives a user for caches.
//
// An entry is a folder named by its key, with a list of its files and their sums. It is written beside and renamed,
// so that it is whole or not there, and its sums are checked when it is taken, so that a damaged one is made again.
// Several processes may use one cache at once: who comes second waits for what the first makes, and takes it.
// An entry that is in use is locked (flock), and not removed. The least recently used entries go first when all
// together take more than the size that the cache may have. What all take stands in a file, so that not every process
// has to count them.
//
// What is kept is run. So a folder that another user owns or may write to is refused; where a cache cannot be used,
// work goes on in a temporary folder, and a note says why.
//
// The cache of github.com/rogpeppe/go-internal does not replace it: that one keeps single files, not folders, trims by
// age and not by size, and may remove what is in use. Its locks of files are the same flock.
//
// It stands below all that compiles: deploy and hdl/rtl ask it, and it knows none of them.
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

// Variable of the environment names the folder.
const Variable = "XOPT_CACHE"

// DefaultSize is how many bytes a cache takes at most: some hundred designs with FPGAs.
const DefaultSize int64 = 2 << 30

// newFolder is the folder, in that of the entries, of what is not an entry yet, or no longer. It is looked through
// for what killed processes left each time that something is made in it, so it holds nothing else.
const (
	newFolder = ".new"
	newPrefix = "new-"
)

// Settings say where a cache is, and how large.
type Settings struct {
	Dir  string       // "" for XOPT_CACHE, else the folder that the system gives the user
	Size int64        // bytes at most; 0 for DefaultSize
	Note func(string) // is told once why nothing can be kept; nil to tell nobody
}

// Cache keeps folders by keys. The folder is made when the first one is asked for.
type Cache struct {
	settings Settings

	mu     sync.Mutex
	opened bool
	dir    string // "" where nothing can be kept
	temp   string // for the work that goes on without
	held   map[string]*entry
	made   []string // folders that could not become entries
	noted  bool
	// pending are the bytes of what was put and is not in the total of the folder yet.
	pending int64
}

// New is a cache by its settings; the environment fills in what they leave open.
func New(s Settings) *Cache {
	if s.Size <= 0 {
		s.Size = DefaultSize
	}
	return &Cache{settings: s, held: make(map[string]*entry)}
}

// Dir is the folder that the environment gives this user.
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

// With is a context whose work uses a cache.
func With(ctx context.Context, c *Cache) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// From is the cache of a context; one by the environment where it has none.
func From(ctx context.Context) *Cache {
	if c, ok := ctx.Value(contextKey{}).(*Cache); ok {
		return c
	}
	return New(Settings{})
}

// Key stands for contents.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p) //nolint:errcheck // a hash does not fail
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:keyBytes])
}

// keyBytes are enough that two contents never have the same key.
const keyBytes = 16

// Close ends the use of all entries, and removes what could not be kept.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for key, e := range c.held {
		errs = append(errs, e.release())
		delete(c.held, key)
	}
	for _, dir := range append(c.made, c.temp) {
		if dir != "" {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	c.made, c.temp = nil, ""
	return errors.Join(errs...)
}

// open makes the folder and checks it, once. It returns "" where it cannot be used.
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

// writable reports, as an error, that nothing can be made in a folder.
func writable(dir string) error {
	probe, err := beside(dir)
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// beside makes a folder that is not an entry: it can be renamed to one.
func beside(dir string) (string, error) { return scratch.Dir(filepath.Join(dir, newFolder), newPrefix) }

// note tells once why something is not kept.
func (c *Cache) note(err error) {
	if c.noted || c.settings.Note == nil {
		return
	}
	c.noted = true
	c.settings.Note(fmt.Sprintf("compiled files are not kept for the next run: %v; set %s to a folder of your own",
		err, Variable))
}

// folderForWork is a new folder: in the cache, so that it can be renamed to an entry, else in the folder for
// temporary files.
func (c *Cache) folderForWork() (dir string, within bool, err error) {
	if c.open() != "" {
		if dir, err = beside(c.dir); err == nil {
			return dir, true, nil
		}
		c.note(err)
	}
	if c.temp == "" {
		if c.temp, err = scratch.Dir("", scratch.Cache); err != nil {
			return "", false, fmt.Errorf("making a folder to compile in: %w", err)
		}
	}
	if dir, err = os.MkdirTemp(c.temp, newPrefix); err != nil {
		return "", false, fmt.Errorf("making a folder to compile in: %w", err)
	}
	return dir, false, nil
}
