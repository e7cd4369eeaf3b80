// Package apptest deploys applications in tests, in one mapping or in many. All mappings must produce the same output.
package apptest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// App is an application in a folder, such as an application of bench/apps.
type App struct {
	Dir   string            // folder with app.x and arch.x
	Files []string          // nil for app.x and arch.x
	Set   map[string]string // configs: "top.n" -> "3"
	Input string            // value of --input
	// Elements is the value of --elements; 0 for the application's default.
	Elements uint64
	// Simulate contains the simulation options of mappings with an FPGA.
	Simulate xsim.Options
}

// Load reads the application with a mapping in X; if mapping is "", with the mapping in the application's files.
func (a App) Load(t testing.TB, mapping string) *design.Design {
	t.Helper()
	return flowtest.X{Dir: a.Dir, Files: a.Files, More: mapping, Set: a.Set}.Design(t,
		design.Options{Purpose: design.ForCheck})
}

// Deploy builds and runs the application once. It returns the output file of the sink (nil if there is none) and the
// measurements. A failed run fails the test.
func (a App) Deploy(t testing.TB, mapping string, o program.Options) ([]byte, *run.Measurement) {
	t.Helper()
	out, m := a.run(t, mapping, o)
	if m.Failure != nil {
		t.Fatalf("%v\nmapping:\n%s", m.Failure, mapping)
	}
	return out, m
}

// Fail runs the application, and returns the failure of the run; nil if it succeeded.
func (a App) Fail(t testing.TB, mapping string) *run.Failure {
	t.Helper()
	_, m := a.run(t, mapping, program.Options{})
	return m.Failure
}

func (a App) run(t testing.TB, mapping string, o program.Options) ([]byte, *run.Measurement) {
	t.Helper()
	d := a.Load(t, mapping)
	o.Input, o.Elements = a.Input, a.Elements
	o.Output = filepath.Join(t.TempDir(), "output")
	build := func() (*program.Program, error) {
		if !xsim.Needed(d) {
			return program.New(context.Background(), d, o, "")
		}
		prog, _, err := xsim.Build(context.Background(), d, o, a.Simulate, "")
		return prog, err
	}
	prog, err := build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(context.Background(), prog, run.Options{Stall: 10 * time.Minute})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(o.Output)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out, m
}

// maxShort is the maximum number of mappings in short tests (go test -short).
const maxShort = 2

// Agree deploys the application in n random mappings with random buffers, wait strategies and deployment styles. Each
// output must equal want.
func (a App) Agree(t *testing.T, n int, want []byte) {
	t.Helper()
	if testing.Short() {
		n = min(n, maxShort)
	}
	d := a.Load(t, "")
	random := rand.New(rand.NewPCG(1, uint64(n)))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for i := range n {
		mapping := a.drawn(t, d, random)
		o := program.Options{Style: program.Style(pick("core", "kernel")),
			Wait: program.Wait(pick("auto", "block", "spin-block", "yield"))}
		if random.IntN(4) == 0 {
			o.Taps = program.StandardTaps(d.Program, uint64(random.IntN(3)))
		}
		if placed := a.Load(t, mapping); i%2 == 1 && !xsim.Needed(placed) { // minimum sizes, which grow in the run
			o.Buffers = tinyBuffers(placed, random)
			o.Growth = program.Growth{MaxBytes: 1 << 28, Policy: program.GrowthPolicy(random.IntN(2))}
		}
		got, _ := a.Deploy(t, mapping, o)
		if !bytes.Equal(got, want) {
			t.Errorf("mapping %d, a process per %s, wait %s: %d bytes of output, want %d; "+
				"first difference at byte %d\n%s",
				i, o.Style, o.Wait, len(got), len(want), firstDifference(got, want), mapping)
		}
	}
}

// tinyBuffers returns a random size for each edge, in elements, at most three above the edge's minimum.
func tinyBuffers(d *design.Design, random *rand.Rand) map[int]int {
	sizes := make(map[int]int)
	for e, minimum := range d.MinSizes() {
		sizes[e] = max(1, int(math.Ceil(minimum.Sure))) + random.IntN(4)
	}
	return sizes
}

// drawn returns a random mapping in X, which uses an FPGA if there is one.
func (a App) drawn(t *testing.T, d *design.Design, random *rand.Rand) string {
	t.Helper()
	fpga := func(r int) bool { return design.IsFPGA(d.Program, r) }
	without := true
	for r := range d.Program.Resources {
		without = without && !fpga(r)
	}
	for {
		mapping := RandomMapping(d, random, true)
		if without || slices.ContainsFunc(a.Load(t, mapping).Mapping.Place, fpga) {
			return mapping
		}
	}
}

// RandomMapping returns X code that places each kernel on a random allowed resource. If several links connect two
// kernels, it selects a random link for their edge. If buffers is true, it sets a random buffer size for some edges.
func RandomMapping(d *design.Design, random *rand.Rand, buffers bool) string {
	var b strings.Builder
	place := make([]int, len(d.Program.Kernels))
	for k := range place {
		place[k] = random.IntN(len(d.Program.Resources))
		for !d.Problem.Figures[k][place[k]].Available {
			place[k] = random.IntN(len(d.Program.Resources))
		}
		fmt.Fprintf(&b, "map { %s } to %s;\n", d.Program.Kernels[k].Name, d.Program.Resources[place[k]].Name)
	}
	for _, e := range d.Program.Edges {
		if strings.Contains(e.Name, "->") {
			continue
		}
		if buffers && random.IntN(3) == 0 {
			fmt.Fprintf(&b, "buffer { %s } = %d;\n", e.Name, max(1<<random.IntN(8), e.Initial))
		}
		var links []string
		for _, l := range d.Program.Links {
			if slices.Contains(l.Endpoints, place[e.From]) && slices.Contains(l.Endpoints, place[e.To]) {
				links = append(links, l.Name)
			}
		}
		if place[e.From] != place[e.To] && len(links) > 1 {
			fmt.Fprintf(&b, "map { %s } to %s;\n", e.Name, links[random.IntN(len(links))])
		}
	}
	return b.String()
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
