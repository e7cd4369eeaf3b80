package solvers

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// knapsack is a program with a known answer: the minimum of -5a - 4b - 3c + 20 with 2a + 3b + c ≤ 5 and binary a, b
// and c is 11, with L ≥ 20 - 5a - 4b - 3c.
const knapsack = `NAME test FREE
ROWS
 N load
 G cover
 L room
COLUMNS
 L load 1
 L cover 1
 M1 'MARKER' 'INTORG'
 a cover 5
 a room 2
 b cover 4
 b room 3
 c cover 3
 c room 1
 M2 'MARKER' 'INTEND'
RHS
 RHS cover 20
 RHS room 5
BOUNDS
 UP BND L 100
 UP BND a 1
 UP BND b 1
 UP BND c 1
ENDATA
`

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// TestCBC runs Debian's CBC on a program with a known answer, on an infeasible one, and on invalid input.
func TestCBC(t *testing.T) {
	testkit.Tool(t, "cbc", "coinor-cbc")
	a, err := Solve(context.Background(), "cbc", text(knapsack), time.Minute, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Bound-11) > 1e-5 || math.Abs(a.Best-11) > 1e-5 || a.Version == "" {
		t.Errorf("got %+v, want a bound and a best of 11, and a version", a)
	}
	if want := map[string]float64{"L": 11, "a": 1, "b": 1}; !maps.Equal(a.Values, want) {
		t.Errorf("got the point %v, want %v", a.Values, want)
	}
	a, err = Solve(context.Background(), "cbc", text(strings.Replace(knapsack, "UP BND L 100", "UP BND L 10", 1)),
		time.Minute, 1)
	if err != nil || !a.Infeasible {
		t.Errorf("got %+v, %v, want that there is no point", a, err)
	}
	_, err = Solve(context.Background(), "cbc", text("nonsense\n"), time.Minute, 1)
	var wrong *AnswerError
	if !errors.As(err, &wrong) {
		t.Errorf("got %v, want that there is no answer", err)
	}
}

// fake puts a shell script of this name first in PATH.
func fake(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestWords checks that the final output of each solver is parsed. The lines are from the solvers' documentation.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		solver, program, words string
		bound, best            float64
		version                string
	}{
		{"cbc", "cbc", "Version: 2.10.8 \nResult - Stopped on time limit\nObjective value:  0.99\n" +
			"Lower bound:  0.95\nGap: 0.04", 0.95, 0.99, "2.10.8"},
		{"cbc", "cbc", "Result - Optimal solution found\nObjective value:                0.97\n", 0.97, 0.97, ""},
		{"cbc", "cbc", "Result - Stopped on time limit\nNo feasible solution found\nLower bound:  0.50\n", 0.5,
			math.Inf(1), ""},
		{"highs", "highs", "Running HiGHS 1.7.2 (git hash: 5ce7a27)\nSolving report\n" +
			"  Status            Time limit reached\n  Primal bound      0.98\n  Dual bound        0.91\n" +
			"  Gap               7 %\n", 0.91, 0.98, "1.7.2 (git hash: 5ce7a27)"},
		{"scip", "scip", "SCIP version 8.0.3 [precision: 8 byte]\nPrimal Bound       : +9.8e-01 (3 solutions)\n" +
			"Dual Bound         : +9.1e-01\n", 0.91, 0.98, "8.0.3 [precision: 8 byte]"},
		{"gurobi", "gurobi_cl", "Gurobi Optimizer version 11.0.0 build v11.0.0rc2\n" +
			"Best objective 9.8e-01, best bound 9.1e-01, gap 7.1%\n", 0.91, 0.98, "11.0.0 build v11.0.0rc2"},
		{"cbc", "cbc", "Result - Stopped on time limit\nLower bound:  0.654\n", 0.654, math.Inf(1), ""},
	} {
		t.Run(c.solver, func(t *testing.T) {
			fake(t, c.program, "cat <<'END'\n"+c.words+"\nEND")
			a, err := Solve(context.Background(), c.solver, text(knapsack), time.Minute, 1)
			if err != nil {
				t.Fatal(err)
			}
			// Solvers print two or three digits, possibly rounded.
			near := func(got, low, high float64) bool { return got == low || got > low && got <= high }
			if !near(a.Bound, c.bound-0.011, c.bound-1e-9) || !near(a.Best, c.best, c.best+0.011) ||
				a.Version != c.version {
				t.Errorf("got %+v, want %g, %g and %q", a, c.bound, c.best, c.version)
			}
		})
	}
}

// TestValues checks that the solution file of HiGHS is parsed. The lines are from its documentation.
func TestValues(t *testing.T) {
	fake(t, "highs", "cat > "+solutionFile+" <<'END'\nModel status\nOptimal\n\n# Primal solution values\nFeasible\n"+
		"Objective 11\n# Columns 4\nL 11\na 1\nb 0.5\nc 0\n# Rows 2\ncover 20\nroom 5\nEND\n"+
		"echo '  Primal bound      11'; echo '  Dual bound        11'")
	a, err := Solve(context.Background(), "highs", text(knapsack), time.Minute, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]float64{"L": 11, "a": 1, "b": 0.5}; !maps.Equal(a.Values, want) {
		t.Errorf("got the point %v, want %v", a.Values, want)
	}
}

// TestFaults checks that a solver that crashes, hangs, prints nonsense or nothing, or is missing causes one error,
// and leaves no files or processes.
func TestFaults(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct{ script, want string }{
		{"echo trouble; exit 3", `the solver scip failed: exit status 3 (last output: "trouble"; run`},
		{"kill -SEGV $$", "failed: signal: segmentation fault"},
		{"echo lovely weather", `printed no bound that xopt can read (last output: "lovely weather"; run`},
		{"echo 'Dual Bound         : NaN'", "printed no bound that xopt can read"},
		{"echo 'Dual Bound         : +inf'", "printed no bound that xopt can read"},
		{"true", "printed no bound that xopt can read (no output; run"},
		{"yes | head -c 20000000", "printed no bound that xopt can read"},
	} {
		fake(t, "scip", c.script)
		_, err := Solve(context.Background(), "scip", text(knapsack), time.Minute, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.script, err, c.want)
		}
	}
	fake(t, "scip", "sleep 1000 & echo $! > "+filepath.Join(os.Getenv("TMPDIR"), "child")+"; sleep 1000")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go testkit.Eventually(func() bool { // it hangs once its child runs
		text, _ := os.ReadFile(filepath.Join(os.Getenv("TMPDIR"), "child"))
		if len(text) > 0 {
			cancel()
		}
		return len(text) > 0
	})
	if _, err := Solve(ctx, "scip", text(knapsack), 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v from one that hangs, want that it was stopped", err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "xopt-solver-*")); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
	child, err := os.ReadFile(filepath.Join(os.Getenv("TMPDIR"), "child"))
	if err != nil {
		t.Fatal(err)
	}
	proc := "/proc/" + strings.TrimSpace(string(child))
	if !testkit.Eventually(func() bool {
		stat, err := os.ReadFile(proc + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}) {
		t.Error("what the solver started goes on")
	}
	t.Setenv("PATH", t.TempDir())
	var missing *MissingError
	for _, name := range Names() {
		if err := Find(name); !errors.As(err, &missing) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want that it is missing", name, err)
		}
	}
	if err := Find("excel"); err == nil || errors.As(err, &missing) {
		t.Errorf("got %v, want that there is no such solver", err)
	}
	full := func(io.Writer) error { return errors.New("the disk is full") }
	if _, err := Solve(context.Background(), "cbc", full, 0, 1); err == nil {
		t.Error("a model that could not be written is solved")
	}
}

// TestHangs checks that a solver that does not end is stopped after its time limit.
func TestHangs(t *testing.T) {
	fake(t, "scip", "exec sleep infinity")
	_, err := Solve(context.Background(), "scip", text(knapsack), time.Second, 1)
	var answer *AnswerError
	if !errors.As(err, &answer) || !strings.Contains(err.Error(), "exceeded its time limit") {
		t.Errorf("got %v, want that it was ended", err)
	}
}
