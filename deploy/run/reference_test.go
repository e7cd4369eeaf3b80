package run

import (
	"slices"
	"testing"
	"time"

	"xopt/deploy/program"
)

// TestReference: in a program with a reference every process runs a turn of it at a time; a program without one
// has no turns. On a busy machine frames start late and may contain two turns.
func TestReference(t *testing.T) {
	t.Parallel()
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } "+
		"to proc[2];")
	limits := Options{Time: 300 * time.Millisecond, Frame: 10 * time.Millisecond}
	const forever = 1 << 40
	var m *Measurement
	for limit := limits.Time; limit < 5*time.Minute; limit *= 4 { // a busy machine may not run a process at all
		m = deploy(t, d, program.Options{Elements: forever, Reference: true}, Options{Time: limit, Frame: limits.Frame})
		if !slices.ContainsFunc(m.Reference, func(turns []ReferenceTurn) bool { return len(turns) == 0 }) {
			break
		}
	}
	if len(m.Reference) != 2 {
		t.Fatalf("%d references, failure %v", len(m.Reference), m.Failure)
	}
	for i, turns := range m.Reference {
		if len(turns) < 1 {
			t.Errorf("process %d has no turn in %d frames", i, len(m.Frames))
		}
		for j, x := range turns {
			for f, elapsed := range x.Probes {
				if !(elapsed > 0) {
					t.Errorf("process %d, turn %d: probe %d took %g s", i, j, f, elapsed)
				}
			}
			if !(x.Seconds >= x.Probes[0]+x.Probes[4]) {
				t.Errorf("process %d, turn %d took %g s, and its probes %g", i, j, x.Seconds, x.Probes)
			}
			if j > 0 && (x.Frame < turns[j-1].Frame || x.Time < turns[j-1].Time || x.CPU < turns[j-1].CPU ||
				x.Preempted < turns[j-1].Preempted) {
				t.Errorf("process %d: turn %+v after %+v", i, x, turns[j-1])
			}
		}
	}
	if m := deploy(t, d, program.Options{Elements: 100}, limits); m.Reference != nil {
		t.Errorf("a reference in a program without one: %+v", m.Reference)
	}
}
