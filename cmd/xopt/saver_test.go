package main

import (
	"os"
	"testing"
)

// TestSaverOfAnotherCall: a call that ends by itself leaves the checkpoint of another call, with other flags, in place;
// its own checkpoint goes.
func TestSaverOfAnotherCall(t *testing.T) {
	t.Chdir(t.TempDir())
	saver := func(flags ...string) *saver {
		s, err := new(app).newSaver("validate", "app", nil, flags)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := saver("--runs", "3")
	if err := first.save([]int{1, 2}, true); err != nil {
		t.Fatal(err)
	}
	second := saver("--runs", "1")
	if err := second.save([]int{1}, false); err != nil {
		t.Fatal(err)
	}
	if err := second.end(); err != nil {
		t.Fatal(err)
	}
	var done []int
	again := saver("--runs", "3")
	if err := again.read(&done); err != nil || len(done) != 2 {
		t.Fatalf("resumed %v, %v", done, err)
	}
	if err := again.end(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first.path); err == nil {
		t.Errorf("%s is left behind", first.path)
	}
}
