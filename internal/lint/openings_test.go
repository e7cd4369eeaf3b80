package lint

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// openings reports comments whose first words break the writing rules: "X is what …", "X tells …", "Of a …". It checks
// each comment of the Go files, and those of C and Verilog that start a line.
func openings(root string) (faults, error) {
	var found faults
	bad := badOpening()
	check := func(file string, line int, text string) {
		if words := bad.FindString(strings.Join(strings.Fields(text), " ")); words != "" {
			found.addf("%s:%d: the comment begins with %q: name the thing, then a verb (X is the …, X returns …)", file,
				line, words)
		}
	}
	err := goFiles(root, func(file string) error {
		at := token.NewFileSet()
		parsed, err := parser.ParseFile(at, filepath.Join(root, file), nil, parser.ParseComments|
			parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("reading comments: %w", err)
		}
		for _, c := range parsed.Comments {
			check(file, at.Position(c.Pos()).Line, c.Text())
		}
		return nil
	})
	for _, suffix := range []string{".c", ".h", ".v"} {
		if err != nil {
			return nil, err
		}
		err = files(root, suffix, func(file string) error {
			text, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				return fmt.Errorf("reading comments: %w", err)
			}
			n, inside := 0, false // inside: the line before is of the same comment
			for line := range strings.Lines(string(text)) {
				n++
				line = strings.TrimSpace(line)
				slashes, starts := strings.HasPrefix(line, "//"), strings.HasPrefix(line, "/*")
				if starts || slashes && !inside {
					check(file, n, strings.Trim(line, "/* "))
				}
				inside = slashes
			}
			return nil
		})
	}
	return found, err
}

// badOpening returns the pattern of first words that break the rules.
func badOpening() *regexp.Regexp {
	clause := `what|how|that of|those|where|when|why|who|whether|which|that|as (?:it|much|many)|` +
		`(?:after|by|from|of) (?:how|what|which)`
	noun := `an?|the|all|each|every|two|several|what|is|are|it|they|this|many|much|often|long|far|to|no`
	return regexp.MustCompile(`^(?:(?:Package )?[\w.]+(?: and [\w.]+)? (?:(?:is|are|was|were) (?:` + clause +
		`)|tells?|says?|knows?|takes? in)|(?:What|How|Whether|Of) (?:` + noun + `)|That of|Those|In which)\b`)
}
