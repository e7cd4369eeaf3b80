package run

import (
	"strings"
	"testing"

	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// TestDeadlocks: graphs that deadlock are distinguished from kernels that hang.
func TestDeadlocks(t *testing.T) {
	t.Parallel()
	const app = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 a, b; };
block J { input UNSIGNED32 x, y; };
block top { G g; J j; e1: g.a -> j.x; e2: g.b -> j.y; };
use top;
platform C { impl G (src="g.c"); impl J (src="j.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g } to proc[1];
map { top.j } to proc[2];
buffer { top.e1, top.e2 } = 8;
`
	for _, c := range []struct{ name, g, j, want string }{
		{"a join that starves behind a full buffer", `*X_G_a(d, 1) = 1; X_G_a_send(d, 1); return 0;`,
			`while (X_J_x_avail(d) && X_J_y_avail(d)) { X_J_x_release(d, 1); X_J_y_release(d, 1); }`,
			"top.e1 is full with 8 elements, top.e2 is empty"},
		{"a join of unequal volumes",
			`*X_G_a(d, 1) = 1; X_G_a_send(d, 1); *X_G_a(d, 1) = 1; X_G_a_send(d, 1);
			*X_G_b(d, 1) = 1; X_G_b_send(d, 1); return 0;`,
			`while (X_J_x_avail(d) && X_J_y_avail(d)) { X_J_x_release(d, 1); X_J_y_release(d, 1); }`,
			"top.e1 is full with 8 elements"},
		{"a kernel that waits for more than the buffer holds", `*X_G_a(d, 1) = 1; X_G_a_send(d, 1); return 0;`,
			`if (X_J_x_avail(d) >= 9) X_J_x_release(d, 9);`, "top.e1 is full with 8 elements"},
	} {
		dir := testkit.Files(t, map[string]string{"app.x": app,
			"g.c": "#include \"X_G.h\"\nvoid X_G_init(X_G *d) { (void)d; }\nvoid X_G_destroy(X_G *d) { (void)d; }\n" +
				"int X_G_go(X_G *d) { " + c.g + " }\n",
			"j.c": "#include \"X_J.h\"\nvoid X_J_init(X_J *d) { (void)d; }\nvoid X_J_destroy(X_J *d) { (void)d; }\n" +
				"void X_J_push(X_J *d) { " + c.j + " }\n"})
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := deploy(t, load(t, dir, "app.x", ""), program.Options{}, Options{Stall: stall})
			if m.Failure == nil || m.Failure.Kind != "deadlock" || !strings.Contains(m.Failure.Text, c.want) {
				t.Errorf("got %+v, want a deadlock with %s", m.Failure, c.want)
			}
		})
	}
}
