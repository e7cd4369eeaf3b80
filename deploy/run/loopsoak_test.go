package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// TestLoopEnds: a loop ends neither early nor never, in any interleaving of the processes. The test repeats
// short runs with every way to wait.
func TestLoopEnds(t *testing.T) {
	t.Parallel()
	runs, waits := 20, []program.Wait{program.WaitSpinBlock, program.WaitBlock}
	if !testing.Short() {
		runs, waits = 60, append(waits, program.WaitSpin, program.WaitYield)
	}
	// Processes that never sleep, more than there are processors, wait for the scheduler most of the time.
	awake := func(w program.Wait, s program.Style) bool {
		return s == program.PerKernel && (w == program.WaitSpin || w == program.WaitYield)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, wait := range waits {
		for _, style := range []program.Style{program.PerCore, program.PerKernel} {
			initial := 1 + random.IntN(4)
			files := loopFiles(fmt.Sprintf("initial=%d", initial))
			d := load(t, testkit.Files(t, files)+"/", "app.x", "map { top.g, top.pass, top.s } to proc[1]; "+
				"map { top.add, top.count } to proc[2]; buffer { top.x, top.out, top.last } = 8;")
			elements := uint64(1 + random.IntN(60))
			prog, err := program.New(context.Background(), d, program.Options{CPUs: 2, Style: style, Wait: wait,
				Elements: elements, Output: "/dev/null"}, "")
			if err != nil {
				t.Fatal(err)
			}
			maximum := runs
			if awake(wait, style) {
				maximum = runs / 5
			}
			for range maximum {
				m, err := Once(context.Background(), prog, Options{Stall: time.Minute})
				if err != nil || m.Failure != nil {
					t.Fatalf("%s, %s: %v, %v", style, wait, err, m.Failure)
				}
				for i, e := range m.Edges {
					if want := uint64(d.Program.Edges[i].Initial); e.Elements != elements || e.Left != want {
						t.Fatalf("%s, %s: of %d elements, edge %s carried %+v", style, wait, elements,
							d.Program.Edges[i].Name, e)
					}
				}
			}
			if err := prog.Remove(); err != nil {
				t.Error(err)
			}
		}
	}
}
