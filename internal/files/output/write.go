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

// WriteFile writes a file completely or not at all: it writes a temporary file, syncs the file and renames it.
func WriteFile(path string, write func(io.Writer) error) error {
	p, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(p.file); err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, p.Abort()))
	}
	return p.Appear()
}

// Pending is a temporary file that becomes the file at a path, completely or not at all.
type Pending struct {
	path string
	file *os.File // nil after the rename or after an abort
	out  *bufio.Writer
}

// Create creates the temporary file for a path.
func Create(path string) (*Pending, error) {
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

// Uint64 writes an 8-byte number, little-endian.
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

// Appear syncs and closes a temporary file, and renames it to path. The rename is durable if the file system supports
// this.
func Appear(f *os.File, path string) error {
	err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		SyncFolder(filepath.Dir(path))
	}
	return err
}

// Settle writes all data to disk, so that only the rename remains. After an error, it removes the temporary file.
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

// Appear renames the file to its path. After an error, it removes the temporary file.
func (p *Pending) Appear() error {
	err := p.out.Flush()
	if err == nil {
		err = Appear(p.file, p.path)
	}
	if err != nil {
		return p.failed(errors.Join(err, p.Abort()))
	}
	p.file = nil
	return nil
}

// Abort removes the temporary file unless it has been renamed.
func (p *Pending) Abort() error {
	if p.file == nil {
		return nil
	}
	f := p.file
	p.file = nil
	return errors.Join(ignoreClosed(f.Close()), os.Remove(f.Name()))
}

// CreateTemp creates a temporary file in the folder of the final file. It removes files of killed processes from the
// folder.
func CreateTemp(path string) (*os.File, error) {
	return scratch.File(filepath.Dir(path), "."+filepath.Base(path)+".xopt-")
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// SyncFolder makes renames in a folder durable if the file system supports this. If not, the files are still complete.
func SyncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
