package main

import (
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/internal/output"
	"xopt/internal/result"
	"xopt/internal/view"
	"xopt/internal/view/plots"
)

// sweepNames are those of the files that --plots asks for.
func sweepNames() []string { return append(plots.ChartNames(&view.Chart{ID: sweepID}), sweepID+".csv") }

// sweepID begins them.
const sweepID = "sweep"

// planSweep checks what a sweep will write.
func (a *app) planSweep(files []string, f *sweepFlags) error {
	p := a.plan()
	if f.csv != "" {
		p.File("--csv", f.csv, output.SweepTable())
	}
	if a.settings.Plots != "" {
		p.Folder("--plots", a.settings.Plots, sweepNames()...)
	}
	p.Read(append([]string{a.settings.Profile}, files...)...)
	return planned(p)
}

// saveSweep writes the table, and a picture of throughput over what varies fastest, a line for
// each combination of the others, with a mark where another mapping becomes the best.
func (a *app) saveSweep(f *sweepFlags, s *sweeping) error {
	table := func(w io.Writer) error { return csv.NewWriter(w).WriteAll(s.plain()) }
	var err error
	if f.csv != "" {
		if err = output.WriteFile(f.csv, table); err == nil {
			a.note("wrote %s", f.csv)
		}
	}
	if a.settings.Plots == "" {
		return err
	}
	e := errors.Join(output.WriteFile(filepath.Join(a.settings.Plots, sweepID+".csv"), table),
		plots.Chart(a.settings.Plots, sweepChart(s.list, s.done.Points)), output.Record(a.settings.Plots, sweepNames()))
	if e == nil {
		a.note("wrote sweep.svg, sweep.png and sweep.csv into %s", a.settings.Plots)
	}
	return errors.Join(err, e)
}

// sweepChart is the picture of a sweep.
func sweepChart(list []varied, points []result.SweptPoint) *view.Chart {
	x := list[len(list)-1]
	c := &view.Chart{ID: sweepID, Title: "The best mapping at each point, predicted", X: view.Axis{Name: x.name,
		Log: x.unit != ""}, Y: view.Axis{Name: "throughput (B/s)"}}
	if x.unit != "" {
		c.X.Name += " (" + x.unit + ")"
	}
	changes := view.Series{Name: "another mapping", Kind: view.Markers}
	numbers := true
	for i := range points {
		if _, err := strconv.ParseFloat(points[i].Values[len(list)-1], 64); err != nil {
			numbers = false
		}
	}
	if !numbers {
		c.X.Log, c.X.Categories = false, x.values
	}
	for i := range points {
		p := &points[i]
		at := float64(i % len(x.values))
		if numbers {
			at, _ = strconv.ParseFloat(p.Values[len(list)-1], 64) //nolint:errcheck // it was read above
		}
		if i%len(x.values) == 0 {
			var name []string
			for j, v := range p.Values[:len(list)-1] {
				name = append(name, list[j].name+" = "+list[j].show(v))
			}
			c.Series = append(c.Series, view.Series{Name: strings.Join(name, ", "), Kind: view.Line})
		} else if points[i-1].Mapping != p.Mapping && p.Mapping >= 0 {
			changes.X, changes.Y = append(changes.X, at), append(changes.Y, float64(p.Throughput))
		}
		if p.Mapping >= 0 {
			s := &c.Series[len(c.Series)-1]
			s.X, s.Y = append(s.X, at), append(s.Y, float64(p.Throughput))
		}
	}
	if len(changes.X) > 0 {
		c.Series = append(c.Series, changes)
	}
	return c
}
