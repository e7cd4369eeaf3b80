package timetrial_test

import (
	"fmt"
	"strings"
	"testing"

	"xopt/deploy/timetrial"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
)

// stream is an application with the names that the thesis uses (Lancaster 2011
// Figs. 3.1 and 3.3): a pipeline with a fan-out in the middle, and two ways from
// Split to Merge.
const stream = `#include "std.x"
block ReadEvent { output UNSIGNED32 out; };
block Split { input UNSIGNED32 in; output UNSIGNED32 out[2]; };
block Convert { input UNSIGNED32 in; output FLOAT32[4] out; };
block FFT { input FLOAT32[4] in; output FLOAT32[4] out; };
block Merge { input FLOAT32[4] in[2]; output FLOAT32[4] out; };
block StoreResult { input FLOAT32[4] in; };
block Stream {
	ReadEvent ReadEvent; Split Split; Convert c1, c2; FFT f1, f2; Merge Merge; StoreResult store;
	a: ReadEvent.out -> Split.in;
	b1: Split.out[1] -> c1.in;
	b2: Split.out[2] -> c2.in;
	acc_in: c1.out -> f1.in;
	e5: c2.out -> f2.in;
	acc_out: f1.out -> Merge.in[1];
	e7: f2.out -> Merge.in[2];
	b: Merge.out -> store.in;
};
use Stream;
`

func program(t testing.TB) *xlang.Program {
	t.Helper()
	return flowtest.X{Files: []string{}, More: stream}.Program(t)
}

// TestThesis parses the statements of Lancaster 2011 §3.4, with the names of this
// application, the arrows that the thesis misprints included.
func TestThesis(t *testing.T) {
	const text = `m1: measure rate at Stream.a
m2: measure mean latency at Stream.b
m3: measure mean occupancy at Stream.b
m4: measure m1 when (m3 >= 1 & !backpressure at acc_out)
a1: assert m1 >= 100 Mtps
a2: assert (m1 < m4) | (util at acc_in < 0.5)
measure rate at c1.out -> f1.in
measure util at f1.in; measure util of Merge.out;
measure hist occupancy at ReadEvent.out -> Split.in
measure hist occupancy at Split.out =< c1.in
measure hist occupancy at c1.out => f1.in
measure backpressure at acc_out
measure mean latency at ReadEvent.out ... f1.in ... store.in
measure rate at f1.in when
    (occupancy at f1.in > 0 & !backpressure at f1.out) // what it could do
measure trace(1000) value at b /* all of it */ measure hist(bins=8, low=1us, width=2us, every=3, frame=100) latency at b
assert rate at b > 1 MB/s and not (latency at b > 5 ms or value at b == -1.5e3)
`
	q, err := timetrial.Parse("test.tt", text, program(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range q.Measurements {
		got = append(got, describe(m))
	}
	for _, a := range q.Assertions {
		got = append(got, a.Label+": assert "+expression(a.Condition))
	}
	want := `m1: trace rate of [0]
m2: mean latency of [7]
m3: mean occupancy of [7]
m4: trace rate of [0] when ((1 <= m3) & !(waiting at acc_out))
: trace rate of [3]
: trace util of [3] reader
: trace util of [7]
: hist occupancy of [0]
: hist occupancy of [1]
: hist occupancy of [3]
: trace backpressure of [5]
: mean latency of [0 1 3 5 7]
: trace rate of [3] reader when ((0 < occupancy at f1.in) & !(waiting at f1.out))
: trace value of [7] {0 0 0 1000 0 0}
: hist latency of [7] {8 1e-06 2e-06 0 3 100}
: trace backpressure of [5]
: trace util of [3]
: trace occupancy of [3] reader
: trace backpressure of [5]
: trace rate of [7]
: trace latency of [7]
: trace value of [7]
a1: assert (1e+08 <= m1)
a2: assert ((m1 < m4) | (util at acc_in < 0.5))
: assert ((62500 < rate at b) & !((0.005 < latency at b) | (value at b = -1500)))`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}

func describe(m *timetrial.Measurement) string {
	s := fmt.Sprintf("%s: %s %s of %v", m.Label, m.Statistic, m.Type, m.Target.Edges)
	if m.Target.Reader {
		s += " reader"
	}
	if m.Params != (timetrial.Params{}) {
		s += fmt.Sprintf(" %v", m.Params)
	}
	if m.When != nil {
		s += " when " + expression(m.When)
	}
	return s
}

func expression(e *timetrial.Expr) string {
	operand := func(o timetrial.Operand) string {
		if o.Measurement == nil {
			return fmt.Sprint(o.Number)
		}
		return o.Measurement.Name()
	}
	join := func(sep string) string {
		var parts []string
		for _, a := range e.Args {
			parts = append(parts, expression(a))
		}
		return "(" + strings.Join(parts, sep) + ")"
	}
	switch e.Op {
	case timetrial.Not:
		return "!" + expression(e.Args[0])
	case timetrial.And:
		return join(" & ")
	case timetrial.Or:
		return join(" | ")
	case timetrial.Waiting:
		return "(waiting at " + e.Left.Measurement.Target.Text + ")"
	}
	return "(" + operand(e.Left) + map[timetrial.Op]string{timetrial.Less: " < ", timetrial.LessEqual: " <= ",
		timetrial.Equal: " = "}[e.Op] + operand(e.Right) + ")"
}

// TestMistakes: each error has the position, the mistake and a remedy.
func TestMistakes(t *testing.T) {
	p := program(t)
	for _, c := range []struct{ text, want string }{
		{"", "1:1: the text contains no statement (write a statement, such as measure rate at e1)"},
		{"measure mean rate at a", "1:9: rate has one value per frame, so its mean is undefined (Lancaster " +
			"2011, Table 4.1) (write rate without mean (frames show changes over time))"},
		{"measure sum util at a", "1:9: util has one value per frame, so its sum is undefined (Lancaster " +
			"2011, Table 4.1) (write util without sum (frames show changes over time))"},
		{"measure hist backpressure at a", "1:9: backpressure has one value per frame"},
		{"measure max rate at a when mean util at a > 1", "mean is undefined"},
		{"measure rat at a", "1:13: unexpected 'at' (did you mean rate before at?)"},
		{"measure mean ocupancy at a", "1:14: unexpected 'ocupancy' (did you mean occupancy?)"},
		{"measure rate a", "1:14: unexpected 'a' (expected at EDGE, at PORT or at A.out -> B.in)"},
		{"measure rate at", "1:16: the statement ends too early (expected an edge, a port, or A.out -> B.in)"},
		{"\n  meassure rate at a", "2:3: unexpected 'meassure' (expected measure or assert"},
		{"measure rate at Stream.z9", "1:17: unknown edge, port or kernel Stream.z9"},
		{"measure rate at c1.ouy", "unknown edge, port or kernel c1.ouy (did you mean c1.out?)"},
		{"measure rate at Split.out", "1:17: Split.out has several edges: Stream.b1, Stream.b2 (name one of " +
			"these edges)"},
		{"measure rate at Convert.out", "Convert.out has several edges: Stream.acc_in, Stream.e5"},
		{"measure rate at c1.out -> f2.in", "no edge leads from c1.out to f2.in"},
		{"measure rate at f1.in -> c1.out", "no edge leads out of f1.in, but edges lead into it (write the edge's " +
			"source first)"},
		{"measure latency at ReadEvent.out ... store.in", "several paths lead from ReadEvent.out to store.in, " +
			"such as (Stream.a, Stream.b1, Stream.acc_in, Stream.acc_out, Stream.b) and (Stream.a, Stream.b2"},
		{"measure latency at Merge.out ... f1.in", "no path leads from Merge.out to f1.in"},
		{"measure rate at ReadEvent.out ... f1.in", "cannot measure rate on a path, only latency"},
		{"assert rate at a > 100",
			"1:8: rate at a is compared with 100, which has no unit (write 100 tps, 100 ktps or 100 MB/s)"},
		{"assert 3 < mean latency at a", "has no unit (write 3 us, 3 ms or 3 s)"},
		{"measure hist(bins=8, low=0, width=4) latency at a", "width is 4, without a unit (write 4 us, 4 ms or 4 s)"},
		{"assert rate at a", "1:8: rate at a is a quantity, not a condition (write a comparison, such as " +
			"rate at a > 0)"},
		{"assert 5", "5 is a number, not a condition"},
		{"assert 5 < 6", "5 < 6 compares two numbers"},
		{"assert rate at a > 5 ms", "rate at a is in transfers per second, but 5 ms is in seconds"},
		{"assert latency at a > 5 MB/s", "latency at a is in seconds, but 5 MB/s is in bytes per second"},
		{"assert util at a > 5 tps", "util at a is a plain number, but 5 tps is in transfers per second"},
		{"assert rate at a > 5 Mtsp", "1:20: Mtsp is not a unit (did you mean Mtps?)"},
		{"assert rate at a > latency at a", "rate at a is in transfers per second, but latency at a is in seconds"},
		{"assert occupancy at a > mean occupancy at b", "occupancy at a has one value per element, but mean " +
			"occupancy at b has one value per frame (add a statistic, such as mean occupancy)"},
		{"h: measure hist value at a assert h > 3", "h is a histogram, which cannot be compared"},
		{"assert m1 > 3", "1:8: unknown label m1"},
		{"m1: measure rate at a; assert n1 > 3", "unknown label n1 (did you mean m1?)"},
		{"a1: assert util at a < 1; measure a1", "a1 is an assertion"},
		{"m: measure rate at a; m: measure util at a", "1:23: label m is used twice"},
		{"rate: measure rate at a", "1:1: rate is a reserved word"},
		{"measure hist(bins=0) value at a", "bins of hist is 0, expected a whole number from 1 to 65,536"},
		{"measure trace(entries=0) value at a", "entries of trace is 0, expected a whole number from 1 to 16,777,216"},
		{"measure hist(width=3) value at a", "hist has a width but no bins"},
		{"measure hist(wide=3) value at a", "hist has no parameter wide (expected one of: bins, low, width, every, " +
			"frame)"},
		{"measure hist(bins=4, low=1 tps, width=1) latency at a", "low has the unit tps, but latency is in seconds"},
		{"measure mean(frame=10ms) value at a", "frame has a unit of time, expected a number of elements"},
		{"measure rate at a when (util at a > 1", "the statement ends too early"},
		{"measure rate at a $", "1:19: unexpected '$'"},
		{"assert " + strings.Repeat("(", 1000), "nested deeper than 200"},
		{"assert util at a < 1e999", "1e999 is too large a number"},
	} {
		_, err := timetrial.Parse("", c.text, p)
		if err == nil {
			t.Errorf("%q is accepted", c.text)
			continue
		}
		if d, ok := err.(xlang.Diagnostics); ok {
			for i := range d {
				d[i].Pos.File = "x"
			}
		}
		if got := strings.ReplaceAll(err.Error(), "x:", ""); !strings.Contains(got, c.want) {
			t.Errorf("%q gives\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestAllMistakes: one mistake hides no other.
func TestAllMistakes(t *testing.T) {
	_, err := timetrial.Parse("t", "measure rate a;\nmeasure mean rate at a\nassert util at a\n"+
		"m: measure rate at zz9\nassert m > 3\nmeasure util at a", program(t))
	d, ok := err.(xlang.Diagnostics)
	if !ok || len(d) != 4 || d[0].Pos.Line != 1 || d[1].Pos.Line != 2 || d[2].Pos.Line != 3 || d[3].Pos.Line != 4 {
		t.Errorf("got %v", err)
	}
}

// TestEvaluate compares expressions with the truth tables of three-valued logic.
func TestEvaluate(t *testing.T) {
	q, err := timetrial.Parse("", "assert !(util at a < 1 & util at b < 1) | rate at a > 5 tps", program(t))
	if err != nil {
		t.Fatal(err)
	}
	e := q.Assertions[0].Condition
	list := e.Comparisons(nil)
	if len(list) != 3 {
		t.Fatalf("%d comparisons", len(list))
	}
	values := []timetrial.Truth{timetrial.False, timetrial.True, timetrial.Unknown}
	order := map[timetrial.Truth]float64{timetrial.False: 0, timetrial.Unknown: 0.5, timetrial.True: 1}
	for i := range 27 {
		truth := map[*timetrial.Expr]timetrial.Truth{list[0]: values[i%3], list[1]: values[i/3%3], list[2]: values[i/9]}
		a, b, c := order[truth[list[0]]], order[truth[list[1]]], order[truth[list[2]]]
		want := max(1-min(a, b), c) // Kleene: and is the least, or the greatest
		if got := e.Evaluate(func(x *timetrial.Expr) timetrial.Truth { return truth[x] }); order[got] != want {
			t.Errorf("!(%v & %v) | %v is %v", truth[list[0]], truth[list[1]], truth[list[2]], got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("m1: measure rate at Stream.a assert m1 > 3 Mtps & !(backpressure at b)")
	f.Add("measure hist(bins=3) latency at ReadEvent.out ... f1.in ... store.in when (util at a < 50%)")
	p := program(f)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := timetrial.Parse("f", text, p)
		if (q == nil) == (err == nil) {
			t.Errorf("query %v with error %v", q, err)
		}
		if d, ok := err.(xlang.Diagnostics); err != nil && (!ok || len(d) == 0) {
			t.Errorf("error %v", err)
		}
	})
}
