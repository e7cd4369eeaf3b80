package run

import (
	"os"
	"path/filepath"
	"testing"

	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// A chain of kernels that rely on stable addresses as far as they may. It includes a join of two paths; on one
// of them many elements wait for the other.
//
//	g -> hold -> some -> split -> many -> join -> s
//	                       \----> few ----/
const fusedX = `#include "std.x"
block G { config SIGNED64 elements = 20000; output UNSIGNED32 y; };
block Hold { input UNSIGNED32 x; output UNSIGNED32[3] y; };
block Some { input UNSIGNED32[3] x; output UNSIGNED32 y; };
block Split { input UNSIGNED32 x; output UNSIGNED32 many, few; };
block Pass { input UNSIGNED32 x; output UNSIGNED32 y; };
block Join { input UNSIGNED32 many, few; output UNSIGNED32 y; join 500 many, few; };
block S { config STRING output = "/dev/null"; input UNSIGNED32 x; };
block top { G g; Hold hold; Some some; Split split; Pass many, few; Join j; S s;
	e1: g -> hold; e2: hold -> some; e3: some -> split; e4: split.many -> many; e5: split.few -> few;
	e6: many -> j.many; e7: few -> j.few; e8: j -> s; };
use top;
platform C { impl G (src="g.c"); impl Hold (src="hold.c"); impl Some (src="some.c"); impl Split (src="split.c");
	impl Pass (src="pass.c"); impl Join (src="join.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
buffer { top.e1 } = 700;
`

// fusedFiles returns the files of its kernels.
func fusedFiles() map[string]string {
	return map[string]string{
		"app.x": fusedX,
		// It sends as many elements as there is space for, and requests one more than it sends.
		"g.c": `#include "X_G.h"
static uint32_t n;
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) {
	size_t room = X_G_y_room(d), k = n % 7 + 1;
	if (room < k + 1) return 0;
	uint32_t *y = X_G_y(d, k + 1);
	for (size_t i = 0; i < k; i++) y[i] = n++ * 2654435761u;
	X_G_y_send(d, k);
	return n >= d->config.elements; }
`,
		// It keeps an element that it has begun from one call to the next, and writes to it bit by bit.
		"hold.c": "#include <stdint.h>\nstatic uint32_t *begun; static int at;\n" + kernelC("Hold", `
			while (X_Hold_x_avail(d)) {
			if (!begun) { begun = (uint32_t *)X_Hold_y(d, 1); begun[1] = 7; at = 0; }
			begun[at] = *X_Hold_x(d) + (at == 1 ? begun[1] : 0); X_Hold_x_release(d, 1);
			if (++at == 3) { X_Hold_y_send(d, 1); begun = 0; } }`),
		// It reads all available elements, and writes 0 to 6 for each; sometimes 600.
		"some.c": kernelC("Some", `size_t n = X_Some_x_avail(d);
			const uint32_t *x = (const uint32_t *)X_Some_x(d);
			for (size_t i = 0; i < n; i++) {
				uint32_t k = x[3 * i] % 997 == 0 ? 600 : x[3 * i] % 7;
				uint32_t *y = X_Some_y(d, 600);
				for (uint32_t j = 0; j < k; j++) y[j] = x[3 * i + j % 3] + j;
				X_Some_y_send(d, k); }
			X_Some_x_release(d, n);`),
		// 500 on one output, and then one on the other.
		"split.c": "static int n;\n" + kernelC("Split", `while (X_Split_x_avail(d)) {
			if (n++ < 500) { *X_Split_many(d, 1) = *X_Split_x(d); X_Split_many_send(d, 1); }
			else { *X_Split_few(d, 1) = *X_Split_x(d); X_Split_few_send(d, 1); n = 0; }
			X_Split_x_release(d, 1); }`),
		"pass.c": kernelC("Pass", `while (X_Pass_x_avail(d)) {
			*X_Pass_y(d, 1) = *X_Pass_x(d) + 1; X_Pass_y_send(d, 1); X_Pass_x_release(d, 1); }`),
		"join.c": kernelC("Join", `while (X_Join_many_avail(d) >= 500 && X_Join_few_avail(d)) {
			uint32_t sum = *X_Join_few(d); const uint32_t *x = X_Join_many(d);
			for (int i = 0; i < 500; i++) sum = sum * 31 + x[i];
			*X_Join_y(d, 1) = sum; X_Join_y_send(d, 1); X_Join_many_release(d, 500); X_Join_few_release(d, 1); }`),
		"s.c": "#include <stdio.h>\nstatic FILE *f;\n#include \"X_S.h\"\n" +
			"void X_S_init(X_S *d) { f = fopen(d->config.output, \"w\"); }\n" +
			"void X_S_destroy(X_S *d) { (void)d; fclose(f); }\n" +
			"void X_S_push(X_S *d) { for (; X_S_x_avail(d); X_S_x_release(d, 1)) fprintf(f, \"%u\\n\", *X_S_x(d)); }\n",
	}
}

// sourceApart puts all kernels but the source into one process.
const sourceApart = "map { top.g } to proc[1]; " +
	"map { top.hold, top.some, top.split, top.many, top.few, top.j, top.s } to proc[2];"

// TestFused: the output is the same for all orders and batches of kernels. It includes kernels that keep reserved
// space, send less than they reserved, send more than a batch at once, or wait for each other.
func TestFused(t *testing.T) {
	t.Parallel()
	files, want := fusedFiles(), ""
	for i, mapping := range []string{"map { top } to proc[1];",
		"map { top.g, top.hold, top.split, top.many, top.s } to proc[1]; map { top.some, top.few, top.j } to proc[2];",
		sourceApart} {
		files["app.x"] = fusedX + mapping
		dir := testkit.Copy(t, "testdata/pipeline", files)
		out := filepath.Join(t.TempDir(), "out")
		for _, o := range []program.Options{{Schedule: program.ScheduleSinks}, {Schedule: program.ScheduleFused},
			{Schedule: program.ScheduleFused, Batch: "4KiB"}, {Schedule: program.ScheduleFused,
				Batch: "1MiB", Taps: []program.Tap{{Kind: program.Occupancy, Edge: 2}, {Kind: program.Service,
					Kernel: 4}}}} {
			o.Output = out
			m := deploy(t, load(t, dir, "app.x", ""), o, Options{})
			if m.Failure != nil {
				t.Fatalf("mapping %d, %s %s: %v", i, o.Schedule, o.Batch, m.Failure)
			}
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				if want = string(got); len(want) < 300 {
					t.Fatalf("only %d bytes came out", len(want))
				}
			}
			if string(got) != want {
				t.Errorf("mapping %d, %s %s: %d bytes came out, not the same %d", i, o.Schedule, o.Batch, len(got),
					len(want))
			}
		}
	}
}

// TestSchedule checks the reported schedule and batch of each process.
func TestSchedule(t *testing.T) {
	t.Parallel()
	files := fusedFiles()
	files["app.x"] = fusedX + sourceApart
	dir := testkit.Copy(t, "testdata/pipeline", files)
	m := deploy(t, load(t, dir, "app.x", ""), program.Options{Batch: "8KiB"}, Options{})
	if p := m.Processes; p[0].Schedule != string(program.ScheduleSinks) || p[0].Batch != 0 ||
		p[1].Schedule != string(program.ScheduleFused) || p[1].Batch != 8<<10 || p[1].BatchFrom != "given" {
		t.Errorf("processes %+v; want the first, which has one kernel, without a batch, and the second fused", p)
	}
}
