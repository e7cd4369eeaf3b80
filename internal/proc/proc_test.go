package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestProcesses: names may contain spaces, parentheses and control characters; entries that are no processes are
// ignored.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	for id, text := range map[string]string{
		"7":  "7 (a) b\x1b (c) S 5 6 7 0 -1 4194560 1 2 3 4 50 30 15 5 20 0 11 0 99",
		"8":  "8 (short) S 5 6",
		"9":  "9 (words) S x 6 7 0 -1 4194560 1 2 3 4 50 30 15 5 20 0 11 0 99",
		"10": "", "11": ")", "12": ")(",
		"hm": "7 (a) S 5 6 7 0 -1 4194560 1 2 3 4 50 30 15 5 20 0 11 0 99",
	} {
		if err := os.Mkdir(filepath.Join(dir, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id, "stat"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := Processes(dir)
	want := Stat{"a) b\x1b (c", "S", 5, 6, 11, time.Second, 99}
	if len(list) != 1 || list[7] != want {
		t.Errorf("%+v, want only 7: %+v", list, want)
	}
}

// TestOwnProcess: the parent, group and state of this process are those that the system reports.
func TestOwnProcess(t *testing.T) {
	if _, err := os.Stat("/proc/" + strconv.Itoa(os.Getpid()) + "/stat"); err != nil {
		t.Skip("no /proc")
	}
	own, ok := Processes("/proc")[os.Getpid()]
	if !ok || own.Group != syscall.Getpgrp() || own.Parent != os.Getppid() || own.Threads < 1 || own.Ended() {
		t.Fatalf("got %+v", own)
	}
	if again, ok := Read(os.Getpid()); !ok || again.Started != own.Started {
		t.Errorf("%+v, then %+v", own, again)
	}
}
