package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Get copies the files stored under a key to a folder. It reports whether the key exists and all files were copied.
func (c *Cache) Get(key, dir string) bool {
	return c.use(key, func(e *entry) error {
		for _, f := range e.list.Files {
			name := filepath.FromSlash(f.Name)
			if err := copyFile(filepath.Join(e.dir, name), filepath.Join(dir, name), f.Mode); err != nil {
				return err
			}
		}
		return nil
	})
}

// Put stores copies of a folder's files under a key. It ignores errors; without a stored copy, the caller creates the
// files again next time.
func (c *Cache) Put(key, dir string, names ...string) {
	c.put(key, func(beside string) error {
		for _, name := range names {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			if err := copyFile(filepath.Join(dir, name), filepath.Join(beside, name), info.Mode().Perm()); err != nil {
				return err
			}
		}
		return nil
	})
}

// textName is the name of the file in an entry that consists of a single text.
const textName = "text"

// GetText returns the text that is stored under a key, or false if there is none.
func (c *Cache) GetText(key string) (text string, ok bool) {
	ok = c.use(key, func(e *entry) error {
		all, err := os.ReadFile(filepath.Join(e.dir, textName))
		text = string(all)
		return err
	})
	return text, ok
}

// PutText stores a text under a key.
func (c *Cache) PutText(key, text string) {
	c.put(key, func(beside string) error {
		return os.WriteFile(filepath.Join(beside, textName), []byte(text), 0o600)
	})
}

// use runs a function while the entry is locked. It reports whether the entry exists and the function succeeded.
func (c *Cache) use(key string, do func(*entry) error) bool {
	c.mu.Lock()
	if c.open() == "" {
		c.mu.Unlock()
		return false
	}
	e, ok := c.lock(key)
	c.mu.Unlock()
	if !ok {
		return false
	}
	err := do(e)
	return errors.Join(err, e.release()) == nil
}

// put creates an entry from the folder that a function fills.
func (c *Cache) put(key string, fill func(beside string) error) {
	c.mu.Lock()
	if c.open() == "" {
		c.mu.Unlock()
		return
	}
	beside, inside, err := c.folderForWork()
	c.mu.Unlock()
	if err == nil {
		defer os.RemoveAll(beside) //nolint:errcheck // a stored entry has another name
	}
	if err == nil && inside {
		err = fill(beside)
		var e *entry
		if err == nil {
			e, err = c.keep(beside, key)
		}
		if err == nil {
			err = e.release()
			c.mu.Lock()
			c.grown(e.list.disk())
			c.mu.Unlock()
		}
	}
	if err != nil {
		c.mu.Lock()
		c.note(err)
		c.mu.Unlock()
	}
}

// copyFile copies a file and creates its folder. It replaces an existing file instead of overwriting it, because the
// file may be a link.
func copyFile(from, to string, mode fs.FileMode) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // the file was only read
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
