package cache

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// listName is the file in an entry that lists the other files. Users of the entry lock this file. Its modification time
// is the time of the last use.
const listName = ".xopt-entry.json"

// list contains the files of an entry.
type list struct {
	Files []listed `json:"files"`
}

type listed struct {
	Name   string      `json:"name"` // path below the entry, with slashes
	Bytes  int64       `json:"bytes"`
	Mode   fs.FileMode `json:"mode"`
	SHA256 string      `json:"sha256"`
}

// page is the unit in bytes in which files occupy disk space.
const page = 4096

// disk returns the disk space of an entry in bytes.
func (l *list) disk() int64 {
	total := int64(2 * page) // for the folder and the list
	for _, f := range l.Files {
		total += (f.Bytes + page - 1) / page * page
	}
	return total
}

// seal writes the list of the files in a folder into the folder.
func seal(dir string) error {
	var l list
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == listName {
			return err
		}
		f, err := sum(path)
		f.Name = filepath.ToSlash(rel)
		l.Files = append(l.Files, f)
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(&l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, listName), text, 0o600)
}

// sum returns the size and checksum of a file.
func sum(path string) (listed, error) {
	f, err := os.Open(path)
	if err != nil {
		return listed{}, err
	}
	defer f.Close() //nolint:errcheck // the file was only read
	info, err := f.Stat()
	if err != nil {
		return listed{}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	return listed{Bytes: n, Mode: info.Mode().Perm(), SHA256: fmt.Sprintf("%x", h.Sum(nil))}, err
}

// entry is an entry in use.
type entry struct {
	dir  string
	lock *os.File // lock of the entry's list
	list list
}

func (e *entry) release() error { return e.lock.Close() }

// errDamaged is the error for an entry whose files have changed since they were stored.
var errDamaged = errors.New("the entry is damaged")

// lockEntry locks an entry and verifies its files. The error is fs.ErrNotExist if there is no entry, and errDamaged if
// its files have changed.
func lockEntry(dir string) (_ *entry, err error) {
	path := filepath.Join(dir, listName)
	f, err := os.OpenFile(path, os.O_RDWR, 0) // on network file systems, a lock requires write access
	if errors.Is(err, fs.ErrNotExist) {
		if _, none := os.Stat(dir); none != nil {
			return nil, err
		}
		// A rename may have created the folder and its list in the meantime. The entry is damaged only if the list is
		// still missing.
		if f, err = os.OpenFile(path, os.O_RDWR, 0); errors.Is(err, fs.ErrNotExist) {
			return nil, errDamaged
		}
	}
	if err != nil {
		return nil, err
	}
	e := &entry{dir: dir, lock: f}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return nil, fs.ErrNotExist // another process is removing the entry
	}
	if !same(f, path) {
		return nil, fs.ErrNotExist // another process has removed the entry
	}
	if err := json.NewDecoder(f).Decode(&e.list); err != nil {
		return nil, errDamaged
	}
	for _, want := range e.list.Files {
		if !filepath.IsLocal(filepath.FromSlash(want.Name)) {
			return nil, errDamaged
		}
		got, err := sum(filepath.Join(dir, filepath.FromSlash(want.Name)))
		if err != nil || got.Bytes != want.Bytes || got.SHA256 != want.SHA256 {
			return nil, errDamaged
		}
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // if this fails, the older time only leads to earlier removal
	return e, nil
}

// same reports whether a path still refers to an open file.
func same(f *os.File, path string) bool {
	a, err := f.Stat()
	b, err2 := os.Stat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// discard removes an entry. It renames the entry first, so that other processes no longer find it.
func discard(cache, dir string) error {
	aside, err := newEntryDir(cache)
	if err != nil {
		return err
	}
	err = os.Rename(dir, filepath.Join(aside, "entry"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // another process was faster
	}
	return errors.Join(err, os.RemoveAll(aside))
}
