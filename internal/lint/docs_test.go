package lint

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// page is a page of the documentation.
type page struct {
	root, file string
	text       string
}

// documentation checks the links and the paths of all pages of a repository. Paths that are known to be missing are not
// reported, unless they exist.
func documentation(root string, folders, existing []string) (faults, error) {
	var pages []string
	err := files(root, ".md", func(file string) error {
		pages = append(pages, file)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var found faults
	for _, file := range pages {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, fmt.Errorf("reading the documentation: %w", err)
		}
		p := page{root, file, string(text)}
		found = append(append(found, p.links()...), p.paths(folders, existing)...)
	}
	for _, k := range existing {
		if (page{root: root}).exists(k) {
			found.addf("path %s is there: take it out of missingPaths in internal/lint/lint_test.go", k)
		}
	}
	return found, nil
}

// links checks the relative links of a page and their anchors.
func (p page) links() faults {
	var (
		code   = regexp.MustCompile("`[^`\n]+\n?[^`\n]*`") // may continue on the next line
		link   = regexp.MustCompile(`\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)`)
		source = regexp.MustCompile(`<[^>]*\b(?:src|href|srcset)="([^"]*)"`)
		found  faults
	)
	plain := page{p.root, p.file, code.ReplaceAllStringFunc(p.unfenced(), func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n"))
	})}
	plain.each(func(n int, line string) {
		for _, m := range slices.Concat(link.FindAllStringSubmatch(line, -1), source.FindAllStringSubmatch(line, -1)) {
			if why := p.broken(m[1]); why != "" {
				found.addf("%s:%d: link %s: %s", p.file, n, m[1], why)
			}
		}
	})
	return found
}

// broken returns the error of a link, or "" if it is valid or leads out of the repository.
func (p page) broken(to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	file := p.file
	if u.Path != "" {
		file = path.Join(path.Dir(p.file), u.Path)
		if strings.HasPrefix(u.Path, "/") || strings.HasPrefix(file, "../") {
			return "leads out of the repository"
		}
	}
	full := filepath.Join(p.root, filepath.FromSlash(file))
	if _, err := os.Stat(full); err != nil {
		return file + " does not exist"
	}
	if u.Fragment == "" || !strings.HasSuffix(file, ".md") {
		return ""
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return err.Error()
	}
	if !slices.Contains(anchors(page{p.root, file, string(text)}), u.Fragment) {
		return file + " has no heading for #" + u.Fragment
	}
	return ""
}

// anchors returns the anchors of a page's headings, as GitHub generates them.
func anchors(p page) []string {
	var list []string
	seen := make(map[string]int)
	p.each(func(_ int, line string) {
		if !strings.HasPrefix(line, "#") {
			return
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(strings.TrimLeft(line, "#")))
		n := seen[name]
		seen[name]++
		if n > 0 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		list = append(list, name)
	})
	return list
}

// paths checks the words of a page that begin with a folder of the repository and a slash.
func (p page) paths(folders, existing []string) faults {
	word := regexp.MustCompile(`(^|[^\w./-])((?:` + strings.Join(folders, "|") + `)/[\w./*-]*\w/?)`)
	var found faults
	p.each(func(n int, line string) {
		for _, m := range word.FindAllStringSubmatch(line, -1) {
			if name := strings.TrimSuffix(m[2], "/"); !p.exists(name) && !slices.Contains(existing, name) {
				found.addf("%s:%d: path %s does not exist", p.file, n, m[2])
			}
		}
	})
	return found
}

// exists reports whether a path from the top of the repository exists: a file, a folder, a pattern with matches, or a
// name in a package, such as internal/lint.Floors.
func (p page) exists(name string) bool {
	full := filepath.Join(p.root, filepath.FromSlash(name))
	if strings.Contains(name, "*") {
		found, err := filepath.Glob(full)
		return err == nil && len(found) > 0
	}
	if _, err := os.Stat(full); err == nil {
		return true
	}
	folder, symbol, ok := strings.Cut(full, ".")
	if !ok || symbol == "" || !unicode.IsUpper([]rune(symbol)[0]) {
		return false
	}
	info, err := os.Stat(folder)
	return err == nil && info.IsDir()
}

// unfenced returns the text with empty lines in place of fenced blocks.
func (p page) unfenced() string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(p.text) {
		mark := strings.TrimSpace(line)
		inside := fence != ""
		if strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			switch {
			case !inside:
				fence, inside = mark[:3], true
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
		}
		if !inside {
			b.WriteString(strings.TrimRight(line, "\n"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// each calls f with the lines of a page, from line 1. Lines within fenced blocks are empty.
func (p page) each(f func(n int, line string)) {
	n := 0
	for line := range strings.Lines(p.unfenced()) {
		n++
		f(n, strings.TrimSuffix(line, "\n"))
	}
}
