package xlang

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// file is the syntax of one X file: its statements in order.
type file struct {
	name       string
	statements []any // *includeStmt, *blockDecl, *typeDecl, *resourceStmt, …
	// unread contains the words of statements that could not be read. Names among these words are not reported as
	// unknown.
	unread map[string]bool
}

type includeStmt struct {
	pos  Pos
	path string
}

type blockDecl struct {
	name      string
	pos       Pos
	ports     []*portsStmt
	configs   []*configStmt
	misc      []*miscStmt
	joins     []*joinStmt
	emits     []*emitStmt
	once      []*onceStmt
	stateless []*statelessStmt
	instances []*instanceStmt
	edges     []edgeStmt
}

// typeDecl is a platform or a linktype.
type typeDecl struct {
	kind, name, base string
	pos              Pos
	configs          []*configStmt
	impls            []*implStmt
}

// form returns the syntax of a kind of statement, for errors about such statements.
func form(kind string) string {
	switch kind {
	case "input", "output":
		return "ports are declared as: input FLOAT32 x0, x1;"
	case "config":
		return "configs are declared as: config UNSIGNED16 freq=1600;"
	case "misc":
		return `a misc statement is written as: misc { testpoint "src"; };`
	case "join":
		return "a join is written as: join x0, 2 x1;"
	case "emit":
		return "an emit is written as: emit y, 3 z;"
	case "once":
		return "outputs that send only at the start are declared as: once table;"
	case "stateless":
		return "a block whose firings depend only on their inputs is declared with: stateless; or, with a state for " +
			"each key: stateless by key x;"
	case "edges":
		return "an edge is written as: e1: gen1.y0 -> sum.x0; or, with initial elements, e1: a -> b (initial=4);"
	case "instance":
		return "instances are declared as: GENERATE gen1, gen2; or, with a config for each element, Band low[2] " +
			"(hz=[20, 40]);"
	case "block":
		return "a block is written as: block SUM { … };"
	case "platform", "linktype":
		return "a " + kind + " is written as: " + kind + " NAME:BASE { … };"
	case "resource":
		return "a resource is written as: resource proc[2] is C; or resource PCI is bus({ proc[1], fpga });"
	case "use":
		return "a use statement is written as: use top; or use top (pipes=3);"
	case "impl":
		return `an impl statement is written as: impl SUM (src="sum.c"); or impl SUM on proc[1] (mu="40MB/s");`
	case "route":
		return "a route is written as: route SUM.y0 = 0.25;"
	case "map", "fix", "forbid":
		return kind + " is written as: " + kind + " { top.gen1, top.gen2 } to proc[1];"
	case "buffer":
		return `a buffer statement is written as: buffer { top.e1 } = 131; in elements, or buffer { top.e1 } = "64KiB";`
	case "together", "apart":
		return kind + " is written as: " + kind + " { top.fft, top.ifft };"
	}
	return ""
}

// fileKinds returns the keywords of the statements of a file.
func fileKinds() []string {
	return []string{"block", "platform", "linktype", "resource", "use", "impl", "route", "map", "buffer", "fix",
		"forbid", "together", "apart"}
}

// reader reads the statements of one file.
type reader struct {
	*syntax
	diags *Diagnostics
	file  *file
	// stopped reports whether reading must stop: after too many errors, or because the context is done.
	stopped func() bool
	plain   plainReader
}

// parse reads one file, and adds errors to diags.
func (s *syntax) parse(name string, src []byte, diags *Diagnostics, stopped func() bool) *file {
	r := &reader{syntax: s, diags: diags, file: &file{name: name, unread: make(map[string]bool)}, stopped: stopped,
		plain: plainReader{kinds: s.kinds}}
	r.fileStatements(s.tokens(name, src, diags))
	return r.file
}

func (r *reader) add(stmt any) { r.file.statements = append(r.file.statements, stmt) }

func (r *reader) fileStatements(tokens []lexer.Token) {
	for len(tokens) > 0 && !r.stopped() {
		t := tokens[0]
		kind := t.Value
		if t.Type == r.kind["Ident"] && !slices.Contains(fileKinds(), kind) {
			meant := Nearest(kind, fileKinds())
			hint := "a statement begins with " + strings.Join(fileKinds(), ", ") + " or #include"
			if meant != "" {
				hint = "did you mean " + meant + "?"
			}
			r.diags.add(faults.UnknownStatement, position(t.Pos), "unknown statement "+quote(kind), hint)
			// Read the intended statement anyway, so that its names are declared.
			if meant == "block" || meant == "platform" || meant == "linktype" {
				kind, tokens[0].Value = meant, meant
			} else {
				tokens = tokens[statementEnd(tokens):]
				continue
			}
		}
		switch {
		case t.Value == ";", t.Type == r.kind["Other"], t.Type == r.kind["Unclosed"]:
			tokens = tokens[1:]
		case t.Type == r.kind["Include"]:
			path := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(t.Value, "#")),
				"include"))
			if path = strings.Trim(path, `"`); path == "" {
				r.diags.add(faults.IncludeWithoutFile, position(t.Pos), "#include names no file",
					`write #include "std.x"`)
			} else {
				r.add(&includeStmt{pos: position(t.Pos), path: path})
			}
			tokens = tokens[1:]
		case t.Type != r.kind["Ident"]:
			r.diags.add(fault.Syntax, position(t.Pos), "unexpected "+quote(t.Value), "a statement begins with "+
				strings.Join(fileKinds(), ", ")+" or #include")
			tokens = tokens[max(1, statementEnd(tokens)):]
		case kind == "block" || kind == "platform" || kind == "linktype":
			tokens = r.declaration(tokens)
		default:
			tokens = r.fileStatement(kind, tokens)
		}
	}
}

// fileStatement parses one statement without a body, and returns the remaining tokens.
func (r *reader) fileStatement(kind string, tokens []lexer.Token) []lexer.Token {
	switch kind {
	case "resource":
		return statement(r, r.parsers.resource, kind, tokens, func(s *resourceStmt) { r.add(s) })
	case "use":
		return statement(r, r.parsers.use, kind, tokens, func(s *useStmt) { r.add(s) })
	case "impl":
		return statement(r, r.parsers.impl, kind, tokens, func(s *implStmt) { r.add(s) })
	case "route":
		return statement(r, r.parsers.route, kind, tokens, func(s *routeStmt) { r.add(s) })
	case "buffer":
		return statement(r, r.parsers.buffer, kind, tokens, func(s *bufferStmt) { r.add(s) })
	case "together", "apart":
		return statement(r, r.parsers.group, kind, tokens, func(s *groupStmt) { r.add(s) })
	}
	return statement(r, r.parsers.place, kind, tokens, func(s *mapStmt) { r.add(s) })
}

// declaration parses a block or type with its body, and returns the remaining tokens.
func (r *reader) declaration(tokens []lexer.Token) []lexer.Token {
	kind := tokens[0].Value
	open := 1
	for open < len(tokens) && tokens[open].Value != "{" && tokens[open].Value != ";" && !r.startsStatement(tokens,
		open) {
		open++
	}
	head, ok := parseTokens(r, r.parsers.head, kind, tokens[:open])
	if open == len(tokens) || tokens[open].Value != "{" {
		if ok {
			r.declare(head, nil)
		}
		if open < len(tokens) && tokens[open].Value == ";" {
			open++
		}
		return tokens[open:]
	}
	length, closed := r.bodyEnd(tokens[open:])
	body := tokens[open+1 : open+length]
	if closed {
		body = body[:len(body)-1]
	} else {
		r.diags.add(faults.NotClosed, position(tokens[open].Pos), "the body of "+kind+" "+head.Name+" is not closed",
			"close it with };")
	}
	if ok {
		r.declare(head, body)
	}
	return tokens[open+length:]
}

// startsStatement reports whether a statement starts at tokens[i]: a keyword at the start of a line, followed by
// another word.
func (r *reader) startsStatement(tokens []lexer.Token, i int) bool {
	return i > 0 && i+1 < len(tokens) && tokens[i].Pos.Column == 1 && tokens[i].Pos.Line > tokens[i-1].Pos.Line &&
		slices.Contains(fileKinds(), tokens[i].Value) && tokens[i+1].Type == r.kind["Ident"]
}

// bodyEnd returns the length of a body that starts with {, including its closing }. The body is unclosed if the file
// ends, or if another statement starts before the closing }.
func (r *reader) bodyEnd(tokens []lexer.Token) (length int, closed bool) {
	depth := 0
	for i, t := range tokens {
		switch t.Value {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		if r.startsStatement(tokens, i) {
			return i, false
		}
	}
	return len(tokens), false
}

func (r *reader) declare(head *headStmt, body []lexer.Token) {
	pos := position(head.Pos)
	if head.Kind == "block" {
		b := &blockDecl{name: head.Name, pos: pos}
		if head.Base != "" {
			r.diags.add(fault.Syntax, pos, "block "+head.Name+" cannot have a base", form("block"))
		}
		r.blockBody(b, body)
		r.add(b)
		return
	}
	d := &typeDecl{kind: head.Kind, name: head.Name, base: head.Base, pos: pos}
	for len(body) > 0 && !r.stopped() {
		switch body[0].Value {
		case ";":
			body = body[1:]
		case "config":
			body = statement(r, r.parsers.config, "config", body, func(s *configStmt) {
				d.configs = append(d.configs,
					s)
			})
		case "impl":
			body = statement(r, r.parsers.impl, "impl", body, func(s *implStmt) { d.impls = append(d.impls, s) })
		default:
			r.diags.add(fault.Syntax, position(body[0].Pos), "unexpected "+quote(body[0].Value)+
				" in "+head.Kind+" "+head.Name,
				didYouMean(body[0].Value, []string{"config", "impl"}))
			body = body[max(1, statementEnd(body)):]
		}
	}
	r.add(d)
}

// blockBody reads the statements of a block.
func (r *reader) blockBody(b *blockDecl, body []lexer.Token) {
	arrows := 0
	for i := range body {
		if body[i].Type == r.kinds.arrow {
			arrows++
		}
	}
	b.edges = make([]edgeStmt, 0, arrows)
	for len(body) > 0 && !r.stopped() {
		t := body[0]
		if t.Type == r.kind["Other"] || t.Type == r.kind["Unclosed"] {
			body = body[1:] // reported by the lexer
			continue
		}
		isEdge := len(body) > 1 && (body[1].Value == ":" || body[1].Value == "." || body[1].Value == "->" ||
			body[1].Value == "[")
		switch {
		case t.Value == ";":
			body = body[1:]
		case isEdge:
			b.edges = append(b.edges, edgeStmt{})
			if n := r.plain.edge(body, &b.edges[len(b.edges)-1]); n > 0 {
				body = body[n:]
				continue
			}
			b.edges = b.edges[:len(b.edges)-1]
			body = statement(r, r.parsers.edges, "edges", body, func(s *edgesStmt) {
				b.edges = append(b.edges,
					s.Edges...)
			})
		case t.Value == "input" || t.Value == "output":
			body = statement(r, r.parsers.ports, t.Value, body, func(s *portsStmt) { b.ports = append(b.ports, s) })
		case t.Value == "config":
			body = statement(r, r.parsers.config, "config", body, func(s *configStmt) {
				b.configs = append(b.configs,
					s)
			})
		case t.Value == "misc":
			body = statement(r, r.parsers.misc, "misc", body, func(s *miscStmt) { b.misc = append(b.misc, s) })
		case t.Value == "join":
			body = statement(r, r.parsers.join, "join", body, func(s *joinStmt) { b.joins = append(b.joins, s) })
		case t.Value == "emit":
			body = statement(r, r.parsers.emit, "emit", body, func(s *emitStmt) { b.emits = append(b.emits, s) })
		case t.Value == "once":
			body = statement(r, r.parsers.once, "once", body, func(s *onceStmt) { b.once = append(b.once, s) })
		case t.Value == "stateless" && (len(body) == 1 || body[1].Value == ";" || body[1].Value == "by"):
			body = statement(r, r.parsers.state, "stateless", body,
				func(s *statelessStmt) { b.stateless = append(b.stateless, s) })
		case r.plainInstance(b, &body):
		case r.misspelt(body):
			// misspelt has replaced the word, so the next iteration reads the statement.
		case t.Type == r.kind["Ident"]:
			body = statement(r, r.parsers.instance, "instance", body,
				func(s *instanceStmt) { b.instances = append(b.instances, s) })
		default:
			r.diags.add(fault.Syntax, position(t.Pos), "unexpected "+quote(t.Value)+" in block "+b.name, form("edges"))
			body = body[max(1, statementEnd(body)):]
		}
	}
}

// plainInstance reads an instance without configs at the start of a body; it returns false for other statements.
func (r *reader) plainInstance(b *blockDecl, body *[]lexer.Token) bool {
	s, n := r.plain.instance(*body)
	if n == 0 {
		return false
	}
	b.instances, *body = append(b.instances, s), (*body)[n:]
	return true
}

// misspelt recognizes a statement with a misspelled keyword: its first word is similar to a keyword, and the statement
// does not declare an instance. misspelt reports the error and replaces the word.
func (r *reader) misspelt(body []lexer.Token) bool {
	own := body[:statementEnd(body)]
	if n := len(own); n > 0 && own[n-1].Value == ";" {
		own = own[:n-1]
	}
	meant := Nearest(body[0].Value, []string{"input", "output", "config", "misc", "join", "emit", "once", "stateless"})
	if meant == "" || r.excess(own) != nil {
		return false
	}
	if _, _, err := tryTokens(r.parsers.instance, own); err == nil {
		return false
	}
	r.diags.add(faults.UnknownStatement, position(body[0].Pos), "unknown statement "+quote(body[0].Value),
		"did you mean "+meant+"?")
	body[0].Value = meant
	return true
}

// statement parses the statement at the start of tokens, and returns the remaining tokens. If a semicolon is missing,
// statement reports the error, and calls use with the part before the error.
func statement[G any](r *reader, p *participle.Parser[G], kind string, tokens []lexer.Token,
	use func(*G)) []lexer.Token {
	stop := statementEnd(tokens)
	own := tokens[:stop]
	if n := len(own); n > 0 && own[n-1].Value == ";" && kind != "misc" {
		own = own[:n-1]
	}
	if m := r.excess(own); m != nil {
		r.diags.add(m.id, m.pos, m.message, m.hint)
		return tokens[stop:]
	}
	g, at, err := tryTokens(p, own)
	if err == nil {
		use(g)
		return tokens[stop:]
	}
	if at > 0 && at < len(own) && own[at].Pos.Line > own[at-1].Pos.Line {
		if g, _, err := tryTokens(p, own[:at]); err == nil {
			last := own[at-1]
			pos := position(last.Pos)
			pos.Column += len([]rune(last.Value)) - 1
			r.diags.add(fault.Syntax, pos, "missing ; after "+quote(last.Value), form(kind))
			use(g)
			return tokens[at:]
		}
	}
	r.complain(kind, own, at)
	return tokens[stop:]
}

func parseTokens[G any](r *reader, p *participle.Parser[G], kind string, tokens []lexer.Token) (*G, bool) {
	g, at, err := tryTokens(p, tokens)
	if err != nil {
		r.complain(kind, tokens, at)
		return new(G), false
	}
	return g, true
}

// tryTokens parses tokens and, on an error, returns the index of the token at the position of the error.
func tryTokens[G any](p *participle.Parser[G], tokens []lexer.Token) (*G, int, error) {
	var stop lexer.Position
	if n := len(tokens); n > 0 {
		stop = tokens[n-1].Pos
		stop.Offset += len(tokens[n-1].Value)
	}
	peek, err := lexer.Upgrade(&slice{tokens: tokens, end: stop})
	if err != nil {
		return nil, 0, err
	}
	g, err := p.ParseFromLexer(peek)
	if err == nil {
		return g, 0, nil
	}
	var pe participle.Error
	if !errors.As(err, &pe) {
		return nil, 0, err
	}
	at := len(tokens)
	for i, t := range tokens {
		if t.Pos.Offset >= pe.Position().Offset {
			at = i
			break
		}
	}
	return nil, at, err
}

// complain reports that a statement cannot be parsed at tokens[at].
func (r *reader) complain(kind string, tokens []lexer.Token, at int) {
	for _, t := range tokens {
		switch t.Type {
		case r.kind["Ident"]:
			r.file.unread[t.Value] = true
		case r.kind["Unclosed"], r.kind["Other"]:
			return // reported by the lexer
		}
	}
	if at < len(tokens) {
		r.diags.add(fault.Syntax, position(tokens[at].Pos), "unexpected "+quote(tokens[at].Value), form(kind))
		return
	}
	if len(tokens) == 0 {
		return
	}
	last := tokens[len(tokens)-1]
	r.diags.add(fault.Syntax, position(last.Pos), "statement ends too early after "+quote(last.Value), form(kind))
}

// statementEnd returns the length of the first statement, including its semicolon. The statement ends at a `;` outside
// brackets, or at its closing }.
func statementEnd(tokens []lexer.Token) int {
	depth := 0
	for i, t := range tokens {
		switch t.Value {
		case "{", "(", "[":
			depth++
		case ")", "]":
			depth--
		case "}":
			if depth--; depth > 0 {
				continue
			}
			if i+1 == len(tokens) {
				return i + 1
			}
			// These statements continue after their braces, so text on the same line belongs to the statement.
			switch tokens[0].Value {
			case "map", "fix", "forbid", "buffer":
				if tokens[i+1].Value != ";" && tokens[i+1].Pos.Line == t.Pos.Line {
					continue
				}
			}
			switch tokens[i+1].Value {
			case "to", "=", ",", "(", "[", ")":
			case ";":
				return i + 2
			default:
				return i + 1
			}
		case ";":
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return len(tokens)
}

// These limits are far above real statements. Parsers recurse on brackets, and store an entire expression or list of
// configs before they check the names.
const (
	maxNesting   = 48
	maxOperators = 1000 // of one expression
	maxConfigs   = 1000 // in one pair of brackets
)

// excess returns a mistake at the first token that exceeds a limit of a statement, or nil if there is none.
func (r *reader) excess(tokens []lexer.Token) *mistake {
	depth, operators, configs := 0, 0, 0
	for _, t := range tokens {
		switch t.Value {
		case "{", "(", "[":
			if depth++; depth > maxNesting {
				return &mistake{fault.NestedTooDeep, position(t.Pos), fmt.Sprintf("brackets are nested more than %d "+
					"levels deep", maxNesting), "use fewer brackets"}
			}
			configs = 0
		case "}", ")", "]":
			depth--
		case "+", "-", "*", "/":
			if operators++; operators > maxOperators {
				return &mistake{faults.TooLarge, position(t.Pos), fmt.Sprintf("the expression has more than %d "+
					"operators", maxOperators), "use fewer operators"}
			}
		case ",", "->":
			operators = 0
		case "=":
			if configs++; configs > maxConfigs {
				return &mistake{faults.TooLarge, position(t.Pos), fmt.Sprintf("one pair of brackets sets more than %d "+
					"configs", maxConfigs), "set fewer configs"}
			}
		}
	}
	return nil
}
