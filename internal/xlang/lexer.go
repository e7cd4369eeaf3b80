package xlang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// tokenRules are the tokens of X. Words are never reserved: a port may be named
// `in` and a block `map`.
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
		{Name: "Punct", Pattern: `[{}()\[\],;:.=*+/-]`},
		{Name: "Space", Pattern: `\s+`},
		{Name: "Other", Pattern: `[\s\S]`},
	}
}

// syntax holds the lexer and the parsers of the statements.
type syntax struct {
	lex     *lexer.StatefulDefinition
	kind    map[string]lexer.TokenType
	parsers parsers
}

func newSyntax() (*syntax, error) {
	rules := tokenRules()
	// Strings are tried before what only looks like the beginning of one.
	rules[1], rules[3] = rules[3], rules[1]
	lex, err := lexer.NewSimple(rules)
	if err != nil {
		return nil, err
	}
	s := &syntax{lex: lex, kind: lex.Symbols()}
	s.parsers, err = buildParsers(lex)
	return s, err
}

// tokens cuts a file into tokens without comments and white space.
func (s *syntax) tokens(name string, src []byte, diags *Diagnostics) []lexer.Token {
	lx, err := s.lex.LexString(name, string(src))
	if err != nil {
		diags.add(Pos{File: name, Line: 1, Column: 1}, "cannot read the file: "+err.Error(), "")
		return nil
	}
	var out []lexer.Token
	for {
		t, err := lx.Next()
		if err != nil {
			diags.add(Pos{File: name, Line: 1, Column: 1}, "cannot read the file: "+err.Error(), "")
			return out
		}
		switch t.Type {
		case lexer.EOF:
			return out
		case s.kind["Comment"], s.kind["Space"]:
		case s.kind["Unclosed"]:
			if strings.HasPrefix(t.Value, "/*") {
				diags.add(position(t.Pos), "comment is not closed", "close it with */")
			} else {
				diags.add(position(t.Pos), "string is not closed", `close it with " on the same line`)
				out = append(out, t)
			}
		case s.kind["Other"]:
			// One report for a run of them.
			if n := len(*diags); n == 0 || (*diags)[n-1].Message != otherMessage(t.Value) || (*diags)[n-1].Pos.Line != t.Pos.Line {
				hint := ""
				if t.Value == ">" {
					hint = form("edges")
				}
				diags.add(position(t.Pos), otherMessage(t.Value), hint)
				out = append(out, t)
			}
		default:
			out = append(out, t)
		}
	}
}

func otherMessage(text string) string {
	return "character " + quote(text) + " has no meaning here"
}

func position(p lexer.Position) Pos { return Pos{File: p.Filename, Line: p.Line, Column: p.Column} }

// slice feeds already cut tokens to a participle parser.
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
