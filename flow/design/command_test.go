package design

import (
	"testing"

	"xopt/flow/profile"
)

// TestCalibrateCommand: the suggested command measures the data set of the profile.
func TestCalibrateCommand(t *testing.T) {
	files := []string{"app.x", "arch.x"}
	for want, got := range map[string]string{
		"xopt calibrate app.x arch.x -o p.json": calibrateCommand(Options{Files: files}, "", 0, "p.json"),
		"xopt calibrate app.x arch.x --input day.dat --elements 300 -o p.json": calibrateCommand(Options{Files: files},
			"day.dat", 300,
			"p.json"),
		"xopt calibrate APP ARCH -o p.json": calibrateCommand(Options{}, "", 0, "p.json"),
		"xopt calibrate app.x arch.x --set top.gate.limit=800 -o p.json": calibrateCommand(Options{Files: files,
			Set: []string{"top.gate.limit=800"}}, "", 0, "p.json"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCitedElements: the number of elements in the recorded run is cited with the profile, if the profile contains
// it.
func TestCitedElements(t *testing.T) {
	for elements, want := range map[uint64]string{0: "p.json, a machine, disturbed while it was measured",
		300: "p.json, a machine, --elements 300, disturbed while it was measured"} {
		m := Measured{name: "dir/p.json", profile: &profile.Profile{Machine: profile.Machine{CPU: "a machine"},
			Conditions: &profile.Conditions{Elements: elements, Disturbed: "others"}}}
		if got := m.Describe(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
