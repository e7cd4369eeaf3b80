package apps_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
)

// drawer compiles a program that draws n times with a mean of 20 by draw.h.
func drawer(t *testing.T, n int) string {
	t.Helper()
	here, err := filepath.Abs("synthetic")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := fmt.Sprintf(`#include <stdio.h>
#include <stdlib.h>
#include "draw.h"
int main(int argc, char **argv) {
    struct draw d;
    if (argc != 4) return 2;
    const char *wrong = draw_open(&d, argv[1], 20, atof(argv[2]), atof(argv[3]), 7);
    if (wrong) { puts(wrong); return 1; }
    for (int i = 0; i < %d; i++) printf("%%.9g\n", draw_next(&d));
}
`, n)
	path, built := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compiler, err := program.Compiler()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler[0], append(compiler[1:], "-Wall", "-Wextra", "-Werror", "-O2", "-I", here,
		"-o", built, path, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return built
}

// moments returns the mean, the variance and the covariance of consecutive values.
func moments(x []float64) (mean, square, lag float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for i, v := range x {
		square += (v - mean) * (v - mean) / n
		if i > 0 {
			lag += (v - mean) * (x[i-1] - mean) / n
		}
	}
	return mean, square, lag
}

// TestDraw compares drawn times with the moments of their distributions.
func TestDraw(t *testing.T) {
	t.Parallel()
	const n = 200000
	program := drawer(t, n)
	for _, c := range []struct {
		kind                             string
		scv, correlation, want, wantLag1 float64
	}{
		{"deterministic", 1, 0, 0, 0}, {"exponential", 1, 0, 1, 0}, {"erlang", 0.25, 0, 0.25, 0}, {"hyper", 4, 0, 4, 0},
		{"correlated", 1, 0.7, 1, 0.7},
	} {
		out, err := exec.Command(program, c.kind, fmt.Sprint(c.scv), fmt.Sprint(c.correlation)).Output()
		if err != nil {
			t.Fatal(err, string(out))
		}
		var x []float64
		for line := range strings.Lines(string(out)) {
			v, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
			if err != nil {
				t.Fatal(err)
			}
			x = append(x, v)
		}
		mean, square, lag := moments(x)
		// A correlated sample counts as (1-r)/(1+r) independent ones.
		effective := n * (1 - c.correlation) / (1 + c.correlation)
		if d := math.Abs(mean-20) / 20; d > 5*math.Sqrt(c.want/effective)+1e-9 {
			t.Errorf("%s: mean %g, want 20", c.kind, mean)
		}
		// The error of an scv is below that of an exponential distribution's, raised to the power of 2 more.
		if scv := square / mean / mean; math.Abs(scv-c.want) > 5*math.Sqrt(8*c.want*(1+c.want)*(1+c.want)/effective)+
			1e-12 {
			t.Errorf("%s: scv %g, want %g", c.kind, scv, c.want)
		}
		if c.want > 0 {
			if r := lag / square; math.Abs(r-c.wantLag1) > 5*math.Sqrt(8/effective) {
				t.Errorf("%s: correlation %g, want %g", c.kind, r, c.wantLag1)
			}
		}
	}
	for _, c := range [][]string{{"normal", "1", "0"}, {"erlang", "2", "0"}, {"hyper", "0.5", "0"},
		{"correlated", "1", "1"}} {
		if err := exec.Command(program, c...).Run(); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}

// TestSyntheticTree checks that counts follow gains and shares exactly, and that every mapping gives the same digest.
func TestSyntheticTree(t *testing.T) {
	t.Parallel()
	const elements = 4000
	app := apptest.App{Dir: "synthetic", Files: []string{"tree.x", "arch.x"}, Elements: elements}
	want, m := app.Deploy(t, oneCore, program.Options{})
	for e, n := range []uint64{elements, elements, elements / 2, elements / 2, elements / 2, elements / 2, elements / 2,
		elements / 2 * 5 / 4} {
		if m.Edges[e].Elements != n || m.Edges[e].Left != 0 {
			t.Errorf("edge e%d carried %d elements and left %d, want %d", e+1, m.Edges[e].Elements, m.Edges[e].Left, n)
		}
	}
	if !strings.HasPrefix(string(want), fmt.Sprint(elements/2*5/4)+" ") {
		t.Errorf("the sink wrote %s", want)
	}
	app.Agree(t, 6, want)
}
