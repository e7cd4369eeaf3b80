package calibrate_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/calibrate"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestSinkOfRing: the sink of the bundled example checks every element and accepts that they restart from the
// first, here thousands of times.
func TestSinkOfRing(t *testing.T) {
	t.Parallel()
	d := flowtest.X{Dir: "../bench/apps/ring/", Files: []string{"app.x", "arch.x", "map.x"}}.Design(t,
		design.Options{Purpose: design.ForCheck})
	p, _, err := calibrate.Calibrate(t.Context(), d, calibrate.Options{Budget: 100 * time.Millisecond,
		Record: 300 * time.Millisecond, Elements: 1000, Only: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Kernels) != 1 || p.Kernels[0].Instance != "top.sink" || p.Kernels[0].ServiceRate == nil {
		t.Errorf("measured: %+v", p.Kernels)
	}
}

// TestCheckingOrder: a kernel that fails when its elements restart from the first fails only when run alone,
// and the error names the reason.
func TestCheckingOrder(t *testing.T) {
	t.Parallel()
	texts := joining()
	texts["g.c"] = `#include "X_G.h"
static uint32_t sent;
void X_G_init(X_G *d) { (void)d; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = sent++; X_G_y_send(d, 1); return sent == 1000; }
void X_G_destroy(X_G *d) { (void)d; }
`
	texts["f.c"] = `#include "X_F.h"
static uint32_t taken;
void X_F_init(X_F *d) { (void)d; }
void X_F_push(X_F *d) {
    for (; X_F_x_avail(d) >= 100; X_F_x_release(d, 100), taken += 100)
        if (*X_F_x(d) != taken)
            X_fail("element %u is out of order", taken);
}
void X_F_destroy(X_F *d) { (void)d; }
`
	dir := testkit.Files(t, texts)
	d := load(t, design.Options{Purpose: design.ForCheck}, filepath.Join(dir, "app.x"))
	_, _, err := calibrate.Calibrate(t.Context(), d, calibrate.Options{Budget: 100 * time.Millisecond,
		Record: 300 * time.Millisecond, Only: []int{1}})
	for _, want := range []string{"measuring kernel top.f alone: ", "element 1000 is out of order",
		"must accept a restart"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
