package calibrate

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// TestRecordLoop: a run with a loop is recorded, and what its kernels are fed alone is what they have
// taken: of the edge that leads back first what it held at the start.
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
