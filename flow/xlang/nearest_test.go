package xlang

import (
	"strings"
	"testing"
)

// TestNearest: among equally similar names, one with a letter inserted, deleted or moved comes first, then one with a
// longer common prefix. Dissimilar names are not suggested.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, candidates, want string }{
		{"sed", "set seed", "seed"},
		{"sed", "seed set", "seed"},
		{"sseed", "speed seed", "seed"},
		{"tiem", "tier time", "time"},
		{"bat", "cat bar", "bar"},
		{"treads", "trends threads", "threads"},
		{"SEED", "set seed", "seed"},
		{"far", "seed set", ""},
		{"x", "", ""},
	} {
		if got := Nearest(c.name, strings.Fields(c.candidates)); got != c.want {
			t.Errorf("%s of %q: got %q, want %q", c.name, c.candidates, got, c.want)
		}
	}
}
