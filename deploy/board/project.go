// Package board exports the FPGA part of a mapping for a real board. It writes a project with these parts:
//
//   - the kernels, their edges and taps, in shells for communication with a host;
//   - constraints and scripts for the tools;
//   - a program in C for the host;
//   - data recorded at the border of the FPGA in a run, for comparison (Koehler 2007 §4.1, steps 4 and 6).
//
// Read converts the data that a host received from a board to a measurement, next to the prediction.
//
// Package xsim builds the hardware. Package board runs yosys to estimate the area. The project's Makefile runs all
// other tools.
package board

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
	"xopt/internal/files/generated"
	"xopt/internal/files/scratch"
	"xopt/internal/release"
	"xopt/internal/units"
)

//go:embed templates
var templates embed.FS

// The sources are in a folder without Go files, because cgo would compile them with the package.
//
//go:embed files
var files embed.FS

// RunFolder is the folder of a project that contains the recorded data at the border of the exported run.
const RunFolder = "run"

// Project is an unfinished project in a temporary folder next to its final one.
type Project struct {
	dir, stage string
}

// New creates a project for a folder that does not yet exist.
func New(dir string) (*Project, error) {
	if err := Free(dir); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("creating the parent folder of the project: %w", err)
	}
	stage, err := scratch.Dir(filepath.Dir(dir), "."+filepath.Base(dir)+".xopt-")
	if err != nil {
		return nil, fmt.Errorf("creating the folder of the project: %w", err)
	}
	p := &Project{dir, stage}
	if err := errors.Join(os.Chmod(stage, 0o755), os.Mkdir(p.Run(), 0o755)); err != nil {
		return nil, errors.Join(fmt.Errorf("creating the folder of the project: %w", err), p.Abandon())
	}
	return p, nil
}

// Free returns an error if the path of a new folder already exists.
func Free(dir string) error {
	_, err := os.Lstat(dir)
	switch {
	case err == nil:
		return fault.AlreadyExists.Errorf("%s exists, and a project never overwrites a folder: choose a new folder",
			dir)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("checking whether %s exists: %w", dir, err)
}

// Run returns the folder in which to record the run (xsim.Options.Record).
func (p *Project) Run() string { return filepath.Join(p.stage, RunFolder) }

// Abandon removes the written files. It does nothing after the project is finished, or for a nil project.
func (p *Project) Abandon() error {
	if p == nil || p.stage == "" {
		return nil
	}
	return os.RemoveAll(p.stage)
}

// Exportable returns an error if a mapping cannot be exported.
func Exportable(d *design.Design) error {
	fpgas := xsim.FPGAs(d)
	switch {
	case len(fpgas) == 0:
		return fault.NoKernelOnFPGA.Errorf("the mapping has no kernel on an FPGA: there is nothing to export")
	case len(fpgas) > 1:
		var names []string
		for _, r := range fpgas {
			names = append(names, d.Program.Resources[r].Name)
		}
		return faults.SeveralFPGAs.Errorf("the mapping uses %s, but a project is for one FPGA: map the kernels to "+
			"one of these FPGAs", strings.Join(names, ", "))
	}
	for k, at := range d.Mapping.Place {
		if x := &d.Program.Kernels[k]; at == fpgas[0] && x.Replica != nil {
			return fault.CopiesUnsupported.Errorf("cannot export copies of a kernel: %s is one of several copies on "+
				"%s (map only one copy there)", x.Name, d.Program.Resources[at].Name)
		}
	}
	for k, at := range d.Mapping.Place {
		if at == fpgas[0] && xsim.HasOwnClock(d.Program, k, at) {
			return fault.OwnClockUnsupported.Errorf("kernel %s has its own clock on %s, but a project has only one "+
				"clock (remove the attribute clock of the kernel's implementation)", d.Program.Kernels[k].Name,
				d.Program.Resources[at].Name)
		}
	}
	for e := range d.Program.Edges {
		if x := &d.Program.Edges[e]; x.Initial > 0 && (d.Mapping.Place[x.From] == fpgas[0] ||
			d.Mapping.Place[x.To] == fpgas[0]) {
			return faults.LoopOnBoard.Errorf("cannot export a loop, because a board cannot detect when a loop "+
				"ends: edge %s on %s has initial elements (map the loop to cores)", x.Name,
				d.Program.Resources[fpgas[0]].Name)
		}
	}
	return nil
}

// Run is an exported run of a design.
type Run struct {
	Design      *design.Design
	Hardware    *xsim.Hardware
	Measurement *run.Measurement
	// Traced contains the statements that the trace rings of the hardware answer.
	Traced []Traced
}

// Finish writes the project of a run under its final name. yosys estimates the design's area.
func (p *Project) Finish(ctx context.Context, r *Run) error {
	err := p.write(ctx, r)
	if err == nil {
		err = p.sync()
	}
	if err == nil {
		err = Free(p.dir)
	}
	if err == nil {
		err = os.Rename(p.stage, p.dir)
	}
	if err != nil {
		return fmt.Errorf("writing the project %s: %w", p.dir, err)
	}
	p.stage = ""
	return nil
}

// sync flushes every file of the project to disk.
func (p *Project) sync() error {
	return filepath.WalkDir(p.stage, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

func (p *Project) write(ctx context.Context, r *Run) error {
	h, d := r.Hardware, r.Design
	text, err := newText(h, d)
	if err != nil {
		return err
	}
	if err := p.nameStreams(text); err != nil {
		return err
	}
	if err := p.recordsFit(text, h.Partition); err != nil {
		return err
	}
	out := make(map[string]string) // file contents by path in the project
	for i, f := range h.Partition.Module.Sources() {
		name := fmt.Sprintf("rtl/%02d_%s", i, plain(f.Name))
		out[name] = f.Text
		text.Sources = append(text.Sources, name)
	}
	if err := boardSources(h.Partition, out, text); err != nil {
		return err
	}
	text.ID = identity(out, text.Sources)
	for _, shell := range []string{"stream", "lite", "serial"} {
		text.Shell = shell
		name := "rtl/xopt_" + shell + ".v"
		if shell == "serial" {
			name = "rtl/xopt_serial_top.v"
		}
		if out[name], err = text.fill("top.v.tmpl"); err != nil {
			return err
		}
	}
	e, err := estimateOf(ctx, r, text, synthesizerOf(ctx, rtl.UserCache(ctx), out, text.Sources))
	if err != nil {
		return fmt.Errorf("estimating the area: %w", err)
	}
	text.estimate = *e
	for name, from := range map[string]string{"host/design.h": "design.h.tmpl", "sim/ports.h": "ports.h.tmpl",
		"Makefile": "Makefile.tmpl", "vivado/project.tcl": "project.tcl.tmpl",
		"vivado/constraints.xdc": "constraints.xdc.tmpl", "ice40/pins.pcf": "pins.pcf.tmpl",
		"README.md": "README.md.tmpl",
	} {
		if out[name], err = text.fill(from); err != nil {
			return err
		}
	}
	if out["host/registers.h"], err = hdl.RegistersC(); err != nil {
		return err
	}
	if out["host/record.h"], err = hdl.AgentRecord().CHeader(); err != nil {
		return err
	}
	if err := copyFiles(out); err != nil {
		return err
	}
	description := describe(text, h, d, r.Measurement)
	description.Traces = tracesOf(h, r.Traced)
	about, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		return err
	}
	out[descriptionName] = string(about) + "\n"
	if err := p.emptyStreams(text); err != nil {
		return err
	}
	return writeAll(p.stage, out)
}

// nameStreams renames the recorded streams of the run to their names in the project.
func (p *Project) nameStreams(t *projectText) error {
	names := make(map[string]string)
	for i, s := range t.Streams {
		was := xsim.StreamName(i)
		names[was] = s.Name
		err := os.Rename(filepath.Join(p.Run(), was+".data"), filepath.Join(p.Run(), s.Name+".data"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // no data moved on it
			return err
		}
	}
	path := filepath.Join(p.Run(), "schedule")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if f := strings.Fields(line); len(f) == 4 && f[0] == "limit" && names[f[1]] != "" {
			f[1] = names[f[1]]
			lines[i] = strings.Join(f, " ")
		}
	}
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644)
}

// recordsFit returns an error if the taps of the run differ from the taps of the project, because their records could
// not be compared.
func (p *Project) recordsFit(t *projectText, hardware *rtl.Partition) error {
	data, err := os.ReadFile(filepath.Join(p.Run(), "records"))
	if err != nil {
		return err
	}
	size := 4 * t.RecordWords
	if size == 0 && len(data) == 0 {
		return nil
	}
	if size == 0 || len(data)%size != 0 {
		return faults.OtherDesign.Errorf("the taps of the run differ from the exported taps: the records of the run "+
			"have %d bytes in total, which is not a multiple of the record size, %d bytes", len(data), size)
	}
	if len(data) > 0 {
		_, err = hdl.AgentRecord().Parse(wordsOf(data[:size]), hardware.TapWords(),
			hardware.Histograms()*hardware.Bins())
	}
	return err
}

// boardSources adds the shells' modules from package hdl, except modules that the partition already contains.
func boardSources(p *rtl.Partition, out map[string]string, text *projectText) error {
	have := make(map[string]bool)
	for _, f := range p.Module.Sources() {
		have[f.Text] = true
	}
	for _, folder := range []string{"board/*.v", "stream/xopt_fifo.v"} {
		names, err := fs.Glob(hdl.Files(), folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			data, err := fs.ReadFile(hdl.Files(), name)
			if err != nil {
				return fmt.Errorf("reading the Verilog of xopt: %w", err)
			}
			if have[string(data)] {
				continue
			}
			to := "rtl/" + path.Base(name)
			out[to] = string(data)
			text.Sources = append(text.Sources, to)
		}
	}
	return nil
}

// copyFiles adds the sources that are identical in every project.
func copyFiles(out map[string]string) error {
	return fs.WalkDir(files, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		out[strings.TrimPrefix(name, "files/")] = string(data)
		return err
	})
}

// emptyStreams creates the files of streams without data.
func (p *Project) emptyStreams(text *projectText) error {
	for _, s := range text.Streams {
		f, err := os.OpenFile(filepath.Join(p.Run(), s.Name+".data"), os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func writeAll(dir string, out map[string]string) error {
	for name, text := range out {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// plain makes a file name safe for the Makefile: it replaces all characters except letters, digits and _. The extension
// is .sv for SystemVerilog, and .v otherwise.
func plain(name string) string {
	ext := filepath.Ext(name)
	if ext != ".sv" {
		ext = ".v"
	}
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name) + ext
}

// identity returns a number that identifies the hardware. The design reports this number to its host.
func identity(out map[string]string, names []string) uint32 {
	h := crc32.NewIEEE()
	for _, name := range names {
		fmt.Fprintf(h, "%s %d\n%s", name, len(out[name]), out[name])
	}
	return h.Sum32()
}

// projectText contains the values for the templates.
type projectText struct {
	Version, FPGA, Shell, ClockFrom string
	Frequency                       string // Clock as text with its unit
	ID                              uint32
	Clock, PeriodNs                 float64
	Quiet, RecordWords, Divisor     int
	LogDepth                        int // binary logarithm of the queue depth at each stream, in words
	Parts, PartsHigh                int
	PartList                        []int
	Drains                          []bool
	Wires                           []wireText
	Streams                         []streamText
	Traces                          []traceText
	HoldWord                        int // address of the register that ends traces
	Sources                         []string
	Tapped                          bool
	Kernels                         []kernelText
	Inner                           []innerText
	boardText
	estimate
}

// boardText describes the board with its pins.
type boardText struct{ Device, Package, DSP, Board, PinClock, PinRx, PinTx, PinRunning string }

type wireText struct{ From, To int }

// kernelText is a kernel with its instance name in xopt_partition.
type kernelText struct{ Name, Instance string }

// innerText is an edge between kernels on the FPGA, with the prefix of its signal names in xopt_partition.
type innerText struct{ Edge, Name, From, To string }

type streamText struct {
	Name                                string // the edge's name as an identifier
	Edge                                string // the edge's name in X
	BusHigh, Padding, BusBytes          int    // in the shell for DMA engines: highest bit, zero bits, bytes
	Moved                               int    // bytes of an element in that shell
	TooWide                             bool   // too wide for AXI DMA
	Input                               bool
	Width, High, Beats, Words, LastWord int
	LogWords, Bytes, Element, Part      int
	Word, LevelWord                     int // addresses of its registers
}

// Side returns the prefix of the stream's signal names.
func (s streamText) Side() string {
	if s.Input {
		return "s_axis"
	}
	return "m_axis"
}

// queueDepth is the binary logarithm of the queue depth in words, for each stream of the shells without DMA.
const queueDepth = 6

// serialClock and serialRate are the oscillator frequency and the serial line rate of common boards, in Hz.
const (
	serialClock = 12_000_000
	serialRate  = 115_200
)

func newText(h *xsim.Hardware, d *design.Design) (*projectText, error) {
	p := h.Partition
	t := &projectText{Version: release.Version, FPGA: plainWords(h.FPGA.Name), ClockFrom: plainWords(h.ClockFrom),
		Clock: h.Clock, Frequency: units.Frequency(h.Clock), PeriodNs: 1e9 / h.Clock,
		Quiet: program.DrainCycles, Divisor: serialClock / serialRate,
		LogDepth: queueDepth, Parts: len(p.Parts), PartsHigh: len(p.Parts) - 1, Tapped: p.Tapped(),
		boardText: boardOf(h.FPGA.Device)}
	if p.Tapped() {
		t.RecordWords = hdl.AgentRecord().Words(p.TapWords(), p.Histograms()*p.Bins())
	}
	for i := range p.Parts {
		t.PartList = append(t.PartList, i)
		t.Drains = append(t.Drains, p.Parts[i].Module.Drains)
	}
	for _, w := range p.Wires {
		t.Wires = append(t.Wires, wireText{w.From, w.To})
	}
	for i, k := range h.Federate.Parts {
		t.Kernels = append(t.Kernels, kernelText{plainWords(d.Program.Kernels[k].Name), fmt.Sprintf("part%d", i)})
	}
	for i, w := range h.Federate.Inner {
		t.Inner = append(t.Inner, innerText{plainWords(d.Program.Edges[w.Edge].Name),
			fmt.Sprintf("w%d_%s", i, p.Wires[i].Label), t.Kernels[w.FromPart].Name, t.Kernels[w.ToPart].Name})
	}
	for i, o := range p.Outers {
		s := p.Module.Streams[i]
		beat := dmaWidth(s.Width)
		x := streamText{Name: o.Name, Edge: plainWords(d.Program.Edges[h.Federate.Outer[i].Edge].Name),
			Input: o.Input, Width: s.Width, High: s.Width - 1, Beats: (s.Width + 31) / 32,
			Words: o.Element * 8 / s.Width, Bytes: s.Width / 8, Element: o.Element, Part: o.Part,
			Moved:   o.Element * beat / s.Width,
			BusHigh: beat - 1, Padding: beat - s.Width, BusBytes: beat / 8, TooWide: beat > maxDMAWidth,
			Word: hdl.StreamsWord + 4*i, LevelWord: hdl.StreamsWord + 4*i + 1}
		x.LastWord = x.Words - 1
		for 1<<x.LogWords < x.Words {
			x.LogWords++
		}
		t.Streams = append(t.Streams, x)
	}
	t.traces(p)
	if t.Parts > maxParts || len(t.Streams)+len(t.Traces) > maxStreams {
		return nil, faults.TooManyRegisters.Errorf("%s has %d kernels, %d streams and %d traces, but a board has "+
			"registers for %d kernels, and for %d streams and traces in total (map fewer kernels to the FPGA)",
			h.FPGA.Name, t.Parts, len(t.Streams), len(t.Traces), maxParts, maxStreams)
	}
	return t, nil
}

// maxParts and maxStreams are the maximum numbers of kernels and streams with registers.
const (
	maxParts   = 512
	maxStreams = 4000
)

// boardOf returns a common board with the device: Lattice's iCE40HX-8K breakout board, or the iCEBreaker.
func boardOf(device string) boardText {
	if device == "up5k" {
		return boardText{"up5k", "sg48", "-dsp ", "the iCEBreaker", "35", "6", "9", "11"}
	}
	return boardText{"hx8k", "ct256", "", "the iCE40HX-8K breakout board", "J3", "B10", "B12", "B5"}
}

// plainWords replaces characters that could end a comment in one of the generated languages.
func plainWords(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= ' ' && r <= '~' && !slices.Contains([]rune("*\\`$\""), r) {
			return r
		}
		return '_'
	}, text)
}

// HasInputs reports whether an edge leads into the FPGA.
func (t *projectText) HasInputs() bool {
	return slices.ContainsFunc(t.Streams, func(s streamText) bool { return s.Input })
}

func (t *projectText) fill(name string) (string, error) {
	return generated.Text(templates, "templates/"+name, nil, t)
}
