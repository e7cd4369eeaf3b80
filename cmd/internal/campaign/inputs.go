package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"xopt/cmd/internal/options"
)

// Inputs are the files that a campaign copies. They keep their relative positions below a common root, which also
// contains the command's working folder.
type Inputs struct {
	here   string // working folder of the call
	root   string
	Work   string // path from root to here
	Copied []Copied
}

// FindInputs returns the files at paths as inputs. It skips missing files, because the command reports them.
func FindInputs(here string, paths []string) (*Inputs, error) {
	in := &Inputs{here: here, root: here}
	var list []string
	for _, path := range paths {
		complete, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(complete)
		if path == "" || err != nil || !info.Mode().IsRegular() || slices.Contains(list, complete) {
			continue // the command reports missing files
		}
		list = append(list, complete)
		for above := here; !filepath.IsAbs(path); above = filepath.Dir(above) { // the path may leave and re-enter root
			in.reach(above)
			rest, up := strings.CutPrefix(filepath.Clean(path), ".."+string(filepath.Separator))
			if !up {
				break
			}
			path = rest
		}
		in.reach(complete)
	}
	var err error
	if in.Work, err = filepath.Rel(in.root, here); err != nil {
		return nil, err
	}
	for _, complete := range list {
		to, err := filepath.Rel(in.root, complete)
		if err != nil {
			return nil, err
		}
		in.Copied = append(in.Copied, Copied{From: complete, To: to})
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

// ParseSeeds parses seeds: a range such as 1..8, or a comma-separated list.
func ParseSeeds(text string) ([]uint64, error) {
	wrong := options.Expected("at most %d seeds: a range such as 1..8, or different whole numbers separated by commas",
		maxSeeds)
	if from, to, ok := strings.Cut(text, ".."); ok {
		low, err := strconv.ParseUint(from, 10, 64)
		high, err2 := strconv.ParseUint(to, 10, 64)
		if err != nil || err2 != nil || high < low || high-low >= maxSeeds {
			return nil, wrong
		}
		var seeds []uint64
		for s := low; len(seeds) <= int(high-low); s++ {
			seeds = append(seeds, s)
		}
		return seeds, nil
	}
	var seeds []uint64
	for _, word := range options.SplitWords(text) {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil || slices.Contains(seeds, n) || len(seeds) == maxSeeds {
			return nil, wrong
		}
		seeds = append(seeds, n)
	}
	if len(seeds) == 0 {
		return nil, wrong
	}
	return seeds, nil
}

// maxSeeds is the maximum number of seeds of a campaign.
const maxSeeds = 10_000
