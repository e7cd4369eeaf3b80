package program

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"xopt/flow/design"
	"xopt/hdl/rtl"
)

var update = flag.Bool("update", false, "write the golden files of generated sources anew")

// generatedCase is an application whose generated sources are kept in testdata.
type generatedCase struct {
	name, dir, files, mapping string
	options                   func(d *design.Design) Options
	headers                   []string // blocks
}

func generatedCases() []generatedCase {
	return []generatedCase{
		{"broadcast", "broadcast", "app.x arch.x",
			"map { top.source, top.scale } to proc[1]; map { top.sum, top.peak, top.store } to proc[2];",
			func(*design.Design) Options { return Options{Output: "a \"file\"\n", Batch: "16KiB"} },
			[]string{"Scale", "Store"}},
		{"taps", "test1", "app.x arch.x",
			"map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];",
			func(d *design.Design) Options {
				return Options{Style: PerKernel, Taps: append(StandardTaps(d.Program, 100),
					Tap{Kind: Value, Edge: 2, Trace: 16, When: Condition{{Op: Queued, Object: 1},
						{Op: Number, Number: 0.5},
						{Op: Less}, {Op: Running, Object: 4}, {Op: And}}},
					Tap{Kind: Latency, Path: []int{0, 2}, Histogram: &Bins{Low: 1e-6, Width: 1e-7, N: 30}})}
			}, []string{"GENERATE", "SUM"}},
		{"fpga", "test1", "app.x hybrid.x",
			"map { top.gen1, top.gen2, top.sum, top.store } to proc[1]; map { top.half } to fpga;",
			func(d *design.Design) Options {
				v := &Virtual{Cores: []string{"proc[1]"}, Quantum: 64, Seed: 7,
					Links: []VirtualLink{{Bandwidth: 1e9, TransferCost: 1e-6, TransferBytes: 4096}},
					Rate:  make([]float64, len(d.Program.Kernels)), SCV: make([]float64, len(d.Program.Kernels)),
					Core: make([]int, len(d.Program.Kernels)), Routes: make([][]int, len(d.Program.Edges))}
				f := Federate{Name: "fpga", Path: "/simulation", Period: 1e-8}
				for k := range d.Program.Kernels {
					if d.Program.Kernels[k].Block == "HALF" {
						v.Core[k] = -1
						f.Parts = append(f.Parts, k)
						f.Seen = append(f.Seen, FederateSeen{Streams: []rtl.Stream{{Name: "x0", Input: true, Width: 32},
							{Name: "y0", Width: 32}}})
					} else {
						v.Rate[k], v.SCV[k] = 5e7, 0.25
					}
				}
				for e, x := range d.Program.Edges {
					if v.Core[x.From] < 0 || v.Core[x.To] < 0 {
						v.Routes[e] = []int{0}
						f.Outer = append(f.Outer, FederateOuter{Edge: e, Stream: x.Name})
					}
				}
				v.Federates = []Federate{f}
				return Options{Virtual: v, Taps: []Tap{{Kind: Occupancy, Edge: 0, Histogram: &Bins{}}}}
			}, nil},
	}
}

// sources returns the generated files of a case, on a machine that is always the same.
func (c *generatedCase) sources(t *testing.T) map[string]string {
	t.Helper()
	d := load(t, filepath.Join("../../bench/apps", c.dir), c.files, c.mapping)
	o := c.options(d)
	o.Wait = WaitBlock
	p, err := newPlan(d, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.processes {
		p.processes[i].Processor = i % 2
	}
	p.tsc = true
	files := make(map[string]string)
	if files["main.c"], err = p.mainC(); err != nil {
		t.Fatal(err)
	}
	if files["choices.h"], err = p.choicesH(sanitizers{}); err != nil {
		t.Fatal(err)
	}
	for _, b := range c.headers {
		if files["X_"+b+".h"], err = Header(p.program, b); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestGenerated compares generated sources with those in testdata, so that the effect of a template's change is
// visible. go test -update rewrites them.
func TestGenerated(t *testing.T) {
	for _, c := range generatedCases() {
		t.Run(c.name, func(t *testing.T) {
			files := c.sources(t)
			dir := filepath.Join("testdata", c.name)
			if *update {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				path := filepath.Join(dir, name)
				if *update {
					if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if files[name] != string(want) {
					t.Errorf("%s is not what is kept (go test -update writes it anew):\n%s", path, files[name])
				}
			}
		})
	}
}

// TestGeneratedTwice: generation is deterministic.
func TestGeneratedTwice(t *testing.T) {
	for _, c := range generatedCases() {
		first := c.sources(t)
		for range 5 {
			if again := c.sources(t); !maps.Equal(first, again) {
				t.Errorf("%s: two generations differ", c.name)
			}
		}
	}
}
