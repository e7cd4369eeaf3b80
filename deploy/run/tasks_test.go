package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/internal/proc"
	"xopt/internal/testkit"
)

// TestTooManyProcesses: a kernel that starts processes or threads without end ends the run soon, is named, and leaves
// nothing behind. One that starts few may continue.
func TestTooManyProcesses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, starts string
		max          int
	}{
		{"processes", "if (fork() == 0) for (;;) pause();", 40},
		{"a group of their own", "if (fork() == 0) { setpgid(0, 0); for (;;) pause(); }", 40},
		{"threads", "pthread_t x; pthread_create(&x, NULL, sleeps, NULL);", 40},
		{"few", "if (fork() == 0) for (;;) pause();", 200},
	}
	if testing.Short() {
		cases = cases[1:2]
	}
	for _, c := range cases {
		files := lateKernels(1000)
		files["t.c"] = strings.Replace(files["t.c"], "#include \"X_T.h\"\n", `#define _GNU_SOURCE
#include "X_T.h"
#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *p) { for (;;) pause(); return p; }
static int started;
`, 1)
		files["t.c"] = strings.Replace(files["t.c"], "void X_T_push(X_T *d) {\n", `void X_T_push(X_T *d) {
    (void)sleeps;
    while (started++ < 100) { `+c.starts+` }
    if (`+map[bool]string{true: "1", false: "0"}[c.max < 100]+`)
        for (;;)
            pause();
`, 1)
		began := time.Now()
		o := program.Options{Growth: program.Growth{MaxBytes: 1 << 20}}
		m := deploy(t, load(t, testkit.Files(t, files), "app.x", ""), o,
			Options{Stall: 20 * time.Second, tasks: c.max})
		t.Logf("%s: %v, the run %.3f s", c.name, time.Since(began), m.Seconds)
		switch {
		case c.max > 100:
			if m.Failure != nil {
				t.Errorf("%s: %v", c.name, m.Failure)
			}
		case m.Failure == nil || m.Failure.Kind != "processes" || m.Failure.Kernel != "top.t" ||
			!strings.Contains(m.Failure.Text, "and the limit is 40"):
			t.Errorf("%s: %v", c.name, m.Failure)
		}
	}
}

// TestTasksOfARun: tasks in a group of the run, or descendants of its processes, count; no others do.
func TestTasksOfARun(t *testing.T) {
	t.Parallel()
	d := load(t, testkit.Files(t, lateKernels(1)), "app.x", "")
	p, err := program.Describe(d, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(p, make([]byte, p.Bytes), Options{})
	r.running = map[int]*os.Process{0: {Pid: 100}, 1: {Pid: 200}}
	list := make(map[int]proc.Stat)
	for id, x := range map[int][3]int{1: {0, 1, 1}, 50: {1, 50, 9}, 100: {50, 100, 1}, 200: {50, 200, 3},
		201: {200, 200, 1}, 202: {201, 202, 1}, 203: {202, 203, 4}, 204: {1, 200, 1}, 101: {100, 100, 1},
		300: {50, 300, 7}, 301: {302, 301, 1}, 302: {301, 302, 1}} {
		list[id] = proc.Stat{Parent: x[0], Group: x[1], Threads: x[2]}
	}
	got, process := newTasks(r).ofRun(list)
	if got != 10 || process != 1 {
		t.Errorf("%d, the most of process %d, want 10 and 1", got, process)
	}
	own := proc.Processes("/proc")[os.Getpid()]
	if w := newTasks(r); w.onMachine() < own.Threads {
		t.Errorf("%d on the machine, %d of this process", w.onMachine(), own.Threads)
	} else {
		w.close()
	}
}

// TestTasksHidden: tasks of a run are counted at the first look and then periodically, even if the total of the machine
// does not rise because as many other tasks end.
func TestTasksHidden(t *testing.T) {
	t.Parallel()
	dir := testkit.Files(t, map[string]string{"load": "0.00 0.00 0.00 1/500 1\n"})
	totals, err := os.Open(filepath.Join(dir, "load"))
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sh", "-c", "sleep 100 & sleep 100 & echo started; wait")
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL)
		_ = child.Wait()
	}()
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	d := load(t, testkit.Files(t, lateKernels(1)), "app.x", "")
	p, err := program.Describe(d, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(p, make([]byte, p.Bytes), Options{})
	watcher := &tasks{r: r, load: totals, max: 1}
	defer watcher.close()
	now := time.Now()
	if f := watcher.look(now); f != nil {
		t.Fatalf("without processes: %v", f)
	}
	r.running = map[int]*os.Process{0: child.Process}
	for _, x := range []struct {
		w      *tasks
		after  time.Duration
		counts bool
	}{
		{&tasks{r: r, load: totals, max: 1}, 0, true},
		{&tasks{r: r, load: totals, max: 2}, 0, false},
		{watcher, countPeriod / 2, false},
		{watcher, countPeriod, true},
	} {
		if f := x.w.look(now.Add(x.after)); (f != nil) != x.counts {
			t.Errorf("after %v with a limit of %d: %v", x.after, x.w.max, f)
		}
	}
}

// TestCopiesForkSlowly: a copy of a process does not fork as fast as it can.
func TestCopiesForkSlowly(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "it compiles kernels of its own")
	files := lateKernels(10)
	files["t.c"] = strings.Replace(files["t.c"], "#include \"X_T.h\"\n", `#define _GNU_SOURCE
#include "X_T.h"
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int copy(void) {
    double began = now();
    for (int i = 0; i < 60; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    return now() - began < 0.03; /* 10 in 10 ms */
}
`, 1)
	files["t.c"] = strings.Replace(files["t.c"], "void X_T_push(X_T *d) {\n", `void X_T_push(X_T *d) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(copy());
    if (waitpid(child, &status, 0) != child || status != 0)
        X_fail("a copy forks as fast as it can");
`, 1)
	m := deploy(t, load(t, testkit.Files(t, files), "app.x", ""), program.Options{}, Options{Stall: 20 * time.Second})
	if m.Failure != nil {
		t.Error(m.Failure)
	}
}
