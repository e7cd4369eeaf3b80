package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// TestManyWarnings checks that the answers of seven commands fit into 25 lines of 80 columns with ten warnings of two
// lines, that they count the hidden ones, and that --full prints all.
func TestManyWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "80")
	typedLine(t, 0, "examples", "beard-jpeg", "jpeg")
	jpeg, test1 := []string{"jpeg/app.x", "jpeg/arch.x"}, testkit.Root(t)+"/bench/apps/test1/"
	testkit.Write(t, "known.x", "impl GENERATE on C (mu=\"2GB/s\"); impl SUM on C (mu=\"2GB/s\", gain=0.5);\n"+
		"impl HALF on C (mu=\"2GB/s\", gain=1); impl STORE on C (mu=\"2GB/s\");\n")
	mapped := []string{test1 + "app.x", test1 + "arch.x", test1 + "map.x", "known.x", "--from", "profile"}
	stored := func(command string, args ...string) *result.Result {
		out, _ := typedLine(t, 0, append([]string{command, "--json"}, args...)...)
		r, err := result.Decode(command, strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	search := stored("search", append(jpeg, "--evals", "500", "--threads", "1")...)
	sweep := stored("sweep", append(jpeg, "--vary", "PCIX.bandwidth=2MB/s,8MB/s,32MB/s", "--evals", "200")...)
	validation := stored("validate", append(mapped, "--window", "20ms")...)
	of := disturbedProfile()
	answers := map[string]func(a *app) error{
		"search":    func(a *app) error { return a.print(search) },
		"calibrate": func(a *app) error { return a.answer(report.ShortCalibration(of), report.Calibration(of)) },
		"validate":  func(a *app) error { return a.printValidation(validation, nil) },
		"sweep": func(a *app) error {
			return a.answer(report.ShortSweep(sweep.Sweep), report.Sweep(sweep.Sweep))
		},
	}
	for _, c := range []struct {
		command string
		args    []string
	}{{"eval", append(jpeg, "app.1.map.x")}, {"buffers", append(jpeg, "app.1.map.x")},
		{"deploy", append(mapped, "--simulate", "--elements", "500")}} {
		r := stored(c.command, c.args...)
		answers[c.command] = func(a *app) error { return a.print(r) }
	}
	for command, answer := range answers {
		for _, full := range []bool{false, true} {
			n, all := screenOf(t, full, warnings(10), answer)
			const hidden = "7 more warnings: --full"
			if fits := n <= 25 && strings.Contains(all, hidden); fits == full || full &&
				!strings.Contains(all, "doubt 9") {
				t.Errorf("%s, --full %t: %d lines:\n%s", command, full, n, all)
			}
			if !strings.Contains(all, rule) && !strings.Contains(all, "(hidden table: --full)") {
				t.Errorf("%s, --full %t: neither a table nor a word of it:\n%s", command, full, all)
			}
		}
		if n, all := screenOf(t, false, warnings(1), answer); n > 25 || !strings.Contains(all, rule) {
			t.Errorf("%s: %d lines, or no table:\n%s", command, n, all)
		}
	}
}

// rule is a part of the line below the headings of a table.
const rule = "────────"

// warnings returns n warnings of two lines.
func warnings(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("warning: doubt %d of %s", i, strings.Repeat("the figures ", 6)))
	}
	return list
}

// TestSearchTables checks that the answer of a search for any objective contains the first row of its table at 80
// columns with five lines of remarks, and that those whose table is the answer keep it with ten warnings.
func TestSearchTables(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "80")
	typedLine(t, 0, "examples", "beard-fig7", "fig7")
	remarks := append(warnings(1), "warning: doubt of "+strings.Repeat("the figures ", 14))
	for _, c := range []struct {
		options string
		answer  bool
	}{{"", false}, {"--robust --doubt 20%", true}, {"--objective throughput,latency", true},
		{"--objective throughput,latency,cores", true}, {"--objective cores --min-throughput 1MB/s", true},
		{"--objective energy", true}, {"--objective latency --min-throughput 1MB/s", true}} {
		args := append([]string{"search", "--json", "fig7/app.x", "fig7/arch.x", "--force", "--evals", "2000", "--set",
			"proc[1].power=20W", "--set", "proc[2].power=9W"}, strings.Fields(c.options)...)
		out, _ := typedLine(t, 0, args...)
		r, err := result.Decode("search", strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		for i, list := range [][]string{remarks, warnings(10)} {
			n, all := screenOf(t, false, list, func(a *app) error {
				a.brief.Closing = 3
				return a.print(r)
			})
			if row := regexp.MustCompile(rule + "\n1 +[0-9]"); n > 22 || !row.MatchString(all) && (i == 0 || c.answer) {
				t.Errorf("%q: %d lines, or no row of candidate 1:\n%s", c.options, n, all)
			}
		}
	}
}

// disturbedProfile returns a disturbed profile of many kernels.
func disturbedProfile() *profile.Profile {
	p := &profile.Profile{Schema: profile.Schema, Machine: profile.Machine{CPU: "a test"},
		Conditions: &profile.Conditions{Disturbed: "other processes used 1.68 processors meanwhile"}}
	for i := range 12 {
		p.Kernels = append(p.Kernels, profile.Kernel{Block: fmt.Sprintf("Block%d", i), Platform: "C",
			ServiceRate: &profile.Figure{Value: 1e6, N: 7, CI95: [2]float64{8e5, 2e6}}})
	}
	return p
}

// screenOf prints remarks and an answer, and returns its lines at 80 columns.
func screenOf(t *testing.T, full bool, remarks []string, answer func(a *app) error) (n int, all string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(&out, &errs)
	a.settings.Full, a.inForce = full, options.InForce{"full": {}}
	for _, text := range remarks {
		a.noteID(fault.ID("some-doubt"), "%s", text)
	}
	if err := answer(a); err != nil {
		t.Fatal(err)
	}
	if rest := a.brief.Rest(); rest != "" {
		a.note("%s", rest)
	}
	for _, w := range []interface{ Flush() error }{a.stdout, a.stderr} {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	all = out.String() + errs.String()
	for line := range strings.SplitSeq(strings.TrimSuffix(all, "\n"), "\n") {
		n += len(text.Fold(line, 80))
	}
	return n, all
}
