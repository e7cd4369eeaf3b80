package design

import (
	"math"
	"strings"
	"testing"
)

// TestOnce: a source that sends once has no part in the steady state. Neither the throughput nor the load of its core
// or link includes it; otherwise its maximum rate would count.
func TestOnce(t *testing.T) {
	source := func(table, rest string) string {
		return `
#include "std.x"
block S { output UNSIGNED8 y; };
block Table { output UNSIGNED8 f; ` + table + ` };
block M { input UNSIGNED8 x, f; ` + rest + ` };
block top { S src; Table table; M mid; src.y -> mid.x; table.f -> mid.f; };
resource proc[2] is C;
resource bus1 is bus ({ proc }, bandwidth="100MB/s");
impl S on C (mu="30MB/s");
impl Table on C (mu="1GB/s");
impl M on C (mu="60MB/s");
map { top.src, top.table } to proc[1];
map { top.mid } to proc[2];
`
	}
	// without once, the bytes of the table that M consumes count too
	for declared, want := range map[string]float64{"once f;": 30e6, "": 60e6} {
		d := mustLower(t, Options{}, source(declared, ""))
		s := solve(t, d)
		if math.Abs(s.Throughput/want-1) > 1e-4 {
			t.Errorf("%q: %g bytes/s, want %g", declared, s.Throughput, want)
		}
		if declared != "" && (len(s.Sources) != 1 || s.EdgeFlow[1] != 0) {
			t.Errorf("sources %+v, %g bytes/s of the table", s.Sources, s.EdgeFlow[1])
		}
	}
	for _, x := range []struct{ table, rest, want string }{
		{"once g;", "", "block Table has no output port 'g'"},
		{"once f; output UNSIGNED8 more;", "",
			"block 'Table' sends once on some outputs but keeps sending on"},
		{"once f;", "once x;", "is not a source, and cannot send once"},
		{"once 2 f;", "", "outputs that send only at the start are declared as: once table;"},
	} {
		if _, err := readSource(source(x.table, x.rest)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s %s: %v, want %q", x.table, x.rest, err, x.want)
		}
	}
}
