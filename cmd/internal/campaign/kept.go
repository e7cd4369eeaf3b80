package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"xopt/internal/files/infile"
)

// keptName is the file of where a point is.
func keptName(n int) string { return filepath.Join(keptFolder, fmt.Sprintf("%06d", n)) }

// keep keeps where the computation of a point is: a line with the hash of what follows.
func (f *Folder) keep(p *Point, text []byte) error {
	return f.put(keptName(p.N), append([]byte(sumOf(append([]byte(p.Hash), text...))+"\n"), text...))
}

// kept is where an earlier process was with a point; nil where there is nothing to go on from, and where that is
// damaged: then the point is computed from its beginning.
func (f *Folder) kept(p *Point) []byte {
	text, err := infile.Read(f.path(keptName(p.N)), maxFile)
	if err != nil {
		return nil
	}
	sum, text, ok := bytes.Cut(text, []byte{'\n'})
	if !ok || string(sum) != sumOf(append([]byte(p.Hash), text...)) {
		return nil
	}
	return text
}

// forget takes away where points were that are done.
func (f *Folder) forget(points []int) error {
	for _, n := range points {
		if err := os.Remove(f.path(keptName(n))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("taking away a checkpoint: %w", err)
		}
	}
	return nil
}
