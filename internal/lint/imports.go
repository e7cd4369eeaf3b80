package lint

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// house is the floors with where each package is.
type house struct {
	floors []Floor
	apart  []Apart
	tests  []string       // packages that only tests import
	floor  map[string]int // of each package
}

func newHouse(floors []Floor, apart []Apart, tests []string) (*house, faults) {
	h := &house{floors: floors, apart: apart, tests: tests, floor: make(map[string]int)}
	var found faults
	for i, f := range floors {
		for _, p := range f.Packages {
			if j, twice := h.floor[p]; twice {
				found.addf("package %s stands on two floors, %q and %q: keep one", p,
					floors[j].Name, f.Name)
			}
			h.floor[p] = i
		}
	}
	return h, found
}

// imports checks the imports of the Go files of a repository, whose module has the name module.
// Files of tests may import what they like: Go itself refuses circles.
func (h *house) imports(root, module string) (faults, error) {
	var found faults
	seen := make(map[string]bool)
	err := goFiles(root, func(file string) error {
		pkg := path.Dir(file)
		seen[pkg] = true
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		at := token.NewFileSet()
		parsed, err := parser.ParseFile(at, filepath.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			return fmt.Errorf("reading the imports: %w", err)
		}
		for _, i := range parsed.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", at.Position(i.Pos()), err)
			}
			imported, ours := strings.CutPrefix(name, module+"/")
			if fault := h.allowed(pkg, imported); ours && fault != "" {
				found.addf("%s:%d: %s", file, at.Position(i.Pos()).Line, fault)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for pkg := range seen {
		if _, ok := h.floor[pkg]; !ok {
			found.addf("package %s stands on no floor: name it in internal/lint/floors.go, on the lowest floor above "+
				"all that it imports", pkg)
		}
	}
	for pkg := range h.floor {
		if !seen[pkg] {
			found.addf("package %s stands on floor %q of internal/lint/floors.go, but is not in the repository: "+
				"take it out", pkg, h.floors[h.floor[pkg]].Name)
		}
	}
	sort.Strings(found)
	return found, nil
}

// allowed returns why a package must not import another; "" where it may.
func (h *house) allowed(pkg, imported string) string {
	from, ok := h.floor[pkg]
	to, known := h.floor[imported]
	if !ok || !known {
		return "" // that it stands on no floor is told once
	}
	if to >= from {
		return fmt.Sprintf("package %s (floor %q) imports %s (floor %q): imports go down to lower floors only; "+
			"move what is shared below both", pkg, h.floors[from].Name, imported, h.floors[to].Name)
	}
	if slices.Contains(h.tests, imported) && !slices.Contains(h.tests, pkg) {
		return fmt.Sprintf("package %s imports %s, which is for tests only", pkg, imported)
	}
	for _, a := range h.apart {
		if a.Package == pkg && a.Import == imported {
			return fmt.Sprintf("package %s imports %s, and must not: %s", pkg, imported, a.Why)
		}
	}
	return ""
}
