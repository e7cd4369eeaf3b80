package calibrate_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/calibrate"
	"xopt/flow/design"
	"xopt/internal/fault"
)

// TestState: a kernel that forwards each new maximum sends everything in the recorded run and, alone, nothing
// after the first pass. The profile contains the gain of the recorded run.
func TestState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"app.x": `#include "std.x"
block G { output UNSIGNED32 y; };
block M { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top { G g; M m; S s; e1: g.y -> m.x; e2: m.y -> s.x; };
use top;
platform C { impl G (src="g.c"); impl M (src="m.c"); impl S (src="s.c"); };
resource proc[1] is C;
`,
		"g.c": "#include \"X_G.h\"\nstatic unsigned n;\nvoid X_G_init(X_G *d) { (void)d; }\n" +
			"void X_G_destroy(X_G *d) { (void)d; }\n" +
			"int X_G_go(X_G *d) { if (n == 5000) return 1; *X_G_y(d, 1) = ++n; X_G_y_send(d, 1); return 0; }\n",
		"m.c": "#include \"X_M.h\"\nstatic unsigned most;\nvoid X_M_init(X_M *d) { (void)d; }\n" +
			"void X_M_destroy(X_M *d) { (void)d; }\n" +
			"void X_M_push(X_M *d) {\n  while (X_M_x_avail(d)) {\n    unsigned v = *X_M_x(d);\n" +
			"    if (v > most) { most = v; *X_M_y(d, 1) = v; X_M_y_send(d, 1); }\n    X_M_x_release(d, 1);\n" +
			"  }\n}\n",
		"s.c": "#include \"X_S.h\"\nvoid X_S_init(X_S *d) { (void)d; }\nvoid X_S_destroy(X_S *d) { (void)d; }\n" +
			"void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(dir, "app.x"))
	p, report, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{Budget: time.Millisecond,
		Only: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if k.Instance != "top.m" {
			if k.Recorded != "" {
				t.Errorf("%s: %s", k.Instance, k.Recorded)
			}
			continue
		}
		if math.Abs(k.Gain.Value-1) > 1e-9 || !strings.Contains(k.Recorded,
			" 1 in the recorded run") {
			t.Errorf("the gain is %+v: %q", k.Gain, k.Recorded)
		}
	}
	if notes := strings.Join(fault.Texts(report.Notes), "\n"); !strings.Contains(notes, "kernel top.m: the gain ") {
		t.Errorf("notes: %q", notes)
	}
}
