package trace_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/deploy/trace"
)

// TestSaid: the facts that times are not measured, and that events are missing, survive in CSV and .ts. Measured and
// complete traces need no such data.
func TestSaid(t *testing.T) {
	const drawn = "assumed, times drawn from assumed figures"
	lacks := []trace.Left{{Stream: trace.Stream{Series: 0, Kind: trace.Out}, Events: 7}}
	h := &trace.Header{Series: two(), Origin: "simulated", Origins: []trace.Origin{{Kernel: "top.gen1", Origin: drawn}},
		Left: lacks}
	table := trace.TableOf(t, h, events())
	var text bytes.Buffer
	if err := trace.WriteCSV(&text, table); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "ts")
	if err := trace.WriteTS(dir, table); err != nil {
		t.Fatal(err)
	}
	csv, err := open(t, "a.csv", text.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	defer csv.Close()
	ts, err := trace.OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*trace.Header{"csv": csv.Header(), "ts": ts.Header()} {
		if !strings.HasPrefix(got.Origin, "assumed and simulated elsewhere: ") {
			t.Errorf("%s: the times are %q", name, got.Origin)
		}
		// Names of files have _ for the dots.
		if of := got.OriginOf("top.gen1"); of != drawn {
			t.Errorf("%s: those of top.gen1 are %q, want %q", name, of, drawn)
		}
		if of := got.OriginOf(two()[0].To.Kernel); of != "simulated" {
			t.Errorf("%s: those of %s are %q, want simulated", name, two()[0].To.Kernel, of)
		}
		if len(got.Left) != 1 || got.Left[0].Events != 7 || got.Left[0].Stream.Kind != trace.Out ||
			got.Series[got.Left[0].Stream.Series].From != two()[0].From && name == "csv" {
			t.Errorf("%s: missing are %+v", name, got.Left)
		}
	}
	h = &trace.Header{Series: two(), Origin: "measured"}
	text.Reset()
	if err := trace.WriteCSV(&text, trace.TableOf(t, h, events())); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(trace.CSVHead, text.String()[:len(trace.CSVHead)]); d != "" {
		t.Error(d)
	}
	if _, err := open(t, "a.csv", "time_s,kind,port,xopt_left\n1,out,a.y,some\n"); err == nil ||
		!strings.Contains(err.Error(), `xopt_left is "some"`) {
		t.Error(err)
	}
}
