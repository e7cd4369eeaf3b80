// Package dot reads graphs in the DOT language of Graphviz: nodes, edges and their attributes.
package dot

import (
	"fmt"
	"io"
	"maps"
	"strings"

	parse "gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	"xopt/flow/faults"
)

// These constants limit the memory that a file can use.
const (
	maxBytes = 16 << 20
	maxNodes = 100_000
	maxEdges = 200_000
	maxName  = 200
	maxDepth = 100 // nesting depth of subgraphs
)

// Graph is a directed graph. Attributes of nodes and edges include the defaults at their place in the file.
type Graph struct {
	File, Name string
	Nodes      []Node
	Edges      []Edge
	Clusters   []Cluster // subgraphs; the first subgraph is the graph itself

	index map[string]int // index of each node by its identifier
	lines []string
}

// Node is a node, with the subgraph of its last statement.
type Node struct {
	ID      string
	Attrs   map[string]string
	Cluster int
	// Replaced lists the node's attributes whose values were replaced by later values. It omits defaults.
	Replaced []string
	stated   map[string]string
}

// Edge leads from one node to another. FromPort and ToPort are the ports in a statement such as `a:port -> b:port`; ""
// for none.
type Edge struct {
	From, To         int
	FromPort, ToPort string
	Attrs            map[string]string
	Replaced         []string // attributes whose values were replaced by later values
}

// Cluster is a subgraph.
type Cluster struct {
	ID     string
	Parent int
	Attrs  map[string]string
}

// Read reads a file with one graph. Errors contain the line number.
func Read(name string, r io.Reader) (*Graph, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(text) > maxBytes {
		return nil, faults.WrongGraphFile.Errorf("%s is larger than %d MiB", name, maxBytes>>20)
	}
	if strings.Count(string(text), "{") > maxNodes {
		return nil, faults.WrongGraphFile.Errorf("%s has more than %d subgraphs", name, maxNodes)
	}
	file, err := parse.ParseBytes(text)
	switch {
	case err != nil:
		message, _, _ := strings.Cut(err.Error(), "\n")
		message = strings.Replace(message, "error: ", "", 1)
		if message != "" && (message[0] < '0' || message[0] > '9') {
			message = " " + message
		}
		return nil, faults.WrongGraphFile.Errorf("%s:%.200s (expected a graph in the DOT language)", name, message)
	case len(file.Graphs) != 1:
		return nil, faults.WrongGraphFile.Errorf("%s contains %d graphs, expected one", name, len(file.Graphs))
	case !file.Graphs[0].Directed:
		return nil, faults.WrongGraphFile.Errorf("%s: the graph is undirected, expected digraph", name)
	}
	g := &Graph{File: name, Name: unquote(file.Graphs[0].ID), index: make(map[string]int),
		Clusters: []Cluster{{Attrs: make(map[string]string)}}, lines: strings.Split(string(text), "\n")}
	_, err = g.statements(file.Graphs[0].Stmts, scope{node: map[string]string{}, edge: map[string]string{}})
	return g, err
}

// scope contains the default attributes and the subgraph at a place in the file.
type scope struct {
	node, edge     map[string]string
	cluster, depth int
}

// endpoint is one end of an edge.
type endpoint struct {
	node int
	port string
}

// statements reads the statements of a subgraph, and returns the nodes that the statements name.
func (g *Graph) statements(list []ast.Stmt, s scope) ([]endpoint, error) {
	var named []endpoint
	if s.depth > maxDepth {
		return nil, faults.WrongGraphFile.Errorf("%s: subgraphs are nested more than %d deep", g.File, maxDepth)
	}
	for _, stmt := range list {
		switch x := stmt.(type) {
		case *ast.NodeStmt:
			n, err := g.vertex(x.Node, s)
			if err != nil {
				return nil, err
			}
			node := &g.Nodes[n[0].node]
			node.Replaced = append(node.Replaced, set(node.stated, x.Attrs)...)
			set(node.Attrs, x.Attrs)
			node.Cluster = s.cluster // an edge may have named the node before
			named = append(named, n...)
		case *ast.EdgeStmt:
			n, err := g.edges(x, s)
			if err != nil {
				return nil, err
			}
			named = append(named, n...)
		case *ast.AttrStmt:
			set(map[ast.Kind]map[string]string{ast.NodeKind: s.node, ast.EdgeKind: s.edge,
				ast.GraphKind: g.Clusters[s.cluster].Attrs}[x.Kind], x.Attrs)
		case *ast.Attr:
			set(g.Clusters[s.cluster].Attrs, []*ast.Attr{x})
		case *ast.Subgraph:
			n, err := g.vertex(x, s)
			if err != nil {
				return nil, err
			}
			named = append(named, n...)
		}
	}
	return named, nil
}

// vertex returns the nodes of one end of an edge: a node, or all nodes of a subgraph.
func (g *Graph) vertex(v ast.Vertex, s scope) ([]endpoint, error) {
	if sub, ok := v.(*ast.Subgraph); ok {
		g.Clusters = append(g.Clusters, Cluster{ID: unquote(sub.ID), Parent: s.cluster, Attrs: make(map[string]string)})
		return g.statements(sub.Stmts, scope{node: maps.Clone(s.node), edge: maps.Clone(s.edge),
			cluster: len(g.Clusters) - 1, depth: s.depth + 1})
	}
	node, ok := v.(*ast.Node)
	if !ok {
		return nil, nil
	}
	id := unquote(node.ID)
	n, ok := g.index[id]
	if !ok {
		if len(id) > maxName || len(g.Nodes) == maxNodes {
			return nil, faults.WrongGraphFile.Errorf("%s: node %.60q: expected at most %d characters in a name and %d "+
				"nodes", g.File, id, maxName, maxNodes)
		}
		n = len(g.Nodes)
		g.index[id] = n
		g.Nodes = append(g.Nodes, Node{ID: id, Attrs: maps.Clone(s.node), Cluster: s.cluster,
			stated: make(map[string]string)})
	}
	e := endpoint{node: n}
	if node.Port != nil {
		e.port = unquote(node.Port.ID)
	}
	return []endpoint{e}, nil
}

// edges adds the edges of a statement such as `a -> b -> {c d}`.
func (g *Graph) edges(x *ast.EdgeStmt, s scope) ([]endpoint, error) {
	from, err := g.vertex(x.From, s)
	if err != nil {
		return nil, err
	}
	named, replaced := from, set(make(map[string]string), x.Attrs)
	for e := x.To; e != nil; e = e.To {
		to, err := g.vertex(e.Vertex, s)
		if err != nil {
			return nil, err
		}
		if len(g.Edges)+len(from)*len(to) > maxEdges {
			return nil, faults.WrongGraphFile.Errorf("%s has more than %d edges", g.File, maxEdges)
		}
		for _, a := range from {
			for _, b := range to {
				attrs := maps.Clone(s.edge)
				set(attrs, x.Attrs)
				g.Edges = append(g.Edges, Edge{From: a.node, To: b.node, FromPort: a.port, ToPort: b.port,
					Attrs: attrs, Replaced: replaced})
			}
		}
		named, from = append(named, to...), to
	}
	return named, nil
}

// set stores attributes, and returns the names of the attributes whose value changes.
func set(attrs map[string]string, list []*ast.Attr) (replaced []string) {
	for _, a := range list {
		name, value := unquote(a.Key), unquote(a.Val)
		if old, ok := attrs[name]; ok && old != value {
			replaced = append(replaced, name)
		}
		attrs[name] = value
	}
	return replaced
}

// unquote returns the text of an identifier, which may be quoted.
func unquote(id string) string {
	if len(id) < 2 || id[0] != '"' {
		return id
	}
	return strings.NewReplacer(`\"`, `"`, "\\\r\n", "", "\\\n", "").Replace(id[1 : len(id)-1])
}

// Place returns "file:line" of the first line that contains the identifiers in this order, or else the name of the
// file. Place searches the text, because the parser does not record positions.
func (g *Graph) Place(ids ...string) string {
	for i, line := range g.lines {
		rest, ok := line, true
		for _, id := range ids {
			at := word(rest, id)
			if ok = at >= 0; !ok {
				break
			}
			rest = rest[at+len(id):]
		}
		if ok && len(ids) > 0 {
			return fmt.Sprintf("%s:%d", g.File, i+1)
		}
	}
	return g.File
}

// word returns the index of a complete identifier in a line, or -1.
func word(line, id string) int {
	letter := func(b byte) bool {
		return b == '_' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	for from := 0; id != ""; {
		at := strings.Index(line[from:], id)
		if at < 0 {
			break
		}
		at += from
		next := at + len(id)
		starts := at == 0 || !letter(line[at-1]) || strings.HasSuffix(line[:at], `\n`) // in a label
		if starts && (next == len(line) || !letter(line[next])) {
			return at
		}
		from = at + 1
	}
	return -1
}
