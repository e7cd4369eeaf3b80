package rtl

import (
	"cmp"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"xopt/hdl/faults"
)

// included finds where a source in Verilog includes another file; strings, which may hold what looks like that, are
// found as well.
var included = regexp.MustCompile("`include\\b\\s*([\"<][^\">\\n]*[\">]|`?[A-Za-z_]\\w*)?|\"(?:[^\"\\\\\\n]|\\\\.)*\"")

// alone reports a source that includes other files: it is read without what lies beside it, and a file elsewhere is
// none of its kernel's. Comments are passed over.
func (f file) alone() error {
	if ext := filepath.Ext(f.name); ext != ".v" && ext != ".sv" {
		return f.noFiles()
	}
	text := withoutComments(f.text)
	for _, at := range included.FindAllStringSubmatchIndex(text, -1) {
		if text[at[0]] == '"' {
			continue
		}
		what := "another file"
		if at[2] >= 0 {
			what = strings.Trim(text[at[2]:at[3]], `"<>`)
		}
		return includes(f.name, 1+strings.Count(text[:at[0]], "\n"), what)
	}
	return nil
}

func includes(name string, line int, what string) error {
	return faults.SourceIncludes.Errorf("%s:%d: the source includes %s: a kernel's sources are the files that src and "+
		"with name; put what is included into one of them", name, line, what)
}

// told finds which files verilator speaks of, in errors and in its XML.
var told = regexp.MustCompile(`(?m)^%(?:Error|Warning)[^:\n]*: ([^:\n]+):\d+|^ *<file id="[^"]*" filename="([^"]*)"`)

// lineDirective is what a source says that it was made from.
var lineDirective = regexp.MustCompile("`line\\s+\\d+\\s+\"([^\"\\n]*)\"")

// foreign is a file that verilator has read, by what it says, and that is none of the sources, whose names are given:
// one that a macro has included. It is "" for none. What such a file says is never told.
func (m *Module) foreign(said string, names []string) string {
	for _, x := range told.FindAllStringSubmatch(said, -1) {
		name := cmp.Or(x[1], html.UnescapeString(x[2]))
		if name == "" || strings.HasPrefix(name, "<") || slices.Contains(names, name) {
			continue
		}
		if !slices.ContainsFunc(m.verilog, func(f file) bool {
			return slices.ContainsFunc(lineDirective.FindAllStringSubmatch(f.text, -1), func(l []string) bool {
				return l[1] == name
			})
		}) {
			return name
		}
	}
	return ""
}

// vhdlWords are the words of VHDL, and what is none: comments, strings, characters, extended identifiers.
var vhdlWords = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/|"[^"\n]*"|'.'|\\[^\\\n]*\\|[A-Za-z]\w*`)

// noFiles reports a source in VHDL that has files: GHDL opens them when it reads the source, also to write.
func (f file) noFiles() error {
	for _, at := range vhdlWords.FindAllStringIndex(f.text, -1) {
		if strings.EqualFold(f.text[at[0]:at[1]], "file") {
			return faults.SourceIncludes.Errorf("%s:%d: the source has files, which are opened while it is read: a "+
				"kernel's data come through its ports, and values that never change stand in the source",
				f.name, 1+strings.Count(f.text[:at[0]], "\n"))
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
