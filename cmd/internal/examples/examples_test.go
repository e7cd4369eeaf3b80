package examples

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestExampleLinks checks that each relative link in the README of a bundled example leads to a file that xopt
// examples copies.
func TestExampleLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)`)
	pages := 0
	for _, group := range Groups() {
		for _, x := range group.List {
			err := fs.WalkDir(x.files, x.Name, func(p string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
					return err
				}
				pages++
				text, err := fs.ReadFile(x.files, p)
				if err != nil {
					return err
				}
				for _, m := range link.FindAllStringSubmatch(string(text), -1) {
					if strings.Contains(m[1], "://") {
						continue
					}
					to := path.Join(path.Dir(p), m[1])
					if _, err := fs.Stat(x.files, to); err != nil || !strings.HasPrefix(to, x.Name+"/") {
						t.Errorf("%s links to %s, which is not in the example", p, m[1])
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if pages == 0 {
		t.Error("no example has a page")
	}
}
