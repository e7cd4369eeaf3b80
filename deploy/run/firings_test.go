package run

import (
	"strings"
	"testing"

	"xopt/deploy/program"
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

// TestFirings: one firing consumes one round of a join, in the counts and in the taps. The kernel may release it at
// once, in parts, or over several calls.
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
		m := deploy(t, load(t, dir, "app.x", ""), program.Options{Elements: elements,
			Taps: []program.Tap{{Kind: program.Service, Kernel: 1, Every: 1}}}, Options{})
		if m.Failure != nil {
			t.Fatalf("%s: %v", name, m.Failure)
		}
		k := m.Kernels[1]
		if k.Firings != elements/join || k.In != 4*elements {
			t.Errorf("%s: %d firings of %g bytes, want %d", name, k.Firings, k.In, elements/join)
		}
		// A measured service starts at the end of the previous firing: the first is not measured.
		s := m.Taps[0].Total
		if s.Weight < elements/join-2 || s.Weight > elements/join {
			t.Errorf("%s: the services timed stand for %g firings, want %d", name, s.Weight, elements/join)
		}
		if strings.HasPrefix(name, "over") && k.Calls < elements {
			t.Errorf("%s: %d calls, want one for each element", name, k.Calls)
		}
	}
}

// branching is a source with two outputs.
const branching = `#include "std.x"
block G { config SIGNED64 elements = 3000; output UNSIGNED32 p; output UNSIGNED32 q; EMIT };
block S { input UNSIGNED32 x; };
block top { G g; S s; S t; e1: g.p -> s.x; e2: g.q -> t.x; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`

// TestSourceFirings: the elements that a source sends together on several outputs are one firing, in the counts and
// in the taps, however they are sent. With emit, a call may have several firings.
func TestSourceFirings(t *testing.T) {
	t.Parallel()
	const calls = 3000
	for name, c := range map[string]struct {
		emit, send string
		each       int // firings of a call
	}{
		"emit": {"emit p, 2 q;", "*X_G_p(d, 1) = 1; X_G_p_send(d, 1); X_G_q(d, 2); X_G_q_send(d, 2);", 1},
		"in parts": {"emit 2 q, p;", "X_G_q(d, 2); X_G_q_send(d, 1); X_G_q_send(d, 1); X_G_p(d, 1); X_G_p_send(d, 1);",
			1},
		"two a call": {"emit p, 2 q;", "X_G_p(d, 2); X_G_p_send(d, 2); X_G_q(d, 4); X_G_q_send(d, 4);", 2},
		"no emit":    {"", "X_G_p(d, 1); X_G_p_send(d, 1); if (left % 2) { X_G_q(d, 3); X_G_q_send(d, 3); }", 1},
	} {
		g := "#include \"X_G.h\"\nstatic long left, idle;\nvoid X_G_init(X_G *d) { left = d->config.elements; }\n" +
			"void X_G_destroy(X_G *d) { (void)d; }\nint X_G_go(X_G *d) { if (idle++ % 3 == 0) return 0; " + c.send +
			" return --left == 0; }\n" // a call in which nothing is sent is no firing
		dir := testkit.Copy(t, "testdata/pipeline", map[string]string{"g.c": g,
			"app.x": strings.Replace(branching, "EMIT", c.emit, 1)})
		m := deploy(t, load(t, dir, "app.x", ""), program.Options{Elements: calls,
			Taps: []program.Tap{{Kind: program.Service, Kernel: 0, Every: 1, Trace: 1 << 14}}}, Options{})
		if m.Failure != nil {
			t.Fatalf("%s: %v", name, m.Failure)
		}
		if got := m.Kernels[0].Firings; got != uint64(calls*c.each) {
			t.Errorf("%s: %d firings, want %d", name, got, calls*c.each)
		}
		logged, last := 0, uint64(0)
		for _, f := range m.Frames {
			for _, e := range f.Logs[0] {
				if e.Index <= last {
					t.Fatalf("%s: firing %d is logged behind %d", name, e.Index, last)
				}
				logged, last = logged+1, e.Index
			}
		}
		// The first is not measured, because a measurement starts at the end of the previous firing.
		if logged != calls-1 || last != uint64(calls*c.each)-1 {
			t.Errorf("%s: %d firings are logged up to %d, want %d up to %d", name, logged, last, calls-1,
				calls*c.each-1)
		}
	}
}
