package xlang

import (
	"path/filepath"
	"strings"
)

// Ancestors returns a platform or linktype and what it is derived from, nearest first.
func (p *Program) Ancestors(name string) []string {
	base := make(map[string]string, len(p.Platforms)+len(p.Linktypes))
	for _, t := range p.Platforms {
		base[t.Name] = t.Base
	}
	for _, t := range p.Linktypes {
		base[t.Name] = t.Base
	}
	var chain []string
	for name != "" && len(chain) <= len(base) {
		chain = append(chain, name)
		name = base[name]
	}
	return chain
}

// Implementation returns the source of a block for the nearest of some platforms; nil
// without one.
func (p *Program) Implementation(block string, platforms []string) *Impl {
	for _, platform := range platforms {
		for i := range p.Impls {
			if impl := &p.Impls[i]; impl.Block == block && impl.Platform == platform && impl.Attrs["src"].Text != "" {
				return impl
			}
		}
	}
	return nil
}

// Source is the path of the source file; relative ones are to the X file that names
// it.
func (i *Impl) Source() string { return i.path(i.Attrs["src"].Text) }

// Sources are the paths of all source files: src, and those of with, which blanks
// separate.
func (i *Impl) Sources() []string {
	paths := []string{i.Source()}
	for _, text := range strings.Fields(i.Attrs["with"].Text) {
		paths = append(paths, i.path(text))
	}
	return paths
}

func (i *Impl) path(text string) string {
	path := filepath.FromSlash(text)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(i.Dir, path)
}
