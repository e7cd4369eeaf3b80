package calibrate

import (
	"context"
	"os"
	"testing"
	"time"

	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// TestPressed runs a source, a kernel with two inputs, a sink and the probe beside pressure. Each works, and
// the pressure reports exactly the turns that exist. Durations are not judged.
func TestPressed(t *testing.T) {
	testkit.Long(t, "it builds and runs programs")
	t.Parallel()
	d := flowtest.X{Dir: "../bench/apps/synthetic/", Files: []string{"tree.x", "arch.x"},
		More: "map { top } to proc[1];\n"}.Design(t,
		design.Options{Purpose: design.ForCheck})
	dir := t.TempDir()
	files := make([]string, len(d.Program.Edges))
	for e, edge := range d.Program.Edges {
		f, err := os.CreateTemp(dir, "edge-")
		if err != nil {
			t.Fatal(err)
		}
		files[e] = f.Name()
		// More than is replayed.
		if err := f.Truncate(int64(d.Program.Kernels[edge.To].Inputs[edge.ToPort].ElementBytes) * 1e5); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	try := func(name string, p *pressed, kernel *xlang.Kernel, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := run.Well(ctx, p.program, run.Options{Frame: contentionFrame,
			Time: (2*pacedTurns + 2) * turnTime})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Kernels[0].Calls == 0 || m.Kernels[p.pressure].Calls == 0 {
			t.Errorf("%s: it was called %d times, and the pressure %d times", name, m.Kernels[0].Calls,
				m.Kernels[p.pressure].Calls)
		}
		for _, x := range p.moments(m, kernel) {
			if x.turn < 0 || x.turn >= turnKinds || x.cost < 0 || x.turn == turnProbed && !(x.probe > 0) {
				t.Errorf("%s: %+v", name, x)
			}
		}
		if err := p.program.Remove(); err != nil {
			t.Error(err)
		}
	}
	for k := range d.Program.Kernels {
		if name := d.Program.Kernels[k].Name; name == "top.source" || name == "top.join" || name == "top.sink" {
			s := &Session{design: d, files: files, options: Options{Elements: 1000}, dir: dir}
			p, err := s.buildPressed(ctx, k, 1<<20)
			try(name, p, &d.Program.Kernels[k], err)
		}
	}
	p, err := buildProbe(ctx, d, d.Program.Resources[0], dir, 1<<20)
	try("probe", p, &xlang.Kernel{Outputs: []xlang.Port{{Name: "y", ElementBytes: 8}}}, err)
	if turnTime != 30*time.Millisecond {
		t.Error("pressure/pace.h has turns of 30 ms")
	}
}
