package xsim

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/flow/xlang"
	"xopt/mapper/result"
)

// chain is a source, a kernel that takes two elements at a time, and a kernel with two inputs that are not
// joined.
func chainProgram() *xlang.Program {
	port := func(names ...string) (list []xlang.Port) {
		for _, n := range names {
			list = append(list, xlang.Port{Name: n, Type: "UNSIGNED8", ElementBytes: 1})
		}
		return list
	}
	return &xlang.Program{Kernels: []xlang.Kernel{
		{Name: "top.a", Outputs: port("y")},
		{Name: "top.b", Inputs: port("x"), Outputs: port("y"), Joins: []xlang.Join{{Ports: []int{0},
			Counts: []float64{2}}}},
		{Name: "top.c", Inputs: port("x0", "x1")},
	}, Edges: []xlang.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2, ToPort: 1}}}
}

func logged(kernel string, firings uint64, service float64, log ...result.Logged) result.MeasuredKernel {
	return result.MeasuredKernel{Kernel: kernel, Firings: firings, ServiceTime: float64(service), Log: log}
}

// TestRecorded: firings released together have equal times, and the first has that of the second, also where two
// inputs count firings. A log whose indices do not increase is used unchanged. A single firing has all of the time.
func TestRecorded(t *testing.T) {
	p := chainProgram()
	m := &result.Measured{Kernels: []result.MeasuredKernel{
		logged("top.a", 1, 3e-6),
		logged("top.b", 6, 1e-6, result.Logged{Index: 1, Value: 2e-6}, result.Logged{Index: 4, Value: 5e-6},
			result.Logged{Index: 5, Value: 7e-6}),
		logged("top.c", 3, 1e-6, result.Logged{Index: 1, Value: 1e-6}, result.Logged{Index: 2, Value: 2e-6}),
	}}
	got, err := Recorded(p, m)
	if err != nil {
		t.Fatal(err)
	}
	const us = 1_000_000
	want := [][]uint64{{3 * us}, {2 * us, 2 * us, 5 * us, 5 * us, 5 * us, 7 * us}, {us, us, 2 * us}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	separate := *m
	separate.Kernels = slices.Clone(m.Kernels)
	separate.Kernels[2] = logged("top.c", 3, 1e-6, result.Logged{Index: 1, Value: 1e-6}, result.Logged{Index: 1,
		Value: 2e-6})
	if got, err := Recorded(p, &separate); err != nil || !slices.Equal(got[2], []uint64{us, 2 * us}) {
		t.Errorf("firings of ports that were counted apart: %v, %v", got, err)
	}
	m.Kernels[1].ServiceTime = 8.6666666e-6
	scaled, err := Scaled(p, got, m)
	if err != nil {
		t.Fatal(err)
	}
	if sum := scaled[1][0] + scaled[1][2] + scaled[1][5]; sum < 27_900_000 || sum > 28_100_000 || scaled[0][0] != 3*us {
		t.Errorf("scaled to twice the mean: %v", scaled)
	}
	m.Kernels[2].Log = nil
	if _, err := Recorded(p, m); err == nil || !strings.Contains(err.Error(),
		"no firings of kernel top.c: deploy with --log 3") {
		t.Error(err)
	}
	m.Kernels = m.Kernels[:1]
	if _, err := Recorded(p, m); err == nil || !strings.Contains(err.Error(),
		"no kernel top.b: it belongs to") {
		t.Error(err)
	}
	if _, err := Scaled(p, got, m); err == nil || !strings.Contains(err.Error(), "no kernel top.b") {
		t.Error(err)
	}
}
