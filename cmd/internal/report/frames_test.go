package report

import (
	"fmt"
	"testing"

	"xopt/mapper/result"
)

// TestFewStandOut checks that of many lines three are highlighted, the next forty are background, and the note counts
// the others. Few lines are all highlighted.
func TestFewStandOut(t *testing.T) {
	for _, c := range []struct {
		lines, faint int
		note         string
	}{
		{4, 0, ""},
		{20, 17, "In color: the 3 busiest kernels. Gray: 17 other lines (point at them for their names)."},
		{50, 40, "In color: the 3 busiest kernels. Gray: 40 other lines (point at them for their names); 7 more " +
			"lines are not drawn."},
	} {
		chart := &Chart{}
		for i := range c.lines {
			chart.Series = append(chart.Series, Series{Name: fmt.Sprint(i), Kind: Steps})
		}
		chart.few("busiest kernels")
		faint := 0
		for i := range chart.Series {
			if chart.Series[i].Faint {
				faint++
			}
		}
		if faint != c.faint || chart.Note != c.note || chart.Series[0].Faint {
			t.Errorf("%d lines: %d faint, note %q; want %d, %q", c.lines, faint, chart.Note, c.faint, c.note)
		}
	}
}

// TestSweepScales checks that the axes of a sweep have suitable prefixes, not 1e+07 B/s.
func TestSweepScales(t *testing.T) {
	s := &result.Sweep{Varied: []result.Varied{{Name: "PCI.bandwidth", Unit: "B/s",
		Values: []string{"10000000", "100000000"}}}, Mappings: []string{"proc[1]: a"}}
	for i, v := range s.Varied[0].Values {
		s.Points = append(s.Points, result.SweptPoint{Values: []string{v}, Throughput: result.Number(2e6 * (1 + i))})
	}
	c := SweepChart(s)
	if c.X.Name != "PCI.bandwidth (MB/s)" || c.Y.Name != "throughput (MB/s)" {
		t.Errorf("axes %q and %q", c.X.Name, c.Y.Name)
	}
	if line := c.Series[0]; line.X[1] != 100 || line.Y[1] != 4 {
		t.Errorf("the second point is at %v, %v; want 100, 4", line.X[1], line.Y[1])
	}
}

// TestSweepAlong checks that a chart is drawn along the setting with the most values, with a line for each value of
// the other. Coinciding lines are one with both names, and the chart says so.
func TestSweepAlong(t *testing.T) {
	s := &result.Sweep{Varied: []result.Varied{{Name: "bus.bandwidth", Unit: "B/s", Values: []string{"1e6", "2e6",
		"3e6"}}, {Name: "fpga", Values: []string{"1", "2"}}}, Mappings: []string{"proc[1]: a"}}
	for _, b := range s.Varied[0].Values {
		for _, f := range s.Varied[1].Values {
			s.Points = append(s.Points, result.SweptPoint{Values: []string{b, f}, Throughput: 1e6})
		}
	}
	const tied = "fpga = 1 and fpga = 2"
	c := SweepChart(s)
	if len(c.Series) != 1 || c.Series[0].Name != tied || c.Note != "One line represents "+tied+", which have the "+
		"same values." {
		t.Errorf("of a tie: %+v, note %q", c.Series, c.Note)
	}
	s.Points[5].Throughput = 2e6
	c = SweepChart(s)
	if len(c.Series) != 2 || c.Series[0].Name != "fpga = 1" || c.Series[1].Name != "fpga = 2" {
		t.Fatalf("series %+v", c.Series)
	}
	if x := c.Series[1].X; len(x) != 3 || x[0] != 1 || x[2] != 3 || c.X.Name != "bus.bandwidth (MB/s)" {
		t.Errorf("along %q: %v", c.X.Name, x)
	}
}
