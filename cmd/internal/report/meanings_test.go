package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// TestMeaningsOf95 checks that every text about 95 % uses the words of docs/terms.md, except in tables of benchmarks.
func TestMeaningsOf95(t *testing.T) {
	terms, err := os.ReadFile(filepath.Join(testkit.Root(t), "docs", "terms.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(terms), "## What 95 % means\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var allowed []string
	for _, line := range strings.Split(section, "\n") {
		if words, ok := strings.CutPrefix(line, "| 95 %"); ok {
			words, _, _ = strings.Cut(words, " |")
			words, _, _ = strings.Cut(words, ",")
			allowed = append(allowed, words)
		}
	}
	if len(allowed) < 6 {
		t.Fatalf("the words are %q", allowed)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		switch file {
		case "benchmarks.go", "rivals.go", "unseen.go":
			continue
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			s, ok := joined(x)
			if !ok {
				return true
			}
			for _, after := range strings.Split(strings.ReplaceAll(s, "%%", "%"), "95 %")[1:] {
				isKnown := false
				for _, words := range allowed {
					isKnown = isKnown || strings.HasPrefix(after, words)
				}
				if !isKnown {
					t.Errorf("%s: docs/terms.md does not define the words of %q", set.Position(n.Pos()), s)
				}
			}
			return false
		})
	}
}

// joined returns the text of a literal, or of literals that are added.
func joined(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(x.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, left := joined(x.X)
		b, right := joined(x.Y)
		return a + b, left && right && x.Op == token.ADD
	}
	return "", false
}
