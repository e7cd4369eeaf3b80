package dot

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"xopt/internal/fault"
)

const sample = `// a comment
digraph "my graph" {
	node [shape=box]; edge [bytes=8]
	a:out -> {b; c:in} -> d [rate="1/2", label="x \"y\""];
	subgraph cluster_1 { label="inner"; node [shape=oval]; b [host=p]; subgraph { e } }
	e -> a
}
`

// TestRead: defaults apply where they stand, subgraphs are vertices, and a node belongs to the subgraph of its
// statement.
func TestRead(t *testing.T) {
	g, err := Read("g.dot", strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range g.Edges {
		list = append(list, fmt.Sprintf("%s:%s %s:%s %s %s %s", g.Nodes[e.From].ID, e.FromPort, g.Nodes[e.To].ID,
			e.ToPort,
			e.Attrs["bytes"], e.Attrs["rate"], e.Attrs["label"]))
	}
	want := `a:out b: 8 1/2 x "y", a:out c:in 8 1/2 x "y", b: d: 8 1/2 x "y", c:in d: 8 1/2 x "y", e: a: 8  `
	if got := strings.Join(list, ", "); got != want || g.Name != "my graph" {
		t.Errorf("got %s\nwant %s", got, want)
	}
	b, e := g.Nodes[1], g.Nodes[4]
	if b.ID != "b" || b.Attrs["host"] != "p" || b.Attrs["shape"] != "box" ||
		g.Clusters[b.Cluster].Attrs["label"] != "inner" {
		t.Errorf("%+v %+v", b, g.Clusters)
	}
	if e.ID != "e" || e.Attrs["shape"] != "oval" || g.Clusters[g.Clusters[e.Cluster].Parent].ID != "cluster_1" {
		t.Errorf("%+v %+v", e, g.Clusters)
	}
	for _, c := range []struct {
		ids  []string
		want string
	}{{[]string{"b"}, "g.dot:4"}, {[]string{"e", "->", "a"}, "g.dot:6"}, {[]string{"nothing"}, "g.dot"}} {
		if got := g.Place(c.ids...); got != c.want {
			t.Errorf("%v is at %s, want %s", c.ids, got, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "bad.dot:"},
		{"digraph g { a -> b", "bad.dot:1:"},
		{"digraph g {}\ndigraph h {}", "2 graphs"},
		{"graph g { a -- b }", "undirected"},
		{"digraph { " + strings.Repeat("a", 201) + " }", "at most 200 characters"},
		{"digraph { " + strings.Repeat("{", 200) + "a" + strings.Repeat("}", 200) + " }", "nested"},
		{strings.Repeat("{", 200_000), "subgraphs"},
	} {
		_, err := Read("bad.dot", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.Of(err) != "wrong-graph-file" ||
			strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%.40q: got %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzRead: no text stops the program, and the edges of an accepted graph lead to its nodes.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("digraph{a->b->c;{}->{}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := Read("fuzz.dot", bytes.NewReader(text))
		if err != nil {
			if fault.Of(err) == "" {
				t.Error("an error without an identifier:", err)
			}
			return
		}
		for _, e := range g.Edges {
			if e.From >= len(g.Nodes) || e.To >= len(g.Nodes) {
				t.Errorf("%+v", e)
			}
		}
		for i, n := range g.Nodes {
			if n.Cluster >= len(g.Clusters) || g.index[n.ID] != i || !strings.HasPrefix(g.Place(n.ID), "fuzz.dot") {
				t.Errorf("%+v", n)
			}
		}
	})
}
