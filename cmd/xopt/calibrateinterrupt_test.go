package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/cmd/internal/settings"
	"xopt/internal/testkit"
)

// counting is a source and a sink. The sink adds a byte to its output in each run.
func counting() map[string]string {
	return map[string]string{
		"app.x": `#include "std.x"
block G { output UNSIGNED32 y; };
block S { config STRING output = "none"; input UNSIGNED32 x; };
block top { G g; S s; e1: g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[1] is C;
`,
		"g.c": `#include "X_G.h"
void X_G_init(X_G *d) { (void)d; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = 1; X_G_y_send(d, 1); return 0; }
void X_G_destroy(X_G *d) { (void)d; }
`,
		"s.c": `#include <stdio.h>
#include "X_S.h"
void X_S_init(X_S *d) {
    FILE *f = fopen(d->config.output, "a");
    if (!f || fputc('x', f) == EOF || fclose(f) != 0)
        X_fail("cannot write");
}
void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }
void X_S_destroy(X_S *d) { (void)d; }
`,
	}
}

// TestInterruptedCalibration interrupts a calibration that would take minutes. Its measurements must be printed,
// saved and marked.
func TestInterruptedCalibration(t *testing.T) {
	t.Parallel()
	dir := testkit.Files(t, counting())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(self)
	// see TestMain
	cmd.Args = []string{"xopt", "calibrate", "app.x", "--record", "100ms", "--precision", "1e-9", "--budget", "10m",
		"--kernels-only", "--sink", "count"}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const runs = 6 // recorded, alone, and with the other kernel: both have windows
	measured := func() bool {
		info, err := os.Stat(filepath.Join(dir, "count"))
		return err == nil && info.Size() >= runs
	}
	if !testkit.Eventually(measured) {
		t.Error("nothing is measured")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("ended with %v, want exit code %d\n%s", err, exitInterrupted, stderr.String())
	}
	if !strings.Contains(stdout.String(), "top.g") || !strings.Contains(stdout.String(), "top.s") {
		t.Errorf("what was measured is not printed:\n%s", stdout.String())
	}
	for _, want := range []string{"interrupted; app.profile.json contains the measurements",
		"the same command measures the remaining figures: [calibration-interrupted]\n    xopt calibrate app.x",
		"wrote app.profile.json"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not told:\n%s", want, stderr.String())
		}
	}
	p, err := settings.ReadProfile("profile", filepath.Join(dir, "app.profile.json"))
	if err != nil || len(p.Kernels) != 2 || !strings.HasPrefix(p.Conditions.Incomplete, "interrupted") {
		t.Errorf("the profile holds %+v: %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "count")); err == nil {
		t.Error("what sinks wrote is left")
	}
}
