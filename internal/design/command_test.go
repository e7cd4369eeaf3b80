package design

import "testing"

// TestCalibrateCommand: the command offered measures the data set that the profile is of.
func TestCalibrateCommand(t *testing.T) {
	files := []string{"app.x", "arch.x"}
	for want, got := range map[string]string{
		"xopt calibrate app.x arch.x -o p.json": calibrateCommand(Options{Files: files}, "", "p.json"),
		"xopt calibrate app.x arch.x --input day.dat -o p.json": calibrateCommand(Options{Files: files}, "day.dat",
			"p.json"),
		"xopt calibrate APP ARCH -o p.json": calibrateCommand(Options{}, "", "p.json"),
		"xopt calibrate app.x arch.x --set top.gate.limit=800 -o p.json": calibrateCommand(Options{Files: files,
			Set: []string{"top.gate.limit=800"}}, "", "p.json"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
