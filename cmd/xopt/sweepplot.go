package main

import (
	"errors"
	"path/filepath"

	"xopt/internal/output"
	"xopt/internal/view"
	"xopt/internal/view/plots"
)

// sweepNames are those of the files that --plots asks for.
func sweepNames() []string {
	return append(plots.ChartNames(&view.Chart{ID: view.SweepID}), view.SweepID+".csv")
}

// sweepName is what the report of a sweep is called.
func sweepName(files []string) string { return baseName(files) + ".sweep" }

// planSweep checks what a sweep will write.
func (a *app) planSweep(files []string) error {
	p := a.plan()
	a.planTables(p, output.SweepTable(), view.SweepID+csvEnding)
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
	table := view.SweepTable(s.result()).WriteCSV
	var err error
	if inOneFile(a.settings.CSV) { // without a line above it: there is one table
		if err = output.WriteFile(a.settings.CSV, table); err == nil {
			a.note("wrote %s", a.settings.CSV)
		}
	} else {
		err = a.saveTables([]*view.Table{view.SweepTable(s.result())})
	}
	if a.settings.Plots == "" {
		return err
	}
	e := errors.Join(output.WriteFile(filepath.Join(a.settings.Plots, view.SweepID+".csv"), table),
		plots.Chart(a.settings.Plots, view.SweepChart(s.result())), output.Record(a.settings.Plots, sweepNames()))
	if e == nil {
		a.note("wrote sweep.svg, sweep.png and sweep.csv into %s", a.settings.Plots)
	}
	return errors.Join(err, e)
}
