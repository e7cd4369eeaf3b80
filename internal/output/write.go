package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"xopt/internal/scratch"
)

// WriteFile writes a file whole or not at all: beside, synced, renamed.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := CreateTemp(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name())))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
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
