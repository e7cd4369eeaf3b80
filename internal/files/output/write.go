package output

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"xopt/internal/files/scratch"
)

// WriteFile writes a file whole or not at all: beside, synced, renamed.
func WriteFile(path string, write func(io.Writer) error) error {
	p, err := Begin(path)
	if err != nil {
		return err
	}
	if err := write(p.file); err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, p.Abort()))
	}
	return p.Appear()
}

// Pending is a file that is written beside where it is to appear, whole or not at all.
type Pending struct {
	path string
	file *os.File // nil when it has appeared, or was given up
	out  *bufio.Writer
}

// Begin begins a file that is to appear at a path.
func Begin(path string) (*Pending, error) {
	f, err := CreateTemp(path)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &Pending{path: path, file: f, out: bufio.NewWriterSize(f, 1<<16)}, nil
}

// Write implements io.Writer.
func (p *Pending) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	return n, p.failed(err)
}

// Byte writes a byte.
func (p *Pending) Byte(b byte) error { return p.failed(p.out.WriteByte(b)) }

// Uint64 writes a number of 8 bytes, little-endian.
func (p *Pending) Uint64(x uint64) error {
	_, err := p.out.Write(binary.LittleEndian.AppendUint64(p.out.AvailableBuffer(), x))
	return p.failed(err)
}

func (p *Pending) failed(err error) error {
	if err != nil {
		return fmt.Errorf("writing %s: %w", p.path, err)
	}
	return nil
}

// Settle has what was written on the disk, so that only its name is missing. An error gives the file up.
func (p *Pending) Settle() error {
	err := p.out.Flush()
	if err == nil {
		err = p.file.Chmod(0o644)
	}
	if err == nil {
		err = p.file.Sync()
	}
	if err != nil {
		return p.failed(errors.Join(err, p.Abort()))
	}
	return nil
}

// Appear puts the file in its place. An error gives it up.
func (p *Pending) Appear() error {
	if err := p.Settle(); err != nil {
		return err
	}
	err := p.file.Close()
	if err == nil {
		err = os.Rename(p.file.Name(), p.path)
	}
	if err != nil {
		return p.failed(errors.Join(err, p.Abort()))
	}
	p.file = nil
	syncFolder(filepath.Dir(p.path))
	return nil
}

// Abort gives up a file that has not appeared.
func (p *Pending) Abort() error {
	if p.file == nil {
		return nil
	}
	f := p.file
	p.file = nil
	return errors.Join(ignoreClosed(f.Close()), os.Remove(f.Name()))
}

// CreateTemp makes a temporary file beside the file that it is to become. Those that killed
// processes left there are removed.
func CreateTemp(path string) (*os.File, error) {
	return scratch.File(filepath.Dir(path), "."+filepath.Base(path)+".xopt-")
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// syncFolder makes a rename lasting where the file system can; one that cannot
// still holds the whole file.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
