package rtl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"xopt/internal/cache"
	"xopt/internal/release"
)

// Expose returns a module with the same streams and additional outputs: the registers of state machines, and the shown
// signals. Unlike simulators, synthesis tools cannot access the inside of a module by a path. The module is flat and
// its parameters are fixed. The name of each additional output is the path of its signal. Expose returns an error if
// yosys does not find a signal.
func (c *Cache) Expose(ctx context.Context, m *Module, machines []Machine, shown []Shown) (*Module, error) {
	if len(machines)+len(shown) == 0 {
		return m, nil
	}
	what := "exposing the state machines of module " + m.Top
	if len(shown) > 0 {
		what = "exposing the signals of module " + m.Top
	}
	if _, err := need("yosys", what); err != nil {
		return nil, err
	}
	// The name depends on the text, because kernels with the same source may have different parameters.
	top := "xopt_seen_" + cache.Key(m.text())[:16]
	parts := []string{"expose", release.Version, c.Version(ctx, "yosys"), top, m.text()}
	for i := range machines {
		parts = append(parts, machines[i].Path)
	}
	for i := range shown {
		parts = append(parts, "signal", shown[i].Path)
	}
	dir, err := c.kept.Folder(ctx, cache.Key(parts...), func(dir string) error {
		var script strings.Builder
		script.WriteString("proc\nflatten\nopt_expr\nopt_clean\n")
		plain := strings.NewReplacer("[", "?", "]", "?") // brackets are special in patterns
		for i := range machines {
			fmt.Fprintf(&script, "expose w:%s\n", plain.Replace(machines[i].Path))
		}
		for i := range shown {
			path := plain.Replace(shown[i].Path)
			fmt.Fprintf(&script, "select -assert-min 1 w:%s\nexpose w:%s\n", path, path)
		}
		fmt.Fprintf(&script, "rename -top %s\nwrite_verilog -noattr out.v\n", top)
		return m.yosys(ctx, dir, what, script.String())
	})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.v"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return &Module{Top: top, Streams: m.Streams, Drains: m.Drains, Points: m.Points, exposed: true,
		verilog: []file{{top + ".v", string(text)}}}, nil
}

// exposedText is the connection of an output that exposes a register or signal of a part.
type exposedText struct {
	Port, Net string
	High      int
	Signed    bool
}

// register returns the register of a part's state machine, as named in a partition.
func (p *Partition) register(part, machine int) string {
	x := &p.Parts[part]
	if x.Module.exposed {
		return fmt.Sprintf("part%d_state%d", part, machine)
	}
	return fmt.Sprintf("part%d.%s", part, x.Machines[machine].Path)
}
