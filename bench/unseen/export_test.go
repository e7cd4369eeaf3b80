package unseen

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Setting returns the value of a config that the application sets, or 0 if it does not.
func (k *Kernel) Setting(name string) float64 {
	for _, s := range k.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// Blocks returns the kinds of blocks, by the names of [Kernel.Block], in the order of their files.
func Blocks() ([]string, error) {
	files, err := fs.Glob(blocks, "blocks/*.x")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		base := strings.TrimSuffix(filepath.Base(f), ".x")
		names = append(names, strings.ToUpper(base[:1])+base[1:])
	}
	return names, nil
}
