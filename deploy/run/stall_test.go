package run

import (
	"strings"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
	"xopt/flow/design"
)

const stallApp = `#include "std.x"
block G { output UNSIGNED32 a, b; };
block J { input UNSIGNED32 x, y; output UNSIGNED32 z; JOIN };
block S { input UNSIGNED32 x; };
block top { G g; J j; S s; e1: g.a -> j.x; e2: g.b -> j.y; e3: j.z -> s.x; };
use top;
platform C { impl G (src="g.c"); impl J (src="j.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g } to proc[1];
map { top.j, top.s } to proc[2];
`

func stallDesign(t *testing.T, join, more string) *design.Design {
	t.Helper()
	return load(t, "", "", strings.Replace(stallApp, "JOIN", join, 1)+more)
}

// TestStalled: when nothing moves, the message names the kernel that has its input but does nothing. Otherwise it
// names what each kernel waits for.
func TestStalled(t *testing.T) {
	const stored = "buffer { top.e1, top.e2, top.e3 } = 8;\n"
	const both, two = "join x, y;", "join 2 x, 3 y;"
	for _, c := range []struct {
		name, join string
		sent       [3]uint64 // of each edge
		consumed   [3]uint64
		blocked    []int // edges whose writer waits
		ended      []int // kernels
		kernel     string
		want       []string
	}{
		{"a kernel with all that it needs", both, [3]uint64{8, 5, 0}, [3]uint64{}, []int{0}, nil, "top.j",
			[]string{".c) has 8 elements of x (top.e1), 5 elements of y (top.e2) and space to send, but does "}},
		{"a join that starves behind a full buffer", both, [3]uint64{8, 0, 0}, [3]uint64{}, []int{0}, nil, "",
			[]string{"kernel top.g (block G) waits for space on top.e1",
				"kernel top.j (block J) waits for y (top.e2 contains 0 elements)",
				"top.e1 is full with 8 elements, top.e2 is empty"}},
		{"a join of several", two, [3]uint64{8, 2, 0}, [3]uint64{}, []int{0}, nil, "",
			[]string{"kernel top.j (block J) waits for y (top.e2 contains 2 elements)"}},
		{"an input that is never taken", "", [3]uint64{8, 0, 0}, [3]uint64{}, []int{0}, nil, "",
			[]string{"kernel top.j (block J) has 8 elements of x (top.e1) but too few elements of y (top.e2 contains " +
				"0 elements), and consumes nothing"}},
		{"a source that sends nothing", both, [3]uint64{2, 2, 2}, [3]uint64{2, 2, 2}, nil, nil, "top.g",
			[]string{".c) is called repeatedly and has space, but sends nothing"}},
		{"a sink that takes nothing", both, [3]uint64{8, 8, 8}, [3]uint64{8, 8, 0}, []int{2}, []int{0}, "top.s",
			[]string{".c) has 8 elements of x (top.e3) and space to send, but does nothing"}},
	} {
		p, err := program.Describe(stallDesign(t, c.join, stored), program.Options{CPUs: 2})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(p, make([]byte, p.Bytes), Options{})
		for i := range p.Processes {
			r.store32(r.processAt(i)+abi.ProcessKernel, ^uint32(0))
		}
		for e := range c.sent {
			r.store64(p.Edges[e].Writer+abi.WriterHead, c.sent[e])
			r.store64(p.Edges[e].Reader+abi.ReaderTail, c.consumed[e])
		}
		for _, e := range c.blocked {
			r.store64(p.Edges[e].Control+abi.RingBlockedSince, 1)
		}
		for _, k := range c.ended {
			r.store32(r.kernelAt(k)+abi.KernelDone, 1)
		}
		f := r.stalled(time.Second, make([]uint64, 3))
		for _, want := range c.want {
			if f.Kind != "deadlock" || f.Kernel != c.kernel || !strings.Contains(f.Text, want) {
				t.Errorf("%s: got %+v, want one of %q that says %q", c.name, f, c.kernel, want)
			}
		}
	}
}
