package rtl

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
)

// Signal is a register, wire or port of a module that simulations can observe.
type Signal struct {
	Path  string // path below the module, such as core.state
	File  string // source file; for VHDL, ghdl's Verilog
	Line  int
	Width int // bits; 0 for memories, structures and real numbers
	// Left and Right are the numbers of the first and last bit in the declaration.
	Left, Right int
	Signed      bool
	Port        string // "input" or "output" for a port of the module itself; "" otherwise
}

// pathForm matches the paths of signals that are valid in Verilog without changes.
var pathForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])?(\.[A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])?)*$`)

// Signals returns the observable signals of a module and of the modules below it, sorted by path.
func (c *Cache) Signals(ctx context.Context, m *Module) ([]Signal, error) {
	d, err := c.designTree(ctx, m, "finding the signals of module "+m.Top)
	if err != nil {
		return nil, err
	}
	instances := d.instances()
	var list []Signal
	for _, x := range d.modules {
		s := &moduleScan{tree: d, signals: make(map[string]*signal)}
		s.declare(x, "")
		for _, path := range instances[x.attr["name"]] {
			for name, v := range s.signals {
				if full := joined(path, name); pathForm.MatchString(full) && !strings.Contains(full, "__V") {
					list = append(list, d.lookedAt(full, path == "", v))
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Signal) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// lookedAt returns the signal at a path. top reports whether the signal belongs to the module itself.
func (d *designTree) lookedAt(path string, top bool, v *signal) Signal {
	s := Signal{Path: path, Width: v.width, Signed: d.signed(v.declared.attr["dtype_id"])}
	s.Left, s.Right = d.bounds(v.declared.attr["dtype_id"])
	if dir := v.declared.attr["dir"]; top && (dir == "input" || dir == "output") {
		s.Port = dir
	}
	if p, ok := v.declared.place(); ok {
		if i, ok := d.files[p.file]; ok {
			s.File, s.Line = d.module.verilog[i].name, p.line
		}
	}
	return s
}

// bounds returns the numbers of the first and last bit of a type that is a single word.
func (d *designTree) bounds(id string) (left, right int) {
	if t := d.resolve(id, func(t *element) bool { return t.tag == "basicdtype" }); t != nil {
		return t.bounds()
	}
	return 0, 0
}

// signed reports whether a type that is a single word is signed.
func (d *designTree) signed(id string) bool {
	return d.resolve(id, func(t *element) bool { return t.attr["signed"] == "true" }) != nil
}
