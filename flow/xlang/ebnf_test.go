package xlang

import (
	"strings"
	"testing"
)

// TestGrammar compares the printed grammar with the parsers' statements: every name in a production has a
// production of its own.
func TestGrammar(t *testing.T) {
	g, err := Grammar()
	if err != nil {
		t.Fatal(err)
	}
	made := make(map[string]bool)
	for line := range strings.Lines(g) {
		if name, _, ok := strings.Cut(line, " = "); ok {
			if made[name] {
				t.Errorf("two productions of %s", name)
			}
			made[name] = true
		}
	}
	used := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '"' || r == '<') }
	for _, word := range strings.FieldsFunc(g, used) {
		if word[0] >= 'A' && word[0] <= 'Z' && !made[word] {
			t.Errorf("%s is used and has no production", word)
		}
	}
	for _, statement := range []string{"PortsStmt", "MapStmt", "ImplStmt", "EmitStmt", "OnceStmt", "Block", "Type"} {
		if !made[statement] {
			t.Errorf("no production of %s", statement)
		}
	}
}
