package validate

import (
	"errors"
	"testing"

	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
	"xopt/internal/testkit"
)

// TestVirtualState: a run in virtual time that takes the times of kernels from this machine measures its speed, so that
// a slow phase is corrected. With drawn times, there is nothing to correct.
func TestVirtualState(t *testing.T) {
	t.Parallel()
	dir := testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block S { config UNSIGNED64 elements = 10; output UNSIGNED64 y; };
block K { input UNSIGNED64 x; };
block top { S s; K k; e: s.y -> k.x; };
use top;
platform C { impl S (src="s.c"); impl K (src="k.c"); };
resource core[2] is C;
resource mem is memory ({ core }, bandwidth="10GB/s");
impl S on C (time="1us"); impl K on C (time="1us");
map { top.s } to core[1];
map { top.k } to core[2];
`, "s.c": `#include "X_S.h"
void X_S_init(X_S *d) { d->state = (void *)(size_t)d->config.elements; }
void X_S_destroy(X_S *d) { (void)d; }
int X_S_go(X_S *d) {
    size_t left = (size_t)d->state;
    *X_S_y(d, 1) = left;
    X_S_y_send(d, 1);
    d->state = (void *)(left - 1);
    return left == 1;
}
`, "k.c": `#include "X_K.h"
void X_K_init(X_K *d) { (void)d; }
void X_K_destroy(X_K *d) { (void)d; }
void X_K_push(X_K *d) {
    while (X_K_x_avail(d) > 0)
        X_K_x_release(d, 1);
}
`})
	reference := &profile.Reference{Windows: 1, Runs: 1}
	for _, name := range goodtime.ProbeNames() {
		reference.Probes = append(reference.Probes, profile.Probe{Name: name, Good: 1e-5})
	}
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForMapping,
		Profile: design.FromProfile("test", &profile.Profile{Schema: profile.Schema, Reference: reference}, nil)})
	for drawn, elements := range map[bool]uint64{false: 10_000_000, true: 1000} {
		p, err := deployed(t.Context(), d, Options{Elements: elements}, true, xsim.Options{FromProfile: drawn, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		m, err := run.Once(t.Context(), p, run.Options{})
		state := stateOf(d, d.Mapping, p, m, period{0, 1e9})
		if err = errors.Join(err, p.Remove()); err != nil || m.Failure != nil {
			t.Fatal(err, m.Failure)
		}
		if (state != nil) == drawn {
			t.Errorf("drawn times: %t; state %+v", drawn, state)
		}
	}
}
