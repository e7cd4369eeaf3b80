package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs are the files that a campaign copies. They keep their relative positions below a common root, which also
// contains the working folder of the command.
type Inputs struct {
	here   string // where the command was called
	root   string
	Work   string // from root to here
	Copied []Copied
}

// FindInputs returns the existing files. The command reports missing ones when it reads them.
func FindInputs(here string, paths []string) (*Inputs, error) {
	in := &Inputs{here: here, root: here}
	var list []string
	for _, path := range paths {
		whole, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(whole)
		if path == "" || err != nil || !info.Mode().IsRegular() || slices.Contains(list, whole) {
			continue // the command reports it
		}
		list = append(list, whole)
		for above := here; !filepath.IsAbs(path); above = filepath.Dir(above) { // it may leave and re-enter
			in.reach(above)
			rest, up := strings.CutPrefix(filepath.Clean(path), ".."+string(filepath.Separator))
			if !up {
				break
			}
			path = rest
		}
		in.reach(whole)
	}
	var err error
	if in.Work, err = filepath.Rel(in.root, here); err != nil {
		return nil, err
	}
	for _, whole := range list {
		to, err := filepath.Rel(in.root, whole)
		if err != nil {
			return nil, err
		}
		in.Copied = append(in.Copied, Copied{From: whole, To: to})
	}
	return in, nil
}

// reach extends the root to contain a path.
func (in *Inputs) reach(path string) {
	for path != in.root && !isWithin(in.root, path) {
		in.root = filepath.Dir(in.root)
	}
}

// isWithin reports whether a file is below a folder.
func isWithin(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// Seen returns a path as the command sees it in the campaign.
func (in *Inputs) Seen(path string) string {
	if path == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(in.here, path); err == nil {
		return rel
	}
	return path
}
