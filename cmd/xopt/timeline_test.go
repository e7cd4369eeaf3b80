package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"xopt/internal/testkit"
)

// TestTimelineOfRun checks that the timeline of a real run follows the Trace Event Format, and elements from their
// sending to their consuming kernel.
func TestTimelineOfRun(t *testing.T) {
	t.Chdir(t.TempDir())
	xopt := func(args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != 0 {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, &out, &errs)
		}
	}
	xopt("init", "first")
	at := func(name string) string { return filepath.Join("first", name) }
	xopt("deploy", at("app.x"), at("arch.x"), at("map.x"), "--elements", "500", "--log", "100", "-o", "run.result.json",
		"--taps", "all", "--measure", "a1: assert rate at top.raw >= 1000000 Mtps")
	xopt("report", "run.result.json", "--trace", "run.trace.json")
	data, err := os.ReadFile("run.trace.json")
	if err != nil {
		t.Fatal(err)
	}
	count := testkit.TraceEvents(t, data)
	for _, key := range []string{"X firing", "s element", "i assertion", "i log", "C queue"} {
		if count[key] == 0 {
			t.Errorf("no event %q in %v", key, count)
		}
	}
}
