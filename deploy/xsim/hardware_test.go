package xsim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"xopt/flow/xlang"
)

func edgesOf(names ...string) (edges []xlang.Edge) {
	for _, n := range names {
		edges = append(edges, xlang.Edge{Name: n})
	}
	return edges
}

// TestIdentifiers: names of edges become recognizable identifiers.
func TestIdentifiers(t *testing.T) {
	got := identifiers(edgesOf("top.e1", "top.split->top.queens[2]", "top.E1", "top.e1_2", "int", "9.a"))
	want := []string{"top_e1", "top_split_to_top_queens_2", "top_E1_2", "top_e1_2_2", "edge_int", "edge_9_a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestIdentifiersDiffer: whatever edges are called, their identifiers differ, also where case does not count, and a
// model of a board can read them.
func TestIdentifiersDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[aA][._][bB12]{0,2}(_2)?`),
			rapid.StringMatching(`top\.[xX]{40,60}`))
		names := rapid.SliceOfN(name, 1, 20).Draw(t, "names")
		got := identifiers(edgesOf(names...))
		for i, id := range got {
			if !regexp.MustCompile(`^[A-Za-z]\w{0,61}$`).MatchString(id) || !strings.Contains(id, "_") {
				t.Fatalf("%q becomes %q", names[i], id)
			}
			if slices.ContainsFunc(got[:i], func(x string) bool { return strings.EqualFold(x, id) }) {
				t.Fatal(fmt.Sprintf("%q becomes %q twice", names[i], id))
			}
		}
	})
}
