package run

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/program"
	"xopt/flow/profile"
	"xopt/internal/testkit"
)

// TestTooManyProcesses: a kernel that starts processes or threads without end ends the run soon, is named, and leaves
// nothing behind. One that starts few may continue.
func TestTooManyProcesses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, starts string
		most         int
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
    if (`+map[bool]string{true: "1", false: "0"}[c.most < 100]+`)
        for (;;)
            pause();
`, 1)
		began := time.Now()
		o := program.Options{Growth: program.Growth{MaxBytes: 1 << 20}}
		m := deploy(t, load(t, testkit.Files(t, files), "app.x", ""), o,
			Options{Stall: 20 * time.Second, tasks: c.most})
		t.Logf("%s: %v, the run %.3f s", c.name, time.Since(began), m.Seconds)
		switch {
		case c.most > 100:
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
	got, process := newTasks(r).ofRun(map[int]task{1: {"S", 0, 1, 1}, 50: {"S", 1, 50, 9}, 100: {"S", 50, 100, 1},
		200: {"S", 50, 200, 3}, 201: {"S", 200, 200, 1}, 202: {"S", 201, 202, 1}, 203: {"S", 202, 203, 4},
		204: {"S", 1, 200, 1},
		101: {"S", 100, 100, 1}, 300: {"S", 50, 300, 7}, 301: {"S", 302, 301, 1}, 302: {"S", 301, 302, 1}})
	if got != 10 || process != 1 {
		t.Errorf("%d, the most of process %d, want 10 and 1", got, process)
	}
	if x, ok := parseTask([]byte("7 (a) b (c) S 5 6 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 99")); !ok ||
		x != (task{"S", 5, 6, 11}) {
		t.Errorf("got %+v", x)
	}
	for _, text := range []string{"", ")", "7 (a) S 5", "7 (a) S x 6 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 99"} {
		if x, ok := parseTask([]byte(text)); ok {
			t.Errorf("%q: got %+v", text, x)
		}
	}
	own, known := profile.Processes("/proc", parseTask)[os.Getpid()]
	if group, err := unix.Getpgid(0); !known || err != nil || own.group != group || own.parent != os.Getppid() ||
		own.threads < 1 {
		t.Errorf("got %+v", own)
	}
	if w := newTasks(r); w.onMachine() < own.threads {
		t.Errorf("%d on the machine, %d of this process", w.onMachine(), own.threads)
	} else {
		w.close()
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
