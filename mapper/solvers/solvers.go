// Package solvers runs an installed mixed-integer solver: CBC, HiGHS, SCIP or Gurobi. It passes a model in MPS format
// to the solver, and parses the bound and the best value in its output.
//
// Package mapper builds the models. If a solver is missing, crashes, hangs, or prints unknown output, package solvers
// returns a specific error. Solvers compute in floating point, and package solvers does not check their results.
package solvers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"xopt/internal/fault"
	"xopt/mapper/faults"
)

// Answer is a solver's result for a minimization.
type Answer struct {
	Bound float64 // lower bound, reduced by one unit of its last printed digit; -Inf if none was printed
	Best  float64 // value of the best point, increased by one unit of its last printed digit; +Inf for none
	// Infeasible reports that, according to the solver, there is no feasible point.
	Infeasible bool
	Version    string // as printed; "" if none
	// Values is the solver's best point by column, without columns that are 0; nil if there is none. Only CBC and HiGHS
	// write it.
	Values map[string]float64
}

// Names returns the names of the supported solvers.
func Names() []string { return []string{"cbc", "highs", "scip", "gurobi"} }

// dialect describes the command line and the output of a solver.
type dialect struct {
	program string
	arg     func(seconds, threads int) []string // the model is model.mps in the current folder
	bound   []string                            // text before the bound
	best    []string
	optimal []string // text that marks an optimal result
	none    []string // text that marks an infeasible problem
	version string   // text before the version
	from    string   // where to obtain the program
}

func dialectOf(name string) (dialect, bool) {
	d, ok := map[string]dialect{
		"cbc": {program: "cbc",
			arg: func(seconds, threads int) []string {
				return []string{"model.mps", "threads", strconv.Itoa(threads), "timeMode", "elapsed", "seconds",
					strconv.Itoa(seconds), "ratio", "0", "allow", "0", "solve", "solution", solutionFile, "quit"}
			},
			bound: []string{"Lower bound:"}, best: []string{"Objective value:"},
			optimal: []string{"Result - Optimal solution found"},
			none: []string{"Result - Problem proven infeasible", "Problem is infeasible",
				"Pre-processing says infeasible"},
			version: "Version:",
			from:    "the Debian package coinor-cbc"},
		"highs": {program: "highs",
			arg: func(seconds, threads int) []string {
				return []string{"--time_limit", strconv.Itoa(seconds), "--solution_file", solutionFile, "model.mps"}
			},
			bound: []string{"Dual bound"}, best: []string{"Primal bound"},
			none:    []string{"Status            Infeasible"},
			version: "Running HiGHS", from: "https://highs.dev"},
		"scip": {program: "scip",
			arg: func(seconds, threads int) []string {
				return []string{"-c", "read model.mps", "-c", "set limits time " + strconv.Itoa(seconds),
					"-c", "optimize", "-c", "quit"}
			},
			bound: []string{"Dual Bound         :"}, best: []string{"Primal Bound       :"},
			none:    []string{"problem is solved [infeasible]"},
			version: "SCIP version", from: "https://scipopt.org"},
		"gurobi": {program: "gurobi_cl",
			arg: func(seconds, threads int) []string {
				return []string{"TimeLimit=" + strconv.Itoa(seconds), "Threads=" + strconv.Itoa(threads), "MIPGap=0",
					"model.mps"}
			},
			bound: []string{"best bound "}, best: []string{"Best objective "}, none: []string{"Model is infeasible"},
			version: "Gurobi Optimizer version", from: "https://gurobi.com, with a license"},
	}[name]
	return d, ok
}

// MissingError reports that a solver is not installed.
type MissingError struct{ Solver, Program, From string }

func (e *MissingError) FaultID() fault.ID { return fault.NotInstalled }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the solver %s is not installed: program %s not found (install it from %s)", e.Solver,
		e.Program, e.From)
}

// AnswerError reports that a solver failed, or that its output has an unknown form.
type AnswerError struct {
	Solver, What string
	Last         string // last output
}

func (e *AnswerError) Error() string {
	if e.Last == "" {
		return fmt.Sprintf("the solver %s %s (no output; run the solver on the file of --export-mps)", e.Solver, e.What)
	}
	return fmt.Sprintf("the solver %s %s (last output: %q; run the solver on the file of --export-mps)", e.Solver,
		e.What, e.Last)
}

// grace is subtracted from the solver's time limit, so that the solver can report its results in time. maxWords is the
// maximum size of the stored end of the solver's output, in bytes.
const (
	grace    = time.Second
	maxWords = 4 << 20
)

// solutionFile is the file in the current folder to which a solver writes its best point.
const solutionFile = "solution.txt"

// Find returns a *MissingError if a solver is not installed, and another error if xopt does not support it.
func Find(name string) error {
	d, ok := dialectOf(name)
	if !ok {
		return faults.WrongSolver.Errorf("the solver is %q, expected one of %s", name, strings.Join(Names(), ", "))
	}
	if _, err := exec.LookPath(d.program); err != nil {
		return &MissingError{name, d.program, d.from}
	}
	return nil
}

// Solve runs a solver on a model, in a temporary folder. inside is the time limit; 0 means none.
func Solve(ctx context.Context, name string, model func(io.Writer) error, inside time.Duration,
	threads int) (*Answer, error) {
	if err := Find(name); err != nil {
		return nil, err
	}
	d, _ := dialectOf(name)
	dir, err := os.MkdirTemp("", "xopt-solver-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for the solver %s: %w", name, err)
	}
	defer os.RemoveAll(dir)
	if err := write(filepath.Join(dir, "model.mps"), model); err != nil {
		return nil, err
	}
	seconds := 1 << 30
	ended := ctx
	if inside > 0 {
		seconds = max(1, int((inside - grace).Seconds()))
		var cancel context.CancelFunc
		ended, cancel = context.WithTimeout(ctx, max(inside, time.Duration(seconds)*time.Second+grace))
		defer cancel()
	}
	words, err := call(ended, dir, &d, d.arg(seconds, max(1, threads)))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, faults.SolverFailed.Errorf("the solver %s: %w", name, ctx.Err())
	case ended.Err() != nil:
		return nil, &AnswerError{name, "exceeded its time limit and was stopped", last(words)}
	case errors.As(err, &exit):
		return nil, &AnswerError{name, fmt.Sprintf("failed: %v", exit.ProcessState), last(words)}
	case err != nil:
		return nil, fmt.Errorf("running the solver %s: %w", name, err)
	}
	a := d.read(words)
	if a == nil {
		return nil, &AnswerError{name, "printed no bound that xopt can read", last(words)}
	}
	if text, err := os.ReadFile(filepath.Join(dir, solutionFile)); err == nil && !math.IsInf(a.Best, 1) {
		a.Values = values(string(text))
	}
	return a, nil
}

// write writes the model to a file.
func write(path string, model func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing a model for a solver: %w", err)
	}
	return errors.Join(model(f), f.Close())
}

// call runs the program without a shell. All of its processes end when ctx is done.
func call(ctx context.Context, dir string, d *dialect, arg []string) (string, error) {
	cmd := exec.CommandContext(ctx, d.program, arg...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	words := &tail{}
	cmd.Stdout, cmd.Stderr = words, words
	err := cmd.Run()
	return string(words.kept), err
}

// tail is a writer that stores the last maxWords bytes written.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if excess := len(t.kept) - maxWords; excess > 0 {
		t.kept = append(t.kept[:0], t.kept[excess:]...)
	}
	return len(p), nil
}

// last returns the last nonempty line of a text, truncated.
func last(words string) string {
	const maximum = 200
	lines := strings.Split(strings.TrimSpace(words), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	return line[:min(len(line), maximum)]
}

// read parses a solver's output. It returns nil if the output contains no bound.
func (d *dialect) read(words string) *Answer {
	a := &Answer{Bound: math.Inf(-1), Best: math.Inf(1)}
	reported, last := false, 0.0
	for line := range strings.Lines(words) {
		if v, digit, ok := after(line, d.bound); ok {
			a.Bound, reported = v-digit, true
		}
		if v, digit, ok := after(line, d.best); ok {
			a.Best, last = v+digit, digit
		}
		if contains(line, d.none) {
			a.Infeasible, reported = true, true
		}
		if _, version, ok := strings.Cut(line, d.version); ok && a.Version == "" {
			a.Version = strings.TrimSpace(version)
		}
	}
	if contains(words, d.optimal) && !math.IsInf(a.Best, 1) {
		a.Bound, reported = a.Best-2*last, true
	}
	if !reported || math.IsNaN(a.Bound) || math.IsInf(a.Bound, 1) || !a.Infeasible && math.IsInf(a.Bound, -1) {
		return nil
	}
	return a
}

// values parses the columns of a solution. CBC writes the number, name, value and reduced cost of each column, after
// "**" if a row is violated. HiGHS writes names and values between the headings of columns and rows.
func values(text string) map[string]float64 {
	point := make(map[string]float64)
	columns := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "**"))
		switch {
		case strings.HasPrefix(line, "#"):
			columns = strings.HasPrefix(line, "# Columns")
			continue
		case len(fields) == 4 && !columns:
			fields = fields[1:3]
		case len(fields) != 2 || !columns:
			continue
		}
		if v, err := strconv.ParseFloat(fields[1], 64); err == nil && v != 0 {
			point[fields[0]] = v
		}
	}
	return point
}

func contains(text string, any []string) bool {
	return slices.ContainsFunc(any, func(x string) bool { return strings.Contains(text, x) })
}

// after parses the number that follows one of words in a line. digit is the value of one unit of the number's last
// digit, so the rounding error is at most digit/2.
func after(line string, words []string) (v, digit float64, ok bool) {
	for _, w := range words {
		_, rest, ok := strings.Cut(line, w)
		if !ok {
			continue
		}
		fields := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t\n,()[]", r) })
		if len(fields) == 0 {
			continue
		}
		if v, err := strconv.ParseFloat(fields[0], 64); err == nil {
			return v, lastDigit(fields[0]), true
		}
	}
	return 0, 0, false
}

// lastDigit returns the value of one unit of a number's last digit.
func lastDigit(number string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent) // 0 if there is none
	return math.Pow10(power - len(decimals))
}
