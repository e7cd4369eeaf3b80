// Package infile opens input files that users name, such as X files, profiles and results. It opens only regular files,
// because reading from a named pipe, a terminal or a device may block forever or never end.
package infile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"xopt/internal/fault"
)

// NotRegularError is the error for a path that is not a regular file.
type NotRegularError struct {
	Path string
	Mode fs.FileMode
}

// FaultID returns the identifier.
func (e *NotRegularError) FaultID() fault.ID { return fault.NoFile }

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

// Open opens a regular file for reading. It returns a *[NotRegularError] for other files, without waiting for the
// writer of a pipe or for a device.
func Open(path string) (*os.File, error) {
	// Check the path first, because opening a device may have an effect.
	if err := Check(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // check the opened file, because the path may have changed
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{path, info.Mode()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// SHA256 returns the hash of a regular file, in hexadecimal digits.
func SHA256(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Check returns an error unless the path refers to a regular file.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			failed.Op = "open" // operation that the caller requested
		}
		return err
	}
	if !info.Mode().IsRegular() {
		return &NotRegularError{path, info.Mode()}
	}
	return nil
}

// Read returns at most the first maximum bytes of a regular file.
func Read(path string, maximum int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maximum))
	return text, errors.Join(err, f.Close())
}

// Same reports whether two paths refer to the same file.
func Same(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
