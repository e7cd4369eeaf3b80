package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"xopt/internal/cache"
	"xopt/mapper/result"
)

// TestMain lets the scripts run the program itself as a command.
func TestMain(m *testing.M) {
	// The user's settings do not apply in tests; the cache is shared. Scripts run this program as xopt.
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if filepath.Base(os.Args[0]) != "xopt" && strings.HasPrefix(name, "XOPT_") && name != "XOPT_CACHE" {
			os.Unsetenv(name)
		}
	}
	testscript.Main(m, map[string]func(){
		"xopt": func() {
			ctx, stop := interruptible()
			defer stop()
			os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
		},
		"recommended": recommended,
	})
}

// recommended prints the recommended sizes of the first candidate of a result as X.
func recommended() {
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		var r *result.Result
		if r, err = result.Decode(os.Args[1], bytes.NewReader(text)); err == nil {
			size := make(map[string]result.Number)
			for _, q := range r.Candidates[0].Queues {
				if q.Recommended != nil { // of the complete edge, with its last queue
					size[q.Edge] = q.Recommended.Elements
				}
			}
			for _, e := range slices.Sorted(maps.Keys(size)) {
				fmt.Printf("buffer { %s } = %.0f;\n", e, float64(size[e]))
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestScripts runs the scripts in testdata/script, each a session with the real program: commands, output, and exit
// code.
func TestScripts(t *testing.T) {
	deadline, _ := t.Deadline()
	testscript.RunT(brief{t}, testscript.Params{
		Dir:                 "testdata/script",
		Deadline:            deadline,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			bench, err := filepath.Abs(filepath.Join("..", "..", "bench", "apps"))
			env.Setenv("BENCH", bench)
			self, lookErr := exec.LookPath("xopt") // for scripts that change the path
			env.Setenv("XOPT", self)
			kept, dirErr := cache.Dir() // scripts have another home
			env.Setenv(cache.Variable, kept)
			for _, name := range []string{"CXXFLAGS", "GOGC"} { // make test sets them
				env.Setenv(name, os.Getenv(name))
			}
			return errors.Join(err, lookErr, dirErr)
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Condition: func(cond string) (bool, error) {
			return cond == "clp" && hasCLP, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// brief is a test that logs only the failing line and the last output of a script. With thousands of lines of go test
// -json, readers may see only the first ones.
type brief struct{ *testing.T }

func (b brief) Run(name string, f func(testscript.T)) {
	b.T.Run(name, func(t *testing.T) { f(brief{t}) })
}

func (b brief) Verbose() bool { return false }

func (b brief) Log(args ...any) {
	text := fmt.Sprint(args...)
	if _, after, failed := strings.Cut("\n"+text, "\nFAIL: "); failed {
		line, _, _ := strings.Cut(after, "\n")
		text = "FAIL: " + line + "\n" + text
	}
	b.T.Log(text)
}

// status runs the program and checks its exit code: status CODE ARGS…, or status CODE|CODE ARGS… if a busy machine
// may prevent the requested result.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE ARGS…")
	}
	err := ts.Exec("xopt", args[1:]...)
	code := "0"
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("running xopt: %v", err)
	}
	if !slices.Contains(strings.Split(args[0], "|"), code) {
		ts.Fatalf("xopt %v ended with %s, want %s", args[1:], code, args[0])
	}
}
