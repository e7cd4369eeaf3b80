package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// forbiddenNames returns the names that the writing rules forbid for functions and variables.
func forbiddenNames() map[string]bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields("take takes took taken tell tells told say says said hold holds held press gave " +
		"begin end most least over apart whole within perhaps asked known") {
		words[w] = true
	}
	return words
}

// names reports functions, constants and variables, local ones included, with a forbidden name. Fields are exempt.
func names(root string) (faults, error) {
	var found faults
	bad := forbiddenNames()
	err := goFiles(root, func(file string) error {
		at := token.NewFileSet()
		parsed, err := parser.ParseFile(at, filepath.Join(root, file), nil, 0)
		if err != nil {
			return fmt.Errorf("reading names: %w", err)
		}
		fields := make(map[*ast.Ident]bool)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.StructType:
				for _, f := range x.Fields.List {
					for _, name := range f.Names {
						fields[name] = true
					}
				}
			case *ast.FuncDecl:
				if bad[strings.ToLower(x.Name.Name)] && x.Recv != nil { // other functions are objects
					found.addf("%s:%d: the method is called %s", file, at.Position(x.Pos()).Line, x.Name.Name)
				}
			case *ast.Ident:
				if x.Obj != nil && x.Obj.Pos() == x.Pos() && bad[strings.ToLower(x.Name)] && !fields[x] {
					found.addf("%s:%d: the %s is called %s", file, at.Position(x.Pos()).Line, x.Obj.Kind, x.Name)
				}
			}
			return true
		})
		return nil
	})
	return found, err
}
