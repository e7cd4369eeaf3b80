package xlang

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// scanner splits text into the tokens of tokenRules. It does not use regular expressions, because they consumed most of
// the time for reading a large file. A test compares the scanner with the rules.
type scanner struct {
	text string
	at   lexer.Position // position of the unread text
	kind kinds
}

// kinds contains the types of tokens.
type kinds struct {
	comment, unclosed, include, text, number, ident, arrow, span, punct, space, other lexer.TokenType
}

func kindsOf(symbols map[string]lexer.TokenType) kinds {
	return kinds{
		comment: symbols["Comment"], unclosed: symbols["Unclosed"], include: symbols["Include"],
		text:   symbols["String"],
		number: symbols["Number"], ident: symbols["Ident"], arrow: symbols["Arrow"], span: symbols["Range"],
		punct: symbols["Punct"], space: symbols["Space"], other: symbols["Other"],
	}
}

// next returns the next token; false at the end of the text.
func (s *scanner) next() (lexer.Token, bool) {
	if s.text == "" {
		return lexer.Token{}, false
	}
	kind, n := s.cut()
	t := lexer.Token{Type: kind, Value: s.text[:n], Pos: s.at}
	s.text = s.text[n:]
	if kind == s.kind.ident || kind == s.kind.punct { // single-line ASCII text
		s.at.Offset += n
		s.at.Column += n
	} else {
		s.at.Advance(t.Value)
	}
	return t, true
}

// cut returns the type and the length of the first token of the text.
func (s *scanner) cut() (lexer.TokenType, int) {
	text := s.text
	c, second := text[0], byte(0)
	if len(text) > 1 {
		second = text[1]
	}
	switch {
	case isLetter(c):
		return s.kind.ident, runOf(text, 1, isWord)
	case isDigit(c):
		return s.kind.number, numberLength(text)
	case isSpace(c):
		return s.kind.space, runOf(text, 1, isSpace)
	case c == '/' && second == '/':
		return s.kind.comment, lineLength(text)
	case c == '/' && second == '*':
		if stop := strings.Index(text[2:], "*/"); stop >= 0 {
			return s.kind.comment, stop + 4
		}
		return s.kind.unclosed, len(text)
	case c == '"':
		stop := runOf(text, 1, func(c byte) bool { return c != '"' && c != '\n' })
		if stop < len(text) && text[stop] == '"' {
			return s.kind.text, stop + 1
		}
		return s.kind.unclosed, stop
	case c == '#':
		if n := includeLength(text); n > 0 {
			return s.kind.include, n
		}
		return s.kind.other, 1
	case c == '-' && second == '>':
		return s.kind.arrow, 2
	case c == '.' && second == '.':
		return s.kind.span, 2
	case strings.IndexByte("{}()[],;:.=*+/&-", c) >= 0:
		return s.kind.punct, 1
	}
	_, n := utf8.DecodeRuneInString(text)
	return s.kind.other, n
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) }
func isSpace(c byte) bool  { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }

// runOf returns the end of a run of characters that starts at the given position.
func runOf(text string, from int, in func(byte) bool) int {
	for from < len(text) && in(text[from]) {
		from++
	}
	return from
}

func lineLength(text string) int {
	if stop := strings.IndexByte(text, '\n'); stop >= 0 {
		return stop
	}
	return len(text)
}

// numberLength returns the length of a number such as 12, 1.5 or 2e-3.
func numberLength(text string) int {
	n := runOf(text, 1, isDigit)
	if n+1 < len(text) && text[n] == '.' && isDigit(text[n+1]) {
		n = runOf(text, n+1, isDigit)
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		digits := n + 1
		if digits < len(text) && (text[digits] == '-' || text[digits] == '+') {
			digits++
		}
		if stop := runOf(text, digits, isDigit); stop > digits {
			n = stop
		}
	}
	return n
}

// includeLength returns the length of #include "file.x", or 0 for any other word after #.
func includeLength(text string) int {
	const word = "include"
	n := runOf(text, 1, isBlank)
	if !strings.HasPrefix(text[n:], word) {
		return 0
	}
	if n += len(word); n < len(text) && isWord(text[n]) {
		return 0
	}
	n = runOf(text, n, isBlank)
	if n < len(text) && text[n] == '"' {
		if stop := runOf(text, n+1, func(c byte) bool { return c != '"' && c != '\n' }); stop < len(text) &&
			text[stop] == '"' {
			return stop + 1
		}
	}
	return runOf(text, n, func(c byte) bool { return c != '"' && !isSpace(c) })
}
