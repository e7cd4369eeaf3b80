package abi

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed layout.h.tmpl ends.h.tmpl offsets.go.tmpl
var templates embed.FS

// EndsH returns the header ends.h, which defines the ends of edges. Kernels include it with X.h.
func EndsH() (string, error) { return generate("ends.h.tmpl") }

// LayoutH returns the header layout.h for C and C++. It defines the layout of shared memory and asserts every offset
// and size.
func LayoutH() (string, error) { return generate("layout.h.tmpl") }

// The types below contain the values for the templates.

type structText struct {
	Name, Go, Head string
	Ends           bool
	Bytes          int
	Members        []memberText
	Run            *runText
}

type memberText struct {
	Name, Line string
	Offset     int
	Gap, Named bool // Gap: padding; Named: Go uses the member
}

type runText struct {
	Name, One, C string // Go name of the array, Go name of an element, C type of an element
	Bytes        int    // size of an element
}

type constantText struct{ Name, Go, C, Comment string }

type enumText struct {
	Name, Go, Comment, List string
	Values                  []string
}

func generate(name string) (string, error) {
	functions := template.FuncMap{"go": goName, "number": func(c string) string { return strings.TrimSuffix(c, "u") }}
	t, err := template.New(name).Funcs(functions).ParseFS(templates, "*.tmpl")
	if err != nil {
		return "", fmt.Errorf("reading the template of %s: %w", name, err)
	}
	var text struct {
		Constants []constantText
		Enums     []enumText
		Structs   []structText
	}
	for _, c := range Constants() {
		value := fmt.Sprint(c.Value)
		if c.Hex {
			value = fmt.Sprintf("0x%xu", c.Value)
		}
		text.Constants = append(text.Constants, constantText{c.Name, goName(c.Name), value, c.Comment})
	}
	for _, e := range Enums() {
		text.Enums = append(text.Enums, enumText{e.Name, goName(e.Name), e.Comment,
			"XRT_" + strings.Join(e.Values, ", XRT_"), e.Values})
	}
	for _, s := range Structs() {
		text.Structs = append(text.Structs, s.text())
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, text); err != nil {
		return "", fmt.Errorf("writing %s: %w", strings.TrimSuffix(name, ".tmpl"), err)
	}
	return b.String(), nil
}

// text returns the values of a structure for the templates.
func (s *Struct) text() structText {
	members, size := s.place()
	x := structText{Name: s.Name, Go: goName(s.Name), Ends: s.Ends, Bytes: size}
	comment := fmt.Sprintf("%d bytes: %s", size, s.Comment)
	if s.Run != nil {
		comment = fmt.Sprintf("%d bytes, then %s: %s", size, s.Run.Name, s.Comment)
		x.Run = &runText{s.Run.Name, strings.TrimSuffix(s.Run.Name, "s"), s.Run.cType(), sizeOf(s.Run.Type)}
	}
	x.Head = wrap(comment)
	for _, m := range members {
		named := !m.gap && m.Name != "unused" && !(s.Ends && m.Name == "bytes")
		x.Members = append(x.Members, memberText{m.Name, m.line(), m.offset, m.gap, named})
	}
	return x
}

// line returns the declaration of a member in C.
func (m *placed) line() string {
	t := m.Type
	if m.Atomic {
		t = "XRT_ATOMIC(" + t + ")"
	}
	if !strings.HasSuffix(t, "*") {
		t += " "
	}
	line := t + m.Name
	if m.Count > 0 {
		line += fmt.Sprintf("[%d]", m.Count)
	}
	line += ";"
	if m.Comment != "" {
		line = fmt.Sprintf("%-36s /* %s */", line, m.Comment)
	}
	return line
}

// cType returns the C type of an element.
func (r *Run) cType() string {
	t := r.Type
	if bytesOf(t) == 0 {
		t = "struct " + t
	}
	if r.Atomic {
		t = "XRT_ATOMIC(" + t + ")"
	}
	return t
}

// sizeOf returns the size in C of a type, which may be a structure of the table.
func sizeOf(cType string) int {
	for _, s := range Structs() {
		if s.Name == cType {
			_, size := s.place()
			return size
		}
	}
	return bytesOf(cType)
}

// wrap breaks a C comment into lines.
func wrap(comment string) string {
	const width = 92
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(comment) {
		switch {
		case i == 0:
		case at+len(word) > width:
			b.WriteString("\n * ")
			at = 0
		default:
			b.WriteString(" ")
		}
		b.WriteString(word)
		at += len(word) + 1
	}
	return b.String()
}
