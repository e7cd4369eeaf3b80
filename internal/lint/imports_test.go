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

// house contains the rules for imports: the order of the layers, and the exceptions.
type house struct {
	layers     []Layer
	exceptions []Exception
	testOnly   []string
}

// imports checks the imports of the Go files of a repository whose module is called module. Test files may import any
// package: Go refuses import cycles.
func (h *house) imports(root, module string) (faults, error) {
	var found faults
	used := make(map[string]bool) // layers that have packages
	homeless := make(map[string]bool)
	err := goFiles(root, func(file string) error {
		pkg := path.Dir(file)
		if h.layer(pkg) < 0 && !homeless[pkg] {
			homeless[pkg] = true
			found.addf("package %s is in no layer: put it into a folder of internal/lint/floors.go", pkg)
		}
		used[layerName(pkg)] = true
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
			if fault := h.refuse(pkg, imported); ours && fault != "" {
				found.addf("%s:%d: %s", file, at.Position(i.Pos()).Line, fault)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, r := range h.layers {
		if !used[r.Folder] {
			found.addf("layer %s of internal/lint/floors.go has no package: remove it", r.Folder)
		}
	}
	sort.Strings(found)
	return found, nil
}

// refuse returns the reason why a package must not import another, or "" if it may.
func (h *house) refuse(pkg, imported string) string {
	from, to := h.layer(pkg), h.layer(imported)
	if from < 0 || to < 0 {
		return "" // a package outside the layers is reported once
	}
	if to > from {
		return fmt.Sprintf("package %s imports %s: layer %s comes after layer %s; move the shared code down",
			pkg, imported, h.layers[to].Folder, h.layers[from].Folder)
	}
	if slices.Contains(h.testOnly, imported) && !slices.Contains(h.testOnly, pkg) {
		return fmt.Sprintf("package %s imports %s, which is for tests only", pkg, imported)
	}
	for _, e := range h.exceptions {
		if e.Package == pkg && e.Import == imported {
			return fmt.Sprintf("package %s must not import %s: %s", pkg, imported, e.Why)
		}
	}
	return ""
}

// layer returns the position of a package's layer, or -1 if it is in none.
func (h *house) layer(pkg string) int {
	return slices.IndexFunc(h.layers, func(r Layer) bool { return r.Folder == layerName(pkg) })
}

// layerName returns the top-level folder of a package.
func layerName(pkg string) string {
	name, _, _ := strings.Cut(pkg, "/")
	return name
}
