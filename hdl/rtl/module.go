package rtl

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xopt/hdl/faults"
	"xopt/internal/cache"
	"xopt/internal/files/infile"
)

// Source is a kernel's source text.
type Source struct {
	Files []string // .v, .sv, .vhd or .vhdl; absolute
	Top   string
	// Parameters of the top module: numbers, or text.
	Parameters []Parameter
}

// Parameter is a value for a parameter of a module.
type Parameter struct {
	Name  string
	Value string
	Text  bool // quoted
}

// Module is a kernel as the tools see it.
type Module struct {
	Top     string
	Streams []Stream
	// Parameters are the names of those that the module has.
	Parameters []string
	// Drains is that it has an input drain, which is high once all its inputs have ended
	// and nothing has moved for a while: what the module still holds it sends then.
	Drains bool
	// Points are its testpoints: outputs tp_<name> of one bit, high in a cycle in which it is passed.
	Points []string

	pulls   []pull      // ports with the handshake of Gayen 2008, Fig. 2.20
	verilog []file      // the source, in Verilog
	vhdl    []file      // what some of that was made of
	given   []Parameter // those of the source that it has
	extra   string      // C++ for the harness
	parts   int         // of a partition: kernels that may be asked (harness/cycles.h)
	watched []Machine   // whose registers are outputs state0, state1 …
	exposed bool        // its registers of state machines are outputs of their names
	agent   bool        // of a partition: it takes commands and sends records
	clocked bool        // it has a clock of its own (OwnClock), or a kernel in it has
	// Of one behind shift registers: bits that go in and come out.
	contextIn, contextOut int
}

// Stream is a port of a kernel.
type Stream struct {
	Name  string // as in the names of the module's ports
	Input bool
	Width int // bits of a word
}

type file struct{ name, text string }

// maxSource is how many bytes of a source are read: none is larger.
const maxSource = 64 << 20

// Open reads a source, turns VHDL into Verilog, and finds its streams.
func (c *Cache) Open(ctx context.Context, s Source) (*Module, error) {
	m := &Module{Top: s.Top}
	for _, path := range s.Files {
		text, err := infile.Read(path, maxSource)
		if err != nil {
			return nil, fmt.Errorf("reading the source of module %s: %w", s.Top, err)
		}
		f := file{filepath.Base(path), string(text)}
		if err := f.alone(); err != nil {
			return nil, err
		}
		switch filepath.Ext(path) {
		case ".vhd", ".vhdl":
			m.vhdl = append(m.vhdl, f)
		case ".v", ".sv":
			m.verilog = append(m.verilog, f)
		default:
			return nil,
				faults.UnknownHardwareLanguage.Errorf("%s: its extension is not that of a hardware language: want .v "+
					"or .sv for Verilog, .vhd or .vhdl for VHDL", path)
		}
	}
	if len(m.vhdl) > 0 {
		text, err := c.fromVHDL(ctx, m.vhdl, s)
		if err != nil {
			return nil, err
		}
		m.verilog = append(m.verilog, file{s.Top + ".ghdl.v", text})
	}
	if err := c.inspect(ctx, m); err != nil {
		return nil, err
	}
	if len(m.vhdl) == 0 { // else ghdl was given them
		for _, p := range s.Parameters {
			if slices.Contains(m.Parameters, p.Name) {
				m.given = append(m.given, p)
			}
		}
	}
	if len(m.given) > 0 { // widths may follow from them
		if err := c.inspect(ctx, m); err != nil {
			return nil, err
		}
	}
	if len(m.pulls) > 0 {
		if err := m.wrap(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// fromVHDL has ghdl synthesize VHDL into Verilog.
func (c *Cache) fromVHDL(ctx context.Context, files []file, s Source) (string, error) {
	what := "turning VHDL entity " + s.Top + " into Verilog"
	args := []string{"--synth", "--std=08", "--out=verilog"}
	parts := []string{"ghdl", c.Version(ctx, "ghdl"), s.Top}
	for _, f := range files {
		parts = append(parts, f.text)
	}
	for _, p := range s.Parameters {
		if declares(files, p.Name) {
			args = append(args, "-g"+p.Name+"="+p.Value)
			parts = append(parts, p.Name, p.Value)
		}
	}
	dir, err := c.kept.Folder(ctx, cache.Key(parts...), func(dir string) error {
		names, err := writeFiles(dir, files)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, c.look)
		defer cancel()
		out, err := run(ctx, dir, what, "ghdl", append(append(args, names...), "-e", s.Top)...)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "out.v"), out, 0o644)
	})
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.v"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return string(text), nil
}

// declares reports whether VHDL may have a generic of a name: ghdl refuses others.
func declares(files []file, name string) bool {
	for _, f := range files {
		for _, word := range strings.FieldsFunc(strings.ToLower(f.text), func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
		}) {
			if word == strings.ToLower(name) {
				return true
			}
		}
	}
	return false
}

// writeFiles writes sources by names that cannot be taken for options or paths.
func writeFiles(dir string, files []file) ([]string, error) {
	var names []string
	for i, f := range files {
		name := fmt.Sprintf("s%d%s", i, filepath.Ext(f.name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(f.text), 0o644); err != nil {
			return nil, fmt.Errorf("writing hardware sources: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}

// named puts the names of the source files back into what a tool says of them.
func (m *Module) named(err error) error {
	var t *ToolError
	if errors.As(err, &t) {
		for i, f := range m.verilog {
			t.Output = strings.ReplaceAll(t.Output, fmt.Sprintf("s%d%s", i, filepath.Ext(f.name)), f.name)
		}
	}
	return err
}

// verilator's arguments for the parameters.
func (m *Module) parameterArgs() []string {
	var args []string
	for _, p := range m.given {
		args = append(args, "-G"+p.Name+"="+p.literal())
	}
	return args
}

// literal is the value as Verilog has it.
func (p Parameter) literal() string {
	if p.Text {
		return `"` + p.Value + `"`
	}
	return p.Value
}

// parameters are those of an instance of the module.
func (m *Module) parameters() string {
	var list []string
	for _, p := range m.given {
		list = append(list, fmt.Sprintf(".%s(%s)", p.Name, p.literal()))
	}
	return strings.Join(list, ", ")
}

func (m *Module) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %q\n", m.Top, m.parameterArgs(), m.extra)
	for _, f := range m.verilog {
		fmt.Fprintf(&b, "%q %q\n", filepath.Ext(f.name), f.text)
	}
	return b.String()
}

// lint are the warnings of verilator that stop nothing: kernels are users' code.
func lint() []string { return []string{"-Wno-fatal", "-Wno-lint", "-Wno-style"} }

// elaborate has verilator read the module, and returns the folder with what it says of it, module.xml.
func (c *Cache) elaborate(ctx context.Context, m *Module) (string, error) {
	what := "reading module " + m.Top
	key := cache.Key("inspect", c.Version(ctx, "verilator"), m.text())
	return c.kept.Folder(ctx, key, func(dir string) error {
		names, err := writeFiles(dir, m.verilog)
		if err != nil {
			return err
		}
		args := append(lint(), "--xml-only", "--xml-output", "module.xml", "--top-module", m.Top)
		ctx, cancel := context.WithTimeout(ctx, c.look)
		defer cancel()
		_, err = run(ctx, dir, what, "verilator", append(append(args, m.parameterArgs()...), names...)...)
		return m.ownFiles(dir, names, err)
	})
}

// ownFiles is the error of verilator, or that it has read a file which is none of the module's sources.
func (m *Module) ownFiles(dir string, names []string, err error) error {
	var said string
	var refused *ToolError
	switch {
	case errors.As(err, &refused):
		said = refused.Output
	case err != nil:
		return err
	default:
		text, err := os.ReadFile(filepath.Join(dir, "module.xml"))
		if err != nil {
			return fmt.Errorf("reading module %s: %w", m.Top, err)
		}
		said, _, _ = strings.Cut(string(text), "</files>")
	}
	if name := m.foreign(said, names); name != "" {
		return faults.SourceIncludes.Errorf("module %s includes %s by a macro: a kernel's sources are the files that "+
			"src and with name; put what is included into one of them", m.Top, name)
	}
	return m.named(err)
}

// inspect finds the ports of a module.
func (c *Cache) inspect(ctx context.Context, m *Module) error {
	what := "reading module " + m.Top
	dir, err := c.elaborate(ctx, m)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "module.xml"))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	var n netlist
	if err := xml.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("%s: cannot read the output of verilator: %w", what, err)
	}
	return m.take(&n)
}

// Stream finds a stream by the name of a port of a block: port[2] is port_2.
func (m *Module) Stream(port string, input bool) (Stream, bool) {
	name := strings.NewReplacer("[", "_", "]", "").Replace(port)
	for _, s := range m.Streams {
		if s.Name == name && s.Input == input {
			return s, true
		}
	}
	return Stream{}, false
}

// Words is the stream of a port, and how many of its words an element takes, which must be
// whole.
func (m *Module) Words(port string, input bool, element int) (Stream, int, error) {
	s, ok := m.Stream(port, input)
	if !ok {
		return s, 0, m.without(port, input)
	}
	if element < 1 || element*8%s.Width != 0 {
		return s, 0, faults.WidthDoesNotDivide.Errorf("an element of port %s has %d bytes, which is not a whole "+
			"number of words of %d bits", port, element, s.Width)
	}
	return s, element * 8 / s.Width, nil
}

// SourceText is a file of Verilog or SystemVerilog.
type SourceText struct{ Name, Text string }

// Sources are the files of a module: those of its kernels, VHDL turned into Verilog, and what is generated.
func (m *Module) Sources() (list []SourceText) {
	for _, f := range m.verilog {
		list = append(list, SourceText{f.name, f.text})
	}
	return list
}

// Tapped reports whether a partition has taps or monitors, and an agent.
func (p *Partition) Tapped() bool { return len(p.Taps)+len(p.Monitors) > 0 }

// SeenWidth is how many bits are seen of the streams of part i.
func (p *Partition) SeenWidth(i int) int { return max(min(len(p.Parts[i].Module.Streams), maxTold), 1) }

// defined finds macros that stand for a number: `define IDLE 2'd0.
var defined = regexp.MustCompile("(?m)^[ \\t]*`define[ \\t]+([A-Za-z_][A-Za-z0-9_$]*)[ \\t]+" +
	"\\(?([0-9]*'?[sS]?[bdhoBDHO]?[0-9a-fA-F_]+)\\)?[ \\t\\r]*(?://.*)?$")

// used finds where a macro is used.
var used = regexp.MustCompile("`([A-Za-z_][A-Za-z0-9_$]*)")

// macroAt is the macro that stands at a place; "" for none. Verilator counts columns behind the macros of a line that
// it has replaced, so that the line is replaced in the same way.
func (d *designTree) macroAt(file int, p place) string {
	if p.line < 1 || p.line > len(d.lines[file]) || len(d.macros) == 0 {
		return ""
	}
	line := d.lines[file][p.line-1]
	column, last := 1, 0
	for _, at := range used.FindAllStringSubmatchIndex(line, -1) {
		name := line[at[2]:at[3]]
		value, ok := d.macros[name]
		if !ok {
			return "" // what it stands for is not known
		}
		column += at[0] - last
		if column == p.column && p.endColumn-p.column == len(value) {
			return name
		}
		column += len(value)
		last = at[1]
	}
	return ""
}

// macroValue is the number that a macro stands for; one that no state has for what is none.
func macroValue(text string) uint64 {
	digits, base := text, 10
	if _, after, ok := strings.Cut(text, "'"); ok && len(after) > 1 {
		after = strings.TrimLeft(after, "sS")
		base = map[byte]int{'b': 2, 'd': 10, 'h': 16, 'o': 8}[strings.ToLower(after)[0]]
		digits = after[1:]
	}
	if base == 0 {
		return math.MaxUint64
	}
	v, err := strconv.ParseUint(strings.ReplaceAll(digits, "_", ""), base, 64)
	if err != nil {
		return math.MaxUint64
	}
	return v
}
