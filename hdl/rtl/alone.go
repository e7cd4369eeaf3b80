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

// included matches include directives in Verilog. It also matches strings, so that text in a string does not count as a
// directive.
var included = regexp.MustCompile("`include\\b\\s*([\"<][^\">\\n]*[\">]|`?[A-Za-z_]\\w*)?|\"(?:[^\"\\\\\\n]|\\\\.)*\"")

// alone returns an error if the source includes other files. Tools process copies of the sources, without the files
// beside them. alone ignores directives in comments.
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
	return faults.SourceIncludes.Errorf("%s:%d: the source includes %s, but a kernel's sources are only the files "+
		"in its attributes src and with: copy the included text into one of these files", name, line, what)
}

// cited matches the file names in verilator's errors and XML.
var cited = regexp.MustCompile(`(?m)^%(?:Error|Warning)[^:\n]*: ([^:\n]+):\d+|^ *<file id="[^"]*" filename="([^"]*)"`)

// lineDirective matches a `line directive, which names the original file of a generated source.
var lineDirective = regexp.MustCompile("`line\\s+\\d+\\s+\"([^\"\\n]*)\"")

// foreign returns the first file in verilator's output that is not one of the given sources, such as a file that a
// macro includes. It returns "" for none. Callers must not show output about such a file.
func (m *Module) foreign(output string, names []string) string {
	for _, x := range cited.FindAllStringSubmatch(output, -1) {
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

// vhdlWords matches words in VHDL. It also matches comments, strings, characters and extended identifiers, in order to
// skip them.
var vhdlWords = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/|"[^"\n]*"|'.'|\\[^\\\n]*\\|[A-Za-z]\w*`)

// noFiles returns an error if a VHDL source declares files. GHDL opens such files, even for writing, when it reads the
// source.
func (f file) noFiles() error {
	for _, at := range vhdlWords.FindAllStringIndex(f.text, -1) {
		if strings.EqualFold(f.text[at[0]:at[1]], "file") {
			return faults.SourceIncludes.Errorf("%s:%d: the source declares files that synthesis would open: receive "+
				"data through ports, and write constant values into the source",
				f.name, 1+strings.Count(f.text[:at[0]], "\n"))
		}
	}
	return nil
}

// comments matches Verilog comments. It also matches strings, so that text in a string does not count as a comment.
var comments = regexp.MustCompile(`(?s)"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/`)

// withoutComments replaces comments by blanks and preserves line numbers.
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
