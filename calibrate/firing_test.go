package calibrate_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"xopt/calibrate"
	"xopt/flow/design"
	"xopt/internal/testkit"
)

// joining returns the files of a pipeline whose middle kernel joins 100 elements.
func joining() map[string]string {
	return map[string]string{
		"app.x": `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; join 100 x; };
block S { input UNSIGNED32 x; };
block top { G g; F f; S s; e1: g -> f; e2: f -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[1] is C;
`,
		"g.c": `#include "X_G.h"
void X_G_init(X_G *d) { (void)d; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = 1; X_G_y_send(d, 1); return 0; }
void X_G_destroy(X_G *d) { (void)d; }
`,
		"f.c": `#include "X_F.h"
void X_F_init(X_F *d) { (void)d; }
void X_F_push(X_F *d) {
    for (; X_F_x_avail(d) >= 100; X_F_x_release(d, 100)) {
        uint32_t sum = 0;
        for (int i = 0; i < 100; i++)
            sum += X_F_x(d)[i];
        *X_F_y(d, 1) = sum;
        X_F_y_send(d, 1);
    }
}
void X_F_destroy(X_F *d) { (void)d; }
`,
		"s.c": `#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }
void X_S_destroy(X_S *d) { (void)d; }
`,
	}
}

// TestFiringOfJoin: a firing of a kernel that joins 100 elements of a port is 100
// elements, in its size, its batches and its gain.
func TestFiringOfJoin(t *testing.T) {
	t.Parallel()
	dir := testkit.Files(t, joining())
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(dir, "app.x"))
	p, _, err := calibrate.Calibrate(context.Background(), d, calibrate.Options{Budget: 100 * time.Millisecond,
		Record: 300 * time.Millisecond, Only: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	k := p.Kernels[0]
	if k.FiringBytes == nil || k.FiringBytes.Value != 400 || k.Gain == nil || k.Gain.Value != 0.01 ||
		math.Abs(k.Batch["y"].Value-1) > 1e-4 { // a window can end between the counts of a send and of its elements
		t.Errorf("a firing takes %+v bytes, with the gain %+v and batches %+v; want 400, 0.01 and 1", k.FiringBytes,
			k.Gain, k.Batch)
	}
	if (k.Times == nil) == (k.Untimed == "") {
		t.Errorf("times %+v, and why not: %q", k.Times, k.Untimed)
	}
}
