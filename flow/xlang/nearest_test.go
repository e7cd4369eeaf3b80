package xlang

import (
	"strings"
	"testing"
)

// TestNearest: of names that are as near, one with a letter more, less or moved goes first, then one that begins alike
// for longer; what is too far is not suggested.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, known, want string }{
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
		if got := Nearest(c.name, strings.Fields(c.known)); got != c.want {
			t.Errorf("%s of %q: got %q, want %q", c.name, c.known, got, c.want)
		}
	}
}
