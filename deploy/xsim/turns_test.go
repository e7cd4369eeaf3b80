package xsim_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestIdleCoreBeginsAnew: a core that was idle begins with the first of its turns, the kernel nearest the sinks, as
// in the model. It does not continue after the kernel with the last turn. The source sends to q, then to p and q at
// once. Its output to r, on a separate core, makes its firings equal.
func TestIdleCoreBeginsAnew(t *testing.T) {
	const app = `#include "std.x"
block S { output UNSIGNED64 p; output UNSIGNED64 q; output UNSIGNED64 r; };
block K { input UNSIGNED64 x; };
block top { S s; K p; K q; K r; toP: s.p -> p.x; toQ: s.q -> q.x; toR: s.r -> r.x; };
use top;
platform C { impl S (src="s.c"); impl K (src="k.c"); };
resource core[3] is C;
resource one is bus ({ core }, bandwidth="160MB/s");
resource two is bus ({ core }, bandwidth="160MB/s");
resource three is bus ({ core }, bandwidth="160MB/s");
impl S on C (mu="80kB/s", scv=0);
impl K on C (mu="8MB/s", scv=0);
route S.p = 1/4;
route S.q = 1/2;
route S.r = 1/4;
map { top.s } to core[1];
map { top.p, top.q } to core[2];
map { top.r } to core[3];
map { top.toP } to one;
map { top.toQ } to two;
map { top.toR } to three;
buffer { top.toP, top.toQ, top.toR } = 8;
`
	const source = `#include "X_S.h"
void X_S_init(X_S *d) { d->state = 0; }
void X_S_destroy(X_S *d) { (void)d; }
int X_S_go(X_S *d) {
    size_t round = (size_t)d->state + 1;
    d->state = (void *)round;
    if (round % 2 == 0) {
        *X_S_p(d, 1) = round;
        X_S_p_send(d, 1);
    } else {
        *X_S_r(d, 1) = round;
        X_S_r_send(d, 1);
    }
    *X_S_q(d, 1) = round;
    X_S_q_send(d, 1);
    return round == 100;
}
`
	dir := testkit.Files(t, map[string]string{"app.x": app, "s.c": source, "k.c": bulkServer})
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	m := simulate(t, d, atEase, []program.Tap{{Kind: program.Latency, Edge: 0, Every: 1}, {Kind: program.Latency,
		Edge:  1,
		Every: 1}})
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	p, q := m.Taps[0].Total, m.Taps[1].Total
	// A firing takes 1 us: p waits for that of q, and q for none. The first element of each is consumed on arrival.
	if wait := p.Max - q.Min; p.Weight != 50 || q.Weight != 100 || wait < .99e-6 || wait > 1.01e-6 {
		t.Errorf("p waits %.4g s longer than q (%g and %g elements), want 1 us", wait, p.Weight, q.Weight)
	}
}

// TestVariableSource: most service times of a source with a high variance are below the resolution of virtual time.
// Such a source does not wait when it sends, so the core that it shares is always in use.
func TestVariableSource(t *testing.T) {
	const elements, sourceSCV, serverSCV = 100_000, 30, 1
	app := fmt.Sprintf(`#include "std.x"
block S { config UNSIGNED64 elements = %d; output UNSIGNED64 y; };
block K { input UNSIGNED64 x; };
block top { S s; K k; e: s.y -> k.x; };
use top;
platform C { impl S (src="s.c"); impl K (src="k.c"); };
resource core is C;
resource mem is memory ({ core }, bandwidth="inf");
impl S on C (time="1us", scv=%d);
impl K on C (time="1us", scv=%d);
map { top.* } to core;
`, elements, sourceSCV, serverSCV)
	dir := testkit.Files(t, map[string]string{"app.x": app, "s.c": bulkSource, "k.c": bulkServer})
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	m := simulate(t, d, atEase, nil)
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	busy := 0.0
	for _, k := range m.Kernels {
		busy += k.Utilization
	}
	if busy < 0.999 || busy > 1.001 {
		t.Errorf("the core was in use for %.4g of the run, want 1", busy)
	}
	// The run is a sum of independent service times: four of its standard deviations are allowed.
	const us = 1e-6
	mean, deviation := 2*us*elements, us*math.Sqrt(elements*(sourceSCV+serverSCV))
	if math.Abs(m.Seconds-mean) > 4*deviation {
		t.Errorf("the run took %.4g s, want %.4g +- %.2g", m.Seconds, mean, 4*deviation)
	}
}

// TestReferenceInVirtualTime: in a run that takes the times of kernels from this machine, the reference measures its
// speed, in its own time. A run with drawn times has no reference.
func TestReferenceInVirtualTime(t *testing.T) {
	t.Parallel()
	const app = `#include "std.x"
block S { config UNSIGNED64 elements = 10; output UNSIGNED64 y; };
block K { input UNSIGNED64 x; };
block top { S s; K k; e: s.y -> k.x; };
use top;
platform C { impl S (src="s.c"); impl K (src="k.c"); };
resource core[2] is C;
resource mem is memory ({ core }, bandwidth="10GB/s");
impl S on C (time="1us");
impl K on C (time="1us");
map { top.s } to core[1];
map { top.k } to core[2];
`
	dir := testkit.Files(t, map[string]string{"app.x": app, "s.c": bulkSource, "k.c": bulkServer})
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	for drawn, elements := range map[bool]uint64{false: 10_000_000, true: 1000} {
		prog, _, err := xsim.Build(t.Context(), d, program.Options{Elements: elements, Reference: true},
			xsim.Options{FromProfile: drawn, Seed: 3}, "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := run.Once(t.Context(), prog, run.Options{Stall: atEase})
		if err = errors.Join(err, prog.Remove()); err != nil || m.Failure != nil {
			t.Fatal(err, m)
		}
		if drawn {
			if m.Reference != nil {
				t.Errorf("drawn times have a reference: %+v", m.Reference)
			}
			continue
		}
		if len(m.Reference) != 1 || len(m.Reference[0]) < 2 {
			t.Fatalf("%+v in %g s", m.Reference, m.Wall)
		}
		for i, x := range m.Reference[0] {
			for f, elapsed := range x.Probes {
				if !(elapsed > 1e-7 && elapsed < 1) {
					t.Errorf("turn %d: probe %d took %g s", i, f, elapsed)
				}
			}
			if x.Time < 0 || x.Time > 1.01*m.Seconds {
				t.Errorf("turn %d at %g s of %g s of virtual time", i, x.Time, m.Seconds)
			}
		}
	}
}
