package calibrate

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestRecordLoop: a run with a loop is recorded. Alone, its kernels receive what they consumed in it: on the
// feedback edge, first the initial elements.
func TestRecordLoop(t *testing.T) {
	t.Parallel()
	const blocks = 30
	d := flowtest.X{Dir: "../bench/apps/agc/", Files: []string{"app.x", "arch.x", "map.x"}}.Design(t,
		design.Options{Purpose: design.ForCheck})
	o := Options{Elements: blocks}
	o.fill()
	files, kernels, err := record(t.Context(), d, o, t.TempDir(), &Report{})
	if err != nil {
		t.Fatal(err)
	}
	for e, edge := range d.Program.Edges {
		data, err := os.ReadFile(files[e])
		if err != nil {
			t.Fatal(err)
		}
		size := int(d.Problem.Application.Edges[e].ElementBytes)
		if want := (blocks + edge.Initial) * size; len(data) != want {
			t.Errorf("of edge %s %d bytes are recorded, want %d", edge.Name, len(data), want)
		}
		one := binary.LittleEndian.AppendUint32(nil, 1<<16)
		if start := append(one, one...); edge.Initial > 0 && !bytes.HasPrefix(data, start) {
			t.Errorf("what is recorded of edge %s begins with %v, want %v", edge.Name, data[:8], start)
		}
	}
	for k := range kernels {
		if n := kernels[k].firings; n != blocks {
			t.Errorf("kernel %s has fired %g times, want %d", d.Program.Kernels[k].Name, n, blocks)
		}
	}
}

// TestRecordEmits: a kernel that violates its emit causes a warning in the recorded run, as in a deployed one.
func TestRecordEmits(t *testing.T) {
	t.Parallel()
	kernel := func(name, does string) string {
		return "#include \"X_" + name + ".h\"\nvoid X_" + name + "_init(X_" + name + " *d) { (void)d; }\nvoid X_" +
			name + "_destroy(X_" + name + " *d) { (void)d; }\n" + does
	}
	const sends = "*X_F_y(d, 1) = 0; X_F_y_send(d, 1);"
	for each, want := range map[int]int{2: 0, 3: 1} {
		d := flowtest.X{Files: []string{"app.x"}, Dir: testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block G { config SIGNED64 elements = 1000; output UNSIGNED32 y; emit y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; join 4 x; emit 2 y; };
block S { input UNSIGNED32 x; };
block top { G g; F f; S s; g -> f; f -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`,
			"g.c": kernel("G", `static int n;
int X_G_go(X_G *d) { *X_G_y(d, 1) = n; X_G_y_send(d, 1); return ++n >= d->config.elements; }
`),
			"f.c": kernel("F", `void X_F_push(X_F *d) {
	while (X_F_x_avail(d) >= 4) { `+strings.Repeat(sends, each)+` X_F_x_release(d, 4); }
}
`),
			"s.c": kernel("S", "void X_S_push(X_S *d) { while (X_S_x_avail(d)) X_S_x_release(d, 1); }\n"),
		}) + "/"}.Design(t, design.Options{Purpose: design.ForCheck})
		o, report := Options{Elements: 1000}, Report{}
		o.fill()
		if _, _, err := record(t.Context(), d, o, t.TempDir(), &report); err != nil {
			t.Fatal(err)
		}
		if n := len(report.Warnings); n != want || n > 0 && report.Warnings[0].ID != faults.EmitDiffers {
			t.Errorf("%d elements in each firing: %v", each, report.Warnings)
		}
	}
}
