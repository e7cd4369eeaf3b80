package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// ids reports identifiers of errors and findings that occur in two catalogues, and those that are unused. The
// catalogues are the packages faults of the layers and internal/fault.
func ids(root string) (faults, error) {
	var found faults
	owner, path := make(map[string]string), make(map[string]string) // the catalogue of each text and each name
	text := make(map[string]string)                                 // of each name
	used := make(map[string]bool)
	err := goFiles(root, func(file string) error {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(file))
		catalogue := strings.HasSuffix(folder, "/faults") || folder == "internal/fault"
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && (x.Name == "faults" || x.Name == "fault") {
					used[x.Name+"."+n.Sel.Name] = true
				}
			case *ast.ValueSpec:
				value, ok := idOf(n)
				if !ok || !catalogue || strings.HasSuffix(file, "_test.go") {
					break
				}
				if other := owner[value]; other != "" {
					found.addf("%s: %s has the identifier %q, too", file, other, value)
				}
				name := parsed.Name.Name + "." + n.Names[0].Name
				owner[value], path[name], text[name] = file, file, value
			}
			return true
		})
		return nil
	})
	for name, file := range path {
		if !used[name] {
			found.addf("%s: nothing uses the identifier %q", file, text[name])
		}
	}
	return found, err
}

// idOf returns the text of a constant of type ID.
func idOf(n *ast.ValueSpec) (string, bool) {
	kind := n.Type
	if x, ok := kind.(*ast.SelectorExpr); ok {
		kind = x.Sel
	}
	x, ok := kind.(*ast.Ident)
	if !ok || x.Name != "ID" || len(n.Names) != 1 || len(n.Values) != 1 {
		return "", false
	}
	literal, ok := n.Values[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	value, err := strconv.Unquote(literal.Value)
	return value, err == nil
}
