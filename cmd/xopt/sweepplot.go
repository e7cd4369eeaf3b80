package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/internal/report"
	"xopt/internal/report/plots"
	"xopt/internal/report/view"
)

// drawSweep writes a picture of throughput over what varies fastest, a line for each
// combination of the others, with a mark where another mapping becomes the best, and the
// table.
func drawSweep(folder string, list []varied, points []point, table func(io.Writer) error) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making a folder for pictures: %w", err)
	}
	if err := report.WriteFile(filepath.Join(folder, "sweep.csv"), table); err != nil {
		return err
	}
	return plots.Chart(folder, sweepChart(list, points))
}

func sweepChart(list []varied, points []point) *view.Chart {
	x := list[len(list)-1]
	c := &view.Chart{ID: "sweep", Title: "The best mapping at each point, predicted", X: view.Axis{Name: x.name, Log: x.unit != ""}, Y: view.Axis{Name: "throughput (B/s)"}}
	if x.unit != "" {
		c.X.Name += " (" + x.unit + ")"
	}
	changes := view.Series{Name: "another mapping", Kind: view.Markers}
	numbers := true
	for i := range points {
		if _, err := strconv.ParseFloat(points[i].values[len(list)-1], 64); err != nil {
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
			at, _ = strconv.ParseFloat(p.values[len(list)-1], 64) //nolint:errcheck // it was read above
		}
		if i%len(x.values) == 0 {
			var name []string
			for j, v := range p.values[:len(list)-1] {
				name = append(name, list[j].name+" = "+list[j].show(v))
			}
			c.Series = append(c.Series, view.Series{Name: strings.Join(name, ", "), Kind: view.Line})
		} else if points[i-1].mapping != p.mapping && p.mapping >= 0 {
			changes.X, changes.Y = append(changes.X, at), append(changes.Y, p.throughput)
		}
		if p.mapping >= 0 {
			s := &c.Series[len(c.Series)-1]
			s.X, s.Y = append(s.X, at), append(s.Y, p.throughput)
		}
	}
	if len(changes.X) > 0 {
		c.Series = append(c.Series, changes)
	}
	return c
}
