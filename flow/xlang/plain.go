package xlang

import "github.com/alecthomas/participle/v2/lexer"

// plainReader reads the two most frequent statements of large applications: instances without configs, and single
// edges. Its results equal the results of the parsers of these statements, but it needs few allocations. It leaves all
// other forms to the parsers.
type plainReader struct {
	kinds    kinds
	segments []segment      // buffer for paths
	indices  []index        // buffer for the indices of paths
	exprs    []expr         // buffer for the expressions of indices
	names    []instanceName // buffer for instances
}

// plainRoom is the number of items for which a buffer allocates memory at once.
const plainRoom = 512

// edge reads `a.y -> b.x;` or `e: a.y[2] -> b.x;` and returns the length, including the semicolon; 0 for another form.
func (p *plainReader) edge(tokens []lexer.Token, e *edgeStmt) int {
	at := 0
	*e = edgeStmt{Pos: tokens[0].Pos}
	if len(tokens) > 1 && tokens[1].Value == ":" && tokens[0].Type == p.kinds.ident {
		e.Label, at = tokens[0].Value, 2
	}
	n := p.ref(tokens[at:], &e.From)
	if at += n; n == 0 || at >= len(tokens) || tokens[at].Value != "->" {
		return 0
	}
	at++
	n = p.ref(tokens[at:], &e.To)
	if at += n; n == 0 || at >= len(tokens) || tokens[at].Value != ";" {
		return 0
	}
	return at + 1
}

// ref reads a path of names. Each name has no index, or a number as its index. ref returns the length of the path, or 0
// for another form.
func (p *plainReader) ref(tokens []lexer.Token, r *ref) int {
	at, segments := 0, 0
	for {
		if at >= len(tokens) || tokens[at].Type != p.kinds.ident {
			return 0
		}
		segments++
		if at++; at+2 < len(tokens) && tokens[at].Value == "[" {
			if tokens[at+1].Type != p.kinds.number || tokens[at+2].Value != "]" {
				return 0
			}
			at += 3
		}
		if at >= len(tokens) || tokens[at].Value != "." {
			break
		}
		at++
	}
	if segments > plainRoom {
		return 0
	}
	if len(p.segments)+segments > cap(p.segments) {
		p.segments = make([]segment, 0, plainRoom)
	}
	r.Pos = tokens[0].Pos
	first := len(p.segments)
	for i := 0; i < at; i++ {
		s := segment{Pos: tokens[i].Pos, Name: tokens[i].Value}
		if i+1 < at && tokens[i+1].Value == "[" {
			s.Index = p.number(&tokens[i+2])
			i += 3
		}
		p.segments = append(p.segments, s)
		i++ // the dot
	}
	r.Segments = p.segments[first:len(p.segments):len(p.segments)]
	return at
}

// number returns the index for a token that is a number.
func (p *plainReader) number(t *lexer.Token) *index {
	if len(p.exprs) == cap(p.exprs) {
		p.exprs, p.indices = make([]expr, 0, plainRoom), make([]index, 0, plainRoom)
	}
	text := t.Value
	p.exprs = append(p.exprs, expr{Pos: t.Pos, Head: term{Head: factor{Pos: t.Pos, Number: &text}}})
	p.indices = append(p.indices, index{Lo: &p.exprs[len(p.exprs)-1]})
	return &p.indices[len(p.indices)-1]
}

// instance reads `BLOCK name;` and returns the length, including the semicolon; nil and 0 for another form.
func (p *plainReader) instance(tokens []lexer.Token) (*instanceStmt, int) {
	if len(tokens) < 3 || tokens[0].Type != p.kinds.ident || tokens[1].Type != p.kinds.ident ||
		tokens[2].Value != ";" {
		return nil, 0
	}
	if len(p.names) == cap(p.names) {
		p.names = make([]instanceName, 0, plainRoom)
	}
	n := len(p.names)
	p.names = append(p.names, instanceName{Pos: tokens[1].Pos, Name: tokens[1].Value})
	return &instanceStmt{Pos: tokens[0].Pos, Block: tokens[0].Value, Names: p.names[n : n+1 : n+1]}, 3
}
