package campaign

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
)

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
