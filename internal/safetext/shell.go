package safetext

import "strings"

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
