package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestFrontIsAStaircase checks the points, steps and links of a front of throughput and cores, and that the page opens
// with it and has no second chart of the same objectives.
func TestFrontIsAStaircase(t *testing.T) {
	r := &result.Result{Search: &result.Search{Objectives: []string{"throughput", "cores"}}}
	for _, x := range []struct {
		name  string
		rate  result.Number
		cores int
	}{{"1", 106e6, 3}, {"2", 53e6, 2}, {"3", 53e6, 2}, {"4", 18e6, 1}} {
		r.Candidates = append(r.Candidates, result.Candidate{Name: x.name, Throughput: x.rate,
			Resources: make([]result.Share, x.cores), Measures: &result.Measures{Cores: x.cores}})
	}
	c := frontOf(r)
	if c == nil || c.ID != frontID || c.Series[0].Kind != Steps {
		t.Fatalf("%+v", c)
	}
	points := c.Series[1]
	if !slices.Equal(points.X, []float64{1, 2, 3}) || !slices.Equal(points.Y, []float64{18, 53, 106}) ||
		!slices.Equal(c.Series[0].Y, points.Y) {
		t.Errorf("points %v, %v; steps %v", points.X, points.Y, c.Series[0].Y)
	}
	if want := []string{"mapping 4: 1 core: 18 MB/s", "mappings 2 = 3: +1 core: +35 MB/s",
		"mapping 1: +1 core: +53 MB/s"}; !slices.Equal(points.Labels, want) {
		t.Errorf("labels %q", points.Labels)
	}
	if want := []string{"candidate-4", "candidate-2", "candidate-1"}; !slices.Equal(points.Links, want) {
		t.Errorf("links %q", points.Links)
	}
	var charts []string
	for _, s := range Of(r).Sections {
		for i, x := range s.Parts {
			if x.Chart != nil {
				charts = append(charts, x.Chart.ID)
			}
			if x.Chart != nil && x.Chart.ID == frontID && (s.ID != "answer" || i > 0) {
				t.Errorf("the front is part %d of %s", i, s.ID)
			}
		}
	}
	if !slices.Contains(charts, frontID) || slices.Contains(charts, "pareto-cores") {
		t.Errorf("charts %q", charts)
	}
	r.Search.Objectives = append(r.Search.Objectives, "latency")
	if frontOf(r) != nil {
		t.Error("a front of three objectives has a staircase, which shows only two")
	}
}

// TestLatencyNamesLoad checks that latencies at different loads have headings: at 90 % or the least
// throughput in a search, and at full load in the table of buffers.
func TestLatencyNamesLoad(t *testing.T) {
	r := &result.Result{Candidates: []result.Candidate{{Throughput: 1e6}},
		Search: &result.Search{Objectives: []string{"latency"}}}
	heads := func() (list []string) {
		for _, c := range candidateColumns(r) {
			list = append(list, c.Name)
		}
		return list
	}
	if got := heads(); !slices.Contains(got, "latency at 90 %") || slices.Contains(got, "latency") {
		t.Errorf("headings %q", got)
	}
	r.Search.MinThroughput = 2e6
	if got := heads(); !slices.Contains(got, "latency at 2 MB/s") {
		t.Errorf("headings with a least throughput %q", got)
	}
	f := &result.BufferFront{Max: 1, Points: []result.BufferPoint{{Throughput: 1}}}
	if BufferFrontTable(f).column("latency at 100 %") < 0 {
		t.Error("the latency of buffers has another heading")
	}
}

// TestFrontExtremes checks that a front that does not fit shows the best and the worst in each objective, and names
// hidden mappings.
func TestFrontExtremes(t *testing.T) {
	r := wellResult()
	c := r.Candidates[0]
	r.Search = &result.Search{Objectives: []string{"throughput", "latency"}}
	r.Candidates = nil
	for i, x := range [][2]float64{{155, 6.5}, {151, 3.7}, {147, 3.6}, {143, 2.3}, {137, 2.2}, {135, 2.1}, {112, 2},
		{82, 1}} {
		c.Name, c.Throughput = fmt.Sprint(i+1), result.Number(1e6*x[0])
		c.Latency = &result.Latency{Seconds: result.Number(1e-6 * x[1])}
		r.Candidates = append(r.Candidates, c)
	}
	var table *Table
	for _, p := range Short(r, nil) {
		if p.Table != nil && p.Table.ID == "candidate-table" {
			table = p.Table
		}
	}
	var names []string
	for _, row := range table.Rows {
		names = append(names, row.Cells[0].Text)
	}
	if got := strings.Join(names, " "); got != "1 2 3 8" || !strings.Contains(table.Note, "4 of 8") ||
		!strings.Contains(table.Note, "hidden: 4, 5, 6, ") || !strings.Contains(table.Title, "8 mappings") {
		t.Errorf("rows %s, note %q", got, table.Note)
	}
	if short, _ := table.Top(2); short.Rows[1].Cells[0].Text != "8" {
		t.Errorf("the second of two rows is %+v", short.Rows[1].Cells[0])
	}
}
