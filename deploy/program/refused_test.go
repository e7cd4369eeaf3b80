package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/testkit"
)

// pipeline is an application of three kernels.
const pipeline = "../run/testdata/pipeline"

// compilerScript returns a compiler that is a shell script.
func compilerScript(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cc")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCannotBuild: each obstacle to building an application is reported, and no files remain.
func TestCannotBuild(t *testing.T) {
	app := testkit.Read(t, pipeline+"/app.x")
	script := func(t *testing.T, body string) string {
		return compilerScript(t, body)
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		prepare func(t *testing.T)
		want    string
	}{
		{"a syntax error", map[string]string{"f.c": "#include \"X_F.h\"\nint x = ;\n"}, nil, "building block F"},
		{"an error of the compiler's", map[string]string{"f.c": "int f(void) { return undeclared; }\n"}, nil,
			"undeclared"},
		{"no source", map[string]string{"app.x": strings.Replace(app, `src="f.c"`, `src="none.c"`, 1)}, nil,
			"No such file"},
		{"no compiler", nil, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir())
			t.Setenv("CC", "")
		}, "no C compiler is installed (install one"},
		{"a function that lacks", map[string]string{"f.c": "#include \"X_F.h\"\nvoid X_F_init(X_F *d) { (void)d; }\n" +
			"void X_F_destroy(X_F *d) { (void)d; }\n"}, nil, "the source does not define X_F_push"},
		{"a library that lacks", map[string]string{"app.x": strings.Replace(app, `impl F (src="f.c")`,
			`impl F (src="f.c", ldflags="-lnosuchlibrary")`, 1)}, nil, "nosuchlibrary"},
		{"another type than declared",
			map[string]string{"s.c": "#include \"X_S.h\"\nvoid X_S_init(int d) { (void)d; }\n"}, nil,
			"conflicting types"},
		{"a compiler that crashes", nil, func(t *testing.T) { t.Setenv("CC", script(t, "kill -SEGV $$")) },
			"signal: segmentation fault"},
		{"a compiler that fails", nil, func(t *testing.T) { t.Setenv("CC", script(t, "echo no license >&2; exit 4")) },
			"no license"},
		{"a compiler that fails in silence", nil, func(t *testing.T) { t.Setenv("CC", script(t, "exit 3")) },
			"printed nothing and ended with exit status 3"},
		{"a compiler that makes nothing", nil, func(t *testing.T) { t.Setenv("CC", script(t, "exit 0")) },
			"no such file or directory"},
		{"no compiler of that name", nil, func(t *testing.T) { t.Setenv("CC", "/nonexistent/cc") },
			`CC is "/nonexistent/cc", but program "/nonexistent/cc" cannot be run`},
		{"no folder for temporary files", nil, func(t *testing.T) { t.Setenv("TMPDIR", "/nonexistent") },
			"creating a folder to build in: TMPDIR is /nonexistent: "},
		{"no room for a buffer", map[string]string{"app.x": strings.ReplaceAll(app, "UNSIGNED32 ",
			"UNSIGNED32[1000] ") + "buffer { top.e1 } = 2147483647;\n"}, nil, "MiB of shared memory, but"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, temp := testkit.Copy(t, pipeline, c.files), t.TempDir()
			t.Setenv("TMPDIR", temp)
			if c.prepare != nil {
				c.prepare(t)
			}
			d := load(t, dir, "app.x", "")
			prog, err := New(context.Background(), d, Options{CPUs: 2}, "")
			if err == nil {
				err = prog.Remove()
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

// TestCancelBuild: a cancelled build leaves nothing behind.
func TestCancelBuild(t *testing.T) {
	temp, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
	t.Setenv("TMPDIR", temp)
	t.Setenv("CC", compilerScript(t, "touch '"+started+"'; sleep 1000"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(started); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := New(ctx, load(t, pipeline, "app.x", ""), Options{}, "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestBufferOfJoin: a buffer smaller than a kernel's join is an input error, and a default buffer is large enough.
func TestBufferOfJoin(t *testing.T) {
	joined := func(join string) *design.Design {
		app := strings.Replace(testkit.Read(t, pipeline+"/app.x"), "block F { ", "block F { join "+join+" x; ", 1)
		return load(t, testkit.Copy(t, pipeline, map[string]string{"app.x": app}), "app.x", "")
	}
	_, err := Describe(joined("100"), Options{CPUs: 2, Buffers: map[int]int{0: 4}})
	if err == nil || !errors.Is(err, flow.ErrInvalid) || !strings.Contains(err.Error(), "buffer of top.e1 has space "+
		"for 4 elements, but the minimum is 100 elements: one firing of top.f consumes 100 elements of x") {
		t.Errorf("got %v", err)
	}
	p, err := Describe(joined("100000"), Options{CPUs: 2})
	if err != nil || p.Edges[0].Capacity < 100000 {
		t.Errorf("got %v, %+v", err, p)
	}
}

// TestLogsOfWhatIsThere: an application may have more kernels than edges.
func TestLogsOfWhatIsThere(t *testing.T) {
	p := load(t, pipeline, "app.x", "").Program
	for _, x := range Logs(nil, p, 10) {
		if x.Edge >= len(p.Edges) || x.Kernel >= len(p.Kernels) {
			t.Errorf("%+v", x)
		}
		if x.Kind == Service && x.Edge != 0 {
			t.Errorf("a service time has edge %d", x.Edge)
		}
	}
}
