package xlang

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestPlain: reading without the parsers gives the parsers' results.
func TestPlain(t *testing.T) {
	s, err := newSyntax()
	if err != nil {
		t.Fatal(err)
	}
	for text, plain := range map[string]bool{
		"a.y -> b.x;":                       true,
		"e1: a.y -> b.x;":                   true,
		"a -> b;":                           true,
		"top[3].low[12].y[1] -> sink.x[2];": true,
		"a.y\n\t-> /* to */ b.x;":           true,
		"a.y -> b.x c.y -> d.x;":            false,
		"a.y -> b.x (initial=4);":           false,
		"a[n].y -> b.x;":                    false,
		"a[1..3].y -> b[*].x;":              false,
		"a[1+1].y -> b.x;":                  false,
		"a.y -> ;":                          false,
		"a.y -> b.;":                        false,
		"a.y[1 -> b;":                       false,
		"a.y -> b.x":                        false,
		"e: -> b;":                          false,
		"a.y:":                              false,
	} {
		var d Diagnostics
		tokens := s.tokens("a.x", []byte(text), &d)
		p := plainReader{kinds: s.kinds}
		var e edgeStmt
		n := p.edge(tokens, &e)
		if plain != (n == len(tokens)) || !plain && n != 0 {
			t.Errorf("%s: %d of %d tokens are read", text, n, len(tokens))
			continue
		}
		if !plain {
			continue
		}
		g, _, err := tryTokens(s.parsers.edges, tokens[:n-1])
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !reflect.DeepEqual(g.Edges, []edgeStmt{e}) {
			t.Errorf("%s: read as %+v, want %+v", text, e, g.Edges)
		}
	}
	for text, plain := range map[string]bool{
		"SUM sum;": true, "SUM a, b;": false, "SUM a[2];": false, "SUM a (n=2);": false, "SUM 3;": false,
	} {
		var d Diagnostics
		tokens := s.tokens("a.x", []byte(text), &d)
		p := plainReader{kinds: s.kinds}
		x, n := p.instance(tokens)
		if plain != (n > 0) {
			t.Errorf("%s: %d tokens are read", text, n)
		}
		if !plain {
			continue
		}
		if g, _, err := tryTokens(s.parsers.instance, tokens[:n-1]); err != nil || !reflect.DeepEqual(g, x) {
			t.Errorf("%s: read as %+v, want %+v (%v)", text, x, g, err)
		}
	}
}

// TestPlainAllocations: a large block without arrays is read with less than one allocation for each of its statements
// beyond that of each instance. The parsers need more than twenty.
func TestPlainAllocations(t *testing.T) {
	const kernels = 2000
	var text strings.Builder
	text.WriteString("block top {\n")
	for i := range kernels {
		fmt.Fprintf(&text, "STAGE s%d;\ns%d.y0 -> s%d.x0;\ns%d.y1 -> s%d.x1;\n", i, i, i+1, i, i+2)
	}
	text.WriteString("};\n")
	s, err := newSyntax()
	if err != nil {
		t.Fatal(err)
	}
	source := []byte(text.String())
	n := testing.AllocsPerRun(1, func() {
		var d Diagnostics
		s.parse("a.x", source, &d, func() bool { return false })
		if len(d) > 0 {
			t.Error(d)
		}
	})
	if n > 2*kernels {
		t.Errorf("%.0f allocations for %d statements", n, 3*kernels)
	}
}
