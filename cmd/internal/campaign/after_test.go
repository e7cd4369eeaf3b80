package campaign

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// sum is its own number and all answers that the point comes after.
func sum(p *Task) (json.RawMessage, error) {
	total := p.N + 1
	for _, text := range p.Answers {
		n, err := strconv.Atoi(string(text))
		if err != nil {
			return nil, err
		}
		total += n
	}
	return json.RawMessage(strconv.Itoa(total)), nil
}

// long is a point whose process is killed twice: each goes on from where the last one was.
func long(p *Task) error {
	if len(p.Kept) == 0 {
		p.Kept = []byte("0")
	}
	n, err := strconv.Atoi(string(p.Kept))
	if err != nil {
		return err
	}
	if n < 2 {
		if err := p.Keep([]byte(strconv.Itoa(n + 1))); err != nil {
			return err
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return nil
}

// inRounds makes a campaign of rounds of so many points, each of which comes after all of the round before.
func inRounds(t *testing.T, rounds, width int, label func(n int) string) *Folder {
	t.Helper()
	points := make([]Point, rounds*width)
	for n := range points {
		points[n].Label = label(n)
		if r := n / width; r > 0 {
			points[n].After = &Range{(r - 1) * width, r*width - 1}
		}
	}
	f, _, err := Create(t.TempDir()+"/run", Campaign{What: What{Kind: "test", Work: ".", Cores: 1},
		Engine: Engine{Name: Local, ChunkTime: 50 * time.Millisecond, Stale: time.Minute}}, nil, of(points))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Points of rounds are given the answers of the round before, whoever computed them.
func TestRounds(t *testing.T) {
	const rounds, width = 6, 5
	f := inRounds(t, rounds, width, func(int) string { return "sum" })
	several(t, f)
	list, damaged, differ, err := f.Answers()
	if err != nil || len(damaged)+len(differ) > 0 {
		t.Fatalf("error %v, damaged %v, differ %v", err, damaged, differ)
	}
	want := make([]int, rounds*width)
	for n := range want {
		want[n] = n + 1
		if r := n / width; r > 0 {
			for _, x := range want[(r-1)*width : r*width] {
				want[n] += x
			}
		}
		if list[n] == nil || string(list[n].JSON) != strconv.Itoa(want[n]) {
			t.Errorf("point %d: %v, want %d", n, list[n], want[n])
		}
	}
}

// What comes after a point that went wrong is blocked, and nobody waits for it; when it is tried again, all goes on.
func TestBlocked(t *testing.T) {
	f := inRounds(t, 3, 1, func(n int) string { return []string{"wrong", "sum", "sum"}[n] })
	s := worked(t, f, options(t, f))
	if s.Failed != 1 || s.Blocked != 2 || s.Waiting+s.Running != 0 || !s.Over() || s.Complete() {
		t.Errorf("state %+v", s)
	}
	if _, err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	w := NewWatch(f, time.Minute)
	if err := w.Look(); err != nil {
		t.Fatal(err)
	}
	if s := w.State(); s.Waiting != 3 || s.Blocked != 0 {
		t.Errorf("after Resume: %+v", s)
	}
}

// A point whose process is killed goes on from where it was kept, and leaves nothing when it is done.
func TestKept(t *testing.T) {
	f := made(t, "0", "long", "2")
	if s := worked(t, f, options(t, f)); !s.Complete() {
		t.Errorf("state %+v", s)
	}
	right(t, f)
	if left, err := f.names(keptFolder); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
	p := &f.Points[1]
	if err := f.keep(p, []byte("here")); err != nil || string(f.kept(p)) != "here" {
		t.Errorf("kept %q, error %v", f.kept(p), err)
	}
	for _, text := range []string{"", "x", "x\nhere", fmt.Sprintf("%s\nhere", sumOf([]byte("here")))} {
		if err := os.WriteFile(f.path(keptName(1)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := f.kept(p); got != nil {
			t.Errorf("of a damaged file %q was read", got)
		}
	}
}
