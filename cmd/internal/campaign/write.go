package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"xopt/internal/files/infile"
)

// Delays between attempts to write to a full folder.
const (
	firstWait = 500 * time.Millisecond
	lastWait  = 30 * time.Second
)

// put writes a file atomically: it writes a temporary file, syncs it and renames it.
func (f *Folder) put(name string, text []byte) error {
	beside, err := f.writeTemporary(text)
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.path(name), err)
	}
	to := f.path(name)
	if err := os.Rename(beside, to); err != nil {
		return fmt.Errorf("writing %s: %w", to, errors.Join(err, os.Remove(beside)))
	}
	f.sync(filepath.Dir(to))
	return nil
}

// putJSON writes a value as one line of JSON.
func (f *Folder) putJSON(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.path(name), err)
	}
	return f.put(name, append(text, '\n'))
}

// readJSON reads a file of the folder. If the file is not valid, it returns an error and an incomplete value.
func readJSON[T any](f *Folder, names ...string) (*T, error) {
	text, err := infile.Read(f.path(names...), maxFile)
	if err != nil {
		return nil, err
	}
	v := new(T)
	return v, json.Unmarshal(text, v)
}

// putNew atomically writes a file that does not exist yet, and reports whether it wrote the file. It uses a hard link,
// which is atomic on NFS, too. NFS may report a successful link as failed (open(2)), so the number of links decides.
func (f *Folder) putNew(name string, text []byte) (first bool, err error) {
	beside, err := f.writeTemporary(text)
	if err != nil {
		return false, fmt.Errorf("writing %s: %w", f.path(name), err)
	}
	defer func() { err = errors.Join(err, os.Remove(beside)) }()
	to := f.path(name)
	linked := os.Link(beside, to)
	if info, err := os.Stat(beside); err == nil {
		if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink == 2 {
			linked = nil
		}
	}
	switch {
	case linked == nil:
		f.sync(filepath.Dir(to))
		return true, nil
	case errors.Is(linked, fs.ErrExist):
		return false, nil
	}
	return false, fmt.Errorf("writing %s: %w", to, linked)
}

// writeTemporary writes and syncs a temporary file in the folder for unfinished files.
func (f *Folder) writeTemporary(text []byte) (string, error) {
	x, err := os.CreateTemp(f.path(unfinishedFolder), f.prefix+"-")
	if err != nil {
		return "", err
	}
	if f.spoil != nil {
		err = f.spoil()
	}
	if err == nil {
		_, err = x.Write(text)
	}
	err = errors.Join(err, x.Chmod(0o644), x.Sync(), x.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(x.Name()))
	}
	return x.Name(), nil
}

// sync makes the names in a folder durable. It ignores file systems that do not support this.
func (f *Folder) sync(folder string) {
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// patient calls write again while the folder is full. It reports the wait once.
func (w *worker) patient(ctx context.Context, write func() error) error {
	wait := firstWait
	for waits := false; ; {
		err := write()
		if waits && (err == nil || !full(err)) {
			w.o.Note(fmt.Sprintf("%s has disk space again", w.f.Dir))
			w.stalled(-1)
		}
		if err == nil || !full(err) {
			return err
		}
		if !waits {
			w.o.Note(fmt.Sprintf("warning: %v: xopt retries when disk space is available", err))
			w.stalled(1)
			waits = true
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, lastWait)
	}
}

// stalled counts the writes that wait for disk space. It reports the start of the first wait and the end of the last.
func (w *worker) stalled(change int) {
	waiting := w.waiting.Add(int32(change))
	if w.o.Full != nil && (waiting == 0 || waiting == 1 && change > 0) {
		w.o.Full(waiting > 0)
	}
}

// full reports whether an error means that the disk or quota is full.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
