package run

import (
	"strings"
	"testing"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

// emitting is a source that emits on two ports, and a kernel that takes 4 and emits 2.
const emitting = `#include "std.x"
block G { config SIGNED64 elements = 1000; output UNSIGNED32 y, z; emit 2 y, z; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; join 4 x; emit 2 y; };
block S { input UNSIGNED32 a, b; join a, b; };
block top { G g; F f; S s; e1: g.y -> f.x; e2: f.y -> s.a; e3: g.z -> s.b; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`

// TestEmits: at the end, the elements sent by kernels are compared with their emit statements.
func TestEmits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, each, extra, want string }{
		{"as declared", "2", "", ""},
		{"too many", "3", "",
			"top.f sent 1500 elements on y in 500 firings, but its emit states 2 elements per firing"},
		{"one too few at the end", "(n == 499 ? 1 : 2)", "",
			"top.f sent 999 elements on y in 500 firings, but its emit states 2 elements per firing"},
		{"source", "2", "if (n == 7) X_G_z_send(d, (*X_G_z(d, 1) = 0, 1));",
			"top.g sent 1001 elements on z in 1000 firings, but its emit states 1 element per firing"},
	} {
		dir := testkit.Copy(t, "testdata/pipeline", map[string]string{
			"app.x": emitting,
			"g.c": `#include "X_G.h"
static int n;
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) {
	for (int i = 0; i < 2; i++) { *X_G_y(d, 1) = n; X_G_y_send(d, 1); }
	*X_G_z(d, 1) = n; X_G_z_send(d, 1);
	` + c.extra + `
	return ++n >= d->config.elements; }
`,
			"f.c": kernelC("F", `static int n; while (X_F_x_avail(d) >= 4) {
				int each = `+c.each+`; n++;
				for (int i = 0; i < each; i++) { *X_F_y(d, 1) = n; X_F_y_send(d, 1); }
				X_F_x_release(d, 4); }`),
			"s.c": kernelC("S",
				`while (X_S_a_avail(d)) X_S_a_release(d, 1); while (X_S_b_avail(d)) X_S_b_release(d, 1);`),
		})
		m := deploy(t, load(t, dir, "app.x", ""), program.Options{}, Options{})
		if m.Failure != nil {
			t.Fatalf("%s: %v", c.name, m.Failure)
		}
		var list []fault.Note
		for _, w := range m.Warnings {
			if w.ID == faults.EmitDiffers {
				list = append(list, w)
			}
		}
		if texts := strings.Join(fault.Texts(list), "\n"); (c.want == "") != (texts == "") ||
			!strings.Contains(texts, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, texts, c.want)
		}
		if fired := m.Kernels[0].Firings; fired != 1000 {
			t.Errorf("%s: the source fired %d times", c.name, fired)
		}
	}
}
