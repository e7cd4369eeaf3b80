package exchange

import (
	"bytes"
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"xopt/flow/exchange/caret"
	"xopt/flow/exchange/dot"
	"xopt/flow/exchange/gstreamer"
	"xopt/flow/exchange/sdf3"
	"xopt/flow/exchange/tgff"
	"xopt/flow/exchange/timed"
	"xopt/flow/exchange/vitis"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// MaxBytes is the maximum size of a file in bytes.
const MaxBytes = 256 << 20

// File is a file of another tool, with its content.
type File struct {
	Name string
	Text []byte
}

// Options contains the options of an import.
type Options struct {
	Unit  time.Duration // unit of times without a unit in the graph; 0 for the usual unit of the format
	Graph int           // number of the task graph in a TGFF file
	Times []File        // files with times, for graphs in DOT or of CARET
}

// These regular expressions match the start of a file in each format.
const (
	xmlStart   = `^(\x{FEFF})?\s*<`
	tgffStart  = `(?mi)^\s*@[A-Z_]+`
	vitisStart = `^\s*(<\?xml[^>]*>)?\s*<profile>`
)

func starts(text []byte, pattern string) bool { return regexp.MustCompile(pattern).Match(text) }

// Read converts a graph to an application. It recognizes the format by the content of the file.
func Read(f File, o Options) (*Application, error) {
	base, text := filepath.Base(f.Name), bytes.NewReader(f.Text)
	isXML, isTGFF := starts(f.Text, xmlStart), starts(f.Text, tgffStart)
	switch {
	case len(f.Text) > MaxBytes:
		return nil, faults.ImportTooLarge.Errorf("%s is larger than %s", f.Name, units.Size(MaxBytes))
	case (isXML || isTGFF) && len(o.Times) > 0:
		return nil, faults.WrongImportedTimes.Errorf("%s: times belong to graphs in DOT or of CARET; SDF3 and TGFF "+
			"files contain their times (leave out --times)", o.Times[0].Name)
	case o.Graph > 0 && !isTGFF:
		return nil, fault.WrongOptionValue.Errorf("--graph %d: only TGFF files contain several graphs (leave out "+
			"--graph)", o.Graph)
	case starts(f.Text, vitisStart):
		return nil, faults.WrongGraphFile.Errorf("%s is the report of one kernel, not a graph: import GRAPH.dot "+
			"--times %s",
			f.Name, f.Name)
	case isXML:
		file, err := sdf3.Read(f.Name, text)
		if err != nil {
			return nil, err
		}
		return FromSDF3(file, base, cmp.Or(o.Unit, time.Microsecond))
	case isTGFF:
		file, err := tgff.Read(f.Name, text)
		if err != nil {
			return nil, err
		}
		return FromTGFF(file, o.Graph, base, cmp.Or(o.Unit, time.Second))
	}
	g, pipeline, err := timedGraph(f, o)
	if err == nil {
		err = addTimes(g, pipeline, o)
	}
	if err != nil {
		return nil, err
	}
	g.File = base
	return FromTimed(g)
}

// timedGraph reads a graph in DOT or of CARET. The pipeline is nil if the graph is not a pipeline of GStreamer.
func timedGraph(f File, o Options) (*timed.Graph, *gstreamer.Pipeline, error) {
	isUsed := func(n dot.Node) bool { return n.Attrs[timed.WorstCase] != "" } // whether the graph uses the unit of time
	d, isROS := &dot.Graph{}, caret.IsArchitecture(f.Text)
	if !isROS {
		var err error
		if d, err = dot.Read(f.Name, bytes.NewReader(f.Text)); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case o.Unit != 0 && !slices.ContainsFunc(d.Nodes, isUsed):
		return nil, nil, fault.WrongOptionValue.Errorf("--time-unit %v: the times of %s have units; only SDF3, TGFF "+
			"and WCET of Holoscan have none (leave out --time-unit)", o.Unit, f.Name)
	case isROS:
		g, err := caret.Read(f.Name, f.Text)
		return g, nil, err
	case gstreamer.IsPipeline(d):
		p, err := gstreamer.FromDOT(d)
		if err != nil {
			return nil, nil, err
		}
		return p.Graph, p, nil
	}
	g, err := timed.FromDOT(d, cmp.Or(o.Unit, time.Microsecond))
	return g, nil, err
}

// addTimes adds the files with times to a graph.
func addTimes(g *timed.Graph, pipeline *gstreamer.Pipeline, o Options) error {
	traced := pipeline == nil
	for _, f := range o.Times {
		text := bytes.NewReader(f.Text)
		var err error
		switch {
		case len(f.Text) > MaxBytes:
			err = faults.ImportTooLarge.Errorf("%s is larger than %s", f.Name, units.Size(MaxBytes))
		case gstreamer.IsTrace(f.Text) && pipeline == nil:
			err = faults.WrongImportedTimes.Errorf("%s is a log of GStreamer, but %s is not the graph of its "+
				"pipeline (record the graph with GST_DEBUG_DUMP_DOT_DIR)", f.Name, g.File)
		case gstreamer.IsTrace(f.Text):
			err, traced = pipeline.ReadTrace(f.Name, text), true
		case starts(f.Text, xmlStart):
			err = vitis.Read(g, f.Name, text)
		case caret.IsStatistics(f.Text):
			err = caret.ReadStatistics(g, f.Name, f.Text)
		default:
			err = g.ReadCSV(f.Name, text)
		}
		if err != nil {
			return err
		}
	}
	if !traced {
		return faults.NoExecutionTimes.Errorf("%s: no times of the pipeline's elements (record them in the same "+
			`run with GST_DEBUG=GST_TRACER:7 GST_TRACERS="latency(flags=element);stats" `+
			"GST_DEBUG_FILE=trace.log, and add --times trace.log)", g.File)
	}
	return nil
}
