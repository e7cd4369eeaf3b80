package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"xopt/internal/testkit"
)

// TestShortAnswers checks that, without --full, commands print at most 25 lines of 80 columns with the answer first,
// and more with --full. The wording of one answer per command is in testdata/answers: scripts assert identifiers and
// figures. UPDATE_SCRIPTS=1 rewrites the files.
func TestShortAnswers(t *testing.T) {
	const maximum, width = 25, 80
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "80")
	typedLine(t, 0, "examples", "gayen-veritas", "gv")
	typedLine(t, 0, "examples", "beard-jpeg", "jpeg")
	typedLine(t, 0, "examples", "beard-fig7", "fig7")
	existing := "impl GENERATE on C (mu=\"2GB/s\"); impl SUM on C (mu=\"2GB/s\", gain=0.5);\n" +
		"impl HALF on C (mu=\"2GB/s\", gain=1); impl STORE on C (mu=\"2GB/s\");\n"
	test1 := testkit.Root(t) + "/bench/apps/test1/"
	testkit.Write(t, "known.x", existing)
	find := []string{"search", "fig7/app.x", "fig7/arch.x", "--evals", "500", "--threads", "1", "-o"}
	typedLine(t, 0, append(find, "fast")...)
	typedLine(t, 0, append(find, "slow", "--set", "mem.bandwidth=2MB/s")...)
	page, _ := typedLine(t, 0, "report", "fast.result.json", "--format", "md")
	page, _, _ = strings.Cut(page, "\n## Candidates\n") // provenance differs from run to run
	sameAsGolden(t, "report", page)
	for _, c := range []struct{ golden, first, line string }{
		{"check", "Application ", "check gv/pipes2.x gv/arch_slow.x"},
		{"", "Application ", "check " + test1 + "app.x " + test1 + "arch.x"},
		{"", "Application ", "check jpeg/app.x"},
		{"", "Best ", "search gv/pipes2.x gv/arch_slow.x --evals 500 --threads 1"},
		{"search", "Best ", "search jpeg/app.x jpeg/arch.x --evals 500 --threads 1"},
		{"front", "Front ", "search fig7/app.x fig7/arch.x --evals 500 --threads 1 --objective throughput,cores"},
		{"", "Throughput ", "eval gv/mapB2.x gv/arch_slow.x"},
		{"eval", "Throughput ", "eval fig7/app.x fig7/arch.x fig7/map.x --bytes 1GB"},
		{"buffers", "Buffers ", "buffers fig7/app.x fig7/arch.x fig7/map.x"},
		{"sweep", "Throughput ", "sweep fig7/app.x fig7/arch.x --vary mem.bandwidth=2MB/s,8MB/s,32MB/s --evals 200"},
		{"", "Throughput ", "sweep gv/pipes2.x gv/arch.x --vary PCIX.bandwidth=10MB/s..640MB/s --evals 200"},
		{"validate", "Simulated ", "validate " + test1 + "app.x " + test1 + "arch.x " + test1 + "map.x known.x " +
			"--window 20ms --from profile"},
		{"deploy", "Throughput ", "deploy " + test1 + "app.x " + test1 + "arch.x " + test1 + "map.x known.x " +
			"--simulate --from profile --elements 500"},
		{"diff", "Throughput ", "diff fast.result.json slow.result.json"},
	} {
		if testing.Short() && c.golden == "" {
			continue
		}
		words := append(strings.Fields(c.line), "--force")
		out, _ := typedLine(t, 0, words...)
		sameAsGolden(t, c.golden, out)
		if n := strings.Count(out, "\n"); n > maximum || !strings.HasPrefix(out, c.first) {
			t.Errorf("%s: %d lines, of which the first shall begin with %s:\n%s", c.line, n, c.first, out)
		}
		for _, line := range strings.Split(out, "\n") {
			if n := utf8.RuneCountInString(line); n > width && !strings.HasPrefix(strings.TrimSpace(line), "xopt ") {
				t.Errorf("%s: %d columns: %s", c.line, n, line)
			}
		}
		if c.golden != "search" || testing.Short() { // one of them prints --full, too
			continue
		}
		full, _ := typedLine(t, 0, append(words, "--full")...)
		if n := strings.Count(full, "\n"); n <= 2*maximum {
			t.Errorf("%s --full: %d lines", c.line, n)
		}
	}
}

// sameAsGolden compares an answer with testdata/answers/NAME.txt; an empty name compares nothing. Times on this machine
// are omitted.
func sameAsGolden(t *testing.T, name, answer string) {
	t.Helper()
	if name == "" {
		return
	}
	answer = regexp.MustCompile(`in \S+ [mun]?s here`).ReplaceAllString(answer, "in … here")
	answer = strings.ReplaceAll(answer, testkit.Root(t), "ROOT")
	path := filepath.Join(testkit.Root(t), "cmd", "xopt", "testdata", "answers", name+".txt")
	want, err := os.ReadFile(path)
	switch {
	case os.Getenv("UPDATE_SCRIPTS") != "":
		testkit.Write(t, path, answer)
	case err != nil:
		t.Error(err)
	case answer != string(want):
		t.Errorf("%s differs from the answer (UPDATE_SCRIPTS=1 rewrites it):\n%s", path, answer)
	}
}
