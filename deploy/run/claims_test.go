package run

import (
	"fmt"
	"strings"
	"testing"

	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// unequal has two copies of F. The second is slow, and S fails if an element is out of order.
const unequal = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 y; };
block F { input UNSIGNED32[64] x; output UNSIGNED32[64] y; stateless;%s };
block R { input UNSIGNED32 x; output UNSIGNED32[64] y; join 64 x; emit y; };
block S { input UNSIGNED32[64] x; };
block top { G g; R r; F f; S s; e1: g -> r; e2: r -> f; e3: f -> s; };
use top;
platform C { impl G (src="g.c"); impl R (src="r.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[3] is C;
resource mem is memory ({ proc }, bandwidth="unlimited");
map { top.g, top.r, top.s } to proc[1];
map { top.f } to %s;
`

const unequalR = `#include "X_R.h"
void X_R_init(X_R *d) { (void)d; }
void X_R_destroy(X_R *d) { (void)d; }
void X_R_push(X_R *d) {
    while (X_R_x_avail(d) >= 64) {
        static uint32_t n;
        uint32_t *y = X_R_y(d, 1);
        y[0] = n++;
        X_R_x_release(d, 64);
        X_R_y_send(d, 1);
    }
}
`

const unequalF = `#include <string.h>
#include <time.h>
#include "X_F.h"
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
void X_F_push(X_F *d) {
    while (X_F_x_avail(d) > 0) {
        const size_t n = strlen(d->name);
        const struct timespec wait = {0, 500000};
        if (n > 2 && d->name[n - 1] == '2')
            nanosleep(&wait, NULL);
        *X_F_y(d, 1) = *X_F_x(d);
        X_F_x_release(d, 1);
        X_F_y_send(d, 1);
    }
}
`

const unequalS = `#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_destroy(X_S *d) { (void)d; }
void X_S_push(X_S *d) {
    for (; X_S_x_avail(d) > 0; X_S_x_release(d, 1)) {
        static uint32_t n;
        if (*X_S_x(d) != n++)
            X_fail("element %u is out of order", n - 1);
    }
}
`

// TestSlowCopy checks that a slow copy receives fewer batches than a fast one, whatever was planned, and that the order
// of the output remains, with and without declared numbers of elements.
func TestSlowCopy(t *testing.T) {
	t.Parallel()
	const elements = 64 * 4000
	for _, emit := range []string{"", " emit y;"} {
		for _, to := range []string{"proc[2] & proc[3]", "proc[2] & 2 proc[3]"} {
			dir := testkit.Copy(t, "testdata/pipeline", map[string]string{"app.x": fmt.Sprintf(unequal, emit, to),
				"r.c": unequalR, "f.c": unequalF, "s.c": unequalS})
			m := deploy(t, load(t, dir, "app.x", ""), program.Options{Elements: elements}, Options{})
			if m.Failure != nil {
				t.Fatalf("%q, %s: %v", emit, to, m.Failure)
			}
			fast, slow := m.Kernels[2].Firings, m.Kernels[3].Firings
			if fast+slow != elements/64 || slow > fast/2 {
				t.Errorf("%q, %s: the fast copy fired %d times, the slow one %d times; want less than half as often, "+
					"and %d in total", emit, to, fast, slow, elements/64)
			}
		}
	}
}

// TestManyClaims checks that copies wait if a slow reader has not consumed the batches that they claimed long ago. A
// batch has one element here, and the buffer has space for more batches than a copy keeps.
func TestManyClaims(t *testing.T) {
	t.Parallel()
	const elements = 64 * 6000
	app := strings.NewReplacer("output UNSIGNED32[64] y; join 64 x;", "output UNSIGNED32[2048] y; join 64 x;",
		"input UNSIGNED32[64] x; output UNSIGNED32[64] y; stateless;", "input UNSIGNED32[2048] x; "+
			"output UNSIGNED32 y; stateless;", "block S { input UNSIGNED32[64] x; }", "block S { input UNSIGNED32 x; }",
		"proc[3] is C", "proc[4] is C",
		"top.r, top.s } to proc[1];", "top.r } to proc[1]; map { top.s } to proc[4];").
		Replace(fmt.Sprintf(unequal, " emit y;", "proc[2] & proc[3]"))
	late := strings.NewReplacer("static uint32_t n;", "static uint32_t n;\n        "+
		"const struct timespec wait = {1, 0};\n        if (n == 0)\n            nanosleep(&wait, NULL);",
		"#include \"X_S.h\"",
		"#include <time.h>\n#include \"X_S.h\"").Replace(unequalS)
	dir := testkit.Copy(t, "testdata/pipeline", map[string]string{"app.x": app, "r.c": unequalR,
		"f.c": strings.ReplaceAll(unequalF, "nanosleep", "(void)"), "s.c": late})
	m := deploy(t, load(t, dir, "app.x", ""), program.Options{Elements: elements}, Options{})
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	if fired := m.Kernels[2].Firings + m.Kernels[3].Firings; fired != elements/64 {
		t.Errorf("the copies fired %d times, want %d", fired, elements/64)
	}
}
