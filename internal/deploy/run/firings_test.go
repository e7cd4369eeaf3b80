package run

import (
	"strings"
	"testing"

	"xopt/internal/deploy/build"
	"xopt/internal/testkit"
)

// joining is a pipeline whose middle kernel takes 100 elements in a firing.
const joining = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; join 100 x; };
block S { input UNSIGNED32 x; };
block top { G g; F f; S s; e1: g -> f; e2: f -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`

// TestFirings: one firing is what a join consumes, in the counts and in the taps, whether
// the kernel releases it at once, in parts, or over several calls.
func TestFirings(t *testing.T) {
	t.Parallel()
	const elements, join = 20000, 100
	for name, push := range map[string]string{
		"at once": "while (X_F_x_avail(d) >= 100) { *X_F_y(d, 1) = *X_F_x(d); X_F_y_send(d, 1); X_F_x_release(d, " +
			"100); }",
		"in parts": `while (X_F_x_avail(d) >= 100) { for (int i = 0; i < 10; i++) X_F_x_release(d, 10);
			*X_F_y(d, 1) = 1; X_F_y_send(d, 1); }`,
		"over calls": `static int n; if (X_F_x_avail(d) == 0) return;
			X_F_x_release(d, 1); if (++n % 100 == 0) { *X_F_y(d, 1) = n; X_F_y_send(d, 1); }`,
	} {
		f := "#include \"X_F.h\"\nvoid X_F_init(X_F *d) { (void)d; }\nvoid X_F_push(X_F *d) { " + push +
			" }\nvoid X_F_destroy(X_F *d) { (void)d; }\n"
		dir := testkit.Copy(t, "testdata/pipeline", map[string]string{"app.x": joining, "f.c": f})
		m := deploy(t, load(t, dir, "app.x", ""), build.Options{Elements: elements,
			Taps: []build.Tap{{Kind: build.Service, Kernel: 1, Every: 1}}}, Options{})
		if m.Failure != nil {
			t.Fatalf("%s: %v", name, m.Failure)
		}
		k := m.Kernels[1]
		if k.Firings != elements/join || k.In != 4*elements {
			t.Errorf("%s: %d firings of %g bytes, want %d", name, k.Firings, k.In, elements/join)
		}
		// What is timed begins when the firing before has ended: the first is not.
		s := m.Taps[0].Total
		if s.Weight < elements/join-2 || s.Weight > elements/join {
			t.Errorf("%s: the services timed stand for %g firings, want %d", name, s.Weight, elements/join)
		}
		if strings.HasPrefix(name, "over") && k.Calls < elements {
			t.Errorf("%s: %d calls, want one for each element", name, k.Calls)
		}
	}
}
