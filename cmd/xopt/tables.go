package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"xopt/cmd/internal/report"
	"xopt/internal/files/output"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// csvEnding is the end of the name that --csv has where all tables go into one file.
const csvEnding = ".csv"

// inOneFile reports whether a value of --csv names a file, not a folder.
func inOneFile(path string) bool { return strings.HasSuffix(path, csvEnding) }

// tablesOf is where the tables of one of several go that --csv covers: PATH/NAME, or PATH.NAME.csv for PATH.csv.
func (a *app) tablesOf(name string) string {
	if stem, ok := strings.CutSuffix(a.settings.CSV, csvEnding); ok {
		return stem + "." + name + csvEnding
	}
	return filepath.Join(a.settings.CSV, name)
}

// planTables plans what --csv names: a file where its name ends in .csv, else a folder with a file for each table.
// Patterns are of the names of those files; without one, every CSV file of the folder may be replaced.
func (a *app) planTables(p *output.Plan, kind output.Kind, patterns ...string) {
	planTablesAt(p, a.settings.CSV, kind, patterns...)
}

func planTablesAt(p *output.Plan, path string, kind output.Kind, patterns ...string) {
	switch {
	case path == "":
	case inOneFile(path):
		p.File("--csv", path, kind)
	case len(patterns) == 0:
		p.Folder("--csv", path, "*"+csvEnding)
	default:
		p.Folder("--csv", path, patterns...)
	}
}

// saveResultTables writes the tables of a result where --csv says.
func (a *app) saveResultTables(r *result.Result) error {
	if a.settings.CSV == "" {
		return nil
	}
	return a.saveTables(report.Tables(r))
}

// saveTables writes tables where --csv says.
func (a *app) saveTables(tables []*report.Table) error { return a.saveTablesAt(a.settings.CSV, tables) }

func (a *app) saveTablesAt(path string, tables []*report.Table) error {
	var files []report.File
	for _, t := range tables {
		files = append(files, report.File{Name: t.ID + csvEnding, Table: t})
	}
	return a.saveFilesAt(path, files)
}

// saveFiles writes tables with their names where --csv says.
func (a *app) saveFiles(files []report.File) error { return a.saveFilesAt(a.settings.CSV, files) }

func (a *app) saveFilesAt(path string, files []report.File) error {
	if path == "" || len(files) == 0 {
		return nil
	}
	if inOneFile(path) {
		err := output.WriteFile(path, func(w io.Writer) error { return writeTables(w, files) })
		if err == nil {
			a.note("wrote %s", path)
		}
		return err
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
	err := errors.Join(errs...)
	if err == nil {
		a.note("wrote %s into %s", units.Counted(len(names), "table", "tables"), path)
	}
	return err
}

// writeTables writes tables into one file, each after a line that says which.
func writeTables(w io.Writer, files []report.File) error {
	for i, f := range files {
		head := "\n# "
		if i == 0 {
			head = output.TablesMark + " " + version() + "\n# "
		}
		title := strings.TrimSuffix(f.Name, csvEnding)
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

// planPage plans the page NAME.html that --report asks for.
func (a *app) planPage(p *output.Plan, name string) {
	if a.settings.Report != "" {
		folder, base := a.reportAt(name)
		if a.reportIsFile() {
			p.File("--report", filepath.Join(folder, base+pageEnding), output.Page())
		} else {
			p.Into("--report", folder, map[string]output.Kind{base + pageEnding: output.Page()})
		}
	}
}

// keepPage writes the page NAME.html into the folder that --report names, if it does.
func (a *app) keepPage(name string, p *report.Page) error {
	if a.settings.Report == "" {
		return nil
	}
	path := filepath.Join(a.reportAt(name)) + pageEnding
	err := writePage(path, p)
	if err == nil {
		a.note("wrote %s", path)
	}
	return err
}
