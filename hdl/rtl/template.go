package rtl

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// fill fills one of the templates of Verilog.
func fill(name string, data any) (string, error) {
	t, err := template.ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("filling the template %s: %w", name, err)
	}
	return b.String(), nil
}

// streamText is a stream, or its signals, in a template.
type streamText struct {
	Name  string
	Input bool
	High  int // the highest bit of a word
}

// Side is what the names of the signals of a port begin with.
func (s streamText) Side() string {
	if s.Input {
		return "s_axis"
	}
	return "m_axis"
}
