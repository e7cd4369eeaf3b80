package xlang_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestEdgesByEnds maps edges without a label by the spelling that messages use, and by others
// that mean the same.
func TestEdgesByEnds(t *testing.T) {
	src := bands +
		`block top { config UNSIGNED32 n = 4; Source source; Pair a[2]; Chan b[2] (band=1); Chan c (band=2); Sink sink;
    source.y[1..2] -> a[*]; source.y[3..n] -> b[*].x; named: b[1] -> sink.x; b[2] -> c; c -> sink; a[*].y -> sink.x; };
use top;
resource proc[2] is C; resource mem is memory ({proc}, bandwidth="1GB/s");
resource bus1 is bus ({proc}, bandwidth="1GB/s");
`
	p, err := loadSet(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Every edge, as the program names it.
	for i, edge := range p.Edges {
		for _, statement := range []string{"map { %s } to mem;", "buffer { %s } = 9;", "buffer %s = 9;"} {
			q, err := loadSet(src+fmt.Sprintf(statement, edge.Name), nil)
			if err != nil {
				t.Errorf("%s: %v", edge.Name, err)
				continue
			}
			if len(q.Maps) == 1 && q.Maps[0].Edge != i || len(q.Buffers) == 1 && q.Buffers[0].Edge != i ||
				len(q.Maps)+len(q.Buffers) != 1 {
				t.Errorf("%s means edges %v and %v, want %d", edge.Name, q.Maps, q.Buffers, i)
			}
		}
	}
	for _, c := range []struct{ spelling, want string }{
		{"top.b[2] -> c", "top.b[2]->c"},
		{"top.b[2] -> top.c", "top.b[2]->c"},
		{"top.b[2].y -> top.c.x", "top.b[2]->c"},
		{"top.b[2].y -> c.x", "top.b[2]->c"},
		{"top.b[1].y -> top.sink.x", "top.named"},
		{"top.source.y[4] -> top.b[2].x", "top.source.y[3..n]->b[*].x[2]"},
		{"top.source.y[3..n] -> b[*].x[1]", "top.source.y[3..n]->b[*].x[1]"},
		{"top.source.y -> top.b.x", "top.source.y[3..n]->b[*].x[1] top.source.y[3..n]->b[*].x[2]"},
		{"top.a[2].lo -> hi", "top.a[2].lo->hi"},
		{"top.a[*].lo.y -> top.a[*].hi.x", "top.a[1].lo->hi top.a[2].lo->hi"},
		{"top.a[1].hi.y -> top.sink.x", "top.a[*].y->sink.x[1]"},
		{"top.source.y[1..2] -> a[*][2]", "top.source.y[1..2]->a[*][2]"},
	} {
		q, err := loadSet(src+"map { "+c.spelling+" } to mem;", nil)
		if err != nil {
			t.Errorf("%s: %v", c.spelling, err)
			continue
		}
		var got []string
		for _, m := range q.Maps {
			got = append(got, q.Edges[m.Edge].Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s means %s, want %s", c.spelling, got, c.want)
		}
	}
	for statement, want := range map[string]string{
		"map { top.b[1] -> c } to mem;":              "no edge leads from 'top.b[1]' to 'c'",
		"map { top.c -> snk } to mem;":               "did you mean top.c->sink?",
		"map { top.c.y -> top.sink.z } to mem;":      "no edge leads from",
		"map { top.c -> sink } to proc[1];":          "'top.c->sink' is an edge, not a kernel",
		"fix { top.c -> sink } to proc[1];":          "'top.c->sink' is an edge, not a kernel",
		"forbid { top.c.y -> top.sink.x } to proc;":  "is an edge, not a kernel",
		"together { top.c -> sink, top.c };":         "is an edge, not a kernel",
		"map { top.source.y[9] -> top.b.x } to mem;": "index [9] of 'y' is out of range",
		"map { top.c -> } to mem;":                   "unexpected '->'",
	} {
		if _, err := loadSet(src+statement, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %s, got %v", statement, want, err)
		}
	}
}
