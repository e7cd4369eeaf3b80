package gnuradio

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// maxFlowGraph is the maximum size of a .grc file in bytes. The largest of GNU Radio's examples has 60 kB.
const maxFlowGraph = 16 << 20

// FlowGraph is a .grc file.
type FlowGraph struct {
	Path   string
	ID     string // name of the Python class
	SHA256 string // hash of the file, in hexadecimal digits
	Blocks []GRCBlock
	Notes  []fault.Note // features that the measurement ignores

	options GRCBlock // its parameters are the options of the flow graph
	qt      bool
	maxNout int
	text    []byte
}

// GRCBlock is a block of a .grc file that is not a variable.
type GRCBlock struct {
	Name, ID string
	State    string // "enabled", "disabled" or "bypassed"
	Line     int

	params *yaml.Node
}

// Enabled reports whether the block runs.
func (b *GRCBlock) Enabled() bool { return b.State != "disabled" && b.State != "bypassed" }

// grcFile is the structure of a .grc file.
type grcFile struct {
	Options struct {
		Parameters map[string]string `yaml:"parameters"`
	} `yaml:"options"`
	Blocks []struct {
		Name       string    `yaml:"name"`
		ID         string    `yaml:"id"`
		Parameters yaml.Node `yaml:"parameters"`
		States     struct {
			State string `yaml:"state"`
		} `yaml:"states"`
	} `yaml:"blocks"`
	Connections []yaml.Node `yaml:"connections"`
}

// Read reads a .grc file without running it. Errors name the file and the line.
func Read(path string) (*FlowGraph, error) {
	text, err := infile.Read(path, maxFlowGraph+1)
	if err != nil {
		return nil, fault.Usage(fmt.Errorf("reading the flow graph: %w", err))
	}
	if len(text) > maxFlowGraph {
		return nil, faults.FlowGraphInvalid.Usagef("%s is larger than %d MiB: name a .grc file", path, maxFlowGraph>>20)
	}
	return parse(path, text)
}

func parse(path string, text []byte) (*FlowGraph, error) {
	head := strings.TrimSpace(string(text[:min(len(text), 512)]))
	if strings.HasPrefix(head, "<?xml") || strings.HasPrefix(head, "<flow_graph") {
		return nil, faults.FlowGraphOld.Usagef("%s is an XML file of GNU Radio 3.7: open it once with "+
			"gnuradio-companion 3.8 or later and save it", path)
	}
	var file grcFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, faults.FlowGraphInvalid.Usagef("%s is not a valid .grc file: %s (open it with gnuradio-companion "+
			"to correct it)", path, brief(strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")))
	}
	g := &FlowGraph{Path: path, ID: file.Options.Parameters["id"], text: text}
	sum := sha256.Sum256(text)
	g.SHA256 = hex.EncodeToString(sum[:])
	if err := g.checkOptions(file.Options.Parameters); err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, faults.FlowGraphInvalid.Usagef("%s: %w", path, err)
	}
	g.options = GRCBlock{Name: "options", params: child(child(document(&root), "options"), "parameters")}
	lines := blockLines(&root)
	names, enabled := make(map[string]bool), make(map[string]bool)
	for i := range file.Blocks {
		b := &file.Blocks[i]
		block := GRCBlock{Name: b.Name, ID: b.ID, State: b.States.State, Line: lines[i], params: &b.Parameters}
		if b.Name == "" || b.ID == "" {
			return nil, g.invalid(block.Line, "a block has no name or no id")
		}
		if enabled[b.Name] && block.Enabled() { // disabled alternatives may have the same name
			return nil, g.invalid(block.Line, "two enabled blocks have the name %s", b.Name)
		}
		names[b.Name] = true
		enabled[b.Name] = enabled[b.Name] || block.Enabled()
		g.Blocks = append(g.Blocks, block)
	}
	return g, g.connections(file.Connections, names)
}

// checkOptions checks the options of the flow graph.
func (g *FlowGraph) checkOptions(o map[string]string) error {
	kind := o["generate_options"]
	switch {
	case o == nil:
		return g.invalid(1, "the file has no options block with parameters")
	case !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(g.ID):
		return g.invalid(1, "options.parameters.id is %q, expected a name of letters, digits and _", g.ID)
	case strings.HasPrefix(kind, "hb"):
		return faults.FlowGraphNotProgram.Usagef("%s is a hierarchical block, not a program: name the .grc file of a "+
			"flow graph that uses it", g.Path)
	case o["output_language"] == "cpp":
		return faults.FlowGraphNotProgram.Usagef("%s generates C++: set its output language to Python", g.Path)
	case kind == "bokeh_gui":
		return faults.FlowGraphNotProgram.Usagef("%s has a Bokeh GUI, which needs a web server: set its generate "+
			"options to No GUI", g.Path)
	}
	g.qt = kind == "qt_gui" || kind == ""
	if n := strings.TrimSpace(o["max_nouts"]); n != "" && n != "0" {
		if _, err := fmt.Sscanf(n, "%d", &g.maxNout); err != nil {
			g.Notes = append(g.Notes, faults.FlowGraphSetting.Notef("options.max_nouts is the expression %s; the "+
				"measurement ignores it", n))
		}
	}
	return nil
}

// connections checks that both ends of each connection exist.
func (g *FlowGraph) connections(list []yaml.Node, names map[string]bool) error {
	const ends = 4 // source, port, sink, port
	for i := range list {
		var c []string
		if err := list[i].Decode(&c); err != nil || len(c) != ends {
			return g.invalid(list[i].Line, "a connection is a list of source, port, sink and port")
		}
		for _, name := range []string{c[0], c[2]} {
			if !names[name] {
				return g.invalid(list[i].Line, "a connection names the unknown block %s", name)
			}
		}
	}
	return nil
}

func (g *FlowGraph) invalid(line int, format string, args ...any) error {
	return faults.FlowGraphInvalid.Usagef("%s:%d: %w (open the file with gnuradio-companion to correct it)", g.Path,
		line, fmt.Errorf(format, args...))
}

// blockLines returns the line number of each entry in the list "blocks" of the file.
func blockLines(root *yaml.Node) []int {
	var lines []int
	if list := child(document(root), "blocks"); list != nil {
		for _, b := range list.Content {
			lines = append(lines, b.Line)
		}
	}
	return lines
}

func document(root *yaml.Node) *yaml.Node {
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		return root.Content[0]
	}
	return root
}

// child returns the value of a key of a mapping; nil for none.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// find returns the index of the enabled block with a name, or else of the first block with this name; -1 for none.
func (g *FlowGraph) find(name string) int {
	at := -1
	for i := range g.Blocks {
		if b := &g.Blocks[i]; b.Name == name && (at < 0 || b.Enabled() && !g.Blocks[at].Enabled()) {
			at = i
		}
	}
	return at
}

// named returns the block that find selects; the options of the flow graph for optionsName; nil for none.
func (g *FlowGraph) named(name string) *GRCBlock {
	if name == optionsName {
		return &g.options
	}
	if at := g.find(name); at >= 0 {
		return &g.Blocks[at]
	}
	return nil
}

// hardware lists the enabled blocks that need radio or audio hardware.
func (g *FlowGraph) hardware() []string {
	var list []string
	for i := range g.Blocks {
		b := &g.Blocks[i]
		for _, prefix := range hardwarePrefixes() {
			if b.Enabled() && strings.HasPrefix(b.ID, prefix) && !strings.HasPrefix(b.ID, "variable") {
				list = append(list, b.Name)
				break
			}
		}
	}
	return list
}

// hardwarePrefixes lists the prefixes of the ids of blocks that need hardware.
func hardwarePrefixes() []string {
	return []string{"uhd_", "soapy_", "audio_", "osmosdr_", "rtlsdr_", "iio_", "limesdr_", "video_sdl_"}
}

// audioPorts returns the number of channels of the audio source and sink, for their replacement.
func (g *FlowGraph) audioPorts() map[string]int {
	ports := make(map[string]int)
	for i := range g.Blocks {
		b := &g.Blocks[i]
		for kind, key := range map[string]string{"source": "num_outputs", "sink": "num_inputs"} {
			if b.ID == "audio_"+kind {
				n := 1
				if v := child(b.params, key); v != nil {
					_, _ = fmt.Sscanf(v.Value, "%d", &n) // an expression: one channel
				}
				ports[kind] = max(1, n)
			}
		}
	}
	return ports
}

// Base returns the name of a flow graph's files: its path without folder and extension.
func Base(path string) string { return strings.TrimSuffix(filepath.Base(path), ".grc") }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
