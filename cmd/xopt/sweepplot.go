package main

import (
	"errors"
	"path/filepath"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/plots"
	"xopt/internal/files/output"
)

// sweepNames are those of the files that --plots asks for.
func sweepNames() []string {
	return append(plots.ChartNames(&report.Chart{ID: report.SweepID}), report.SweepID+".csv")
}

// sweepName is what the report of a sweep is called.
func sweepName(files []string) string { return baseName(files) + ".sweep" }

// planSweep checks what a sweep will write.
func (a *app) planSweep(files []string) error {
	p := a.plan()
	a.planTables(p, output.SweepTable(), report.SweepID+csvEnding)
	a.planReport(p, sweepName(files))
	if a.settings.Plots != "" {
		p.Folder("--plots", a.settings.Plots, sweepNames()...)
	}
	p.Read(append([]string{a.settings.Profile}, files...)...)
	return planned(p)
}

// saveSweep writes the table, and a picture of throughput over what varies fastest, a line for
// each combination of the others, with a mark where another mapping becomes the best.
func (a *app) saveSweep(s *sweeping) error {
	table := report.SweepTable(s.result()).WriteCSV
	var err error
	if inOneFile(a.settings.CSV) { // without a line above it: there is one table
		if err = output.WriteFile(a.settings.CSV, table); err == nil {
			a.note("wrote %s", a.settings.CSV)
		}
	} else {
		err = a.saveTables([]*report.Table{report.SweepTable(s.result())})
	}
	if a.settings.Plots == "" {
		return err
	}
	e := errors.Join(output.WriteFile(filepath.Join(a.settings.Plots, report.SweepID+".csv"), table),
		plots.Chart(a.settings.Plots, report.SweepChart(s.result())), output.Record(a.settings.Plots, sweepNames()))
	if e == nil {
		a.note("wrote sweep.svg, sweep.png and sweep.csv into %s", a.settings.Plots)
	}
	return errors.Join(err, e)
}
