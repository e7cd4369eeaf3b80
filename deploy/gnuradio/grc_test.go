package gnuradio

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"xopt/deploy/faults"
	"xopt/internal/fault"
)

// examples is the folder of GNU Radio's examples in Debian's package gnuradio.
const examples = "/usr/share/gnuradio/examples"

// exampleGraphs reads the .grc files of Debian's package. It skips the test without the package.
func exampleGraphs(t *testing.T) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(examples, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".grc") {
			files[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Skipf("no examples of GNU Radio: %v", err)
	}
	return files
}

// TestReadExamples reads all examples. XML files and hierarchical blocks are errors; an independent search for lines
// counts the blocks of the others.
func TestReadExamples(t *testing.T) {
	name := regexp.MustCompile(`(?m)^- name: `)
	for path, text := range exampleGraphs(t) {
		g, err := Read(path)
		old := bytes.Contains(text, []byte("<flow_graph>"))
		hier := regexp.MustCompile(`(?m)^ +generate_options: hb`).Match(text)
		switch id := fault.Of(err); {
		case old != (id == faults.FlowGraphOld), hier != (id == faults.FlowGraphNotProgram):
			t.Errorf("%s: XML %t, hierarchical %t: %v", path, old, hier, err)
		case err == nil && len(g.Blocks) != len(name.FindAll(text, -1)):
			t.Errorf("%s has %d blocks, want %d", path, len(g.Blocks), len(name.FindAll(text, -1)))
		case err != nil && !old && !hier:
			t.Error(err)
		}
	}
}

// TestReadErrors checks the identifier and the line of errors.
func TestReadErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/chain.grc")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, before, after string
		id                  fault.ID
		at                  string
	}{
		{"xml", "options:", "<?xml version=\"1.0\"?>\n<flow_graph>", faults.FlowGraphOld, "x.grc"},
		{"yaml", "blocks:", "blocks: {", faults.FlowGraphInvalid, "line"},
		{"hier", "no_gui", "hb", faults.FlowGraphNotProgram, "x.grc"},
		{"cpp", "output_language: python", "output_language: cpp", faults.FlowGraphNotProgram, "x.grc"},
		{"id", "id: chain", "id: ../chain", faults.FlowGraphInvalid, "../chain"},
		{"shell", "id: chain", "id: a;touch b", faults.FlowGraphInvalid, "a;touch b"},
		{"connection", "[fir, '0', sink, '0']", "[fir, '0', sunk, '0']", faults.FlowGraphInvalid, "x.grc:74:"},
		{"ports", "[fir, '0', sink, '0']", "[fir, '0', sink]", faults.FlowGraphInvalid, "x.grc:74:"},
		{"twice", "name: fir", "name: noise", faults.FlowGraphInvalid, "x.grc:41:"},
	} {
		_, err := parse("x.grc", []byte(strings.Replace(string(text), x.before, x.after, 1)))
		if fault.Of(err) != x.id || err == nil || !strings.Contains(err.Error(), x.at) {
			t.Errorf("%s: %v, want %s at %s", x.name, err, x.id, x.at)
		}
	}
}

// TestApplyExamples sets the affinity and the buffers of every block of every example, and an option. All lines except
// those of the three parameters must keep their bytes, and each enabled block must have the new values.
func TestApplyExamples(t *testing.T) {
	files := exampleGraphs(t)
	own, err := os.ReadFile("testdata/chain.grc")
	if err != nil {
		t.Fatal(err)
	}
	files["chain.grc"] = own
	files["crlf.grc"] = bytes.ReplaceAll(own, []byte("\n"), []byte("\r\n"))
	files["commented.grc"] = bytes.ReplaceAll(own, []byte("    affinity: ''"), []byte("    # mine\n"+
		"    affinity:   ''  # keep"))
	files["plain.grc"] = bytes.ReplaceAll(own, []byte("minoutbuf: '0'"), []byte("minoutbuf: 0   # plain"))
	files["absent.grc"] = bytes.ReplaceAll(own, []byte("    affinity: ''\n"), nil)
	for path, text := range files {
		g, err := parse(path, text)
		if err != nil {
			continue
		}
		a := &Advice{Pins: make(map[string][]int), Bytes: 65536, MaxNouts: 123}
		var blocks []Block
		for i := range g.Blocks {
			a.Pins[g.Blocks[i].Name] = []int{i % 3}
			blocks = append(blocks, Block{UID: g.Blocks[i].Name, Name: g.Blocks[i].Name, Outputs: []int{8}})
		}
		got, err := g.Apply(a, blocks)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if x, y := others(text), others(got); !slices.Equal(x, y) {
			t.Errorf("%s: other lines changed", path)
		}
		var file struct {
			Options struct {
				Parameters map[string]string `yaml:"parameters"`
			} `yaml:"options"`
			Blocks []struct {
				Parameters map[string]string `yaml:"parameters"`
			} `yaml:"blocks"`
		}
		if err := yaml.Unmarshal(got, &file); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if n := file.Options.Parameters["max_nouts"]; n != "123" {
			t.Errorf("%s: max_nouts is %q", path, n)
		}
		for i := range file.Blocks {
			if g.find(g.Blocks[i].Name) != i {
				continue // another block with this name is enabled
			}
			if p := file.Blocks[i].Parameters; p["minoutbuf"] != "8192" ||
				p["affinity"] != fmt.Sprint(a.Pins[g.Blocks[i].Name]) {
				t.Errorf("%s: block %d has affinity %q and minoutbuf %q", path, i, p["affinity"], p["minoutbuf"])
			}
		}
	}
}

// others returns the lines of a text without those of affinity, minoutbuf and max_nouts. It keeps their comments.
func others(text []byte) []string {
	value := regexp.MustCompile(`^ +(affinity|minoutbuf|max_nouts): *('[^']*'|\S*)`)
	var list []string
	for line := range strings.Lines(string(text)) {
		if rest := value.ReplaceAllString(line, ""); rest != line {
			line = strings.TrimSpace(rest)
			if line == "" {
				continue
			}
		}
		list = append(list, line)
	}
	return list
}

// TestApplyNotEditable checks that values over several lines are refused, and nothing is damaged.
func TestApplyNotEditable(t *testing.T) {
	text, err := os.ReadFile("testdata/chain.grc")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"|-\n      [0]", "'[0,\n      1]'", "{a: b}"} {
		g, err := parse("x.grc", bytes.Replace(text, []byte("affinity: ''"), []byte("affinity: "+value), 1))
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Apply(&Advice{Pins: map[string][]int{"noise": {1}}}, nil)
		if fault.Of(err) != faults.FlowGraphNotEditable {
			t.Errorf("%q: %v, want %s", value, err, faults.FlowGraphNotEditable)
		}
	}
}
