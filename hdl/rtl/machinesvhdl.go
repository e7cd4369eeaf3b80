package rtl

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"xopt/internal/cache"
)

// machinesVHDL finds the state machines of a module in VHDL: signals of an enumeration type that the source declares.
// ghdl's XML of the source contains the names of signals and states. In the Verilog that ghdl generates, such a signal
// must be the output of a register with a width that matches the number of states.
func (c *Cache) machinesVHDL(ctx context.Context, m *Module, d *designTree) ([]Machine, error) {
	what := "finding the state machines of entity " + m.Top
	parts := []string{"vhdl", c.Version(ctx, "ghdl")}
	for _, f := range m.vhdl {
		parts = append(parts, f.text)
	}
	dir, err := c.kept.Folder(ctx, cache.Key(parts...), func(dir string) error {
		names, err := writeFiles(dir, m.vhdl)
		if err != nil {
			return err
		}
		out, err := run(ctx, dir, what, "ghdl", append([]string{"--file-to-xml", "--std=08"}, names...)...)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "source.xml"), out, 0o644)
	})
	if err != nil {
		return nil, err
	}
	tree, err := readTree(filepath.Join(dir, "source.xml"))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the output of ghdl: %w", what, err)
	}
	var list []Machine
	instances := d.instances()
	for _, s := range enumerated(tree) {
		for _, module := range registers(m, s.name, s.width()) {
			for _, path := range instances[module] {
				list = append(list, s.machine(m, joined(path, s.name)))
			}
		}
	}
	return list, nil
}

// registers returns the modules of ghdl's Verilog in which a signal with the given name and width is the output of a
// register. ghdl names such outputs n1_q and preserves the names of signals.
func registers(m *Module, name string, width int) (modules []string) {
	kind := fmt.Sprintf(`\[%d:0\] `, width-1)
	if width == 1 {
		kind = ""
	}
	declared := regexp.MustCompile(`(?m)^  (?:wire|reg) ` + kind + regexp.QuoteMeta(name) + `;$`)
	assigned := regexp.MustCompile(`(?m)^  assign ` + regexp.QuoteMeta(name) + ` = n\d+_q;`)
	for _, f := range m.verilog {
		for _, text := range strings.Split(f.text, "\nendmodule") {
			head := moduleHead.FindStringSubmatch(text)
			if head != nil && declared.MatchString(text) && assigned.MatchString(text) {
				modules = append(modules, head[1])
			}
		}
	}
	return modules
}

var moduleHead = regexp.MustCompile(`(?m)^module (\S+)`)

// enumSignal is a VHDL signal of an enumeration type.
type enumSignal struct {
	name, file string
	line       int
	literals   []string
}

// width returns the number of bits that ghdl uses for the signal: enough for the index of its last literal.
func (s *enumSignal) width() int { return max(1, bits.Len(uint(len(s.literals)-1))) }

func (s *enumSignal) machine(m *Module, path string) Machine {
	x := Machine{Path: path, Line: s.line, Width: s.width()}
	for i, f := range m.vhdl {
		if s.file == fmt.Sprintf("s%d%s", i, filepath.Ext(f.name)) {
			x.File = f.name
		}
	}
	for i, name := range s.literals {
		x.States = append(x.States, State{uint64(i), name})
	}
	return x
}

// enumerated returns the signals of enumeration types in ghdl's XML of a source.
func enumerated(tree *element) (list []enumSignal) {
	types := make(map[string][]string) // literals by the id of a type or its definition
	tree.all(func(e *element) bool {
		if e.attr["kind"] != "type_declaration" {
			return true
		}
		definition := e.find("type_definition")
		if definition == nil || definition.attr["kind"] != "enumeration_type_definition" {
			return true
		}
		var literals []string
		definition.all(func(x *element) bool {
			if x.attr["kind"] == "enumeration_literal" && x.attr["identifier"] != "" {
				literals = append(literals, x.attr["identifier"])
			}
			return true
		})
		if len(literals) > 1 {
			types[e.attr["id"]], types[definition.attr["id"]] = literals, literals
		}
		return true
	})
	tree.all(func(e *element) bool {
		if e.attr["kind"] != "signal_declaration" {
			return true
		}
		line, _ := strconv.Atoi(e.attr["line"])
		s := enumSignal{name: e.attr["identifier"], file: filepath.Base(e.attr["file"]), line: line}
		e.all(func(x *element) bool { // types are referenced by id
			if l := types[x.attr["ref"]]; l != nil && s.literals == nil {
				s.literals = l
			}
			return true
		})
		if s.literals != nil {
			list = append(list, s)
		}
		return true
	})
	return list
}
