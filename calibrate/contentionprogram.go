package calibrate

import (
	"context"
	"embed"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// pressureC contains the C sources of the pressure program, which loads caches and memory, of the probe, and of the
// sequence of turns.
//
//go:embed pressure
var pressureC embed.FS

// The kinds of turns in pressure/pace.h, most of which are pressure levels.
const (
	turnAlone = iota
	turnLow
	turnMiddle
	turnHigh
	turnProbed // the kernel beside the probe
	turnRests  // the probe alone
	turnKinds
)

// pressureLevels returns the load level of each kind of turn; 0 for turns without pressure.
func pressureLevels() [turnKinds]float64 {
	return [turnKinds]float64{turnLow: 3, turnMiddle: 6, turnHigh: 10}
}

// pressed is a program with a kernel on one core and pressure on another core.
type pressed struct {
	program  *program.Program
	once     []bool // inputs of the kernel whose data are sent only at the start
	pressure int    // index of the kernel that applies pressure
}

// addPressure adds the pressure program to p on a different core from kernel 0.
func addPressure(p *xlang.Program, dir string, bytes int64) error {
	levels := pressureLevels()
	var text []string
	for _, l := range levels[:turnHigh+1] {
		text = append(text, fmt.Sprintf("%g", l))
	}
	replace := strings.NewReplacer("{LEVELS}", "{"+strings.Join(text, ", ")+"}", "BYTES", fmt.Sprintf("%dull", bytes))
	files, err := pressureC.ReadDir("pressure")
	if err != nil {
		return fmt.Errorf("unpacking the memory pressure program: %w", err)
	}
	for _, f := range files {
		code, err := pressureC.ReadFile(path.Join("pressure", f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), []byte(replace.Replace(string(code))), 0o644)
		}
		if err != nil {
			return fmt.Errorf("unpacking the memory pressure program: %w", err)
		}
	}
	drain := filepath.Join(dir, "told.c")
	if err := os.WriteFile(drain, []byte(strings.ReplaceAll(drainC, "BLOCK", "MemoryTold")), 0o644); err != nil {
		return fmt.Errorf("writing the harness of the memory pressure program: %w", err)
	}
	core := unpinned(p.Resources[0])
	other := core
	other.Name = "another core"
	p.Resources = []xlang.Resource{core, other}
	port := func(name string) xlang.Port {
		return xlang.Port{Name: name, Type: "UNSIGNED64[1]", ElementBytes: 8}
	}
	probe := len(p.Kernels)
	x := xlang.Kernel{Name: p.Top + ".pressure", Block: "MemoryPressure"}
	for t := range turnKinds {
		x.Outputs = append(x.Outputs, port(fmt.Sprintf("y%d", t)))
	}
	p.Kernels = append(p.Kernels, x)
	p.Maps = append(p.Maps, xlang.Map{Kernel: probe, Edge: -1, Resource: 1})
	for t := range turnKinds {
		to := len(p.Kernels)
		p.Kernels = append(p.Kernels, xlang.Kernel{Name: fmt.Sprintf("%s.told%d", p.Top, t), Block: "MemoryTold",
			Inputs: []xlang.Port{port("x")}})
		p.Edges = append(p.Edges, xlang.Edge{Name: fmt.Sprintf("%s.turn%d", p.Top, t), From: probe, FromPort: t,
			To: to})
		p.Maps = append(p.Maps, xlang.Map{Kernel: to, Edge: -1, Resource: 1})
	}
	for block, file := range map[string]string{"MemoryPressure": filepath.Join(dir, "pressure.c"),
		"MemoryTold": drain} {
		p.Impls = append(p.Impls, xlang.Impl{Block: block, Platform: core.Platform,
			Attrs: xlang.Values{"src": {Text: file, Quoted: true}}, Dir: dir})
	}
	return nil
}

// replayBytes is the maximum size of the replayed input of a kernel under pressure. It is small, so that replaying does
// not load memory.
const replayBytes = 256 << 10

// pace replaces the peers of kernel 0 by peers that are idle in the turns of the probe alone, and limits their replayed
// data.
func pace(p *xlang.Program, files []string, dir string) error {
	largest := int64(replayBytes)
	for _, name := range files {
		if info, err := os.Stat(name); name != "" && err == nil {
			largest = max(largest, info.Size())
		}
	}
	part := float64(replayBytes) / float64(largest)
	count := fmt.Sprintf("(size_t)info.st_size / SIZE * %.17g;\n    if (s->count == 0)\n        s->count = 1;", part)
	for k := 1; k < len(p.Kernels); k++ {
		block := p.Kernels[k].Block
		file := filepath.Join(dir, strings.ToLower(block)+".c")
		code, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading the harness of %s: %w", p.Kernels[0].Name, err)
		}
		size := ""
		for _, port := range p.Kernels[k].Outputs {
			size = fmt.Sprintf("%d", int64(port.ElementBytes))
		}
		text := strings.NewReplacer(
			"(size_t)info.st_size / "+size+";", strings.ReplaceAll(count, "SIZE", size),
			"#include \"X_", "#include \"pace.h\"\n#include \"X_",
			"_go(X_"+block+" *d) {\n", "_go(X_"+block+" *d) {\n    pace_rest();\n",
			"_push(X_"+block+" *d) {", "_push(X_"+block+" *d) {\n    pace_rest();\n").Replace(string(code))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the harness of %s: %w", p.Kernels[0].Name, err)
		}
	}
	return nil
}

// buildPressed builds a program with a kernel and its peers on one core, and pressure on another core.
func (s *Session) buildPressed(ctx context.Context, k int, bytes int64) (*pressed, error) {
	d, files, o := s.design, s.files, &s.options
	own, err := os.MkdirTemp(s.dir, "pressed-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for kernel %s: %w", d.Program.Kernels[k].Name, err)
	}
	var in []string
	for e, edge := range d.Program.Edges {
		if edge.To == k {
			in = append(in, files[e])
		}
	}
	x, err := isolate(d, k, files, where{}, own)
	if err != nil {
		return nil, err
	}
	p := *x.design.Program
	if err := pace(&p, in, own); err != nil {
		return nil, err
	}
	options := program.Options{Style: program.PerCore, CPUs: 2, Output: o.Sink}
	if isSource(&d.Program.Kernels[k]) {
		options.Input, options.Elements = o.Input, math.MaxInt64
	}
	out, err := finishPressed(ctx, &p, own, bytes, options)
	if err == nil {
		out.once = d.Program.SentOnce()[k]
	}
	return out, err
}

// buildProbe builds a program with the probe on one core, and pressure on another core.
func buildProbe(ctx context.Context, d *design.Design, core xlang.Resource, dir string, bytes int64) (*pressed, error) {
	own, err := os.MkdirTemp(dir, "probe-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for the probe: %w", err)
	}
	drain := filepath.Join(own, "drain.c")
	if err := os.WriteFile(drain, []byte(strings.ReplaceAll(drainC, "BLOCK", "Drain")), 0o644); err != nil {
		return nil, fmt.Errorf("writing the harness of the probe: %w", err)
	}
	port := xlang.Port{Name: "y", Type: "UNSIGNED64[1]", ElementBytes: 8}
	in := port
	in.Name = "x"
	top := d.Program.Top
	p := &xlang.Program{Top: top, Platforms: d.Program.Platforms, Linktypes: d.Program.Linktypes,
		Resources: []xlang.Resource{core},
		Kernels: []xlang.Kernel{{Name: top + ".probe", Block: "MemoryProbe", Outputs: []xlang.Port{port}},
			{Name: top + ".drain", Block: "Drain", Inputs: []xlang.Port{in}}},
		Edges: []xlang.Edge{{Name: top + ".probed", From: 0, To: 1}},
		Maps:  []xlang.Map{{Kernel: 0, Edge: -1}, {Kernel: 1, Edge: -1}}}
	for block, file := range map[string]string{"MemoryProbe": filepath.Join(own, "probe.c"), "Drain": drain} {
		p.Impls = append(p.Impls, xlang.Impl{Block: block, Platform: core.Platform,
			Attrs: xlang.Values{"src": {Text: file, Quoted: true}}, Dir: own})
	}
	return finishPressed(ctx, p, own, bytes, program.Options{Style: program.PerCore, CPUs: 2})
}

// finishPressed adds the pressure to a program and builds it.
func finishPressed(ctx context.Context, p *xlang.Program, dir string, bytes int64,
	o program.Options) (*pressed, error) {
	out := &pressed{pressure: len(p.Kernels)}
	if err := addPressure(p, dir, bytes); err != nil {
		return nil, err
	}
	d, err := design.New(p, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, fmt.Errorf("applying memory pressure to %s: %w", p.Kernels[0].Name, err)
	}
	if out.program, err = program.New(ctx, d, o, ""); err != nil {
		return nil, fmt.Errorf("building %s with memory pressure on another core: %w", p.Kernels[0].Name, err)
	}
	return out, nil
}
