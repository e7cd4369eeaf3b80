package rtl

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// included finds where a source in Verilog includes another file.
var included = regexp.MustCompile("(?m)^[^\"\\n]*`include[ \\t]+([\"<][^\">\\n]*[\">]|`?[A-Za-z_]\\w*)")

// alone reports a source that includes other files: it is read without what lies beside it, and a file elsewhere is
// none of its kernel's. Comments are passed over.
func (f file) alone() error {
	if ext := filepath.Ext(f.name); ext != ".v" && ext != ".sv" {
		return f.noFiles()
	}
	text := withoutComments(f.text)
	if at := included.FindStringSubmatchIndex(text); at != nil {
		return fmt.Errorf("%s:%d: the source includes %s: a kernel's sources are the files that src and with name; "+
			"put what is included into one of them", f.name, 1+strings.Count(text[:at[2]], "\n"),
			strings.Trim(text[at[2]:at[3]], `"<>`))
	}
	return nil
}

// vhdlWords are the words of VHDL, and what is none: comments, strings, characters, extended identifiers.
var vhdlWords = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/|"[^"\n]*"|'.'|\\[^\\\n]*\\|[A-Za-z]\w*`)

// noFiles reports a source in VHDL that has files: GHDL opens them when it reads the source, also to write.
func (f file) noFiles() error {
	for _, at := range vhdlWords.FindAllStringIndex(f.text, -1) {
		if strings.EqualFold(f.text[at[0]:at[1]], "file") {
			return fmt.Errorf("%s:%d: the source has files, which are opened while it is read: a kernel's data come "+
				"through its ports, and values that never change stand in the source", f.name,
				1+strings.Count(f.text[:at[0]], "\n"))
		}
	}
	return nil
}

// comments are those of Verilog; strings are kept, as they may hold what looks like one.
var comments = regexp.MustCompile(`(?s)"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/`)

// withoutComments blanks comments; lines stay where they are.
func withoutComments(text string) string {
	return comments.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '"' {
			return s
		}
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, s)
	})
}
