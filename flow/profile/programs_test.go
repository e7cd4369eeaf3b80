package profile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestReadProcesses: names may contain spaces, parentheses and control characters; entries that are no processes are
// ignored.
func TestReadProcesses(t *testing.T) {
	proc := t.TempDir()
	for id, text := range map[string]string{
		"7":  "7 (a) b\x1b (c) S 5 6 7 0 -1 4194560 1 2 3 4 50 30 15 5 20 0 11 0 99",
		"8":  "8 (short) S 5 6",
		"9":  "9 (words) S x 6 7 0 -1 4194560 1 2 3 4 50 30 15 5 20 0 11 0 99",
		"hm": "7 (a) S 5 6 7 0 -1 4194560 1 2 3 4 50 30 15 5 20 0 11 0 99",
	} {
		if err := os.Mkdir(filepath.Join(proc, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, id, "stat"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := Processes(proc, parseProcess)
	want := process{name: "a) b? (c", parent: 5, used: time.Second, started: 99}
	if len(list) != 1 || list[7] != want {
		t.Errorf("%+v, want only 7: %+v", list, want)
	}
}

// TestUsedBetween: the time of children that ended counts for their parent, once; this program's does not count.
func TestUsedBetween(t *testing.T) {
	const s = time.Second
	before := map[int]process{1: {"init", 0, 0, 0}, 10: {"xopt", 1, 5 * s, 1}, 20: {"make", 1, 2 * s, 1},
		21: {"cc1", 20, 3 * s, 2}, 40: {"spin", 1, 7 * s, 3}, 50: {"kworker-a", 1, 9 * s, 0}}
	now := map[int]process{1: {"init", 0, 0, 0}, 10: {"xopt", 1, 9 * s, 1}, 11: {"kernel", 10, 8 * s, 5},
		12: {"gcc", 11, s, 6},
		20: {"make", 1, 6 * s, 1}, // 3 of 4 s more are of cc1, which has ended and was counted before
		22: {"cc1", 20, s, 7}, 23: {"cc1", 20, 2 * s, 8},
		40: {"another", 1, s, 9},        // a new process with an old id
		50: {"kworker-b", 1, 11 * s, 0}} // renamed
	got := usedBetween(before, now, 10)
	want := map[string]time.Duration{"make": s, "cc1": 3 * s, "another": s, "kworker-b": 2 * s}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestUsedOfGrandchildren: the time of a child whose parent ended too was counted before, and is not counted
// again.
func TestUsedOfGrandchildren(t *testing.T) {
	const s = time.Second
	before := map[int]process{20: {"bash", 1, 2 * s, 1}, 21: {"sh", 20, s, 2}, 22: {"cc1", 21, 9 * s, 3}}
	now := map[int]process{20: {"bash", 1, 13 * s, 1}}
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
		{"slight", 0.14, "not within 1 %", ""},
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
