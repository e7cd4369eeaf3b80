package report

import (
	"slices"
	"strings"
	"testing"

	"xopt/flow/profile"
)

// TestWideInterval: an interval wider than its figure is shown as what it is, not as a precision.
func TestWideInterval(t *testing.T) {
	p := &profile.Profile{Kernels: []profile.Kernel{{Block: "B", Platform: "C",
		ServiceRate: &profile.Figure{Value: 100, CI95: [2]float64{10, 855.47}, N: 20}}}}
	table := kernelsOnCores(p)
	at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == "±" })
	if got := table.Rows[0].Cells[at].Text; got != "more than 100" {
		t.Errorf("± is %q", got)
	}
	var csv strings.Builder
	if err := table.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(csv.String(), ",7.5547,") {
		t.Errorf("± is not a number:\n%s", csv.String())
	}
	for half, want := range map[float64]string{7.5547: "more than 100 %", 0.02: "2.00 %", 1e-6: "less than 0.01 %"} {
		if got := plusMinus(half); got != want {
			t.Errorf("%g: ± %s, want %s", half, got, want)
		}
	}
}

// TestCoLocated: a cost that cannot be told from 0 is not shown as exactly 0.
func TestCoLocated(t *testing.T) {
	for _, x := range []struct {
		cost profile.Figure
		want string
	}{
		{profile.Figure{Value: 2e-9, CI95: [2]float64{1e-9, 3e-9}, N: 20}, "+20 %"},
		{profile.Figure{Value: 0, CI95: [2]float64{0, 3e-9}, N: 20}, "≤ +30 %"},
		{profile.Figure{Value: 1e-9, CI95: [2]float64{-1e-9, 3e-9}, N: 20}, "≤ +30 %"},
		{profile.Figure{Value: 0, N: 1}, "-"},
		{profile.Figure{Value: 2e-9, N: 1}, "+20 %"},
	} {
		cell := coLocated(&x.cost, 1e8)
		if got := cell.String(); got != x.want {
			t.Errorf("of %+v it is %q, want %q", x.cost, got, x.want)
		}
	}
}
