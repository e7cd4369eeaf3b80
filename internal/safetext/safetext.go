// Package safetext makes text safe to print. Text from kernels, tools and file names may contain escape sequences for
// terminals, characters that change the writing direction, and invalid bytes.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacement is the character that replaces each unsafe character.
const replacement = '?'

// shown reports whether a character is safe for a terminal. It returns false for invalid UTF-8, for control characters
// and line ends except \n and tab, and for format characters, such as characters that change the writing direction.
func shown(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	}
	const firstTag, lastTag = 0xe0000, 0xe0fff // invisible, even if not yet assigned
	if r >= firstTag && r <= lastTag {
		return false
	}
	return r != utf8.RuneError && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Clean replaces each character that could affect a terminal with a question mark. The text may have several lines.
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

// Line is like Clean, but also replaces line ends, so that the result is a single line.
func Line(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", string(replacement))
}

// Cut returns the first n characters of a text, with … in place of the remaining characters.
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

// plainRunes contains the characters without special meaning in a shell word.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+"

// ShellLine joins arguments to a line that users can paste into a shell.
func ShellLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = ShellWord(a)
	}
	return strings.Join(words, " ")
}

// ShellWord returns an argument as a shell word. It adds quotes if necessary.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, plainRunes) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
