package xlang_test

import (
	"reflect"
	"testing"

	"xopt/flow/xlang"
)

// TestSentOnce: a table is not a stream of a kernel, also after a kernel without other inputs, for which it is the
// stream. A port that also receives a stream has a stream.
func TestSentOnce(t *testing.T) {
	in := make([]xlang.Port, 2)
	p := &xlang.Program{
		Kernels: []xlang.Kernel{
			{Name: "data"}, {Name: "keys", Once: true}, {Name: "expand", Inputs: in[:1]}, {Name: "round", Inputs: in},
			{Name: "mixed", Inputs: in}, {Name: "loop", Inputs: in[:1]}, {Name: "sink", Inputs: in},
		},
		Edges: []xlang.Edge{
			{From: 3, To: 4}, {From: 0, To: 3}, {From: 1, To: 2}, {From: 2, To: 3, ToPort: 1},
			{From: 1, To: 4, ToPort: 1}, {From: 0, To: 4, ToPort: 1},
			{From: 4, To: 6}, {From: 2, To: 6, ToPort: 1}, {From: 5, To: 5},
		},
	}
	want := [][]bool{{}, {}, {false}, {false, true}, {false, false}, {false}, {false, true}}
	if got := p.SentOnce(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
