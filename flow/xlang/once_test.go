package xlang_test

import (
	"reflect"
	"testing"

	"xopt/flow/xlang"
)

// TestSentOnce: a table is none of a kernel's streams, also behind a kernel that takes
// nothing else, which has it for its stream; a port to which a stream comes as well has
// a stream.
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
