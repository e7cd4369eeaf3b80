package unseen_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/bench/unseen"
	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestDraw checks the applications of 200 seeds. The language front end must accept them, they have the right number of
// kernels, and solving gives the gains of their kernels. Every block occurs in some of them.
func TestDraw(t *testing.T) {
	t.Parallel()
	const seeds = 200
	used, sizes := make(map[string]int), make(map[int]bool)
	for seed := range uint64(seeds) {
		a := unseen.Draw(seed)
		if len(a.Kernels) < unseen.MinKernels || len(a.Kernels) > unseen.MaxKernels {
			t.Errorf("seed %d: %d kernels", seed, len(a.Kernels))
		}
		sizes[len(a.Kernels)] = true
		for i := range a.Kernels {
			used[a.Kernels[i].Block]++
		}
		if !testing.Short() || seed%4 == 0 {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { readable(t, a) })
		}
	}
	all, err := unseen.Blocks()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if used[b] == 0 {
			t.Errorf("no application of %d seeds has block %s", seeds, b)
		}
	}
	if len(sizes) != unseen.MaxKernels-unseen.MinKernels+1 {
		t.Errorf("applications have only the sizes %v", sizes)
	}
}

// readable checks that the language front end accepts an application.
func readable(t *testing.T, a *unseen.App) {
	dir := t.TempDir()
	if err := a.Write(dir, 2); err != nil {
		t.Fatal(err)
	}
	d := flowtest.X{Dir: dir, Files: unseen.Files()}.Design(t, design.Options{Purpose: design.ForCheck})
	if len(d.Program.Kernels) != len(a.Kernels) || len(d.Program.Edges) != len(a.Edges) {
		t.Errorf("%d kernels and %d edges were read, want %d and %d", len(d.Program.Kernels), len(d.Program.Edges),
			len(a.Kernels), len(a.Edges))
	}
	for _, x := range d.Program.Impls {
		if _, err := os.Stat(filepath.Join(dir, x.Attrs["src"].Text)); err != nil {
			t.Errorf("block %s: %v", x.Block, err)
		}
	}
}

// TestGains checks that with the gains of the plain program, the predicted flow on every edge equals the sent data.
func TestGains(t *testing.T) {
	t.Parallel()
	const elements = 400
	seeds := uint64(20)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		a := unseen.Draw(seed)
		_, _, consumed, outputs := sequential(t, a, a.Elements(elements))
		sent := make([]int, len(outputs))
		for i, list := range outputs {
			for _, bytes := range list {
				sent[i] += bytes
			}
		}
		var more strings.Builder
		more.WriteString("#include \"std.x\"\n")
		for i := range a.Kernels {
			k := &a.Kernels[i]
			if k.Block != a.Kernels[0].Block && consumed[i] == 0 {
				t.Errorf("seed %d: nothing comes to %s", seed, k.Name)
			}
			switch k.Block {
			case "Select", "Parse", "Compress", "Lex", "Runs", "Expand", "Code", "Count":
				fmt.Fprintf(&more, "impl top.%s on C (gain=%.17g);\n", k.Name, float64(sent[i])/float64(consumed[i]))
			case "Deal", "Gather", "Pack", "Unpack", "Sieve":
				fmt.Fprintf(&more, "impl top.%s on C (gain=1);\n", k.Name)
			}
			for w, bytes := range outputs[i] {
				part := float64(bytes) / float64(sent[i])
				if k.Block == "Deal" { // the last round may be incomplete
					part = 1 / k.Setting("ways")
				}
				if len(outputs[i]) > 1 {
					fmt.Fprintf(&more, "route top.%s.y[%d] = %.17g;\n", k.Name, w+1, part)
				}
			}
			speed := "time=\"1us\""
			if k.Block == "Read" { // its firings differ
				speed = "mu=\"1MB/s\""
			}
			fmt.Fprintf(&more, "impl top.%s on C (%s);\n", k.Name, speed)
		}
		dir := t.TempDir()
		if err := a.Write(dir, 2); err != nil {
			t.Fatal(err)
		}
		d := flowtest.X{Dir: dir, Files: unseen.Files(), More: more.String()}.Design(t,
			design.Options{Purpose: design.ForCheck})
		network, err := flow.NewNetwork(d.Problem, &flow.Mapping{Place: make([]int, len(a.Kernels)),
			Route: make([][]int, len(a.Edges))})
		if err != nil {
			t.Fatal(err)
		}
		solved, err := flow.Fast{}.Solve(t.Context(), network)
		if err != nil || !(solved.Throughput > 0) {
			t.Fatalf("seed %d: throughput %v, %v", seed, solved, err)
		}
		first := float64(sent[0]) / solved.EdgeFlow[0]
		for e, edge := range a.Edges {
			want := float64(outputs[edge.From][max(edge.FromIndex, 0)])
			// The incomplete element at the end is not sent.
			if got := solved.EdgeFlow[e] * first; math.Abs(got-want) > 0.05*want {
				t.Errorf("seed %d: %g bytes flow from %s to %s, want %g", seed, got, a.Kernels[edge.From].Name,
					a.Kernels[edge.To].Name, want)
			}
		}
	}
}

// TestSequential compares the output of an application, in any mapping, with plain functions of the same sources.
func TestSequential(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1}
	if !testing.Short() {
		for seed := uint64(2); seed < 16; seed++ {
			seeds = append(seeds, seed)
		}
	}
	const elements = 100
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := unseen.Draw(seed)
			want, side, _, _ := sequential(t, a, a.Elements(elements))
			dir := t.TempDir()
			if err := a.Write(dir, 2); err != nil {
				t.Fatal(err)
			}
			report := filepath.Join(t.TempDir(), "report")
			app := apptest.App{Dir: dir, Elements: uint64(a.Elements(elements)),
				Set: map[string]string{"top.report": report}}
			got, _ := app.Deploy(t, "map { top } to core[1];", program.Options{})
			if string(got) != want {
				t.Errorf("it wrote %q, the plain program %q\n%s", got, want,
					testkit.Read(t, filepath.Join(dir, "app.x")))
			}
			if side != "" && testkit.Read(t, report) != side {
				t.Errorf("the side branch wrote %q, the plain program %q", testkit.Read(t, report), side)
			}
			app.Agree(t, 1, []byte(want))
		})
	}
}
