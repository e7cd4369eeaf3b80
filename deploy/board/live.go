package board

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Live is a design whose FPGA kernels run on a board. One kernel replaces these kernels: it moves elements between the
// edges at the border and the board. The other kernels run on this machine.
type Live struct {
	Design *design.Design

	original      *design.Design
	folder        string // destination of the data from the board
	kernels, edge []int  // indices in the original design; -1 for the kernel that represents the board
}

// block is the name of the block of the kernel that represents the board.
const block = "xopt_board"

// DefaultBoard returns the address of a project's board model.
func DefaultBoard(project string) string {
	return "model:" + filepath.Join(project, "build", "lite.so")
}

// NewLive replaces a design's kernels on the FPGA by one kernel, which represents the board of a project. where is the
// address of the board (files/host/xopt_board.h).
func NewLive(d *design.Design, project, where string) (*Live, error) {
	project, err := filepath.Abs(project)
	if err != nil {
		return nil, err
	}
	about, err := readDescription(project)
	if err != nil {
		return nil, err
	}
	r, err := newReader(d, about)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", project, err)
	}
	l := &Live{original: d, folder: filepath.Join(project, filepath.FromSlash(BoardRun))}
	if err := os.MkdirAll(l.folder, 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder for the board's output: %w", err)
	}
	for _, name := range []string{"summary", "records"} { // left by an earlier run
		if err := os.Remove(filepath.Join(l.folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	p, err := l.program(about, r.edge, project, where)
	if err != nil {
		return nil, err
	}
	if l.Design, err = design.New(p, design.Options{Purpose: design.ForDeploy}); err != nil {
		return nil, fmt.Errorf("replacing the kernels on %s with one kernel: %w", about.FPGA, err)
	}
	if l.Design.Mapping == nil {
		return nil, fmt.Errorf("replacing the kernels on %s with one kernel: %s", about.FPGA, l.Design.Unmapped)
	}
	return l, nil
}

// program returns the application with the kernel for the board. The result contains no buffers, figures, routes and
// constraints.
func (l *Live) program(about *Description, edge map[string]int, project, where string) (*xlang.Program, error) {
	from := l.original.Program
	p := *from
	p.Kernels, p.Edges, p.Maps, p.Buffers = nil, nil, nil, nil
	p.Figures, p.Routes, p.Fixes, p.Forbids, p.Together, p.Separate = nil, nil, nil, nil, nil, nil
	fpga := -1
	number := make(map[int]int) // new number of each remaining kernel
	for k, at := range l.original.Mapping.Place {
		if design.IsFPGA(from, at) {
			fpga = at
			continue
		}
		number[k] = len(p.Kernels)
		p.Maps = append(p.Maps, xlang.Map{Kernel: len(p.Kernels), Edge: -1, Resource: at})
		l.kernels, p.Kernels = append(l.kernels, k), append(p.Kernels, from.Kernels[k])
	}
	if fpga < 0 {
		return nil, fault.NoKernelOnFPGA.Errorf("the mapping has no kernel on an FPGA (map at least one " +
			"kernel to an FPGA)")
	}
	core := slices.IndexFunc(from.Resources, func(r xlang.Resource) bool {
		return design.IsCorePlatform(from, r.Platform)
	})
	if core < 0 {
		return nil, faults.NoCore.Errorf("the architecture has no processor core (declare one, such as resource " +
			"proc is C;)")
	}
	p.Resources = slices.Clone(from.Resources)
	p.Resources[fpga] = xlang.Resource{Name: about.FPGA, Platform: from.Resources[core].Platform,
		Pos: from.Resources[fpga].Pos}
	text := func(s string) xlang.Value { return xlang.Value{Text: s, Quoted: true, Type: "STRING"} }
	board := len(p.Kernels)
	kernel := xlang.Kernel{Name: about.FPGA, Block: block, Config: xlang.Values{"where": text(where),
		"folder": text(l.folder)}, Pos: from.Resources[fpga].Pos}
	p.Impls = append(slices.Clone(from.Impls), xlang.Impl{Block: block, Platform: design.CorePlatform,
		Attrs: xlang.Values{"src": text(filepath.Join(project, "host", "kernel.c"))}})
	input, output := make(map[int]int), make(map[int]int) // port numbers of the board's edges
	for _, s := range about.Streams {
		port := xlang.Port{Name: s.Name, Type: "UNSIGNED8[" + strconv.Itoa(s.Element) + "]",
			ElementBytes: float64(s.Element)}
		if s.Input {
			input[edge[s.Edge]] = len(kernel.Inputs)
			kernel.Inputs = append(kernel.Inputs, port)
		} else {
			output[edge[s.Edge]] = len(kernel.Outputs)
			kernel.Outputs = append(kernel.Outputs, port)
		}
	}
	p.Kernels, l.kernels = append(p.Kernels, kernel), append(l.kernels, -1)
	p.Maps = append(p.Maps, xlang.Map{Kernel: board, Edge: -1, Resource: fpga})
	for e, x := range from.Edges {
		f, fromHere := number[x.From]
		t, toHere := number[x.To]
		if !fromHere && !toHere {
			continue // the edge is on the board
		}
		x.From, x.To = f, t
		if !fromHere {
			x.From, x.FromPort = board, output[e]
		}
		if !toHere {
			x.To, x.ToPort = board, input[e]
		}
		for _, m := range from.Maps {
			if m.Kernel < 0 && m.Edge == e {
				m.Edge = len(p.Edges)
				p.Maps = append(p.Maps, m)
			}
		}
		if n := l.original.Buffers[e]; n > 0 {
			p.Buffers = append(p.Buffers, xlang.Buffer{Edge: len(p.Edges), Value: xlang.Value{Text: strconv.Itoa(n),
				Number: float64(n), IsNumber: true}})
		}
		l.edge, p.Edges = append(l.edge, e), append(p.Edges, x)
	}
	return &p, nil
}

// Taps returns the taps that a run with the board can measure. Latency marks do not cross the board.
func (l *Live) Taps(taps []program.Tap) []program.Tap {
	p, board := l.Design.Program, len(l.kernels)-1
	return slices.DeleteFunc(slices.Clone(taps), func(t program.Tap) bool {
		through := t.Kind == program.Service && t.Kernel == board
		for _, e := range t.Path[:max(len(t.Path)-1, 0)] {
			through = through || p.Edges[e].To == board
		}
		return through
	})
}

// Measured converts the measurement of a run to the kernels and edges of the original design. It adds the figures from
// the board, and returns an error if they are missing.
func (l *Live) Measured(m *run.Measurement) (*Answer, error) {
	a, err := Read(l.folder, l.original)
	if err != nil {
		return nil, err
	}
	b := a.Measurement
	out := *m
	out.Kernels, out.Edges, out.Taps, out.Frames = b.Kernels, b.Edges, b.Taps, nil
	out.Hardware, out.Counted = b.Hardware, b.Counted
	seconds := m.Seconds
	for i := range out.Edges { // relative to the duration of the run; the board's clock has another time base
		x := &out.Edges[i]
		x.ElementRate *= b.Seconds / seconds
		x.Rate *= b.Seconds / seconds
	}
	for e, x := range m.Edges {
		out.Edges[l.edge[e]] = x
	}
	for i, x := range m.Kernels {
		if k := l.kernels[i]; k >= 0 {
			out.Kernels[k] = x
		}
	}
	buffers := *m.Buffers
	buffers.Grown = slices.Clone(buffers.Grown)
	for i := range buffers.Grown {
		g := &buffers.Grown[i]
		g.Index = l.edge[g.Index]
		g.Edge = l.original.Program.Edges[g.Index].Name
	}
	out.Buffers = &buffers
	for _, t := range m.Taps {
		if t, ok := l.tap(t); ok {
			out.Taps = append(out.Taps, t)
		}
	}
	out.Notes = append(slices.Clone(m.Notes), faults.BoardClock.Notef("%s: the board ran %d cycles at %.6g MHz; the "+
		"times of kernels on cores are from this machine", a.Where,
		uint64(b.Seconds*b.Clock.Hertz+0.5),
		b.Clock.Hertz/1e6))
	if a.Model {
		out.Notes = append(out.Notes, faults.BoardModel.Notef("the board was simulated (RTL): this run shows the "+
			"speed of the simulation, not the speed of an FPGA"))
	}
	a.Measurement = &out
	return a, nil
}

// tap returns a tap with the kernels and edges of the original design; false for a tap of the kernel that represents
// the board.
func (l *Live) tap(t run.TapMeasurement) (run.TapMeasurement, bool) {
	if len(t.Path) == 0 && t.Kernel < len(l.kernels) && t.Kind == program.Service {
		k := l.kernels[t.Kernel]
		t.Kernel = k
		return t, k >= 0
	}
	if len(t.Path) > 0 {
		t.Path = slices.Clone(t.Path)
		for i := range t.Path {
			t.Path[i] = l.edge[t.Path[i]]
		}
		return t, true
	}
	t.Edge = l.edge[t.Edge]
	return t, true
}
