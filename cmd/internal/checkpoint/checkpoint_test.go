package checkpoint

import (
	"os"
	"testing"
	"time"
)

// TestSaverOfAnotherCall checks that a complete call removes its own checkpoint, and leaves that of a call with other
// flags.
func TestSaverOfAnotherCall(t *testing.T) {
	t.Chdir(t.TempDir())
	saver := func(flags ...string) *Saver {
		return New("app.checkpoint.json", "validate", nil, flags, time.Nanosecond)
	}
	first := saver("--runs", "3")
	if err := first.Keep([]int{1, 2}); err != nil || !first.Left() {
		t.Fatal(err)
	}
	second := saver("--runs", "1")
	if err := second.Save([]int{1}); err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	var done []int
	again := saver("--runs", "3")
	if err := again.Read(&done); err != nil || len(done) != 2 || !again.Resumed() || !again.Left() {
		t.Fatalf("resumed %v, %v", done, err)
	}
	if err := again.Close(); err != nil || again.Left() {
		t.Fatal(err)
	}
	if _, err := os.Stat(first.Path); err == nil {
		t.Errorf("%s is left behind", first.Path)
	}
}
