// Package infile opens the files that users name for reading: X files, profiles, results.
// Only regular files are opened. A named pipe or a terminal would make a command wait for
// ever, and a device may never end.
package infile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// NotRegularError is the error for what is not a regular file.
type NotRegularError struct {
	Path string
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	what := ""
	switch m := e.Mode; {
	case m.IsDir():
		what = " but a folder"
	case m&fs.ModeNamedPipe != 0:
		what = " but a pipe"
	case m&fs.ModeSocket != 0:
		what = " but a socket"
	case m&fs.ModeDevice != 0:
		what = " but a device"
	}
	return e.Path + " is not a regular file" + what
}

// Open opens a regular file for reading. It never waits: neither for a writer of a pipe nor for
// a device.
func Open(path string) (*os.File, error) {
	// What can be told before is not opened: to open a device may do something.
	if err := Check(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // of what was opened, whatever has taken its name since
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{path, info.Mode()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Check is an error where there is no regular file of that name.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			failed.Op = "open" // what the caller asked for
		}
		return err
	}
	if !info.Mode().IsRegular() {
		return &NotRegularError{path, info.Mode()}
	}
	return nil
}

// Read reads the first bytes of a regular file, at most most of them.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, most))
	return text, errors.Join(err, f.Close())
}
