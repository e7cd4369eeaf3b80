package report

import (
	"reflect"
	"testing"

	"xopt/mapper/result"
)

// TestSweepBands checks the bands of the best mappings along a setting, the area below the bound, and the point after
// which more brings nothing. The chart of another objective shows that objective.
func TestSweepBands(t *testing.T) {
	s := &result.Sweep{Varied: []result.Varied{{Name: "n"}}, Mappings: []string{"a", "b"}}
	for i, v := range []string{"1", "2", "3", "4", "5", "6"} {
		s.Varied[0].Values = append(s.Varied[0].Values, v)
		s.Points = append(s.Points, result.SweptPoint{Values: []string{v}, Proof: "optimal", Bound: 10e6,
			Throughput: []result.Number{4e6, 6e6, 0, 9e6, 10e6, 10e6}[i], Mapping: []int{0, 0, -1, 1, 0, 0}[i],
			Value: []result.Number{9e-6, 8e-6, 0, 7e-6, 6e-6, 5e-6}[i]})
	}
	c := SweepChart(s)
	if want := []Band{{"A", 1, 2, 1}, {"B", 4, 4.5, 2}, {"A", 4.5, 6, 1}}; !reflect.DeepEqual(c.Bands, want) {
		t.Errorf("bands %+v, want %+v", c.Bands, want)
	}
	if len(c.Limits) != 1 || c.Limits[0] != (Limit{"no gain beyond", 5, true}) {
		t.Errorf("lines %v", c.Limits)
	}
	if open := c.Series[len(c.Series)-1]; open.Kind != Area || !reflect.DeepEqual(open.Y, []float64{4, 6, 9, 10, 10}) ||
		!reflect.DeepEqual(open.Top, []float64{10, 10, 10, 10, 10}) {
		t.Errorf("the bound leaves %+v", open)
	}
	s.Points[0].Bound = 0
	if c = SweepChart(s); len(c.Series) != 1 {
		t.Errorf("without all bounds: %+v", c.Series)
	}
	s.Objective = "latency"
	if c = SweepChart(s); c.Y.Name != "latency (us)" || c.Series[0].Y[0] != 9 || len(c.Limits) != 0 {
		t.Errorf("of the latency: %q, %+v, %v", c.Y.Name, c.Series, c.Limits)
	}
	table := SweepTable(s)
	if table.Columns[1].Name != "latency" || table.Columns[2].Name != "throughput" {
		t.Errorf("columns %+v", table.Columns)
	}
}
