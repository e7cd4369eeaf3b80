package xlang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// byRules cuts a text by the regular expressions of tokenRules.
func byRules(t testing.TB, s *syntax, text string) []lexer.Token {
	t.Helper()
	lx, err := s.lex.LexString("a.x", text)
	if err != nil {
		t.Fatal(err)
	}
	var out []lexer.Token
	for {
		token, err := lx.Next()
		if err != nil {
			t.Fatal(err)
		}
		if token.Type == lexer.EOF {
			return out
		}
		out = append(out, token)
	}
}

func sameAsRules(t testing.TB, s *syntax, text string) {
	t.Helper()
	sc := s.scan("a.x", text)
	for i, want := range byRules(t, s, text) {
		got, ok := sc.next()
		if !ok || got != want {
			t.Fatalf("token %d of %q is %#v, by the rules %#v", i, text, got, want)
		}
	}
	if more, ok := sc.next(); ok {
		t.Fatalf("%q has a token more: %#v", text, more)
	}
}

func scanned(t testing.TB) *syntax {
	s, err := newSyntax()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func seeds(t testing.TB) []string {
	texts := []string{"", "a->b..c.d", "1.5e-3 1. 1e 1e+ .5 00.1.2", `"a" "b` + "\n\"c", "#include x.x",
		`# include "a b.x"`, "#includes", "#include\"a", "#", "##include",
		"/* a **/ /**/ /*/ */ /* open", "// a\n//b", "/ * - > ->-", "\xff\xc3é\x00\v\f\r\n\t ü", "a_1 _ 1a",
		"\u2028\u00a0", "#include\u00e9", "\ufeffblock"}
	files, err := filepath.Glob("../../configs/examples/*/*.x")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

func TestScanner(t *testing.T) {
	s := scanned(t)
	for _, text := range seeds(t) {
		sameAsRules(t, s, text)
	}
}

// FuzzScanner compares the scanner with the rules.
func FuzzScanner(f *testing.F) {
	s := scanned(f)
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { sameAsRules(t, s, text) })
}
