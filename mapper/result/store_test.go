package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"xopt/internal/fault"
)

func sample() *Result {
	return &Result{Schema: Schema, Tool: "xopt", Version: "test", Command: []string{"xopt", "eval"}, Application: "top",
		Candidates: []Candidate{{
			Name: "map", Throughput: 26.76e6, Figures: []OriginCount{{"published", 2}, {"assumed", 1}},
			Place: []Placement{{Kernel: "top.<script>", Resource: "proc[1]"}},
			Bottlenecks: []Step{{Throughput: 26.76e6, Limits: []Limit{{Name: "proc[1]", Sharing: "conserving",
				Members: []string{"top.a"}, Parts: []Number{0.5}}}}},
			Stations: []Station{{Name: "top.a", On: "proc[1]", ServiceRate: Number(math.Inf(1)),
				SharedRate: Number(math.Inf(1)), Utilization: 0.5, Origin: "assumed"}},
		}}}
}

// TestRoundTrip reads back a written result, including infinity.
func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Decode("x", &b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sample()) {
		t.Errorf("got %+v", got)
	}
	if err := (&Result{Candidates: []Candidate{{Throughput: Number(math.NaN())}}}).Encode(io.Discard); err == nil {
		t.Error("a result that is not a number is written")
	}
}

// TestDecodeRefuses checks that damaged, foreign and hostile files are rejected.
func TestDecodeRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "is empty"},
		"not JSON":      {"hello", "is not a result file (it does not start like JSON)"},
		"cut short":     {good[:len(good)/2], "is not a valid result file"},
		"other JSON":    {`{"tool": "other", "schema": 1}`, "is not a result file of xopt"},
		"array":         {`[1, 2]`, "is not a valid result file"},
		"newer":         {strings.Replace(good, `"schema": 1`, `"schema": 99`, 1), "use a newer xopt"},
		"older":         {strings.Replace(good, `"schema": 1`, `"schema": 0`, 1), "no longer supported"},
		"unknown field": {strings.Replace(good, `"tool"`, `"toll": 1, "tool"`, 1), "unknown field"},
		"no such mapping": {strings.Replace(good, `"candidates"`,
			`"validation": {"summary": {}, "cases": [{"name": "a", "candidate": 9, "measured": 1, "runs": [1]}]}, `+
				`"candidates"`, 1), "refers to candidate 9, but there are only 1"},
		"no runs": {strings.Replace(good, `"candidates"`,
			`"validation": {"summary": {}, "cases": [{"name": "a", "candidate": 0, "measured": 1}]}, "candidates"`, 1),
			"has 0 runs"},
		"what if": {strings.Replace(good, `"candidates"`,
			`"whatIf": [{"name": "bandwidth of PCI", "unit": "B/s", "now": 1, "values": [1, 2], `+
				`"throughput": [[1]]}], "candidates"`, 1), "1 throughputs for 2 values"},
		"negative":        {strings.Replace(good, "26760000", "-1", 1), "throughput -1"},
		"utilization":     {strings.Replace(good, `"utilization": 0.5`, `"utilization": 7`, 1), "utilization 7"},
		"members":         {strings.Replace(good, `"top.a"`, `"top.a", "top.b"`, 1), "2 members and 1 parts"},
		"text for number": {strings.Replace(good, "26760000", `"many"`, 1), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode("x.result.json", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "x.result.json") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"tool":"xopt","schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode("x", bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := r.Encode(&out); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

// TestLargeResult checks that a large result is written without white space, contains the marks of result files, and
// can be read back.
func TestLargeResult(t *testing.T) {
	r := &Result{Schema: Schema, Tool: "xopt"}
	for i := range maxIndented + 1 {
		r.Kernels = append(r.Kernels, Kernel{Name: fmt.Sprint(i)})
	}
	var out bytes.Buffer
	if err := r.Encode(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text[:100], `"schema": `) || !strings.Contains(text[:100],
		`"tool": "xopt"`) || strings.Count(text, "\n") != 1 {
		t.Errorf("it begins with %s", text[:100])
	}
	back, err := Decode("large", &out)
	if err != nil || len(back.Kernels) != len(r.Kernels) {
		t.Errorf("it cannot be read: %v", err)
	}
}

// fill sets every part of a value, with lists of two elements, down to a depth.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 && v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth-1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("{}"))
		} else if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(1), depth-1)
		}
	case reflect.String:
		v.SetString("a <b> \"c\" ü")
	case reflect.Float64:
		v.SetFloat(1.5e-9)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// largest records the largest single write.
type largest struct {
	text  bytes.Buffer
	bytes int
}

func (l *largest) Write(p []byte) (int, error) {
	l.bytes = max(l.bytes, len(p))
	return l.text.Write(p)
}

// TestStream checks that a large result is written in pieces, with the same values as encoding/json.
func TestStream(t *testing.T) {
	const piece = 1 << 18
	for depth := range 9 {
		r := &Result{}
		fill(reflect.ValueOf(r).Elem(), depth)
		r.Kernels = make([]Kernel, 20*maxIndented)
		for i := range r.Kernels {
			r.Kernels[i].Name = "top.kernel[1]"
		}
		r.Schema, r.Tool = Schema, "xopt"
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var out largest
		if err := r.Encode(&out); err != nil {
			t.Fatal(err)
		}
		if got := compact(t, out.text.Bytes()); !bytes.Equal(got, want) {
			t.Fatalf("depth %d: %d bytes are written, and encoding/json writes %d others", depth, len(got), len(want))
		}
		if out.bytes > piece || len(want) < 4*piece {
			t.Errorf("depth %d: %d of %d bytes are written at once", depth, out.bytes, len(want))
		}
	}
}

// compact removes the white space of JSON.
func compact(t *testing.T, text []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLastSizes checks that a buffer that grew several times is listed once, with its first and last size.
func TestLastSizes(t *testing.T) {
	b := MeasuredBuffers{Grown: []GrownBuffer{{Edge: "a", From: 2, To: 4}, {Edge: "b", From: 1, To: 2},
		{Edge: "a", From: 4, To: 8}}}
	want := []GrownBuffer{{Edge: "a", From: 2, To: 8}, {Edge: "b", From: 1, To: 2}}
	if got := b.Last(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestTailQuantile checks that a quantile is reported if three samples are above it.
func TestTailQuantile(t *testing.T) {
	d := &Distribution{Samples: 300, Elements: 300, Min: 1, Max: 2, Bins: []Bin{{From: 1, To: 2, Elements: 300}}}
	if q := d.TailQuantile(0.99); q == nil || *q != 1.99 {
		t.Errorf("got %v, want 1.99", q)
	}
	d.Samples = 299
	if q := d.TailQuantile(0.99); q != nil {
		t.Errorf("got %v of 299 samples", *q)
	}
	if d = nil; d.TailQuantile(0.5) != nil {
		t.Error("a quantile of nothing")
	}
}

// TestWhyStopped checks the certainty of a reported deadlock, and that exact results have no interval.
func TestWhyStopped(t *testing.T) {
	runs := WithBuffers{Throughput: 1, Edges: []BufferedEdge{{Edge: "e", Enlarged: 1.1}, {Edge: "f", Enlarged: 1}}}
	if runs.WhyStopped() != "" || !runs.Exact() || runs.Worst() != &runs.Edges[0] {
		t.Errorf("%q, %v, %v", runs.WhyStopped(), runs.Exact(), runs.Worst())
	}
	runs.Interval = &[2]Number{0.9, 1.2}
	if runs.Exact() || runs.Worst() != nil {
		t.Errorf("%v, %v with an interval", runs.Exact(), runs.Worst())
	}
	stops := WithBuffers{Stopped: "a waits for b"}
	if why := stops.WhyStopped(); stops.Exact() || !strings.HasSuffix(why, "proven to deadlock: a waits for b") {
		t.Error(why)
	}
	stops.Interval, stops.Events, stops.Seed = &[2]Number{}, 120, 7
	if why := stops.WhyStopped(); !strings.HasSuffix(why,
		"deadlocked in simulation, after 120 firings with seed 7: a waits for b") {
		t.Error(why)
	}
}

// TestNotes checks that notes are written with their identifiers, and that plain-text notes of earlier versions can
// be read.
func TestNotes(t *testing.T) {
	const head = `{"schema": 1, "tool": "xopt", "inputs": [], "application": "top", "kernels": [], "edges": [],
		"architecture": [], "maxUtilization": 1, "probability": 0.9, "candidates": [], "notes": [`
	for text, want := range map[string]fault.Note{
		`"an old note"`: {Text: "an old note"},
		`{"id": "left-out", "text": "it is not there"}`: {ID: "left-out", Text: "it is not there"},
	} {
		r, err := Decode("r.json", strings.NewReader(head+text+"]}"))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Encode(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Decode("again.json", &b)
		if err != nil || len(again.Notes) != 1 || again.Notes[0] != want {
			t.Errorf("%s: %+v, %v; want %+v", text, again, err, want)
		}
	}
}

// TestEncodeFigures checks that figures, strings and embedded structures are written as encoding/json writes them.
func TestEncodeFigures(t *testing.T) {
	r := &Result{Schema: Schema, Tool: "xopt", Kernels: make([]Kernel, maxIndented+1)}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -7, 0.1, 1e-6, 9.99e-7, -1.5e-9, 2.5e-10, 1e20, 1e21, 3e22,
		1 << 53, 1<<53 + 2, 1e15 + 0.5, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi, math.Inf(1)} {
		r.Candidates = append(r.Candidates, Candidate{Name: "c", Throughput: Number(x)})
	}
	for _, s := range []string{"", "plain", "<a> & \"b\"", "tab\t", "\x7f", "\\", "ü\u2028", "\xff"} {
		r.Warnings = append(r.Warnings, fault.Note{Text: s})
		r.Command = append(r.Command, s)
	}
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Encode(&out); err != nil {
		t.Fatal(err)
	}
	want = bytes.ReplaceAll(want, []byte(`\ufffd`), []byte("\ufffd"))
	if got := compact(t, out.Bytes()); !bytes.Equal(got, want) {
		t.Errorf("written:\n%.2000s\nencoding/json writes:\n%.2000s", got, want)
	}
	for _, wrong := range []float64{math.NaN(), math.Inf(-1)} {
		r.Candidates[0].Throughput = Number(wrong)
		if err := r.Encode(io.Discard); err == nil {
			t.Errorf("%g is written", wrong)
		}
	}
}

// TestEncodeAllocates checks that a large result needs few allocations for each of its parts.
func TestEncodeAllocates(t *testing.T) {
	r := &Result{Schema: Schema, Tool: "xopt", Kernels: make([]Kernel, maxIndented+1)}
	for i := range r.Kernels {
		r.Kernels[i] = Kernel{Name: "top.kernel[1]", Block: "STAGE", Gain: 0.25, GainOrigin: "stated"}
	}
	c := Candidate{Name: "1", Throughput: 1, Stations: make([]Station, len(r.Kernels))}
	for i := range c.Stations {
		c.Stations[i] = Station{Name: "top.kernel[1]", On: "proc[1]", ServiceRate: 1.25e6, Utilization: 0.5}
	}
	r.Candidates = []Candidate{c}
	allocations := testing.AllocsPerRun(1, func() {
		if err := r.Encode(io.Discard); err != nil {
			t.Fatal(err)
		}
	})
	if kernels := float64(len(r.Kernels)); allocations > kernels {
		t.Errorf("%.0f allocations for %.0f kernels", allocations, kernels)
	}
}
