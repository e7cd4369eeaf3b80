package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

const chainApp = "../../bench/apps/chain/"

// loadChain returns the chain of eleven kernels with messages of some words.
func loadChain(t *testing.T, dir, mapping string, words int) *design.Design {
	t.Helper()
	return flowtest.X{Dir: dir, Files: []string{"app.x", "arch.x"}, More: mapping,
		Set: map[string]string{"top.words": fmt.Sprint(words)}}.Design(t, design.Options{Purpose: design.ForDeploy})
}

// TestSourceCopies: a source in copies sends each of its firings once. The output of its copies, and of copies after
// it, is in order: the sink fails otherwise. The last batch is incomplete.
func TestSourceCopies(t *testing.T) {
	t.Parallel()
	const elements = 10007
	for i, mapping := range []string{
		"map { top.source, top.pass[1..9] } to core[1] & core[2]; map { top.sink } to core[1];",
		"map { top.source, top.pass[1..3] } to 2 core[1] & core[2]; map { top.pass[4..9], top.sink } to core[1];",
		"map { top.source } to 2 core[1] & core[2]; map { top.pass[1..9] } to core[1] & core[2]; " +
			"map { top.sink } to core[2];",
		"map { top.source } to core[1] & core[2]; map { top.pass, top.sink } to core[2];",
	} {
		for j, o := range []program.Options{{}, {Exact: true}, {Style: program.PerKernel, Wait: program.WaitBlock},
			{Guard: true}, {Schedule: program.ScheduleSinks}} {
			if testing.Short() && j != i {
				continue
			}
			words, more := []int{1, 8, 200, 2048}[(i+j)%4], ""
			if j == 2 {
				more = " buffer { top.e2, top.e10 } = 5;"
			}
			name := fmt.Sprintf("%s (%d, %d words)", mapping, j, words)
			o.Elements = elements
			d := loadChain(t, chainApp, mapping+more, words)
			if i%2 == 1 {
				o.Taps = program.StandardTaps(d.Program, 1)
			}
			m := deploy(t, d, o, Options{Stall: 20 * time.Second})
			if m.Failure != nil {
				t.Errorf("%s: %v", name, m.Failure)
				continue
			}
			fired := make(map[string]uint64)
			for k := range m.Kernels {
				fired[d.Program.Kernels[k].Declared()] += m.Kernels[k].Firings
			}
			for _, kernel := range []string{"top.source", "top.pass[1]", "top.pass[9]", "top.sink"} {
				if fired[kernel] != elements {
					t.Errorf("%s: %s fired %d times, want %d", name, kernel, fired[kernel], elements)
				}
			}
		}
	}
}

// TestBrokenCopies: the run ends if a source sends more than its turn, or a kernel violates the emit statement by
// which copies are ordered.
func TestBrokenCopies(t *testing.T) {
	t.Parallel()
	const anything = `#include "X_Sink.h"
void X_Sink_init(X_Sink *d) { (void)d; }
void X_Sink_push(X_Sink *d) { X_Sink_x_release(d, X_Sink_x_avail(d)); }
void X_Sink_destroy(X_Sink *d) { (void)d; }
`
	for _, c := range []struct{ file, text, want string }{
		{"source.c", `#include "X_Source.h"
void X_Source_init(X_Source *d) { (void)d; }
void X_Source_destroy(X_Source *d) { (void)d; }
int X_Source_go(X_Source *d) { X_Source_y(d, 3); X_Source_y_send(d, 3); return 0; }
`, "more than the firings of its turn"},
		{"pass.c", `#include <string.h>
#include "X_Pass.h"
void X_Pass_init(X_Pass *d) { (void)d; }
void X_Pass_destroy(X_Pass *d) { (void)d; }
void X_Pass_push(X_Pass *d) {
    while (X_Pass_x_avail(d) > 0) {
        uint64_t first = *X_Pass_x(d);
        for (int n = first == 4100 && strncmp(d->name, "top.pass[4]#", 12) == 0 ? 2 : 1; n > 0; n--) {
            memcpy(X_Pass_y(d, 1), X_Pass_x(d), 8 * d->config.words);
            X_Pass_y_send(d, 1);
        }
        X_Pass_x_release(d, 1);
    }
}
`, "orders the output of copies"},
	} {
		dir := testkit.Copy(t, chainApp, map[string]string{"sink.c": anything, c.file: c.text})
		d := loadChain(t, dir, "map { top.source, top.pass } to core[1] & core[2]; map { top.sink } to core[1];", 8)
		m := deploy(t, d, program.Options{Elements: 20011}, Options{Stall: 20 * time.Second})
		if m.Failure == nil || !strings.Contains(m.Failure.Error(), c.want) {
			t.Errorf("%s: the run ended with %v, want %q", c.file, m.Failure, c.want)
		}
	}
}
