package gnuradio

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"xopt/deploy/faults"
)

// edit is the new value of a parameter of a block, or of an option of the flow graph.
type edit struct{ block, key, value string }

// optionsName is the block name in the edit of an option. No block has this name.
const optionsName = ""

// Apply returns the text of a flow graph with the affinity, the buffer sizes or the option of an advice. All other
// bytes are unchanged. Apply returns an error if the file has a form in which the values cannot be replaced.
func (g *FlowGraph) Apply(a *Advice, blocks []Block) ([]byte, error) {
	var edits []edit
	if a.Pins != nil {
		for name, cpus := range a.Pins {
			var list []string
			for _, c := range cpus {
				list = append(list, strconv.Itoa(c))
			}
			edits = append(edits, edit{name, "affinity", "[" + strings.Join(list, ", ") + "]"})
		}
	}
	if a.Bytes > 0 {
		for i := range blocks {
			b := &blocks[i]
			if !b.Inner && b.Name != "" && len(b.Outputs) > 0 && b.Outputs[0] > 0 {
				edits = append(edits, edit{b.Name, "minoutbuf", strconv.Itoa(max(1, a.Bytes/b.Outputs[0]))})
			}
		}
	}
	if a.MaxNouts > 0 {
		edits = append(edits, edit{optionsName, "max_nouts", strconv.Itoa(a.MaxNouts)})
	}
	slices.SortFunc(edits, func(x, y edit) int { return strings.Compare(x.block+x.key, y.block+y.key) })
	return g.edited(slices.Compact(edits))
}

// replacement replaces the bytes from start up to stop.
type replacement struct {
	start, stop int
	text        string
}

// edited returns the text with new values of parameters.
func (g *FlowGraph) edited(edits []edit) ([]byte, error) {
	offsets := lineOffsets(g.text)
	var list []replacement
	for _, e := range edits {
		b := g.named(e.block)
		if b == nil {
			continue // a block that a hierarchical block or the generated code creates
		}
		r, err := g.place(b, e, offsets)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b replacement) int { return b.start - a.start }) // in descending order
	text := slices.Clone(g.text)
	for _, r := range list {
		text = slices.Concat(text[:r.start], []byte(r.text), text[r.stop:])
	}
	return text, g.check(text, edits)
}

// place finds the bytes of a value. For a missing parameter, it inserts a line before the first parameter.
func (g *FlowGraph) place(b *GRCBlock, e edit, offsets []int) (replacement, error) {
	quoted := "'" + e.value + "'"
	v := child(b.params, e.key)
	if v == nil {
		if b.params.Kind != yaml.MappingNode || b.params.Style&yaml.FlowStyle != 0 || len(b.params.Content) == 0 {
			return replacement{}, g.notEditable(b, e.key)
		}
		first := b.params.Content[0]
		start := offsets[first.Line-1]
		indent := string(g.text[start : start+first.Column-1])
		if strings.TrimSpace(indent) != "" {
			return replacement{}, g.notEditable(b, e.key)
		}
		newline := "\n"
		if i := bytes.IndexByte(g.text[start:], '\n'); i > 0 && g.text[start+i-1] == '\r' {
			newline = "\r\n"
		}
		return replacement{start, start, indent + e.key + ": " + quoted + newline}, nil
	}
	start := columnOffset(g.text, offsets[v.Line-1], v.Column)
	stop, ok := scalarEnd(g.text, start, v.Style)
	if v.Kind != yaml.ScalarNode || !ok {
		return replacement{}, g.notEditable(b, e.key)
	}
	return replacement{start, stop, quoted}, nil
}

// columnOffset returns the byte offset of a column. Columns count characters from 1.
func columnOffset(text []byte, line, column int) int {
	at := line
	for range column - 1 {
		at++
		for at < len(text) && text[at]&0xc0 == 0x80 {
			at++
		}
	}
	return at
}

// scalarEnd returns the offset of the end of a scalar; false if the scalar is not on one line.
func scalarEnd(text []byte, start int, style yaml.Style) (int, bool) {
	line := text[start:]
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	switch {
	case style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(line); i++ {
			if line[i] == '\'' {
				if i+1 == len(line) || line[i+1] != '\'' {
					return start + i + 1, true
				}
				i++
			}
		}
		return 0, false
	case style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(line); i++ {
			if line[i] == '\\' {
				i++
			} else if line[i] == '"' {
				return start + i + 1, true
			}
		}
		return 0, false
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0, false
	}
	plain := string(line)
	if i := strings.Index(plain, " #"); i >= 0 {
		plain = plain[:i]
	}
	return start + len(strings.TrimRight(plain, " \t")), true
}

func lineOffsets(text []byte) []int {
	offsets := []int{0}
	for i, c := range text {
		if c == '\n' {
			offsets = append(offsets, i+1)
		}
	}
	return offsets
}

func (g *FlowGraph) notEditable(b *GRCBlock, key string) error {
	return faults.FlowGraphNotEditable.Usagef("%s:%d: the parameter %s of %s has a form that xopt does not change "+
		"(open the file with gnuradio-companion and save it)", g.Path, b.Line, key, b.Name)
}

// check parses the new text. It returns an error unless exactly the requested values changed.
func (g *FlowGraph) check(text []byte, edits []edit) error {
	var before, after map[string]any
	err := yaml.Unmarshal(g.text, &before)
	if err == nil {
		err = yaml.Unmarshal(text, &after)
	}
	if err != nil {
		return faults.FlowGraphNotEditable.Errorf("%s: the result is not valid YAML: %w", g.Path, err)
	}
	for _, e := range edits {
		if g.named(e.block) != nil {
			paramsOf(before, g.find(e.block))[e.key] = e.value
		}
	}
	if fmt.Sprint(before) != fmt.Sprint(after) { // fmt sorts the keys of maps
		return faults.FlowGraphNotEditable.Errorf("%s has a form in which xopt cannot change single values (open the "+
			"file with gnuradio-companion and save it)", g.Path)
	}
	return nil
}

// paramsOf returns the parameters of a block in a decoded file; the options of the flow graph if block is negative. The
// conversions succeed, because [Read] accepted the file and a parameter of the block was found in it.
func paramsOf(file map[string]any, block int) map[string]any {
	of := file["options"]
	if block >= 0 {
		of = file["blocks"].([]any)[block]
	}
	return of.(map[string]any)["parameters"].(map[string]any)
}
