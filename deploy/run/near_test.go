package run

import (
	"testing"

	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// TestNear asks Linux in the reader and in the writer for the node of the buffer between two processes: it is
// that of the reader. Within a process no node is set.
func TestNear(t *testing.T) {
	t.Parallel()
	const ask = `
#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>
static void ask(const void *at, int want) {
	unsigned long nodes[16] = {0};
	int mode = -1;
	if (syscall(SYS_get_mempolicy, &mode, nodes, 1024ul, at, MPOL_F_ADDR) != 0 && (errno == ENOSYS || errno == EPERM))
		return;
	if ((mode == MPOL_PREFERRED) != want)
		X_fail("policy %d, nodes %lx", mode, nodes[0]);
}
`
	dir := testkit.Copy(t, "testdata/pipeline", map[string]string{
		"app.x": `#include "std.x"
block G { config SIGNED64 elements = 1000; output UNSIGNED32 y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top { G g; F f; S s; e1: g.y -> f.x; e2: f.y -> s.x; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
map { top.g } to proc[1];
map { top.f, top.s } to proc[2];
`,
		"g.c": `#include "X_G.h"` + ask + `
static int n;
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) { ask(X_G_y(d, 1), 1); *X_G_y(d, 1) = n; X_G_y_send(d, 1); return ++n >= d->config.elements; }
`,
		"f.c": ask1("F", ask, `while (X_F_x_avail(d)) { ask(X_F_x(d), 1); ask(X_F_y(d, 1), 0); X_F_y_send(d, 1);
			X_F_x_release(d, 1); }`),
		"s.c": kernelC("S", `X_S_x_release(d, X_S_x_avail(d));`),
	})
	m := deploy(t, load(t, dir, "app.x", ""), program.Options{}, Options{})
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
}

// ask1 returns a kernel that is preceded by functions of its own.
func ask1(block, before, push string) string {
	return "#include \"X_" + block + ".h\"\n" + before + kernelC(block, push)
}
