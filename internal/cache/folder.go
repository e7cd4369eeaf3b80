package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Folder returns the folder that is stored under a key. If there is none, it creates a folder and calls fill. The
// folder must not be changed afterwards. It exists at least until the cache is closed.
func (c *Cache) Folder(ctx context.Context, key string, fill func(dir string) error) (string, error) {
	if dir, ok := c.keepLocked(key); ok {
		return dir, nil
	}
	unlock, err := c.only(ctx, key)
	if err != nil {
		return "", err
	}
	defer unlock()
	if dir, ok := c.keepLocked(key); ok { // another process has created the entry
		return dir, nil
	}
	c.mu.Lock()
	dir, inside, err := c.folderForWork()
	c.mu.Unlock()
	if err != nil {
		return "", err
	}
	if err := fill(dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	if !inside {
		return dir, nil
	}
	e, err := c.keep(dir, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil { // the files exist nevertheless
		c.note(err)
		c.made = append(c.made, dir)
		return dir, nil
	}
	c.locked[key] = e
	c.grown(e.list.disk())
	return e.dir, nil
}

// keepLocked locks an entry until the cache is closed.
func (c *Cache) keepLocked(key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open() == "" {
		return "", false
	}
	if e := c.locked[key]; e != nil {
		if same(e.lock, filepath.Join(e.dir, listName)) {
			return e.dir, true
		}
		_ = e.release() // another process has removed the entry
		delete(c.locked, key)
	}
	e, ok := c.lock(key)
	if ok {
		c.locked[key] = e
		return e.dir, true
	}
	return "", false
}

// lock locks an entry. It removes a damaged entry.
func (c *Cache) lock(key string) (*entry, bool) {
	dir := filepath.Join(c.dir, key)
	e, err := lockEntry(dir)
	if errors.Is(err, errDamaged) {
		if err := discard(c.dir, dir); err != nil {
			c.note(fmt.Errorf("removing a damaged entry: %w", err))
		}
	}
	return e, err == nil
}

// keep turns a folder into an entry by renaming it, and locks the entry. If another process has already stored the
// entry, keep uses that entry and removes the folder.
func (c *Cache) keep(dir, key string) (*entry, error) {
	if err := seal(dir); err != nil {
		return nil, err
	}
	own, err := lockEntry(dir)
	if err != nil {
		return nil, err
	}
	own.dir = filepath.Join(c.dir, key)
	err = os.Rename(dir, own.dir)
	if err == nil {
		return own, nil
	}
	if theirs, ok := c.lock(key); ok {
		return theirs, errors.Join(own.release(), os.RemoveAll(dir))
	}
	if err = os.Rename(dir, own.dir); err != nil { // a damaged entry was removed
		return nil, errors.Join(err, own.release())
	}
	return own, nil
}

// These are the first and the maximum interval between attempts to lock an entry that another process is creating.
const (
	firstTry = 5 * time.Millisecond
	lastTry  = 200 * time.Millisecond
)

// only waits until no other process or goroutine is creating the entry of a key, and prevents others from creating it
// until the caller calls unlock. The operating system releases the locks of killed processes.
func (c *Cache) only(ctx context.Context, key string) (unlock func(), err error) {
	c.mu.Lock()
	dir := c.open()
	c.mu.Unlock()
	if dir == "" {
		return func() {}, nil
	}
	path := filepath.Join(dir, key+".lock")
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return func() {}, nil // folderForWork reports the reason
		}
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil && same(f, path):
			return func() {
				_ = os.Remove(path)
				_ = f.Close()
			}, nil
		case err != nil && !errors.Is(err, syscall.EWOULDBLOCK):
			_ = f.Close()
			return func() {}, nil // without locks, the last rename wins
		}
		_ = f.Close()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}
