// Package federate contains the program that simulates the kernels of one FPGA in a run in virtual time. The program is
// C++ and is compiled with Verilator's model of the kernels. Its script contains the addresses of its edges, kernels
// and taps in the memory of a run. The program depends on the hardware only, and is cached with the model. The script
// depends on the mapping.
//
// Script defines every line of the script once. Text writes the script. The program reads the script with the header
// script.h, which is generated from the same types.
//
// Package program creates the script. The C++ shares layout.h (package abi), pause.h and meet.h with the runtime.
package federate

import (
	"embed"
	"fmt"
	"reflect"

	"xopt/deploy"
	"xopt/internal/files/generated"
)

// The sources are in a folder without Go files, because a cgo build would reject them.
//
//go:embed cpp
var sources embed.FS

// Main is the name of the source file that includes the other files.
const Main = "federate.cpp"

// Sources returns the C++ sources of the program by file name. The files of the hardware model are not included: Vk.h,
// which Verilator generates, streams.h and record.h.
func Sources() (map[string]string, error) {
	script, err := ScriptH()
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	runtime, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	for _, shared := range []string{"layout.h", "ends.h", "pause.h", "meet.h"} {
		if files[shared] = runtime[shared]; files[shared] == "" {
			return nil, fmt.Errorf("the runtime has no %s", shared)
		}
	}
	entries, err := sources.ReadDir("cpp")
	if err != nil {
		return nil, fmt.Errorf("reading the simulation of FPGAs: %w", err)
	}
	for _, entry := range entries {
		text, err := sources.ReadFile("cpp/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the simulation of FPGAs: %w", err)
		}
		files[entry.Name()] = string(text)
	}
	files["script.h"] = script
	return files, nil
}

//go:embed script.h.tmpl
var scriptTemplate embed.FS

// lineText is a kind of line in script.h: a structure, and a member of the complete script.
type lineText struct {
	Name, Type, List string
	Many             bool
	Fields           []fieldText
}

type fieldText struct{ Name, Declared, Doc string }

// ScriptH returns script.h, which declares the lines as C++ structures with named members.
func ScriptH() (string, error) {
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
	return generated.Text(scriptTemplate, "script.h.tmpl", nil, lines)
}
