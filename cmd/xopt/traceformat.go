package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/cmd/faults"
	"xopt/deploy/trace"
	"xopt/internal/files/output"
)

// The formats of a trace that is written, by the endings of their files; a folder has none.
const (
	formatOwn      = ".xtrace"
	formatCSV      = ".csv"
	formatVCD      = ".vcd"
	formatPerfetto = ".pftrace"
	formatFolder   = "folder"
)

// fileFormats lists those that are files.
const fileFormats = ".xtrace (xopt's own), .csv, .vcd, .pftrace (Perfetto), or .csv.gz, .vcd.gz, .pftrace.gz"

// compressedEnding follows the ending of a format whose file is compressed by gzip.
const compressedEnding = ".gz"

// outputFormat is the format that a name asks for: a file's its ending says; a folder is there already, ends with a /,
// or has no ending.
func outputFormat(path string) (string, error) {
	info, err := os.Stat(path)
	isFolder := err == nil && info.IsDir()
	ending := strings.ToLower(filepath.Ext(path))
	switch {
	case path == "":
		return "", nil
	case isFolder || strings.HasSuffix(path, string(filepath.Separator)):
		return formatFolder, nil
	case ending == "" && err == nil:
		return "", faults.WrongTraceFormat.Errorf("%s is a file without an ending that names a format: want %s, or a "+
			"folder for .ts files", path, fileFormats)
	case ending == "":
		return formatFolder, nil
	}
	if format, err := fileFormat(path); err == nil {
		return format, nil
	}
	return "", faults.WrongTraceFormat.Errorf("%s: no format of a trace ends with %s: want %s, or, for a folder of "+
		".ts files, a name without an ending or with a / at its end", path, ending, fileFormats)
}

// isCompressed reports whether the name of a file asks for compression.
func isCompressed(path string) bool { return strings.EqualFold(filepath.Ext(path), compressedEnding) }

// fileFormat is the format that the ending of a file's name says, without that of compression.
func fileFormat(path string) (string, error) {
	name := path
	if isCompressed(path) {
		name = path[:len(path)-len(compressedEnding)]
	}
	switch ending := strings.ToLower(filepath.Ext(name)); ending {
	case formatOwn:
		if name != path {
			return "", faults.WrongTraceFormat.Errorf("%s: a table is not compressed, it is small already: want %s",
				path, fileFormats)
		}
		return ending, nil
	case formatCSV, formatVCD, formatPerfetto:
		return ending, nil
	case "":
		return "", faults.WrongTraceFormat.Errorf("%s has no ending that names a format: want %s", path, fileFormats)
	default:
		return "", faults.WrongTraceFormat.Errorf("%s: no format of a trace ends with %s: want %s", path,
			ending, fileFormats)
	}
}

// traceKind is what a file of a format holds.
func traceKind(path, format string) output.Kind {
	if isCompressed(path) {
		return output.EventsGzip()
	}
	switch format {
	case formatCSV:
		return output.EventsCSV()
	case formatVCD:
		return output.EventsVCD()
	case formatPerfetto:
		return output.EventsPerfetto()
	}
	return output.Events()
}

// writeTrace writes a trace in a format.
func (a *app) writeTrace(path, format string, t trace.Table) error {
	write := trace.WritePerfetto
	switch format {
	case formatFolder:
		return a.writeTS(path, t)
	case formatOwn:
		return trace.Copy(path, t)
	case formatCSV:
		write = trace.WriteCSV
	case formatVCD:
		write = func(w io.Writer, t trace.Table) error { return trace.WriteVCD(w, t, version()) }
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

// writeTS writes a trace as .ts files. Folders that were made for files which could not be written are removed.
func (a *app) writeTS(folder string, t trace.Table) (err error) {
	names, err := trace.TSFiles(t)
	if err != nil {
		return err
	}
	var made []string
	defer func() {
		for _, m := range made {
			if err != nil {
				_ = os.Remove(m) // what is not empty stays
			}
		}
	}()
	p := a.plan()
	times := ""
	for _, n := range names {
		path := filepath.Join(folder, n)
		switch filepath.Ext(n) {
		case ".dat":
			p.Beside("-o", path, times, output.TS())
			continue
		case ".ts":
			times = path
		}
		more, err := makeFolder(filepath.Dir(path))
		if made = append(more, made...); err != nil {
			return fmt.Errorf("-o: making the folder: %w", err)
		}
		if n == trace.TSListName {
			p.File("-o", path, output.TSList())
			continue
		}
		p.File("-o", path, output.TS())
	}
	if err := planned(p); err != nil {
		return err
	}
	return trace.WriteTS(folder, t)
}

// makeFolder makes a folder and those that it is in, and returns those that were not there, the innermost first.
func makeFolder(path string) (made []string, err error) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	return made, os.MkdirAll(path, 0o755)
}
