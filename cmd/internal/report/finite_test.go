package report_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/cmd/internal/report/text"
	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// noNumber matches text that no output may contain.
var noNumber = regexp.MustCompile(`(^|[^A-Za-z])(Inf|NaN|inf|nan)([^A-Za-z]|$)`)

// extremes returns valid figures, most of them beyond what can be computed with.
func extremes() []string {
	return []string{"1e308", "1e-308", "5e-324", "1e300", "1e30", "1e-30", "1e20", "1e-20", "0", "1", "100"}
}

// extremeApp returns an application with the given figures of the shared core, the link and the kernels.
func extremeApp(figures [8]string) string {
	return fmt.Sprintf(`#include "std.x"
block A { output UNSIGNED8[16] y; };
block B { input UNSIGNED8[16] x; output UNSIGNED8[16] y; };
block Z { input UNSIGNED8[16] x; };
block top { A a; B b[4]; Z z; a.y -> b[1].x; b[1..3].y -> b[2..4].x; b[4].y -> z.x; };
use top;
resource p[2] is C (switch="%ss");
resource m is bus ({ p }, bandwidth="%sB/s", overhead="%ss");
impl A on C (mu="%sB/s");
impl B on C (mu="%sB/s", gain=%s, scv=%s);
impl Z on C (time="%ss");
map { top.a, top.b[1..2] } to p[1];
map { top.b[3..4], top.z } to p[2];
`, figures[0], figures[1], figures[2], figures[3], figures[4], figures[5], figures[6], figures[7])
}

// evaluate predicts, and returns all output (text, JSON, Markdown and CSV), or the error.
func evaluate(source string) (output string, err error) {
	program, _, err := xlang.Load([]string{"a.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if path != "a.x" {
				return nil, os.ErrNotExist
			}
			return []byte(source), nil
		}})
	if err != nil {
		return "", err
	}
	d, err := design.New(program, design.Options{Purpose: design.ForMapping})
	if err != nil {
		return "", err
	}
	c, err := predict.Mapping(context.Background(), d, d.Mapping, flow.Fast{}, "a")
	if err != nil {
		return "", err
	}
	r := predict.Describe(d)
	r.Candidates = []result.Candidate{*c}
	if err := predict.Complete(context.Background(), context.Background(), r, []*design.Design{d},
		[]*flow.Mapping{d.Mapping}); err != nil {
		return "", err
	}
	var out bytes.Buffer
	page := report.Of(r)
	for _, write := range []func() error{
		func() error { return text.Write(&out, report.Overview(d, ""), text.Style{}) },
		func() error { return text.Write(&out, report.Terminal(r), text.Style{Full: true}) },
		func() error { return r.Encode(&out) },
		func() error { return markdown.Write(&out, page) },
		func() error { return report.WriteCSV(&out, page) },
	} {
		if err := write(); err != nil {
			return "", fmt.Errorf("it cannot be printed: %w", err)
		}
	}
	_, err = result.Decode("a.result.json", strings.NewReader(encoded(r)))
	return out.String(), err
}

func encoded(r *result.Result) string {
	var b strings.Builder
	if err := r.Encode(&b); err != nil {
		return ""
	}
	return b.String()
}

func finite(t *testing.T, figures [8]string) (printed bool) {
	t.Helper()
	out, err := evaluate(extremeApp(figures))
	if err != nil && strings.Contains(err.Error(), "cannot be printed") {
		t.Errorf("%q: %v", figures, err)
	}
	for line := range strings.Lines(out + fmt.Sprint(err)) {
		if noNumber.MatchString(line) {
			t.Errorf("%q prints %q", figures, line)
			break
		}
	}
	return err == nil
}

// TestFinite checks that valid figures give finite results or an error, never Inf or NaN.
func TestFinite(t *testing.T) {
	good := [8]string{"0", "1e8", "0", "1e7", "1e7", "1", "1", "1e-6"}
	if !finite(t, good) {
		_, err := evaluate(extremeApp(good))
		t.Fatal("plain figures are refused: ", err)
	}
	printed := 0
	for i := range good {
		for _, x := range extremes() {
			figures := good
			figures[i] = x
			if finite(t, figures) {
				printed++
			}
		}
	}
	rng, random := rand.New(rand.NewPCG(1, 2)), 300
	if testing.Short() {
		random = 60
	}
	for range random {
		figures := good
		for range 1 + rng.IntN(6) {
			figures[rng.IntN(len(figures))] = extremes()[2+rng.IntN(len(extremes())-2)]
		}
		if finite(t, figures) {
			printed++
		}
	}
	if printed < 40 {
		t.Errorf("only %d have a result", printed)
	}
	// Errors name the figure and its position.
	for i, want := range []string{"a.x:7:21: switch of resource p[1] is 1e+300",
		"a.x:8:27: bandwidth of link m is 1e+300", "a.x:8:47: overhead of link m is 1e+300",
		"a.x:9:14: mu is 1e+300", "a.x:10:14: mu is 1e+300", "a.x:10:27: gain is 1e+300", "a.x:10:35: scv is 1e+300",
		"a.x:11:14: time is 1e+300"} {
		figures := good
		figures[i] = "1e300"
		if _, err := evaluate(extremeApp(figures)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("1e300 as figure %d gives %v, want %s", i, err, want)
		}
	}
}

// FuzzFinite searches for other figures that break TestFinite.
func FuzzFinite(f *testing.F) {
	f.Add("0", "1e8", "0", "1e7", "1e7", "1", "1", "1e-6")
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i string) {
		figures := [8]string{a, b, c, d, e, g, h, i}
		if regexp.MustCompile(`^[0-9.e+-]*$`).MatchString(strings.Join(figures[:], "")) {
			finite(t, figures)
		}
	})
}
