// Package safetext makes text safe to print. Text from kernels, tools and file names may contain escape sequences for
// terminals, characters that change the writing direction, and invalid bytes.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacement replaces each unsafe character.
const replacement = '?'

// shown reports whether a character may be sent to a terminal. It excludes control characters except line ends and
// tabs, invalid UTF-8, format characters (including those that change the writing direction), and line ends other than
// \n.
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

// Clean returns text of several lines with a question mark in place of each character that could disturb a terminal.
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

// Line is like Clean, except for text on one line.
func Line(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", string(replacement))
}

// Cut returns the first n characters of text, with … in place of the rest.
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

// plainRunes are the characters without special meaning within a shell word.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+"

// ShellLine joins arguments to a line that can be pasted into a shell.
func ShellLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = ShellWord(a)
	}
	return strings.Join(words, " ")
}

// ShellWord returns an argument as a shell word, in quotes if necessary.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, plainRunes) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
