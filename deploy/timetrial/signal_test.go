package timetrial_test

import (
	"fmt"
	"strings"
	"testing"

	"xopt/deploy/timetrial"
	"xopt/hdl/signals"
)

// tree writes an expression with all its parentheses.
func tree(e *signals.Expr) string {
	x, err := e.Verilog(func(e *signals.Expr) (signals.Leaf, error) {
		text := e.Path
		if e.Part {
			text += fmt.Sprintf("[%d:%d]", e.High, e.Low)
		}
		return signals.Leaf{Text: text, Width: 8}, nil
	})
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(x.Text, "64'd", "")
}

// TestSignals: the precedence of operators on signals is that of Verilog (IEEE 1364-2005, Table 5-4).
func TestSignals(t *testing.T) {
	for text, want := range map[string]string{
		"util at f1:busy":                                 "busy",
		"mean at f1:core.row":                             "core.row",
		"max value at Stream.f1:g[2].x[7:4]":              "g[2].x[7:4]",
		"hist(bins=8, low=0, width=2) at f1:(a & b == 2)": "(a & (b == 2))",
		"util at f1:(a | b ^ c & d)":                      "(a | (b ^ (c & d)))",
		"util at f1:(a || b && !c)":                       "(a || (b && (!c)))",
		"util at f1:(not a and b or c)":                   "(((!a) && b) || c)",
		"util at f1:(a + 1 < 0x1f & !(b | c))":            "(((a + 1) < 31) & (!(b | c)))",
		"util at f1:(a >= b != c)":                        "((a >= b) != c)",
		"util at f1:(!!a)":                                "(!(!a))",
		"util at f1:(" + strings.Repeat("(", 150) + "a" + strings.Repeat(")", 150) + ")": "a",
	} {
		q, err := timetrial.Parse("x", "measure "+text, program(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		m := q.Measurements[0]
		if m.Target.Probe == nil || m.Target.Probe.Used != strings.HasPrefix(text, "util") || !m.Sampled() {
			t.Errorf("%s: the target is %+v", text, m.Target)
			continue
		}
		if got := tree(m.Target.Probe.Value.Expr); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
	q, err := timetrial.Parse("x", "m: measure trace(entries=20) at f1:x when f2:(y == 3) after f1:go\nassert util at "+
		"f1:x < 50 % | m1 > 2; m1: measure max at f1:x", program(t))
	if err == nil {
		t.Fatalf("a label is used before it is there: %+v", q)
	}
	q, err = timetrial.Parse("x", "m: measure trace(entries=20) at f1:x when f2:(y == 3) after f1:go\n"+
		"m1: measure max at f1:x; assert util at f1:x < 50 % | m1 > 2", program(t))
	if err != nil {
		t.Fatal(err)
	}
	p := q.Measurements[0].Target.Probe
	if got := p.Text(); got != "f1:x when f2:(y == 3) after f1:go" || p.When.Kernel == p.After.Kernel ||
		p.After.Kernel != p.Value.Kernel {
		t.Errorf("%s: %+v", got, p)
	}
	if len(q.Measurements) != 3 || q.Unlabelled != 1 || q.Measurements[0].When != nil {
		t.Errorf("%d measurements, %d without label", len(q.Measurements), q.Unlabelled)
	}
}

// TestSignalMistakes: each error has its position.
func TestSignalMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"measure util at f3:x":                              "x:1:17: unknown kernel f3",
		"measure util at f1:(a &)":                          "x:1:23: the combination of signals ends too early",
		"measure util at f1:(a b)":                          "x:1:23: an operator is missing before b",
		"measure util at f1:(& a)":                          "x:1:21: unexpected '&'",
		"measure util at f1:(a == 2.5)":                     "x:1:26: 2.5 is not a whole number",
		"measure util at f1:x[3:7]":                         "x:1:20: invalid bits 3:7 of x",
		"measure mean util at f1:x":                         "its mean is undefined",
		"measure rate at f1:x":                              "signals have no rate",
		"measure mean occupancy at f1:x":                    "signals have no occupancy",
		"measure mean at acc_in":                            "the type of measurement at acc_in is missing",
		"measure mean(every=3) at f1:x":                     "every and frame do not apply to signals",
		"measure rate at acc_in when f1:x":                  "acc_in measures no signals",
		"measure max at f1:x when util at f1.in > 0":        "f1:x measures signals, but its condition is not",
		"measure max at f1:x when f1:(":                     "x:1:30: ",
		"assert trace value at f1:x > 3":                    "cannot be compared",
		"assert hist value at f1:x > 3":                     "cannot be compared",
		"measure max at f1:x after e7 > 3":                  "x:1:30: ",
		"measure max at f1:" + strings.Repeat("(", 300):     "nested deeper",
		"measure util at f1:(" + strings.Repeat("!", 300):   "nested deeper",
		"measure util at f1:(a == 99999999999999999999999)": "not a whole number of 64 bits",
	} {
		_, err := timetrial.Parse("x", text, program(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}
