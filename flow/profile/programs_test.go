package profile

import (
	"fmt"
	"math"
	"testing"
	"time"

	"xopt/internal/proc"
)

func process(name string, parent int, used time.Duration, started int64) proc.Stat {
	return proc.Stat{Name: name, Parent: parent, Used: used, Started: started}
}

// TestUsedBetween: the time of children that ended counts for their parent, once; this program's does not count.
func TestUsedBetween(t *testing.T) {
	const s = time.Second
	before := map[int]proc.Stat{1: process("init", 0, 0, 0), 10: process("xopt", 1, 5*s, 1),
		20: process("make", 1, 2*s, 1),
		21: process("cc1", 20, 3*s, 2), 40: process("spin", 1, 7*s, 3), 50: process("kworker-a", 1, 9*s, 0)}
	now := map[int]proc.Stat{1: process("init", 0, 0, 0), 10: process("xopt", 1, 9*s, 1),
		11: process("kernel", 10, 8*s, 5),
		12: process("gcc", 11, s, 6),
		20: process("make", 1, 6*s, 1), // 3 of 4 s more are of cc1, which has ended and was counted before
		22: process("cc1", 20, s, 7), 23: process("cc1", 20, 2*s, 8),
		40: process("another", 1, s, 9),         // a new process with an old id
		50: process("kworker\x1bb", 1, 11*s, 0)} // renamed, with a control character
	got := usedBetween(before, now, 10)
	want := map[string]time.Duration{"make": s, "cc1": 3 * s, "another": s, "kworker?b": 2 * s}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestUsedOfGrandchildren: the time of a child whose parent ended too was counted before, and is not counted
// again.
func TestUsedOfGrandchildren(t *testing.T) {
	const s = time.Second
	before := map[int]proc.Stat{20: process("bash", 1, 2*s, 1), 21: process("sh", 20, s, 2),
		22: process("cc1", 21, 9*s, 3)}
	now := map[int]proc.Stat{20: process("bash", 1, 13*s, 1)}
	if got := usedBetween(before, now, 10); len(got) != 1 || got["bash"] != s {
		t.Errorf("%v, want bash 1 s", got)
	}
}

// TestBusiestWithinTotal: programs never use more together than the machine counted.
func TestBusiestWithinTotal(t *testing.T) {
	used := map[string]time.Duration{"bash": 9 * time.Second, "sh": time.Second, "ls": time.Millisecond}
	for _, c := range []struct{ total, bash, sh float64 }{{1.4, 1.26, 0.14}, {7, 4.5, 0.5}} {
		list := busiest(used, 2*time.Second, c.total)
		if len(list) != 2 || math.Abs(list[0].Processors-c.bash) > 0.001 || math.Abs(list[1].Processors-c.sh) > 0.001 {
			t.Errorf("of %g processors: %+v, want bash %g, sh %g", c.total, list, c.bash, c.sh)
		}
	}
}

// TestNamePrograms: the busiest are named, the others counted.
func TestNamePrograms(t *testing.T) {
	list := []Program{{"cc1", 0.81}, {"go", 0.4}, {"sh", 0.1}, {"ls", 0.05}, {"ps", 0.02}}
	if got := NamePrograms(list); got != "cc1 0.81, go 0.40, sh 0.10, and 2 more" {
		t.Error(got)
	}
	if got := NamePrograms(nil); got != "" {
		t.Error(got)
	}
}

// TestDisturbance: a small part of a processor disturbs nothing where every kernel had enough windows without it.
func TestDisturbance(t *testing.T) {
	const text = "other processes used some processors meanwhile"
	for _, c := range []struct {
		name   string
		others float64
		doubt  string
		want   string
	}{
		{"slight", 0.14, "interval wider than ±1 %", ""},
		{"slight, but a kernel had too few windows", 0.14, DoubtDisturbed, text},
		{"strong", 1.3, "", text},
		{"of an earlier version, without the number", 0, "", text},
	} {
		p := Profile{Conditions: &Conditions{Others: c.others, Disturbed: text}, Kernels: []Kernel{{Doubt: c.doubt}}}
		if got := p.Disturbance(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := (&Profile{}).Disturbance(); got != "" {
		t.Errorf("without conditions: %q", got)
	}
}
