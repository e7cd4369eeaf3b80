package run

import (
	"strings"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// TestRunaway: a kernel that sends elements without releasing its input is named after the stall limit, or at the time
// limit if it has released none at all. A kernel without input, one that consumes, and a run whose source proceeds are
// not blamed.
func TestRunaway(t *testing.T) {
	const stall = 10 * time.Second
	for _, c := range []struct {
		name     string
		source   [2]uint64 // sent on top.e1 and top.e2 at the start and at the end
		consumed [3]uint64 // on each edge, at the end
		sent     uint64    // by top.j, at the end
		after    time.Duration
		atLimit  bool
		blamed   bool
	}{
		{"sends and keeps its input", [2]uint64{8, 8}, [3]uint64{0, 0, 500}, 508, 10 * time.Second, false, true},
		{"not yet", [2]uint64{8, 8}, [3]uint64{0, 0, 500}, 508, 9 * time.Second, false, false},
		{"at the time limit", [2]uint64{8, 8}, [3]uint64{0, 0, 500}, 508, 5 * time.Second, true, true},
		{"soon at the time limit", [2]uint64{8, 8}, [3]uint64{0, 0, 500}, 508, 500 * time.Millisecond, true, false},
		{"sends nothing", [2]uint64{8, 8}, [3]uint64{}, 0, 10 * time.Second, false, false},
		{"without input", [2]uint64{0, 0}, [3]uint64{0, 0, 500}, 508, 10 * time.Second, false, false},
		{"the source proceeds", [2]uint64{8, 9}, [3]uint64{0, 0, 500}, 508, 10 * time.Second, false, false},
		{"consumes", [2]uint64{8, 8}, [3]uint64{4, 4, 4}, 4, 10 * time.Second, false, false},
	} {
		p, err := program.Describe(stallDesign(t, "", "buffer { top.e1, top.e2, top.e3 } = 8;\n"),
			program.Options{CPUs: 2})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(p, make([]byte, p.Bytes), Options{})
		for i := range p.Processes {
			r.store32(r.processAt(i)+abi.ProcessKernel, ^uint32(0))
		}
		r.started = time.Now()
		store := func(source uint64, consumed [3]uint64, sent uint64) {
			for e, n := range []uint64{source, source, sent} {
				r.store64(p.Edges[e].Writer+abi.WriterHead, n)
				r.store64(p.Edges[e].Reader+abi.ReaderTail, consumed[e])
			}
		}
		x := runaway{r: r}
		store(c.source[0], [3]uint64{}, 0)
		var f *Failure
		for at := time.Duration(0); at <= c.after && f == nil; at += c.after / 20 {
			if at == c.after/20 {
				store(c.source[1], c.consumed, c.sent)
			}
			if f = x.look(r.started.Add(at), stall); at == c.after && c.atLimit {
				f = x.atLimit(r.started.Add(at), stall)
			}
		}
		if (f != nil) != c.blamed {
			t.Errorf("%s: %+v", c.name, f)
		}
		if f != nil && (f.Kind != "hang" || f.Kernel != "top.j" || !strings.Contains(f.Text,
			"it sent 508 elements and released no element (")) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}
