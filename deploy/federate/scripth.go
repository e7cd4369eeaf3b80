package federate

import (
	"embed"
	"fmt"
	"reflect"
	"strings"
	"text/template"
)

//go:embed script.h.tmpl
var scriptTemplate embed.FS

// lineText is a line of the script in script.h: a structure, and a member of the complete script.
type lineText struct {
	Name, Type, List string
	Many             bool
	Fields           []fieldText
}

type fieldText struct{ Name, Declared, Doc string }

// ScriptH returns script.h: the lines as structures of C++ with the names of their members.
func ScriptH() (string, error) {
	t, err := template.ParseFS(scriptTemplate, "script.h.tmpl")
	if err != nil {
		return "", fmt.Errorf("reading the template of script.h: %w", err)
	}
	declared := map[reflect.Kind]string{reflect.Uint64: "uint64_t %s = 0;", reflect.Int64: "int64_t %s = 0;",
		reflect.Float64: "double %s = 0;", reflect.Bool: "bool %s = false;", reflect.String: "std::string %s;"}
	var lines []lineText
	script := reflect.TypeFor[Script]()
	for i := range script.NumField() {
		line := script.Field(i).Type
		many := line.Kind() == reflect.Slice
		if many {
			line = line.Elem()
		}
		x := lineText{Name: snake(line.Name()), Type: line.Name() + "Line", List: snake(script.Field(i).Name),
			Many: many}
		for j := range line.NumField() {
			f := line.Field(j)
			name := snake(f.Name)
			x.Fields = append(x.Fields, fieldText{name, fmt.Sprintf(declared[f.Type.Kind()], name), f.Tag.Get("doc")})
		}
		lines = append(lines, x)
	}
	var b strings.Builder
	if err := t.Execute(&b, lines); err != nil {
		return "", fmt.Errorf("writing script.h: %w", err)
	}
	return b.String(), nil
}
