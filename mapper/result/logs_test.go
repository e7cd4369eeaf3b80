package result_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/mapper/result"
)

// TestBoundLogs checks that each log keeps its first entries and the total is the maximum that fits. All logs that
// are cut have the same length, and firings are cut only if they alone are too many.
func TestBoundLogs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	logs := func(n int) (list []result.Logged) {
		for i := range n {
			list = append(list, result.Logged{Index: uint64(i)})
		}
		return list
	}
	for range 500 {
		m := new(result.Measured)
		var before []int
		for range 1 + rng.IntN(4) {
			m.Kernels = append(m.Kernels, result.MeasuredKernel{Log: logs(rng.IntN(30))})
		}
		for range rng.IntN(4) {
			m.Edges = append(m.Edges, result.MeasuredEdge{Log: logs(rng.IntN(30)), Released: logs(rng.IntN(30))})
		}
		lists := func() (list [][]result.Logged) {
			for _, k := range m.Kernels {
				list = append(list, k.Log)
			}
			for _, e := range m.Edges {
				list = append(list, e.Log, e.Released)
			}
			return list
		}
		all := 0
		for _, l := range lists() {
			before = append(before, len(l))
			all += len(l)
		}
		maximum := rng.IntN(150)
		left := m.BoundLogs(maximum)
		kept := 0
		groups := []struct{ from, to, kept, cut, longest int }{{to: len(m.Kernels)},
			{from: len(m.Kernels), to: len(before)}}
		for g := range groups {
			x := &groups[g]
			x.cut = -1
			for i, l := range lists()[x.from:x.to] {
				for j, e := range l {
					if e.Index != uint64(j) {
						t.Fatalf("entry %d of a log is %d", j, e.Index)
					}
				}
				kept += len(l)
				x.kept += len(l)
				x.longest = max(x.longest, len(l))
				if len(l) < before[x.from+i] {
					if x.cut >= 0 && x.cut != len(l) {
						t.Fatalf("logs are cut to %d and %d", x.cut, len(l))
					}
					x.cut = len(l)
				}
			}
			if x.cut >= 0 && x.longest > x.cut {
				t.Fatalf("a log has %d entries, and another is cut to %d", x.longest, x.cut)
			}
		}
		if kept > maximum || kept+left != all {
			t.Fatalf("%d of %d entries are kept of at most %d, and %d left", kept, all, maximum, left)
		}
		if all <= maximum && left > 0 {
			t.Fatalf("%d entries are left of %d, which fit into %d", left, all, maximum)
		}
		if groups[0].cut >= 0 && groups[0].kept+groups[0].to <= maximum {
			t.Fatalf("%d firings are kept where %d fit", groups[0].kept, maximum)
		}
		if groups[1].cut >= 0 && kept+groups[1].to-groups[1].from <= maximum {
			t.Fatalf("%d entries are kept where %d fit", kept, maximum)
		}
	}
}

// TestLargestLog checks that logged firings are written without white space and read back, and that a result with the
// maximum number can be read.
func TestLargestLog(t *testing.T) {
	const part, readable = 32, 768 << 20
	m := &result.Measured{Throughput: 1}
	for range 3 {
		k := result.MeasuredKernel{Kernel: "top.kernel"}
		for i := range result.MaxLogged / part {
			k.Log = append(k.Log, result.Logged{Index: uint64(i), Time: float64(1e-6 * float64(i) / 3),
				Value: float64(1e-7 * float64(i%97) / 3)})
		}
		m.Kernels = append(m.Kernels, k)
	}
	m.BoundLogs(result.MaxLogged / part)
	var text bytes.Buffer
	if err := (&result.Result{Schema: result.Schema, Tool: "xopt", Measured: m}).Encode(&text); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB for the most that there may be", part*text.Len()/1_000_000)
	if maximum := part * text.Len(); maximum > readable/2 {
		t.Errorf("a result may have %d bytes, and %d are read", maximum, readable)
	}
	r, err := result.Decode("large.json", &text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Kernels {
		got, want := r.Measured.Kernels[i].Log, m.Kernels[i].Log
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("kernel %d has %d of %d firings", i, len(got), len(want))
		}
	}
}
