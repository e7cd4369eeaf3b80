package rtl

import (
	"context"
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

// Source describes the source of a kernel: its files, top module and parameters.
type Source struct {
	Files []string // absolute paths of .v, .sv, .vhd or .vhdl files
	Top   string
	// Parameters are values for parameters of the top module: numbers or texts.
	Parameters []Parameter
}

// Parameter is a value for a parameter of a module.
type Parameter struct {
	Name  string
	Value string
	Text  bool // the value is a text
}

// Module is a kernel in hardware: its streams, parameters and sources.
type Module struct {
	Top     string
	Streams []Stream
	// Parameters are the names of the module's parameters.
	Parameters []string
	// Drains is true if the module has an input drain. This input is high after all inputs have ended and no word has
	// moved for some time. The module then sends its remaining data.
	Drains bool
	// Points are the module's testpoints: one-bit outputs tp_<name> that are high in each cycle in which the point is
	// passed.
	Points []string

	pulls   []pull      // ports with the handshake of Gayen 2008, Fig. 2.20
	verilog []file      // the source, in Verilog
	vhdl    []file      // original sources of the files converted from VHDL
	given   []Parameter // parameter values of the source that apply to the module
	extra   string      // C++ text for the harness
	parts   int         // number of kernels of a partition that have an ask input (harness/cycles.h)
	watched []Machine   // machines whose registers are the outputs state0, state1, …
	exposed bool        // registers of state machines are outputs, named by their paths
	agent   bool        // the module is a partition that receives commands and sends records
	clocked bool        // the module, or a kernel in it, has its own clock (OwnClock)
	// Number of input and output bits, for a module between shift registers.
	contextIn, contextOut int
}

// Stream is a port of a kernel.
type Stream struct {
	Name  string // as in the names of the module's ports
	Input bool
	Width int // bits per word
}

type file struct{ name, text string }

// maxSource is the maximum size in bytes of a source file.
const maxSource = 64 << 20

// Open reads a source, converts VHDL to Verilog, and determines the streams of the module.
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
				faults.UnknownHardwareLanguage.Errorf("%s: unknown hardware language: expected extension .v "+
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
	if len(m.vhdl) == 0 { // for VHDL, ghdl has already set the parameters
		for _, p := range s.Parameters {
			if slices.Contains(m.Parameters, p.Name) {
				m.given = append(m.given, p)
			}
		}
	}
	if len(m.given) > 0 { // widths may depend on parameters
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

// fromVHDL converts VHDL to Verilog with ghdl.
func (c *Cache) fromVHDL(ctx context.Context, files []file, s Source) (string, error) {
	what := "converting VHDL entity " + s.Top + " to Verilog"
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

// declares reports whether a VHDL source may declare a generic with the given name. ghdl rejects unknown generics.
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

// writeFiles writes sources to files whose names tools cannot mistake for options or paths.
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

// named restores the original names of source files in the output of a tool that failed.
func (m *Module) named(err error) error {
	var t *ToolError
	if errors.As(err, &t) {
		for i, f := range m.verilog {
			t.Output = strings.ReplaceAll(t.Output, fmt.Sprintf("s%d%s", i, filepath.Ext(f.name)), f.name)
		}
	}
	return err
}

// parameterArgs returns verilator's arguments for the parameters.
func (m *Module) parameterArgs() []string {
	var args []string
	for _, p := range m.given {
		args = append(args, "-G"+p.Name+"="+p.literal())
	}
	return args
}

// literal returns a parameter value as a Verilog literal.
func (p Parameter) literal() string {
	if p.Text {
		return `"` + p.Value + `"`
	}
	return p.Value
}

// parameters returns the parameter assignments of an instance of the module.
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

// lint returns the verilator options that disable style warnings, because users write the kernels.
func lint() []string { return []string{"-Wno-fatal", "-Wno-lint", "-Wno-style"} }

// elaborate runs verilator on the module and returns the folder with its XML output, module.xml.
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

// ownFiles returns verilator's error, or an error if verilator has read a file that is not a source of the module.
func (m *Module) ownFiles(dir string, names []string, err error) error {
	var output string
	var refused *ToolError
	switch {
	case errors.As(err, &refused):
		output = refused.Output
	case err != nil:
		return err
	default:
		text, err := os.ReadFile(filepath.Join(dir, "module.xml"))
		if err != nil {
			return fmt.Errorf("reading module %s: %w", m.Top, err)
		}
		output, _, _ = strings.Cut(string(text), "</files>")
	}
	if name := m.foreign(output, names); name != "" {
		return faults.SourceIncludes.Errorf("module %s includes %s through a macro, but a kernel's sources are only "+
			"the files in its attributes src and with: copy the included text into one of these files", m.Top, name)
	}
	return m.named(err)
}

// inspect determines the ports of a module.
func (c *Cache) inspect(ctx context.Context, m *Module) error {
	d, err := c.designTree(ctx, m, "reading module "+m.Top)
	if err != nil {
		return err
	}
	return m.setPorts(d)
}

// streamName returns the name of the stream of a block's port, such as port_2 for port[2].
func streamName(port string) string { return strings.NewReplacer("[", "_", "]", "").Replace(port) }

// Stream returns the stream of a block's port.
func (m *Module) Stream(port string, input bool) (Stream, bool) {
	name := streamName(port)
	for _, s := range m.Streams {
		if s.Name == name && s.Input == input {
			return s, true
		}
	}
	return Stream{}, false
}

// Words returns the stream of a port and the number of its words per element. It returns an error if that number is not
// an integer.
func (m *Module) Words(port string, input bool, element int) (Stream, int, error) {
	s, ok := m.Stream(port, input)
	if !ok {
		return s, 0, m.without(port, input)
	}
	if element < 1 || element*8%s.Width != 0 {
		return s, 0, faults.WidthDoesNotDivide.Errorf("an element of port %s has %d bytes, which is not a whole "+
			"number of %d-bit words", port, element, s.Width)
	}
	return s, element * 8 / s.Width, nil
}

// SourceText is a file of Verilog or SystemVerilog.
type SourceText struct{ Name, Text string }

// Sources returns the source files of a module: the sources of its kernels, with VHDL converted to Verilog, and
// generated sources.
func (m *Module) Sources() (list []SourceText) {
	for _, f := range m.verilog {
		list = append(list, SourceText{f.name, f.text})
	}
	return list
}

// Tapped reports whether a partition has taps or monitors, and therefore an agent.
func (p *Partition) Tapped() bool { return len(p.Taps)+len(p.Monitors) > 0 }

// SeenWidth returns the width of the signals that show the streams of part i.
func (p *Partition) SeenWidth(i int) int {
	return max(min(len(p.Parts[i].Module.Streams), maxClassified), 1)
}

// defined matches macros that expand to a number, such as `define IDLE 2'd0.
var defined = regexp.MustCompile("(?m)^[ \\t]*`define[ \\t]+([A-Za-z_][A-Za-z0-9_$]*)[ \\t]+" +
	"\\(?([0-9]*'?[sS]?[bdhoBDHO]?[0-9a-fA-F_]+)\\)?[ \\t\\r]*(?://.*)?$")

// used matches uses of a macro.
var used = regexp.MustCompile("`([A-Za-z_][A-Za-z0-9_$]*)")

// macroAt returns the name of the macro at a position, or "" for none. Like Verilator, it counts columns after the
// expansion of earlier macros in the line.
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
			return "" // the expansion is unknown
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

// macroValue returns the number to which a macro expands. For other macros, it returns a number that no state has.
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
