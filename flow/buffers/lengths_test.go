package buffers_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// lengthsOf simulates the queues of an application with constant times on three cores.
func lengthsOf(t *testing.T, app string, ran buffers.Ran) map[string]buffers.Length {
	t.Helper()
	d := flowtest.X{Files: []string{}, More: "#include \"std.x\"\n" + app + `
platform C;
resource proc[3] is C;
resource mem is memory ({ proc }, bandwidth="100GB/s");
`}.Design(t, design.Options{})
	n, s := solve(t, d.Problem, d.Mapping)
	for range d.Problem.Application.Edges {
		ran.Capacity = append(ran.Capacity, 1000)
	}
	list, err := buffers.Lengths(context.Background(), n, s, ran)
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]buffers.Length)
	for e := range list {
		of[d.Problem.Application.Edges[e].Name] = list[e]
	}
	return of
}

// pipe returns g -> f -> s, with f on the given resource.
func pipe(f, on string) string {
	return fmt.Sprintf(`block G { output UNSIGNED8[100] y; };
block F { input UNSIGNED8[100] x; output UNSIGNED8[100] y; };
block S { input UNSIGNED8[100] x; };
block top { G g; F f; S s; e1: g -> f; e2: f -> s; };
use top;
impl G on C (time="1us", scv=0); impl F on C (time="%s", scv=0, gain=1); impl S on C (time="1us", scv=0);
map { top.g } to proc[1]; map { top.f } to %s; map { top.s } to proc[3];
`, f, on)
}

// TestLengthsFull: the buffer before a bottleneck is full, the one behind it is not.
func TestLengthsFull(t *testing.T) {
	of := lengthsOf(t, pipe("2us", "proc[2]"), buffers.Ran{Seconds: 0.05, Virtual: true})
	if l := of["top.e1"]; !l.Fills || l.Max < 990 {
		t.Errorf("before the bottleneck: %+v", l)
	}
	if l := of["top.e2"]; l.Fills || l.Max > 2 || l.Turn || l.For >= 0 {
		t.Errorf("behind the bottleneck: %+v", l)
	}
	// A run that is too short to fill it ends before: 1 us of 2 stays in the buffer.
	if l := lengthsOf(t, pipe("2us", "proc[2]"), buffers.Ran{Seconds: 4e-4, Virtual: true})["top.e1"]; !l.Fills ||
		math.Abs(l.Max-200) > 60 {
		t.Errorf("after 400 us: %+v", l)
	}
	// Longer than the simulated part: the queue grows by 1 % of the sent elements until it is full.
	slow := pipe("1010ns", "proc[2]")
	if l := lengthsOf(t, slow, buffers.Ran{Seconds: 100, Virtual: true})["top.e1"]; !l.Fills || l.Max < 990 {
		t.Errorf("of what grows slowly: %+v", l)
	}
}

// TestLengthsTurn: where kernels of a process take turns, a turn of the writer is in the queue.
func TestLengthsTurn(t *testing.T) {
	ran := buffers.Ran{Seconds: 0.05, Looks: 50}
	if l := lengthsOf(t, pipe("1us", "proc[1]"), ran)["top.e1"]; !l.Turn || l.Fills || l.Max < 8 || l.Max > 40 {
		t.Errorf("in turns of 35 us: %+v", l) // of the source; 16 are between 8 and 40
	}
	ran.Looks, ran.Virtual = 0, true
	if l := lengthsOf(t, pipe("1us", "proc[1]"), ran)["top.e1"]; l.Turn || l.Max > 3 {
		t.Errorf("in turns of one firing: %+v", l)
	}
}

// TestLengthsJoin: at a join, elements of the short branch wait for those of the long branch.
func TestLengthsJoin(t *testing.T) {
	of := lengthsOf(t, `block G { output UNSIGNED8[100] y; };
block F { input UNSIGNED8[100] x; output UNSIGNED8[4000] y; };
block J { input UNSIGNED8[100] a; input UNSIGNED8[4000] b; join 40 a, b; };
block top { G g; F f; J j; far: g.y -> f.x; near: g.y -> j.a; late: f.y -> j.b; };
use top;
impl G on C (time="1us", scv=0); impl F on C (time="200ns", scv=0, gain=1); impl J on C (time="1us", scv=0);
map { top.g } to proc[1]; map { top.f } to proc[2]; map { top.j } to proc[3];
`, buffers.Ran{Seconds: 0.05, Virtual: true})
	if l := of["top.near"]; l.For < 0 || l.Fills || l.Max < 40 || l.Max > 90 {
		t.Errorf("before the join: %+v", l)
	}
	if l := of["top.late"]; l.For >= 0 || l.Max > 2 {
		t.Errorf("by the long way: %+v", l)
	}
}

// TestLengthsBatch: a batch to another process is part of the queue, except in virtual time. Kernels with
// unknown variation are named.
func TestLengthsBatch(t *testing.T) {
	fast := `block G { output UNSIGNED8 y; }; block S { input UNSIGNED8 x; };
block top { G g; S s; e: g -> s; };
use top;
impl G on C (time="100ns", scv=0); impl S on C (time="20ns");
map { top.g } to proc[1]; map { top.s } to proc[2];
`
	ran := buffers.Ran{Seconds: 0.02, Looks: 50}
	l := lengthsOf(t, fast, ran)["top.e"]
	if l.Batch != 125 || l.Max < 125 || l.Max > 140 || len(l.Assumed) != 1 || l.Assumed[0] != 1 {
		t.Errorf("to another process: %+v, want 125, an eighth of the buffer, and a few", l)
	}
	ran.Virtual, ran.Looks = true, 0
	if l := lengthsOf(t, fast, ran)["top.e"]; l.Batch != 0 || l.Max > 20 {
		t.Errorf("in virtual time: %+v", l)
	}
}
