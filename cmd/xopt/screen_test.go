package main

import (
	"bytes"
	"fmt"
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
			n, all := screenOf(t, full, answer)
			const hidden = "7 more warnings: --full"
			if fits := n <= 25 && strings.Contains(all, hidden); fits == full || full &&
				!strings.Contains(all, "doubt 9") {
				t.Errorf("%s, --full %t: %d lines:\n%s", command, full, n, all)
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

// screenOf prints ten warnings and an answer, and returns its lines at 80 columns.
func screenOf(t *testing.T, full bool, answer func(a *app) error) (n int, all string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(&out, &errs)
	a.settings.Full, a.inForce = full, options.InForce{"full": {}}
	for i := range 10 {
		a.noteID(fault.ID("some-doubt"), "warning: doubt %d of %s", i, strings.Repeat("the figures ", 6))
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
