package safetext

import (
	"os/exec"
	"testing"
)

// TestShellLine checks that a shell reads the words unchanged.
func TestShellLine(t *testing.T) {
	words := []string{"rate at a; sum | x", "it's", "", "$HOME", "a.x", "--bytes=1MB", "`id`", "*", "a\nb", "\\", "~"}
	out, err := exec.Command("/bin/sh", "-c", `for w in `+ShellLine(words)+`; do printf '%s\0' "$w"; done`).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, w := range words {
		want += w + "\x00"
	}
	if string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}
