package calibrate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"xopt/calibrate"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestSink: a sink that is given a file writes to it alone, too, as it does in a run. This one
// adds a byte in each run.
func TestSink(t *testing.T) {
	t.Parallel()
	files := joining()
	files["s.c"] = `#include <stdio.h>
#include "X_S.h"
void X_S_init(X_S *d) {
    FILE *f = fopen(d->config.output, "a");
    if (!f || fputc('x', f) == EOF || fclose(f) != 0)
        X_fail("cannot write %s", d->config.output);
}
void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }
void X_S_destroy(X_S *d) { (void)d; }
`
	files["app.x"] = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 y; };
block S { config STRING output = "/nonexistent/out"; input UNSIGNED32 x; };
block top { G g; S s; e1: g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[1] is C;
`
	dir := testkit.Files(t, files)
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(dir, "app.x"))
	sink := filepath.Join(dir, "out")
	o := calibrate.Options{Budget: 50 * time.Millisecond, Record: 200 * time.Millisecond, Only: []int{1}, Sink: sink}
	if _, _, err := calibrate.Calibrate(context.Background(), d, o); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(sink); err != nil || len(text) < 2 {
		t.Errorf("the sink wrote %d times, want the recorded run and those alone: %v", len(text), err)
	}
}

// TestSinkThatCounts: the chain's sink, which checks that messages are consecutive, can be measured alone
// although its recorded input repeats.
func TestSinkThatCounts(t *testing.T) {
	t.Parallel()
	dir := testkit.App(t, "chain")
	d := flowtest.X{Dir: dir, More: "map { top } to core[1];"}.Design(t, design.Options{Purpose: design.ForCheck})
	const sink = 10
	p, _, err := calibrate.Calibrate(t.Context(), d, calibrate.Options{Budget: 50 * time.Millisecond,
		Record: 200 * time.Millisecond, Only: []int{sink}})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if k.Instance == "top.sink" && k.ServiceRate.Value > 0 {
			return
		}
	}
	t.Errorf("the sink has no rate among %d kernels", len(p.Kernels))
}
