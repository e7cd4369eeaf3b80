package plots_test

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/graph"
	"xopt/cmd/internal/report/plots"
)

// TestWrite checks that every picture exists as valid SVG and PNG, and every table as CSV, for all kinds of series,
// also without data.
func TestWrite(t *testing.T) {
	axis := report.Axis{Name: "time (s)"}
	chart := func(id string, s ...report.Series) report.Part {
		return report.Part{Chart: &report.Chart{ID: id, Title: "<" + id + ">", X: axis, Y: axis, Series: s}}
	}
	categories := chart("bars", report.Series{Kind: report.Bars, X: []float64{0, 1}, Y: []float64{3, 0}})
	categories.Chart.X.Categories = []string{"a", "b"}
	boxes := chart("boxes", report.Series{Kind: report.Boxes, Boxes: [][5]float64{{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}}})
	boxes.Chart.X.Categories = []string{"a", "b"}
	log := chart("log", report.Series{Name: "a", Kind: report.Line, X: []float64{1, 10}, Y: []float64{1, 2}},
		report.Series{Name: "b", Kind: report.Steps, X: []float64{1, 10}, Y: []float64{2, 2}})
	log.Chart.X.Log = true
	diagonal := chart("diagonal", report.Series{Name: "a", Kind: report.Points, X: []float64{1, 2}, Y: []float64{1, 2}},
		report.Series{Kind: report.Markers})
	diagonal.Chart.Diagonal = true
	table := report.Part{Table: &report.Table{ID: "table", Columns: []report.Column{{Name: "rate", Unit: "B/s",
		Shown:  "MB/s",
		Number: true}}, Rows: []report.Row{{Cells: []report.Cell{{Text: "1", Value: 1e6, Valued: true}}},
		{Cells: []report.Cell{{Text: "unlimited", Value: math.Inf(1), Valued: true}}}}}}
	drawing := report.Part{Drawing: &report.Drawing{ID: "drawing",
		Graph: &graph.Graph{Nodes: []graph.Node{{Lines: []string{"<b>"}, Group: -1}, {Group: -1}},
			Edges: []graph.Edge{{To: 1, Width: 1}}}}}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	page := &report.Page{Sections: []report.Section{{Parts: []report.Part{categories, boxes, log, diagonal,
		chart("empty"),
		table, drawing}}}}
	if err := plots.Write(context.Background(), dir, page); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := slices.Sorted(slices.Values(plots.Names(page))); len(want) != 13 || !slices.Equal(names, want) {
		t.Fatalf("%q are written, want %q", names, want)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(f.Name()) {
		case ".png":
			if _, err := png.Decode(strings.NewReader(string(text))); err != nil {
				t.Errorf("%s: %v", f.Name(), err)
			}
		case ".svg":
			d := xml.NewDecoder(strings.NewReader(string(text)))
			d.Strict = true
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Errorf("%s: %v", f.Name(), err)
					break
				}
			}
			if f.Name() == "bars.svg" && !strings.Contains(string(text), "&lt;bars&gt;") {
				t.Error("the title is not there as text")
			}
		case ".csv":
			rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
			if err != nil || rows[0][0] != "rate (B/s)" || rows[1][0] != "1e+06" || rows[2][0] != "unlimited" {
				t.Errorf("%q: %v", rows, err)
			}
		}
	}
}

// TestLook checks that a picture has the font, the colors and the number formats of a page, and names its limits.
func TestLook(t *testing.T) {
	t.Parallel()
	c := &report.Chart{ID: "look", Title: "Look", X: report.Axis{Name: "memory (kB)", Log: true},
		Y: report.Axis{Name: "throughput (MB/s)"}, Limits: []report.Limit{{Name: "99 % of the maximum", Value: 3.6}},
		Series: []report.Series{{Name: "throughput", Kind: report.Steps, X: []float64{28.5, 100, 879},
			Y: []float64{2.06, 3.6, 3.64}},
			{Name: "chosen", Kind: report.Markers, X: []float64{100}, Y: []float64{3.6}}}}
	dir := t.TempDir()
	if err := plots.Chart(dir, c); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "look.svg"))
	if err != nil {
		t.Fatal(err)
	}
	svg := string(b)
	for _, want := range []string{"Liberation Sans", "#1D2630", "#D9E0E6", ">99 % of the maximum<", ">50<", ">100<",
		">200<", ">3.5<", ">3<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, not := range []string{"Serif", ">3.0<"} {
		if strings.Contains(svg, not) {
			t.Errorf("%q is there", not)
		}
	}
}
