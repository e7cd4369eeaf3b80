package board

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/mapper/result"
)

// BoardRun is the folder of a project in which the host writes the data from a board. The Makefile sets it.
const BoardRun = "out/board"

// Answer is the measurement of a run on a board, computed from the data that the host received.
type Answer struct {
	Measurement *run.Measurement
	Where       string // board address in the host's command
	Model       bool   // the run used a model of the board
	// Queries are the statements that the board's traces answer.
	Queries []result.Query
}

// Read reads the data that the host of a project received. path is the folder of that data in the project. If path is
// the project itself, Read uses the folder BoardRun. d is the exported design with its mapping.
func Read(path string, d *design.Design) (*Answer, error) {
	folder, project, err := find(path)
	if err != nil {
		return nil, err
	}
	about, err := readDescription(project)
	if err != nil {
		return nil, err
	}
	s, err := readSummary(filepath.Join(folder, "summary"))
	if err != nil {
		return nil, err
	}
	if s.design != about.Design {
		return nil, faults.OtherDesign.Errorf("%s is from design %#08x, but the project %s has design %#08x: run the "+
			"host program again", folder, s.design, project, about.Design)
	}
	r, err := newReader(d, about)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", project, err)
	}
	r.summary = s
	records, err := readRecords(filepath.Join(folder, "records"), about)
	if err != nil {
		return nil, err
	}
	r.m = &run.Measurement{Measured: result.Measured{Seconds: max(float64(s.cycles)/s.clock, 1e-12),
		Clock:   result.Clock{Name: "the board's clock", Hertz: s.clock},
		Buffers: &result.MeasuredBuffers{}}, Wall: s.wall, Virtual: s.model,
		Notes: []fault.Note{faults.BoardClock.Notef("%s: times are cycles at %.6g MHz and exclude kernels on cores. "+
			"A kernel on the FPGA is busy in each cycle in which its busiest stream moves a word", s.where,
			s.clock/1e6)}}
	r.records(records)
	r.monitors(records)
	r.edges()
	r.kernels()
	if short := run.TooFew(r.m.Edges, r.m.Seconds); short != "" {
		r.m.Steady = &result.SteadyPart{Short: short}
	}
	queries, err := r.traces(folder)
	if err != nil {
		return nil, err
	}
	return &Answer{r.m, s.where, s.model, queries}, nil
}

// find returns the folder of a run and the folder of its project.
func find(path string) (folder, project string, err error) {
	there := func(parts ...string) bool {
		_, err := os.Stat(filepath.Join(parts...))
		return err == nil
	}
	folder = path
	if there(path, descriptionName) {
		folder = filepath.Join(path, filepath.FromSlash(BoardRun))
	}
	if !there(folder, "summary") {
		return "", "", faults.NoSummary.Errorf("%s contains no file summary: run the project's host first (make run "+
			"BOARD=…)", folder)
	}
	project, err = filepath.Abs(folder)
	if err != nil {
		return "", "", err
	}
	for above := project; ; above = filepath.Dir(above) {
		if there(above, descriptionName) {
			return folder, above, nil
		}
		if above == filepath.Dir(above) {
			return "", "", faults.NotAProject.Errorf("%s is not in a project written by deploy --export: no folder "+
				"above it contains %s", path, descriptionName)
		}
	}
}

func readDescription(project string) (*Description, error) {
	name := filepath.Join(project, descriptionName)
	f, err := infile.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading an exported project: %w", err)
	}
	defer f.Close()
	d := new(Description)
	if err := format().Read(name, f, d); err != nil {
		return nil, err
	}
	if d.Figures < 0 || d.Histograms < 0 || d.Figures > 1<<16 || d.Histograms > 1<<9 || d.Bins < 0 ||
		d.Bins > rtl.Bins || !(d.Clock > 0) {
		return nil, faults.DamagedBoardRecord.Errorf("%s is damaged: it has %d figures, %d histograms and a clock of "+
			"%g Hz (export the project again)", name, d.Figures, d.Histograms, d.Clock)
	}
	for i := range d.Taps {
		t := &d.Taps[i]
		if n := len(hdl.TapKind(t.Kind).Figures()); n == 0 || t.At < 0 || t.At+n > d.Figures || t.Hist >= d.Histograms {
			return nil, faults.DamagedBoardRecord.Errorf("%s is damaged: the figures of tap %d start at number %d of "+
				"%d (export the project again)", name, i, t.At, d.Figures)
		}
	}
	for i := range d.Monitors {
		if _, err := d.Monitors[i].bits(d.Histograms, d.bins()); err != nil {
			return nil, faults.DamagedBoardRecord.Errorf("%s is damaged: %w (export the project again)", name, err)
		}
	}
	for i := range d.Traces {
		if err := d.Traces[i].check(); err != nil {
			return nil, faults.DamagedBoardRecord.Errorf("%s is damaged: trace %d: %w (export the project again)",
				name, i, err)
		}
	}
	return d, nil
}

// summary is the host's summary of a run.
type summary struct {
	design        uint32
	model         bool
	where         string
	cycles        uint64
	clock, wall   float64
	bytes         map[string]uint64 // bytes moved on each stream
	frame, record uint64
	traces        map[int]traced
}

// maxSummary is the maximum size of a summary in bytes; real summaries are smaller.
const maxSummary = 1 << 20

func readSummary(name string) (*summary, error) {
	data, err := infile.Read(name, maxSummary)
	if err != nil {
		return nil, fmt.Errorf("reading the output of a board: %w", err)
	}
	s := &summary{bytes: make(map[string]uint64), traces: make(map[int]traced)}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		var err error
		scan := func(format string, to ...any) { _, err = fmt.Sscanf(rest, format, to...) }
		switch word {
		case "design":
			scan("0x%x", &s.design)
		case "board":
			s.model = rest == "model"
		case "where":
			s.where = rest
		case "cycles":
			scan("%d", &s.cycles)
		case "clock":
			scan("%g", &s.clock)
		case "wall":
			scan("%g", &s.wall)
		case "frame":
			scan("%d", &s.frame)
		case "records":
			scan("%d", &s.record)
		case "stream":
			var stream string
			var moved uint64
			scan("%s %d", &stream, &moved)
			s.bytes[stream] = moved
		case "trace":
			var trace int
			var x traced
			scan("%d %d %d", &trace, &x.records, &x.dropped)
			s.traces[trace] = x
		default:
			err = errors.New("unknown line of a summary")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %q: %w (run the host program again)", name, n, lines.Text(), err)
		}
	}
	if !(s.clock > 0) || math.IsInf(s.clock, 1) || s.cycles == 0 {
		return nil, faults.DamagedBoardRecord.Errorf("%s contains %d cycles at %g Hz: the host program did not end "+
			"normally (run it again)", name, s.cycles, s.clock)
	}
	return s, nil
}

// wordsOf returns the 32-bit words of a file of records.
func wordsOf(data []byte) []uint32 {
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

// maxRecords is the maximum size in bytes of a file of records.
const maxRecords = 1 << 30

func readRecords(name string, about *Description) ([]hdl.Record, error) {
	if about.Figures+about.Histograms == 0 {
		return nil, nil
	}
	data, err := infile.Read(name, maxRecords)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.NoSummary.Errorf("%s is missing (run the host program again)", name)
	} else if err != nil {
		return nil, fmt.Errorf("reading the records of a board: %w", err)
	}
	words := wordsOf(data)
	layout, bins := hdl.AgentRecord(), about.Histograms*about.bins()
	size := layout.Words(about.Figures, bins)
	var list []hdl.Record
	for n := 0; len(words) >= size; n++ {
		r, err := layout.Parse(words[:size], about.Figures, bins)
		if err != nil {
			return nil, fmt.Errorf("%s: record %d: %w (run the host program again)", name, n, err)
		}
		list, words = append(list, r), words[size:]
	}
	if len(words) > 0 || len(data)%4 != 0 {
		return nil, faults.DamagedBoardRecord.Errorf("%s ends within a record: the host program did not end normally "+
			"(run it again)", name)
	}
	return list, nil
}

// reader converts the data from a board to a measurement.
type reader struct {
	about   *Description
	summary *summary
	d       *design.Design
	m       *run.Measurement
	edge    map[string]int // index of the edge with each name
	tapped  map[int]uint64 // bytes on edges, counted by taps
	inner   map[int]bool   // edges inside the FPGA
}

// newReader returns a reader, or an error if the project belongs to another application or mapping.
func newReader(d *design.Design, about *Description) (*reader, error) {
	r := &reader{about: about, d: d, edge: make(map[string]int), tapped: make(map[int]uint64),
		inner: make(map[int]bool)}
	for e := range d.Program.Edges {
		r.edge[d.Program.Edges[e].Name] = e
	}
	if err := r.fits(); err != nil {
		return nil, err
	}
	for _, name := range about.Inner {
		r.inner[r.edge[name]] = true
	}
	return r, nil
}

// fits returns an error if the project belongs to another application or mapping.
func (r *reader) fits() error {
	var on []string
	for k, at := range r.d.Mapping.Place {
		if design.IsFPGA(r.d.Program, at) {
			on = append(on, r.d.Program.Kernels[k].Name)
		}
	}
	if !slices.Equal(on, r.about.Kernels) {
		return faults.OtherDesign.Errorf("the board has %s on its FPGA, but the mapping has %s: use the X files "+
			"of the export", strings.Join(r.about.Kernels, ", "), cmp.Or(strings.Join(on, ", "), "none"))
	}
	names := slices.Clone(r.about.Inner)
	for _, s := range r.about.Streams {
		names = append(names, s.Edge)
	}
	for i := range r.about.Taps {
		names = append(names, r.about.Taps[i].Edge)
	}
	for _, e := range r.about.Edges {
		names = append(names, e.Edge)
	}
	for i := range r.about.Monitors {
		if name := r.about.Monitors[i].Kernel; !slices.Contains(on, name) {
			return faults.OtherDesign.Errorf("the board monitors %s, but the mapping does not place this kernel on "+
				"the FPGA: use the X files of the export", name)
		}
	}
	for _, name := range names {
		if _, ok := r.edge[name]; !ok {
			return faults.OtherDesign.Errorf("the board has an edge %s that the application does not have: use the "+
				"X files of the export", name)
		}
	}
	return nil
}
