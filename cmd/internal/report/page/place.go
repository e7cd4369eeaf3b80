package page

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/internal/files/output"
)

// Ending is the extension of pages.
const Ending = ".html"

// Place is the destination of a command's pages: a folder, or a page such as out/best.html. "" stands for no page.
type Place string

// IsFile reports whether the place is a page rather than a folder.
func (p Place) IsFile() bool {
	info, err := os.Stat(string(p))
	return strings.HasSuffix(string(p), Ending) && (err != nil || !info.IsDir())
}

// At returns the path of a page without its extension. In a folder, the page has the given base name.
func (p Place) At(name string) string {
	if p.IsFile() {
		return strings.TrimSuffix(string(p), Ending)
	}
	return filepath.Join(string(p), name)
}

// Plan adds pages to a plan of outputs, in the place that --report names. kinds are the kinds of a page's files, by
// extension.
func (p Place) Plan(plan *output.Plan, kinds map[string]output.Kind, names ...string) {
	switch {
	case p == "":
	case !p.IsFile(): // a folder is created
		files := make(map[string]output.Kind)
		for _, name := range names {
			for ending, kind := range kinds {
				files[name+ending] = kind
			}
		}
		plan.Into("--report", string(p), files)
	case len(names) > 1:
		plan.Refuse("--report", "%s names one page, but there are %d pages; name a folder", p, len(names))
	default: // a page needs an existing folder
		for _, ending := range slices.Sorted(maps.Keys(kinds)) {
			plan.File("--report", p.At("")+ending, kinds[ending])
		}
	}
}
