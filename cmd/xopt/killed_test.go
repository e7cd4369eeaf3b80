package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"xopt/internal/testkit"
)

// TestKilledWorker kills a process of a run. The run must fail, name the process and its kernels, and leave no
// processes or files.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "cc", "gcc")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	var stderr bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = []string{"xopt", "deploy", "app.x", "arch.x", "map.x", "--taps", "none", "--elements", "1000000000000"}
	cmd.Dir, cmd.Stderr, cmd.Env = filepath.Join("..", "..", "bench", "apps", "test1"), &stderr,
		append(os.Environ(), "TMPDIR="+temp) // see TestMain
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !testkit.Eventually(func() bool { return running(temp) == 2 }) {
		t.Errorf("%d processes of the application, want 2", running(temp))
	}
	if err := killOne(temp); err != nil {
		t.Error(err)
		_ = cmd.Process.Kill() // it may have ended
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Errorf("ended with %v, want exit code %d", err, exitFailed)
	}
	want := regexp.MustCompile(`the process of proc\[[12]\], which runs ` +
		`top\.(gen1, top\.gen2|sum, top\.half, top\.store), was killed by signal 9 \(killed\) .*, after `)
	if !want.Match(stderr.Bytes()) {
		t.Errorf("it does not say which process was killed, and which kernels it runs:\n%s", &stderr)
	}
	files, err := os.ReadDir(temp)
	if err != nil || len(files) > 0 || running(temp) > 0 {
		t.Errorf("%d processes and %v are left, %v", running(temp), files, err)
	}
}

// killOne kills one of the processes whose program is in a folder.
func killOne(folder string) error {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return err
	}
	for _, l := range links {
		if target, err := os.Readlink(l); err != nil || !strings.HasPrefix(target, folder) {
			continue
		}
		pid, err := strconv.Atoi(strings.Split(l, "/")[2])
		if err != nil {
			return err
		}
		return syscall.Kill(pid, syscall.SIGKILL)
	}
	return fmt.Errorf("no process runs a program in %s", folder)
}
