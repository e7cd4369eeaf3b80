package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/internal/deploy/build"
	"xopt/internal/testkit"
)

// faultC does what the environment says, at a place: FAULT=block:function:what.
const faultC = `#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "X.h"

extern uint8_t *x_shared;
static int deep(volatile char *p) { volatile char big[4096]; big[0] = p ? p[0] : 1; return deep(big) + big[0]; }

static void fault(const char *place) {
    const char *asked = getenv("FAULT");
    size_t n = strlen(place);
    if (!asked || strncmp(asked, place, n) != 0 || asked[n] != ':')
        return;
    const char *what = asked + n + 1;
    static int calls;
    if (strstr(place, "push") && ++calls != 50) /* once, after some work */
        return;
#define IS(name) (strcmp(what, name) == 0)
    if (IS("null")) *(volatile int *)0 = 1;
    if (IS("abort")) abort();
    if (IS("divide")) { volatile int zero = 0, one = 1; zero = one / zero; }
    if (IS("illegal")) __builtin_trap();
    if (IS("bus")) {
        int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
        if (fd < 0) fd = memfd_create("x", 0);
        volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        p[0] = 1;
    }
    if (IS("kill")) raise(SIGKILL);
    if (IS("term")) raise(SIGTERM);
    if (IS("pipe")) { int fd[2]; if (pipe(fd) == 0) { close(fd[0]); n = (size_t)write(fd[1], "x", 1); } }
    if (IS("cpu")) { struct rlimit r = {0, 0}; setrlimit(RLIMIT_CPU, &r); for (;;) ; }
    if (IS("filesize")) { struct rlimit r = {10, 10}; setrlimit(RLIMIT_FSIZE, &r); FILE *f = tmpfile(); for (;;) { fputs("0123456789", f); fflush(f); } }
    if (IS("exit0")) exit(0);
    if (IS("exit7")) exit(7);
    if (IS("_exit")) _exit(9);
    if (IS("fail")) X_fail("%s is wrong", "it");
    if (IS("loop")) for (;;) ;
    if (IS("pause")) for (;;) pause();
    if (IS("sleep")) sleep(1000);
    if (IS("read")) { int fd[2]; char c; if (pipe(fd) == 0) n = (size_t)read(fd[0], &c, 1); }
    if (IS("mutex")) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
    if (IS("recursion")) deep(NULL);
    if (IS("free")) { void *volatile p = malloc(10); free(p); free(p); }
    if (IS("heap")) { char *volatile p = malloc(24); memset(p, 0x41, 4096); for (int i = 0; i < 100; i++) free(malloc(24 + 16 * (size_t)i)); free(p); abort(); }
    if (IS("memory")) {
        struct rlimit r = {1 << 26, 1 << 26};
        setrlimit(RLIMIT_AS, &r);
        for (;;) {
            char *p = malloc(1 << 20);
            if (!p) X_fail("out of memory");
            memset(p, 1, 1 << 20);
        }
    }
    if (IS("files")) while (open("/dev/null", O_RDONLY) >= 0) ;
    if (IS("files")) X_fail("cannot open: %s", strerror(errno));
    if (IS("close")) for (int i = 0; i < 1024; i++) close(i);
    if (IS("unmap")) { munmap(x_shared, 1 << 16); }
    if (IS("child") && fork() == 0) for (;;) pause();
    if (IS("busychild") && fork() == 0) for (;;) ;
    if (IS("childcrash") && fork() == 0) abort();
    if (IS("ignore")) { signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); signal(SIGHUP, SIG_IGN); for (;;) pause(); }
    if (IS("block")) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, NULL); for (;;) ; }
    if (IS("talk")) { for (int i = 0; i < 100000; i++) fputs("a line of what a kernel says\n", stderr); fputs("last words", stderr); abort(); }
    if (IS("print")) for (int i = 0; i < 100000; i++) fputs("no end of line ", stdout);
    if (IS("stop")) raise(SIGSTOP);
    if (IS("thread")) { pthread_t t; pthread_create(&t, NULL, (void *(*)(void *))(void (*)(void))pause, NULL); }
}
`

// faultKernels are a source, a kernel and a sink that call fault in each of their
// functions.
func faultKernels(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	app := strings.Replace(faulty, `impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c");`,
		`impl G (src="g.c", ldflags="-lpthread"); impl F (src="f.c"); impl S (src="s.c");`, 1)
	files := map[string]string{"app.x": app, "fault.h": faultC,
		"g.c": `#define _GNU_SOURCE
#include "X_G.h"
#include "fault.h"
static long left;
void X_G_init(X_G *d) { left = d->config.elements; fault("g:init"); }
int X_G_go(X_G *d) { if (left % 1000 == 0) fault("g:go"); *X_G_y(d, 1) = (uint32_t)left; X_G_y_send(d, 1); return --left == 0; }
void X_G_destroy(X_G *d) { (void)d; fault("g:destroy"); }
`, "f.c": `#define _GNU_SOURCE
#include "X_F.h"
#include "fault.h"
void X_F_init(X_F *d) { (void)d; fault("f:init"); }
void X_F_push(X_F *d) { while (X_F_x_avail(d)) { fault("f:push"); *X_F_y(d, 1) = *X_F_x(d); X_F_x_release(d, 1); X_F_y_send(d, 1); } }
void X_F_drain(X_F *d) { (void)d; fault("f:drain"); }
void X_F_destroy(X_F *d) { (void)d; fault("f:destroy"); }
`, "s.c": `#define _GNU_SOURCE
#include "X_S.h"
#include "fault.h"
void X_S_init(X_S *d) { (void)d; fault("s:init"); }
void X_S_push(X_S *d) { while (X_S_x_avail(d)) { fault("s:push"); X_S_x_release(d, 1); } }
void X_S_drain(X_S *d) { (void)d; fault("s:drain"); }
void X_S_destroy(X_S *d) { (void)d; fault("s:destroy"); }
`}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// injected is a fault, the kind of failure that it gives, the kernel that is blamed, and what is said.
// A failure of kind "" is none.
type injected struct{ fault, kind, kernel, text string }

// injectedFaults are faults in every function of a kernel.
func injectedFaults() []injected {
	return []injected{
		{"g:init:null", "crash", "top.g", "signal 11 (segmentation fault), after taking 0 and sending 0 elements"},
		{"g:init:fail", "failed", "top.g", "kernel top.g (block G): it is wrong"},
		{"g:init:exit0", "exit", "top.g", "exit code 0"},
		{"g:init:pause", "hang", "top.g", "has not returned, after taking 0 and sending 0"},
		{"g:go:abort", "crash", "top.g", "signal 6 (aborted)"},
		{"g:go:exit7", "exit", "top.g", "exit code 7"},
		{"g:go:fail", "failed", "top.g", "it is wrong"},
		{"g:go:loop", "hang", "top.g", "has not returned"},
		{"g:go:kill", "crash", "top.g", "signal 9 (killed)"},
		{"g:destroy:null", "crash", "top.g", "signal 11"},
		{"g:destroy:fail", "failed", "top.g", "it is wrong"},
		{"g:destroy:sleep", "hang", "top.g", "has not returned"},
		{"f:init:abort", "crash", "top.f", "signal 6"},
		{"f:init:loop", "hang", "top.f", "has not returned"},
		{"f:push:null", "crash", "top.f", "after taking 49 and sending 49 elements"},
		{"f:push:divide", "crash", "top.f", "signal 8 (floating point exception)"},
		{"f:push:illegal", "crash", "top.f", "signal 4 (illegal instruction)"},
		{"f:push:bus", "crash", "top.f", "signal 7 (bus error)"},
		{"f:push:kill", "crash", "top.f", "signal 9 (killed) (Linux does that when memory runs out)"},
		{"f:push:term", "crash", "top.f", "signal 15 (terminated)"},
		{"f:push:pipe", "crash", "top.f", "signal 13 (broken pipe)"},
		{"f:push:cpu", "crash", "top.f", "signal 9"},
		{"f:push:filesize", "crash", "top.f", "signal 25 (file size limit exceeded)"},
		{"f:push:exit0", "exit", "top.f", "exit code 0, after taking 49"},
		{"f:push:_exit", "exit", "top.f", "exit code 9"},
		{"f:push:fail", "failed", "top.f", "it is wrong"},
		{"f:push:loop", "hang", "top.f", "has not returned, after taking 49"},
		{"f:push:pause", "hang", "top.f", "has not returned"},
		{"f:push:sleep", "hang", "top.f", "has not returned"},
		{"f:push:read", "hang", "top.f", "has not returned"},
		{"f:push:mutex", "hang", "top.f", "has not returned"},
		{"f:push:recursion", "crash", "top.f", "signal 11"},
		{"f:push:free", "crash", "top.f", "it said: free(): double free"},
		{"f:push:heap", "crash", "top.f", "signal 6"},
		{"f:push:memory", "failed", "top.f", "out of memory"},
		{"f:push:files", "failed", "top.f", "cannot open: Too many open files"},
		{"f:push:close", "", "", ""},
		{"f:push:unmap", "crash", "", "signal 11"},
		{"f:push:child", "", "", ""},
		{"f:push:busychild", "", "", ""},
		{"f:push:childcrash", "", "", ""},
		{"f:push:ignore", "hang", "top.f", "has not returned"},
		{"f:push:block", "hang", "top.f", "has not returned"},
		{"f:push:talk", "crash", "top.f", "last words"},
		{"f:push:print", "", "", ""},
		{"f:push:thread", "", "", ""},
		{"f:push:stop", "hang", "top.f", "has not returned"},
		{"f:drain:null", "crash", "top.f", "signal 11"},
		{"f:drain:fail", "failed", "top.f", "it is wrong"},
		{"f:drain:loop", "hang", "top.f", "has not returned, after taking 100000"},
		{"f:destroy:exit0", "exit", "top.f", "exit code 0"},
		{"s:init:exit7", "exit", "top.s", "exit code 7"},
		{"s:push:exit0", "exit", "top.s", "exit code 0"},
		{"s:push:null", "crash", "top.s", "signal 11"},
		{"s:push:loop", "hang", "top.s", "has not returned"},
		{"s:drain:abort", "crash", "top.s", "signal 6"},
		{"s:destroy:fail", "failed", "top.s", "it is wrong"},
		{"s:destroy:null", "crash", "top.s", "signal 11"},
	}
}

// ofEachKind are the first of each kind of failure, for the short ring.
func ofEachKind(cases []injected) []injected {
	seen := make(map[string]bool)
	return slices.DeleteFunc(cases, func(c injected) bool {
		again := seen[c.kind]
		seen[c.kind] = true
		return again
	})
}

// check holds what a run has ended by against what a fault should give.
func (c *injected) check(t *testing.T, f *Failure) {
	t.Helper()
	switch {
	case c.kind == "" && f != nil:
		t.Errorf("got %v", f)
	case c.kind != "" && (f == nil || f.Kind != c.kind || f.Kernel != c.kernel && c.kernel != "" ||
		!strings.Contains(f.Text, c.text)):
		t.Errorf("got %+v, want %s of %s that says %q", f, c.kind, c.kernel, c.text)
	}
}

// longest is what no run takes, however busy the machine.
const longest = time.Minute

// TestInjectedFaults injects faults into every function of a kernel, in both styles
// of deployment: each run ends soon, says which kernel and why, and leaves nothing.
func TestInjectedFaults(t *testing.T) {
	d := load(t, faultKernels(t), "app.x", "")
	temp := t.TempDir() // of the processes
	programs := make(map[build.Style]*build.Program)
	for _, style := range []build.Style{build.PerCore, build.PerKernel} {
		prog, err := build.New(t.Context(), d, build.Options{CPUs: 2, Style: style}, filepath.Join(t.TempDir(), "kept"))
		if err != nil {
			t.Fatal(err)
		}
		programs[style] = prog
	}
	cases := injectedFaults()
	if testing.Short() {
		cases = ofEachKind(cases)
	}
	t.Run("all", func(t *testing.T) { // ends with the last of them
		for i, c := range cases {
			style := []build.Style{build.PerCore, build.PerKernel}[i%2]
			t.Run(c.fault+" per "+string(style), func(t *testing.T) {
				t.Parallel()
				limits := Options{Env: []string{"FAULT=" + c.fault, "TMPDIR=" + temp}}
				if c.kind == "hang" {
					limits.Stall = 1500 * time.Millisecond // more than a busy machine keeps a process waiting
				}
				begin := time.Now()
				m, err := Once(t.Context(), programs[style], limits)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took > longest {
					t.Errorf("the run took %v", took)
				}
				checkNoFault(t, c.fault)
				c.check(t, m.Failure)
			})
		}
	})
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// checkNoFault looks for processes that were given a fault.
func checkNoFault(t *testing.T, fault string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if text, err := os.ReadFile(e); err == nil && slices.Contains(strings.Split(string(text), "\x00"), "FAULT="+fault) {
			t.Errorf("process %s still runs", e)
		}
	}
}

// processesOf lists the processes of a program.
func processesOf(t *testing.T, path string) []int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, e := range entries {
		if target, err := os.Readlink(e); err == nil && target == path {
			if pid, err := strconv.Atoi(strings.Split(e, "/")[2]); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}

// TestSignalsFromOutside kills or stops each process of a running deployment in
// turn.
func TestSignalsFromOutside(t *testing.T) {
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	for _, style := range []build.Style{build.PerCore, build.PerKernel} {
		prog, err := build.New(context.Background(), d, build.Options{CPUs: 2, Style: style, Elements: 1 << 60},
			filepath.Join(t.TempDir(), "kept"))
		if err != nil {
			t.Fatal(err)
		}
		processes := map[build.Style]int{build.PerCore: 2, build.PerKernel: 5}[style]
		for victim := range processes {
			for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
				if sig == syscall.SIGSTOP && victim > 1 {
					continue
				}
				done := make(chan *Measurement)
				go func() {
					m, err := Once(context.Background(), prog, Options{Stall: 800 * time.Millisecond})
					if err != nil {
						t.Error(err)
					}
					done <- m
				}()
				for len(processesOf(t, prog.Command(0)[0])) < processes {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(20 * time.Millisecond)
				if err := syscall.Kill(processesOf(t, prog.Command(0)[0])[victim], sig); err != nil {
					t.Error(err)
				}
				m := <-done
				checkNoProcess(t, prog.Command(0)[0])
				if m == nil || m.Failure == nil {
					t.Errorf("per %s, process %d, %v: got %+v", style, victim, sig, m)
				} else if sig == syscall.SIGKILL && (m.Failure.Kind != "crash" || !strings.Contains(m.Failure.Text,
					"signal 9 (killed)")) {
					t.Errorf("per %s, process %d killed: got %v", style, victim, m.Failure)
				} else if sig == syscall.SIGSTOP && m.Failure.Kind != "hang" && m.Failure.Kind != "deadlock" {
					t.Errorf("per %s, process %d stopped: got %v", style, victim, m.Failure)
				}
			}
		}
	}
}

// TestDeadlocks: graphs that cannot go on are told apart from kernels that hang.
func TestDeadlocks(t *testing.T) {
	const app = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 a, b; };
block J { input UNSIGNED32 x, y; };
block top { G g; J j; e1: g.a -> j.x; e2: g.b -> j.y; };
use top;
platform C { impl G (src="g.c"); impl J (src="j.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g } to proc[1];
map { top.j } to proc[2];
buffer { top.e1, top.e2 } = 8;
`
	for _, c := range []struct{ name, g, j, want string }{
		{"a join that starves behind a full buffer", `*X_G_a(d, 1) = 1; X_G_a_send(d, 1); return 0;`,
			`while (X_J_x_avail(d) && X_J_y_avail(d)) { X_J_x_release(d, 1); X_J_y_release(d, 1); }`,
			"top.e1 is full with 8 elements, top.e2 is empty"},
		{"a join of unequal volumes",
			`*X_G_a(d, 1) = 1; X_G_a_send(d, 1); *X_G_a(d, 1) = 1; X_G_a_send(d, 1); *X_G_b(d, 1) = 1; X_G_b_send(d, 1); return 0;`,
			`while (X_J_x_avail(d) && X_J_y_avail(d)) { X_J_x_release(d, 1); X_J_y_release(d, 1); }`,
			"top.e1 is full with 8 elements"},
		{"a kernel that waits for more than the buffer holds", `*X_G_a(d, 1) = 1; X_G_a_send(d, 1); return 0;`,
			`if (X_J_x_avail(d) >= 9) X_J_x_release(d, 9);`, "top.e1 is full with 8 elements"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"app.x": app,
			"g.c": "#include \"X_G.h\"\nvoid X_G_init(X_G *d) { (void)d; }\nvoid X_G_destroy(X_G *d) { (void)d; }\n" +
				"int X_G_go(X_G *d) { " + c.g + " }\n",
			"j.c": "#include \"X_J.h\"\nvoid X_J_init(X_J *d) { (void)d; }\nvoid X_J_destroy(X_J *d) { (void)d; }\n" +
				"void X_J_push(X_J *d) { " + c.j + " }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m := deploy(t, load(t, dir, "app.x", ""), build.Options{}, Options{Stall: 800 * time.Millisecond})
		if m.Failure == nil || m.Failure.Kind != "deadlock" || !strings.Contains(m.Failure.Text, c.want) {
			t.Errorf("%s: got %+v, want a deadlock with %s", c.name, m.Failure, c.want)
		}
	}
}

// TestCannotBuild: what keeps an application from being built is said, and nothing
// is left.
func TestCannotBuild(t *testing.T) {
	write := func(t *testing.T, files map[string]string) string {
		base := map[string]string{"app.x": faulty, "g.c": goodG, "s.c": goodS, "f.c": strings.Replace(frameF, "BODY",
			";", 1)}
		for name, text := range files {
			base[name] = text
		}
		return testkit.Files(t, base)
	}
	script := func(t *testing.T, body string) string {
		path := filepath.Join(t.TempDir(), "cc")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		prepare func(t *testing.T)
		want    string
	}{
		{"a syntax error", map[string]string{"f.c": "#include \"X_F.h\"\nint x = ;\n"}, nil, "building block F"},
		{"a function that lacks", map[string]string{"f.c": "#include \"X_F.h\"\nvoid X_F_init(X_F *d) { (void)d; }\n" +
			"void X_F_destroy(X_F *d) { (void)d; }\n"}, nil, "it does not define X_F_push"},
		{"a library that lacks", map[string]string{"app.x": strings.Replace(faulty, `impl F (src="f.c")`,
			`impl F (src="f.c", ldflags="-lnosuchlibrary")`, 1)}, nil, "nosuchlibrary"},
		{"another type than declared",
			map[string]string{"s.c": "#include \"X_S.h\"\nvoid X_S_init(int d) { (void)d; }\n"}, nil,
			"conflicting types"},
		{"a compiler that crashes", nil, func(t *testing.T) { t.Setenv("CC", script(t, "kill -SEGV $$")) },
			"signal: segmentation fault"},
		{"a compiler that fails", nil, func(t *testing.T) { t.Setenv("CC", script(t, "echo no license >&2; exit 4")) },
			"no license"},
		{"a compiler that makes nothing", nil, func(t *testing.T) { t.Setenv("CC", script(t, "exit 0")) },
			"no such file or directory"},
		{"no compiler of that name", nil, func(t *testing.T) { t.Setenv("CC", "/nonexistent/cc") },
			`CC is "/nonexistent/cc", and no program "/nonexistent/cc" can be run`},
		{"no folder for temporary files", nil, func(t *testing.T) { t.Setenv("TMPDIR", "/nonexistent") },
			"making a folder to build in: TMPDIR is /nonexistent: "},
		{"no room for a buffer", map[string]string{"app.x": strings.ReplaceAll(faulty, "UNSIGNED32 ",
			"UNSIGNED32[1000] ") + "buffer { top.e1 } = 2147483647;\n"}, nil, "MiB of shared memory, and"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, temp := write(t, c.files), t.TempDir()
			t.Setenv("TMPDIR", temp)
			if c.prepare != nil {
				c.prepare(t)
			}
			d := load(t, dir, "app.x", "")
			prog, err := build.New(context.Background(), d, build.Options{CPUs: 2}, "")
			if err == nil {
				_, err = Once(context.Background(), prog, Options{})
				err = errors.Join(err, prog.Remove())
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if left, err := filepath.Glob(filepath.Join(temp, "xopt-deploy-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestInputAndOutput: files that cannot be read or written end the run with the
// kernel's words.
func TestInputAndOutput(t *testing.T) {
	d := load(t, "../../../bench/apps/des", "app.x arch.x", "map { top } to proc[1];")
	for _, c := range []struct{ input, output, kernel, want string }{
		{"/nonexistent/input", "", "top.blocks", "cannot read /nonexistent/input: No such file or directory"},
		{t.TempDir(), "", "top.blocks", "Is a directory"},
		{"", "/nonexistent/output", "top.store", "cannot write /nonexistent/output: No such file or directory"},
		{"", "/dev/full", "top.store", "cannot write /dev/full: No space left on device"},
	} {
		m := deploy(t, d, build.Options{Input: c.input, Output: c.output}, Options{})
		if m.Failure == nil || m.Failure.Kind != "failed" || m.Failure.Kernel != c.kernel ||
			!strings.Contains(m.Failure.Text, c.want) {
			t.Errorf("got %v, want %s", m.Failure, c.want)
		}
	}
}

// TestCancelBuild: what is cancelled while it is built leaves nothing.
func TestCancelBuild(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := build.New(ctx, load(t, test1, "app.x arch.x", "map { top } to proc[1];"), build.Options{}, "")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestCpp links a kernel in C++; an exception that leaves it is a crash with the
// exception's words.
func TestCpp(t *testing.T) {
	for _, throws := range []bool{false, true} {
		dir := t.TempDir()
		throw := ""
		if throws {
			throw = `if (++*static_cast<int *>(d->state) == 50) throw std::runtime_error("too hot");`
		}
		for name, text := range map[string]string{
			"app.x": strings.Replace(faulty, `src="f.c"`, `src="f.cc"`, 1), "g.c": goodG, "s.c": goodS,
			"f.cc": `#include <stdexcept>
#include "X_F.h"
extern "C" void X_F_init(X_F *d) { d->state = new int(0); }
extern "C" void X_F_destroy(X_F *d) { delete static_cast<int *>(d->state); }
extern "C" void X_F_push(X_F *d) {
    while (X_F_x_avail(d)) {
        ` + throw + `
        *X_F_y(d, 1) = *X_F_x(d);
        X_F_x_release(d, 1);
        X_F_y_send(d, 1);
    }
}
`} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m := deploy(t, load(t, dir, "app.x", ""), build.Options{}, Options{})
		switch f := m.Failure; {
		case !throws && (f != nil || m.Edges[1].Elements != 100000):
			t.Errorf("got %v after %d elements", f, m.Edges[1].Elements)
		case throws && (f == nil || f.Kind != "crash" || f.Kernel != "top.f" ||
			!strings.Contains(f.Text, "what():  too hot")):
			t.Errorf("got %v", f)
		}
	}
}
