package xlang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// tokenRules returns the rules of the tokens of X. X has no reserved words: a port may be named `in`, and a block
// `map`.
func tokenRules() []lexer.SimpleRule {
	return []lexer.SimpleRule{
		{Name: "Comment", Pattern: `//[^\n]*|/\*([^*]|\*+[^*/])*\*+/`},
		{Name: "Unclosed", Pattern: `/\*[\s\S]*|"[^"\n]*`},
		{Name: "Include", Pattern: `#[ \t]*include\b[ \t]*("[^"\n]*"|[^\s"]*)`},
		{Name: "String", Pattern: `"[^"\n]*"`},
		{Name: "Number", Pattern: `[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`},
		{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
		{Name: "Arrow", Pattern: `->`},
		{Name: "Range", Pattern: `\.\.`},
		{Name: "Punct", Pattern: `[{}()\[\],;:.=*+/&-]`},
		{Name: "Space", Pattern: `\s+`},
		{Name: "Other", Pattern: `[\s\S]`},
	}
}

// syntax contains the lexer and the parsers of the statements.
type syntax struct {
	lex     *lexer.StatefulDefinition
	kind    map[string]lexer.TokenType
	kinds   kinds
	parsers parsers
}

func newSyntax() (*syntax, error) {
	rules := tokenRules()
	// The rule of strings must precede the rules that match the first character of a string.
	rules[1], rules[3] = rules[3], rules[1]
	lex, err := lexer.NewSimple(rules)
	if err != nil {
		return nil, err
	}
	s := &syntax{lex: lex, kind: lex.Symbols()}
	s.kinds = kindsOf(s.kind)
	s.parsers, err = buildParsers(lex)
	return s, err
}

// scan creates a scanner for a text.
func (s *syntax) scan(name, text string) *scanner {
	return &scanner{text: text, at: lexer.Position{Filename: name, Line: 1, Column: 1}, kind: s.kinds}
}

// tokens splits a file into tokens, without comments and white space. It stops at the maximum number of reported
// errors.
func (s *syntax) tokens(name string, src []byte, diags *Diagnostics) []lexer.Token {
	text := string(src)
	n, before := 0, "" // tokens are large, so do not keep unused space
	for sc := s.scan(name, text); ; {
		t, ok := sc.next()
		if !ok {
			break
		}
		if !s.empty(t, before) && t.Type != s.kinds.other && t.Type != s.kinds.unclosed {
			n++
			before = t.Value
		}
	}
	out := make([]lexer.Token, 0, n)
	sc := s.scan(name, text)
	before = ""
	for !diags.full() {
		t, ok := sc.next()
		if !ok {
			break
		}
		if s.empty(t, before) {
			continue
		}
		before = t.Value
		switch t.Type {
		case s.kinds.unclosed:
			if strings.HasPrefix(t.Value, "/*") {
				diags.add(faults.NotClosed, position(t.Pos), "comment is not closed", "close it with */")
			} else {
				diags.add(faults.NotClosed, position(t.Pos), "string is not closed", `close it with " on the same line`)
				out = append(out, t)
			}
		case s.kinds.other:
			// Report consecutive errors once.
			if n := len(*diags); n == 0 || (*diags)[n-1].Message != otherMessage(t.Value) ||
				(*diags)[n-1].Pos.Line != t.Pos.Line {
				hint := ""
				switch t.Value {
				case ">":
					hint = form("edges")
				case "#":
					hint = "copies of a kernel have no names in X files: map the kernel to a resource for each copy, " +
						"map { top.fir } to proc[1] & proc[2];"
				}
				diags.add(fault.Syntax, position(t.Pos), otherMessage(t.Value), hint)
				out = append(out, t)
			}
		default:
			out = append(out, t)
		}
	}
	return out
}

// empty reports whether a token can be ignored: white space, a comment, or a semicolon after another semicolon.
func (s *syntax) empty(t lexer.Token, before string) bool {
	return t.Type == s.kinds.space || t.Type == s.kinds.comment || t.Value == ";" && before == ";"
}

func otherMessage(text string) string {
	return "character " + quote(text) + " has no meaning here"
}

func position(p lexer.Position) Pos { return Pos{File: p.Filename, Line: p.Line, Column: p.Column} }

// slice feeds a list of tokens to a participle parser.
type slice struct {
	tokens []lexer.Token
	end    lexer.Position
}

// Next implements lexer.Lexer.
func (s *slice) Next() (lexer.Token, error) {
	if len(s.tokens) == 0 {
		return lexer.EOFToken(s.end), nil
	}
	t := s.tokens[0]
	s.tokens = s.tokens[1:]
	return t, nil
}
