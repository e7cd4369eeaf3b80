package rtl

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"xopt/internal/scratch"
)

// Cache keeps what tools have made, by the content of what it was made from.
type Cache struct {
	dir string

	mu       sync.Mutex
	versions map[string]string // of tools
}

// UserCache is the cache of this user, in the folder that the system gives for it.
func UserCache() (*Cache, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding the folder for what is kept of hardware: %w; set XDG_CACHE_HOME", err)
	}
	return NewCache(filepath.Join(dir, "xopt", "rtl"))
}

// NewCache keeps things in a folder, which is made.
func NewCache(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for what is kept of hardware: %w", err)
	}
	if err := scratch.Private(dir); err != nil {
		return nil, fmt.Errorf("what is kept of hardware is run: %w; set XDG_CACHE_HOME", err)
	}
	return &Cache{dir: dir, versions: make(map[string]string)}, nil
}

// key stands for contents.
func key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p) //nolint:errcheck // a hash does not fail
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// folder returns what is kept under a key, or has it made: in a folder beside, that is
// renamed when it is whole. made tells whether it was.
func (c *Cache) folder(key string, make func(dir string) error) (path string, err error) {
	path = filepath.Join(c.dir, key)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	beside, err := scratch.Dir(c.dir, "new-")
	if err != nil {
		return "", fmt.Errorf("making a folder for hardware: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	if err := make(beside); err != nil {
		return "", err
	}
	if err := os.Rename(beside, path); err != nil {
		if _, again := os.Stat(path); again == nil { // somebody else has made the same
			return path, nil
		}
		return "", fmt.Errorf("keeping what was made of hardware: %w", err)
	}
	return path, nil
}
