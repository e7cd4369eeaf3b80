package main

import (
	"slices"
	"testing"
	"xopt/cmd/internal/settings"
)

// TestTablesOfDataSets checks that with several data sets --csv writes separate folders or files.
func TestTablesOfDataSets(t *testing.T) {
	for _, c := range []struct {
		csv    string
		inputs []string
		want   []string
	}{
		{"", []string{"day.dat", "night.dat"}, []string{"", ""}},
		{"tables", nil, []string{"tables"}},
		{"tables", []string{"day.dat"}, []string{"tables"}},
		{"tables", []string{"day.dat", "night.dat"}, []string{"tables/app.day", "tables/app.night"}},
		{"x.csv", []string{"a/day.dat", "b/day.dat"}, []string{"x.app.day.csv", "x.app.day.2.csv"}},
	} {
		a := &app{}
		a.settings.CSV = c.csv
		f := settings.Calibrate{Inputs: c.inputs}
		if got := a.profileTables(f.Profiles("app.profile.json")); !slices.Equal(got, c.want) {
			t.Errorf("--csv %q of %v: %q, want %q", c.csv, c.inputs, got, c.want)
		}
	}
}
