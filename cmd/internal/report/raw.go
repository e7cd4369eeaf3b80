package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"xopt/deploy/timetrial"
	"xopt/internal/files/output"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// File is a table that is written to a file of its own.
type File struct {
	Name  string
	Table *Table
}

// RunFileNames returns patterns that match the file names of [RunFiles].
func RunFileNames() []string {
	return []string{"kernels.csv", "edges.csv", "queues.csv", "histograms.csv", "used.csv", "beside.csv", "routing.csv",
		"assertions.csv", "paths.csv", "grown.csv", "frames.csv", "statement_*.csv"}
}

// RunFiles returns all tables of a run for CSV, including those too long to show. It includes the basic tables even if
// they are empty.
func RunFiles(r *result.Result) []File {
	m := r.Measured
	files := []File{{"edges.csv", runEdges(m)}, {"histograms.csv", histogramBinsOf(m)}, {"kernels.csv", runKernels(m)},
		{"queues.csv", runQueues(m)}}
	for _, f := range []File{{"used.csv", runUsed(m, r.Prediction)}, {"beside.csv", runBeside(r)},
		{"routing.csv", routing(m)}, {"assertions.csv", assertions(m)}, {"paths.csv", runPaths(m)},
		{"grown.csv", runGrown(m)}, {"frames.csv", frameValues(m)}} {
		if f.Table != nil && len(f.Table.Rows) > 0 {
			files = append(files, f)
		}
	}
	for i := range m.Queries {
		q := &m.Queries[i]
		files = append(files, File{fmt.Sprintf("statement_%d_%s.csv", i+1, fileName(q.Name)), queryValues(q)})
	}
	return files
}

// fileName replaces characters that some file systems do not allow with underscores.
func fileName(s string) string {
	out := []byte(s)
	for i, c := range out {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			out[i] = '_'
		}
	}
	return string(out)
}

// maybe returns a figure, or an empty cell for nil.
func maybe[T real](v *T) Cell {
	if v == nil {
		return text("")
	}
	return figure(*v)
}

func histogramBinsOf(m *result.Measured) *Table {
	t := &Table{ID: "histograms", Columns: []Column{name("quantity"), name("unit"), name("of"), number("from"),
		number("to"), number("elements")}}
	add := func(quantity, unit, of string, d *result.Distribution) {
		if d == nil {
			return
		}
		for _, b := range d.Bins {
			t.add(text(quantity), text(unit), text(of), compact(b.From), compact(b.To), compact(b.Elements))
		}
	}
	for _, e := range m.Edges {
		add("occupancy", "elements", e.Edge, e.Occupancy)
		add("latency", "s", e.Edge, e.Latency)
	}
	for i := range m.Paths {
		p := &m.Paths[i]
		add("latency from source to sink", "s", p.From+" to "+p.To, p.Latency)
	}
	for _, k := range m.Kernels {
		add("service time", "s", k.Kernel, k.Service)
	}
	return t
}

func frameValues(m *result.Measured) *Table {
	t := &Table{ID: "frames", Columns: []Column{number("frame"), time("start"), time("end"), name("of"),
		counted("sent", "elements"), counted("consumed", "elements"), rate("rate"), number("backpressure"),
		counted("mean occupancy", "elements"), time("mean latency"), number("utilization"), time("service time")}}
	none := text("")
	for _, f := range m.Frames {
		for e, x := range f.Edges {
			stored := none
			if x.Occupancy != nil {
				stored = compact(*x.Occupancy)
			}
			t.add(integer(f.Frame), figure(f.Start), figure(f.End), text(m.Edges[e].Edge), integer(x.Sent),
				integer(x.Consumed),
				figure(x.Rate), percent(x.Backpressure), stored, maybe(x.Latency), none, none)
		}
		for k, x := range f.Kernels {
			t.add(integer(f.Frame), figure(f.Start), figure(f.End), text(m.Kernels[k].Kernel), none, none, none, none,
				none,
				none, percent(x.Utilization), maybe(x.ServiceTime))
		}
	}
	return t.scaled()
}

// queryValues returns the frames of a measure statement. It includes the elements of a trace and the bins of a
// histogram.
func queryValues(q *result.Query) *Table {
	kind := typeOf(q)
	of := Column{Name: q.Type, Unit: q.Unit, Shown: q.Unit, Number: true}
	if len(q.Trace) > 0 {
		t := &Table{Columns: []Column{number("element"), time("time"), of}}
		for _, e := range q.Trace {
			t.add(integer(e.Index), figure(e.Time), measuredAs(kind, e.Value))
		}
		return t.scaled()
	}
	frames := q.Frames
	if len(frames) == 0 {
		frames = []result.QueryValue{q.Total}
	}
	head := []Column{number("frame"), time("start"), time("end")}
	if q.Statistic == timetrial.Hist.String() {
		from, to := of, of
		from.Name, to.Name = "from", "to"
		t := &Table{Columns: append(head, from, to, number("elements"))}
		for _, f := range frames {
			if f.Samples == nil {
				continue
			}
			for _, b := range f.Samples.Bins {
				t.add(integer(f.Frame), maybe(f.Start), maybe(f.End), measuredAs(kind, b.From), measuredAs(kind, b.To),
					compact(b.Elements))
			}
		}
		return t.scaled()
	}
	t := &Table{Columns: append(head, of, number("samples"), number("polls"), number("samples > 0"))}
	for _, f := range frames {
		samples, measured := text(""), text("")
		if f.Samples != nil {
			samples = integer(f.Samples.Samples)
		}
		if f.Value != nil {
			measured = measuredAs(kind, *f.Value)
		}
		t.add(integer(f.Frame), maybe(f.Start), maybe(f.End), measured, samples, integer(f.Looks), integer(f.Held))
	}
	return t.scaled()
}

// CSVEnding is the extension of CSV files.
const CSVEnding = ".csv"

// InOneFile reports whether a path names a file for all tables. Otherwise it names a folder.
func InOneFile(path string) bool { return strings.HasSuffix(path, CSVEnding) }

// FilesOf returns tables as files named by table ID.
func FilesOf(tables []*Table) []File {
	var files []File
	for _, t := range tables {
		files = append(files, File{Name: t.ID + CSVEnding, Table: t})
	}
	return files
}

// SaveFiles writes tables as CSV into one file if the path ends in .csv, and into a folder otherwise. It returns a
// sentence about the files.
func SaveFiles(path string, files []File, version string) (string, error) {
	if InOneFile(path) {
		return "wrote " + path, output.WriteFile(path, func(w io.Writer) error {
			if _, err := fmt.Fprintf(w, "%s %s\n", output.TablesMark, version); err != nil {
				return err
			}
			return writeTables(w, files)
		})
	}
	var names []string
	var errs []error
	for _, f := range files {
		if err := output.WriteFile(filepath.Join(path, f.Name), f.Table.WriteCSV); err != nil {
			errs = append(errs, err)
			continue
		}
		names = append(names, f.Name)
	}
	errs = append(errs, output.Record(path, names))
	return fmt.Sprintf("wrote %s into %s", units.Counted(len(names), "table", "tables"), path), errors.Join(errs...)
}

// writeTables writes tables into one file. A line with the title precedes each table.
func writeTables(w io.Writer, files []File) error {
	for i, f := range files {
		head := "\n# "
		if i == 0 {
			head = "# "
		}
		title := strings.TrimSuffix(f.Name, CSVEnding)
		if f.Table.Title != "" {
			title += ": " + strings.ReplaceAll(f.Table.Title, "\n", " ")
		}
		if _, err := fmt.Fprintf(w, "%s%s\n", head, title); err != nil {
			return err
		}
		if err := f.Table.WriteCSV(w); err != nil {
			return err
		}
	}
	return nil
}
