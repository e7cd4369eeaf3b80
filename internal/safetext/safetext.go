// Package safetext makes text safe to show. What comes from kernels, tools and the names of
// files may hold escape sequences that steer a terminal, marks that turn the direction of
// writing, and bytes that are not text.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacement stands for each character that is not shown.
const replacement = '?'

// shown reports whether a character may reach a terminal: no control characters but line
// ends and tabs, no invalid UTF-8, no format characters (those that turn the direction of
// writing are among them), and no other line ends than \n.
func shown(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	}
	const firstTag, lastTag = 0xe0000, 0xe0fff // never seen, whether or not they are assigned yet
	if r >= firstTag && r <= lastTag {
		return false
	}
	return r != utf8.RuneError && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Clean returns text of several lines as it may be shown: every character that could upset a
// terminal is a question mark.
func Clean(s string) string {
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return strings.Map(func(r rune) rune {
		if !shown(r) {
			return replacement
		}
		return r
	}, s)
}

// Line is Clean for text that is to stay on one line.
func Line(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", string(replacement))
}

// Cut is the beginning of text: at most n characters, with … for the rest.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n {
			return s[:at] + "…"
		}
		i++
	}
	return s
}

// plainRunes are those that no shell gives a meaning to within a word.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+"

// ShellLine joins arguments into a line that can be pasted into a shell.
func ShellLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = ShellWord(a)
	}
	return strings.Join(words, " ")
}

// ShellWord is an argument as a shell takes it: in quotes where it has to be.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, plainRunes) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
