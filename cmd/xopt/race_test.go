package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// TestInterruptedRace interrupts a race. The answer of the search must be printed and saved, with the runs so far.
func TestInterruptedRace(t *testing.T) {
	testkit.Long(t, "kernels are compiled and run")
	t.Parallel()
	dir := matrixFolder(t, false)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var stdout strings.Builder
	cmd := exec.Command(self)
	cmd.Args = strings.Fields("xopt search app.x arch.x --evals 200 --threads 1 --race 10m") // see TestMain
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !testkit.Eventually(func() bool {
		text, err := os.ReadFile(log.Name())
		return err == nil && strings.Contains(string(text), "racing")
	}) {
		t.Error("the race does not begin")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	if !strings.Contains(stdout.String(), "Best  ") {
		t.Errorf("no answer:\n%s", &stdout)
	}
	text, err := os.ReadFile(filepath.Join(dir, "app.result.json"))
	if err != nil || !strings.Contains(string(text), `"interrupted": true`) {
		t.Errorf("the result has no interrupted race: %v", err)
	}
}
