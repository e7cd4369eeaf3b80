package main

import (
	"path/filepath"
	"strings"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/page"
	"xopt/cmd/internal/report/plots"
	"xopt/internal/files/output"
	"xopt/mapper/result"
)

// tablesOf returns the path of the tables of one item for --csv, if a command has several items. The path is
// PATH/NAME, or PATH.NAME.csv if the option is PATH.csv.
func (a *app) tablesOf(name string) string {
	if stem, ok := strings.CutSuffix(a.settings.CSV, report.CSVEnding); ok {
		return stem + "." + name + report.CSVEnding
	}
	return filepath.Join(a.settings.CSV, name)
}

// planTables adds the files of --csv to the plan. If the name ends in .csv, --csv is one file. Otherwise it is a folder
// with one file per table. patterns match the names of these files. Without patterns, the command may replace every CSV
// file in the folder.
func (a *app) planTables(p *output.Plan, kind output.Kind, patterns ...string) {
	planTablesAt(p, a.settings.CSV, kind, patterns...)
}

func planTablesAt(p *output.Plan, path string, kind output.Kind, patterns ...string) {
	switch {
	case report.InOneFile(path):
		p.File("--csv", path, kind)
	case len(patterns) == 0:
		p.Folder("--csv", path, "*"+report.CSVEnding)
	default:
		p.Folder("--csv", path, patterns...)
	}
}

// saveResultTables writes the tables of a result to --csv.
func (a *app) saveResultTables(r *result.Result) error {
	if a.settings.CSV == "" {
		return nil
	}
	return a.saveTables(report.Tables(r))
}

// savePlots writes a table and its charts into the folder of --plots.
func (a *app) savePlots(table *report.Table, charts ...*report.Chart) error {
	err := plots.WriteSet(a.settings.Plots, table, charts...)
	if err == nil {
		a.note("wrote plots and %s.csv into %s", table.ID, a.settings.Plots)
	}
	return err
}

// saveTables writes tables to --csv.
func (a *app) saveTables(tables []*report.Table) error {
	return a.saveFiles(a.settings.CSV, report.FilesOf(tables))
}

// saveFiles writes named tables to a file or folder of --csv.
func (a *app) saveFiles(path string, files []report.File) error {
	if path == "" || len(files) == 0 {
		return nil
	}
	text, err := report.SaveFiles(path, files, version())
	if err == nil {
		a.note("%s", text)
	}
	return err
}

// keepPage writes the page NAME.html into the folder of --report, if it is set.
func (a *app) keepPage(name string, p *report.Page) error {
	if a.settings.Report == "" {
		return nil
	}
	path := a.place().At(name) + page.Ending
	return a.written(path, writePage(path, p))
}
