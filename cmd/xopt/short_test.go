package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"xopt/internal/testkit"
)

// TestShortAnswers checks that, without --full, commands print at most 25 lines of 80 columns with the answer first,
// and more with --full.
func TestShortAnswers(t *testing.T) {
	const most, width = 25, 80
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "80")
	typedLine(t, 0, "examples", "gayen-veritas", "gv")
	typedLine(t, 0, "examples", "beard-jpeg", "jpeg")
	typedLine(t, 0, "examples", "beard-fig7", "fig7")
	known := "impl GENERATE on C (mu=\"2GB/s\"); impl SUM on C (mu=\"2GB/s\", gain=0.5);\n" +
		"impl HALF on C (mu=\"2GB/s\", gain=1); impl STORE on C (mu=\"2GB/s\");\n"
	test1 := testkit.Root(t) + "/bench/apps/test1/"
	testkit.Write(t, "known.x", known)
	for _, c := range []struct{ first, line string }{
		{"Application ", "check gv/pipes2.x gv/arch_slow.x"},
		{"Application ", "check " + test1 + "app.x " + test1 + "arch.x"},
		{"Application ", "check jpeg/app.x"},
		{"Best ", "search gv/pipes2.x gv/arch_slow.x --evals 500 --threads 1"},
		{"Best ", "search jpeg/app.x jpeg/arch.x --evals 500 --threads 1"},
		{"Front ", "search fig7/app.x fig7/arch.x --evals 500 --threads 1 --objective throughput,cores"},
		{"Throughput ", "eval gv/mapB2.x gv/arch_slow.x"},
		{"Throughput ", "eval fig7/app.x fig7/arch.x fig7/map.x --bytes 1GB"},
		{"Buffers ", "buffers fig7/app.x fig7/arch.x fig7/map.x"},
		{"Throughput ", "sweep fig7/app.x fig7/arch.x --vary mem.bandwidth=2MB/s,8MB/s,32MB/s --evals 200"},
		{"Simulated ", "validate " + test1 + "app.x " + test1 + "arch.x " + test1 + "map.x known.x --window 20ms " +
			"--from profile"},
		{"Throughput ", "deploy " + test1 + "app.x " + test1 + "arch.x " + test1 + "map.x known.x --simulate " +
			"--from profile --elements 500"},
	} {
		words := append(strings.Fields(c.line), "--force")
		out, _ := typedLine(t, 0, words...)
		if n := strings.Count(out, "\n"); n > most || !strings.HasPrefix(out, c.first) {
			t.Errorf("%s: %d lines, of which the first shall begin with %s:\n%s", c.line, n, c.first, out)
		}
		for _, line := range strings.Split(out, "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%s: %d columns: %s", c.line, n, line)
			}
		}
		if c.first != "Best " {
			continue
		}
		full, _ := typedLine(t, 0, append(words, "--full")...)
		if n := strings.Count(full, "\n"); n <= 2*most {
			t.Errorf("%s --full: %d lines", c.line, n)
		}
	}
}
