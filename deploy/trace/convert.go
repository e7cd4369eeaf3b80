package trace

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// Format is the format of a trace to write, named by its file extension; "" for none.
type Format string

// The formats of traces to write.
const (
	Own      Format = ".xtrace"
	CSV      Format = ".csv"
	VCD      Format = ".vcd"
	Perfetto Format = ".pftrace"
	TSFolder Format = "folder" // folder of .ts files
)

// fileFormats lists the formats that are single files.
const fileFormats = ".xtrace (xopt's own), .csv, .vcd, .pftrace (Perfetto), or .csv.gz, .vcd.gz, .pftrace.gz"

// compressedEnding is the additional extension of a gzip-compressed file.
const compressedEnding = ".gz"

// OutputFormat returns the format of a path, by its extension. A path is a folder if it already exists as one, ends
// with a slash, or has no extension.
func OutputFormat(path string) (Format, error) {
	info, err := os.Stat(path)
	isFolder := err == nil && info.IsDir()
	ending := strings.ToLower(filepath.Ext(path))
	switch {
	case path == "":
		return "", nil
	case isFolder || strings.HasSuffix(path, string(filepath.Separator)):
		return TSFolder, nil
	case ending == "" && err == nil:
		return "", fault.WrongTraceFormat.Errorf("%s has no extension that names a format: expected %s, or a "+
			"folder for .ts files", path, fileFormats)
	case ending == "":
		return TSFolder, nil
	}
	if format, err := FileFormat(path); err == nil {
		return format, nil
	}
	return "", fault.WrongTraceFormat.Errorf("%s: no trace format has the extension %s: expected %s, or, for a "+
		"folder of .ts files, a name without an extension or with a trailing /", path, ending, fileFormats)
}

// isCompressed reports whether a file name ends in .gz.
func isCompressed(path string) bool { return strings.EqualFold(filepath.Ext(path), compressedEnding) }

// FileFormat returns the format of a file by its extension, ignoring the compression extension.
func FileFormat(path string) (Format, error) {
	name := path
	if isCompressed(path) {
		name = path[:len(path)-len(compressedEnding)]
	}
	switch ending := Format(strings.ToLower(filepath.Ext(name))); ending {
	case Own:
		if name != path {
			return "", fault.WrongTraceFormat.Errorf("%s: xopt does not compress .xtrace files: expected %s",
				path, fileFormats)
		}
		return ending, nil
	case CSV, VCD, Perfetto:
		return ending, nil
	case "":
		return "", fault.WrongTraceFormat.Errorf("%s has no extension that names a format: expected %s", path,
			fileFormats)
	default:
		return "", fault.WrongTraceFormat.Errorf("%s: no trace format has the extension %s: expected %s", path,
			ending, fileFormats)
	}
}

// Kind returns the kind of the file at a path in this format.
func (f Format) Kind(path string) output.Kind {
	if isCompressed(path) {
		return output.EventsGzip()
	}
	switch f {
	case CSV:
		return output.EventsCSV()
	case VCD:
		return output.EventsVCD()
	case Perfetto:
		return output.EventsPerfetto()
	}
	return output.Events()
}

// Target is the destination of a trace, a file or folder, with its format.
type Target struct {
	Path    string
	Format  Format
	Version string       // version of the program, for the header of a VCD file
	Plan    *output.Plan // plan of a folder of .ts files
}

// Save writes a trace to a target.
func (x *Target) Save(t Table) error {
	path, write := x.Path, WritePerfetto
	switch x.Format {
	case TSFolder:
		return x.saveTS(t)
	case Own:
		return Copy(path, t)
	case CSV:
		write = WriteCSV
	case VCD:
		write = func(w io.Writer, t Table) error { return WriteVCD(w, t, x.Version) }
	}
	return output.WriteFile(path, func(w io.Writer) (err error) {
		if !isCompressed(path) {
			return write(w, t)
		}
		z := gzip.NewWriter(w)
		z.Comment = output.GzipMark
		defer func() { err = errors.Join(err, z.Close()) }()
		return write(z, t)
	})
}

// saveTS writes a trace as .ts files. If files cannot be written, it removes the folders that it created for them.
func (x *Target) saveTS(t Table) (err error) {
	names, err := TSFiles(t)
	if err != nil {
		return err
	}
	var made []string
	defer func() {
		for _, m := range made {
			if err != nil {
				_ = os.Remove(m) // only an empty folder is removed
			}
		}
	}()
	folder, p := x.Path, x.Plan
	times := ""
	for _, n := range names {
		path := filepath.Join(folder, n)
		switch filepath.Ext(n) {
		case ".dat":
			p.AddWith("-o", path, times, output.TS())
			continue
		case ".ts":
			times = path
		}
		more, err := makeFolder(filepath.Dir(path))
		if made = append(more, made...); err != nil {
			return fmt.Errorf("-o: creating the folder: %w", err)
		}
		if n == TSListName {
			p.File("-o", path, output.TSList())
			continue
		}
		p.File("-o", path, output.TS())
	}
	if err := p.Err(); err != nil {
		return err
	}
	return WriteTS(folder, t)
}

// makeFolder creates a folder and its missing parents. It returns the created folders, the innermost first.
func makeFolder(path string) (made []string, err error) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	return made, os.MkdirAll(path, 0o755)
}

// InWindow returns the part of a trace in a time window such as 10ms..12ms; "" selects the complete trace.
func InWindow(t Table, window string) (Table, error) {
	if window == "" {
		return t, nil
	}
	var ends [2]int64
	from, to, ok := strings.Cut(window, "..")
	for i, text := range []string{from, to} {
		seconds, err := units.ParseTime(text)
		if err == nil {
			ends[i], err = Time(seconds)
		}
		if err != nil || !ok {
			return nil, faults.WrongInterval.Errorf("%q is not FROM..TO, two times such as 10ms..12ms: %w", window,
				cmp.Or(err, errors.New("the two dots are missing")))
		}
	}
	if ends[0] >= ends[1] {
		return nil, faults.WrongInterval.Errorf("the window %s must begin before it ends", window)
	}
	return Window(t, ends[0], ends[1]), nil
}

// CreateAs starts a trace for path. It writes a trace in the format [Own] to path, and other traces to a temporary
// file.
func CreateAs(path string) (*FileWriter, error) {
	if format, err := FileFormat(path); err != nil || format == Own {
		return Create(path)
	}
	return CreateTemp()
}

// convert writes a finished trace in the format of its target.
func (w *FileWriter) convert(x *Target) (err error) {
	if x.Format == Own {
		return nil
	}
	t, err := w.OpenTemp()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return x.Save(t)
}

// FinishTo completes a trace started by [CreateAs] and writes it to its target.
func (w *FileWriter) FinishTo(x *Target, h *Header) error {
	if err := w.Finish(h); err != nil {
		return err
	}
	return w.convert(x)
}
