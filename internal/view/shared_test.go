package view

import (
	"testing"

	"xopt/internal/result"
)

// TestShared: the parts are of the bottleneck's load, whatever its utilization is.
func TestShared(t *testing.T) {
	for _, c := range []struct {
		limit result.Limit
		want  string
	}{
		{result.Limit{Name: "core", Members: []string{"a"}, Parts: []result.Number{0.5}}, ""},
		{result.Limit{Name: "mem", Members: []string{"raw", "vals"}, Parts: []result.Number{0.08, 0.02}},
			"raw 80 %, vals 20 %"},
		{result.Limit{Name: "mem", Members: []string{"a", "b", "c", "d"}, Parts: []result.Number{0.1, 0.1, 0.1, 0.1}},
			"a 25 %, b 25 %, c 25 %, d 25 %"},
		{result.Limit{Name: "mem", Members: []string{"a", "b", "c", "d", "e"}, Parts: []result.Number{4, 2, 2, 1, 1}},
			"a 40 %, b 20 %, c 20 %, 2 more"},
		{result.Limit{Name: "mem", Members: []string{"a", "b"}, Parts: []result.Number{0, 0}}, "a, b"},
	} {
		if got := shared(&c.limit); got != c.want {
			t.Errorf("%v: %q, want %q", c.limit, got, c.want)
		}
	}
}
