package unseen

import (
	"io/fs"
	"path/filepath"
	"strings"
)

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

// Content returns the content of the file that sources read; nil for none.
func (a *App) Content() []byte {
	if a.Input == nil {
		return nil
	}
	return a.Input.content(a.Seed)
}

// Elements returns the number of elements that each source sends for the given number of large elements.
func (a *App) Elements(large int) int { return a.elements(large) }
