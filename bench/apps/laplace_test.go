package apps_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
)

// gaussSeidel solves Laplace's equation on n by n points, with 100 at the left border and 0 at the others.
func gaussSeidel(n int) [][]float64 {
	u := make([][]float64, n+2)
	for y := range u {
		u[y] = make([]float64, n+2)
		u[y][0] = 100
	}
	for range 100 * n * n {
		change := 0.0
		for y := 1; y <= n; y++ {
			for x := 1; x <= n; x++ {
				v := (u[y-1][x] + u[y+1][x] + u[y][x-1] + u[y][x+1]) / 4
				change = max(change, math.Abs(v-u[y][x]))
				u[y][x] = v
			}
		}
		if change < 1e-12 {
			break
		}
	}
	return u
}

// TestLaplace compares the surface with another method, for each number of walks.
func TestLaplace(t *testing.T) {
	t.Parallel()
	const n = 12
	want := gaussSeidel(n)
	for _, walks := range []int{2, 4, 8} {
		app := apptest.App{Dir: "laplace", Set: map[string]string{"top.n": fmt.Sprint(n),
			"top.walks": fmt.Sprint(walks)}, Elements: 20000}
		out, _ := app.Deploy(t, oneCore, program.Options{})
		lines, chi := 0, 0.0
		for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); lines++ {
			var x, y, count int
			var degrees float64
			if _, err := fmt.Sscan(s.Text(), &x, &y, &degrees, &count); err != nil {
				t.Fatal(err)
			}
			p := want[y][x] / 100
			sigma := 100 * math.Sqrt(p*(1-p)/float64(count))
			z := (degrees - want[y][x]) / sigma
			if math.Abs(z) > 5 || count < 100 {
				t.Errorf("%d walks: %d, %d is at %.2f degrees after %d walks, want %.2f ± %.2f", walks, x, y, degrees,
					count, want[y][x], sigma)
			}
			chi += z * z
		}
		if lines != n*n || chi/n/n > 1.5 || chi/n/n < 0.6 {
			t.Errorf("%d walks: %d points, mean square error %.2f of the variance", walks, lines, chi/n/n)
		}
	}
}

// TestLaplaceMappings checks that every mapping writes the same file.
func TestLaplaceMappings(t *testing.T) {
	t.Parallel()
	app := apptest.App{Dir: "laplace", Set: map[string]string{"top.n": "9", "top.walks": "4"}, Elements: 1500}
	want, _ := app.Deploy(t, oneCore, program.Options{})
	app.Agree(t, 5, want)
}

// TestTwister compares with the published output of init_genrand(5489): the first numbers, and the 10000th, which the
// C++ standard specifies.
func TestTwister(t *testing.T) {
	dir := t.TempDir()
	here, err := filepath.Abs("laplace")
	if err != nil {
		t.Fatal(err)
	}
	source := `#include <stdio.h>
#include "mt19937.h"
int main(void) {
    struct mt m;
    mt_seed(&m, 5489);
    for (int i = 1; i <= 10000; i++) {
        unsigned v = mt_number(&m);
        if (i <= 3 || i == 10000)
            printf("%u ", v);
    }
}
`
	path := filepath.Join(dir, "main.c")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compiler, err := program.Compiler()
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(dir, "main")
	if out, err := exec.Command(compiler[0], append(compiler[1:], "-Wall", "-Wextra", "-Werror", "-I", here, "-o",
		built, path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(built).Output()
	if want := "3499211612 581869302 3890346734 4123659995"; err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("got %s, want %s (%v)", out, want, err)
	}
}
