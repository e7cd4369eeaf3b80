// Package generated writes generated sources from templates.
package generated

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
)

// Text executes the template in a file with data, and returns the result. funcs are the functions of the template; nil
// for none.
func Text(files fs.FS, name string, funcs template.FuncMap, data any) (string, error) {
	t, err := template.New(path.Base(name)).Funcs(funcs).ParseFS(files, name)
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("filling the template %s: %w", name, err)
	}
	return b.String(), nil
}
