package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

const (
	maxColumns = 120 // columns of a line of Go
	tabColumns = 4
	maxLines   = 80 // lines of a function, from func to the closing brace
)

// lines reports lines of Go that are too long, except in files known to have some. It also reports known files that
// have none.
func lines(root string, existing []string) (faults, error) {
	var found faults
	wide := make(map[string]bool)
	err := goFiles(root, func(file string) error {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return fmt.Errorf("reading the repository: %w", err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			w := columns(strings.TrimSuffix(line, "\n"))
			if w > maxColumns {
				wide[file] = true
			}
			if w > maxColumns && !slices.Contains(existing, file) {
				found.addf("%s:%d: the line is %d columns wide, want at most %d (a tab is %d)", file,
					n, w, maxColumns, tabColumns)
			}
		}
		return nil
	})
	for _, k := range existing {
		if !wide[k] {
			found.addf("%s has no line that is too long any more: take it out of wideFiles in "+
				"internal/lint/lint_test.go", k)
		}
	}
	return found, err
}

// columns returns the width of a line.
func columns(line string) int {
	w := 0
	for _, c := range line {
		if c == '\t' {
			w += tabColumns - w%tabColumns
		} else {
			w++
		}
	}
	return w
}

// functions reports functions that are too long, except known ones. It also reports known ones that are not too long
// any more. A known one is "file: name", with the receiver's type in the name.
func functions(root string, existing []string) (faults, error) {
	long := make(map[string]bool)
	var found faults
	err := goFiles(root, func(file string) error {
		at := token.NewFileSet()
		parsed, err := parser.ParseFile(at, filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("reading functions: %w", err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			start := at.Position(f.Pos()).Line
			n := at.Position(f.End()).Line - start + 1
			if n <= maxLines {
				continue
			}
			name := file + ": " + funcName(f)
			long[name] = true
			if !slices.Contains(existing, name) {
				found.addf("%s:%d: function %s has %d lines, want at most %d: split it", file, start,
					funcName(f), n, maxLines)
			}
		}
		return nil
	})
	for _, k := range existing {
		if !long[k] {
			found.addf("%s is not too long any more: take it out of longFunctions in internal/lint/lint_test.go", k)
		}
	}
	sort.Strings(found)
	return found, err
}

// funcName returns the name of a function. For a method it includes the type of the receiver.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
