package xeval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"xopt/flow/xlang"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	endOfInput tokenKind = iota
	word                 // name, keyword, number, or number and name without a space: 2x0
	quote                // a name in quotes
	arrow                // -> or →
	open                 // (
	shut                 // )
	star                 // *
	broken               // unreadable text; text is the reason
)

// token is one piece of a semantics file.
type token struct {
	kind tokenKind
	text string
	pos  xlang.Pos
}

// isKeyword reports whether a word is a keyword, which can be a name only in quotes.
func isKeyword(s string) bool {
	switch s {
	case "block", "port", "event", "rule", "and", "or":
		return true
	}
	return false
}

// lexer splits a text into tokens. Names extend to a space, so that they may be file names. They end before brackets,
// quotes, a star, an arrow and a comment. Participle's lexers use Go's regular expressions, which cannot end a name
// before -> or /* without consuming them. Its parsers stop at the first error, whereas [Parse] reports all errors.
type lexer struct {
	file         string
	text         string
	line, column int
}

// at returns the current position.
func (l *lexer) at() xlang.Pos { return xlang.Pos{File: l.file, Line: l.line, Column: l.column} }

// skip consumes n bytes.
func (l *lexer) skip(n int) string {
	passed := l.text[:n]
	l.text = l.text[n:]
	if lines := strings.Count(passed, "\n"); lines > 0 {
		l.line += lines
		l.column = 1
		passed := passed[strings.LastIndexByte(passed, '\n')+1:]
		l.column += utf8.RuneCountInString(passed)
	} else {
		l.column += utf8.RuneCountInString(passed)
	}
	return passed
}

// blank skips spaces and comments. It returns false with the position of an unterminated comment.
func (l *lexer) blank() (xlang.Pos, bool) {
	for {
		n := len(l.text) - len(strings.TrimLeftFunc(l.text, unicode.IsSpace))
		l.skip(n)
		if !strings.HasPrefix(l.text, "/*") {
			return l.at(), true
		}
		pos := l.at()
		closed := strings.Index(l.text[2:], "*/")
		if closed < 0 {
			l.skip(len(l.text))
			return pos, false
		}
		l.skip(2 + closed + 2)
	}
}

// next returns the next token. At the end of the text it repeatedly returns a token of kind endOfInput.
func (l *lexer) next() token {
	pos, ok := l.blank()
	if !ok {
		return token{broken, "the comment that starts here is not closed: */ is missing", pos}
	}
	if l.text == "" {
		return token{endOfInput, "the end of the file", pos}
	}
	for _, s := range [...]struct {
		text string
		kind tokenKind
	}{{"->", arrow}, {"→", arrow}, {"(", open}, {")", shut}, {"*", star}} {
		if strings.HasPrefix(l.text, s.text) {
			return token{s.kind, l.skip(len(s.text)), pos}
		}
	}
	if l.text[0] == '"' {
		return l.quotation(pos)
	}
	n := wordLength(l.text)
	s := l.skip(n)
	if strings.ContainsFunc(s, unprintable) {
		return token{broken, "invalid characters for a semantics file", pos}
	}
	return token{word, s, pos}
}

// quotation reads a name in quotes. It must be on one line and contain no quotes.
func (l *lexer) quotation(pos xlang.Pos) token {
	n := strings.IndexAny(l.text[1:], "\"\n")
	if n < 0 || l.text[1+n] == '\n' {
		if n < 0 {
			n = len(l.text) - 1
		}
		l.skip(1 + n)
		return token{broken, "the name that starts here is not closed: \" is missing", pos}
	}
	s := l.skip(n + 2)
	s = s[1 : len(s)-1]
	if s == "" || strings.ContainsFunc(s, unprintable) {
		return token{broken, "a name in quotes needs at least one character, and only printable characters", pos}
	}
	return token{quote, s, pos}
}

func unprintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// wordLength returns the length in bytes of the name at the start of a text, at least one.
func wordLength(text string) int {
	for i, r := range text {
		rest := text[i:]
		if i > 0 && (unicode.IsSpace(r) || strings.ContainsRune(`()"*→`, r) || strings.HasPrefix(rest, "->") ||
			strings.HasPrefix(rest, "/*")) {
			return i
		}
	}
	return len(text)
}
