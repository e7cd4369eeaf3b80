package xeval

import (
	"path/filepath"
	"testing"

	"xopt/deploy/trace"
)

// BenchmarkEvaluate applies a rule of two joined inputs to a trace in a file.
func BenchmarkEvaluate(b *testing.B) {
	const n = 1 << 18
	path := filepath.Join(b.TempDir(), "run.xtrace")
	w, err := trace.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	port := func(kernel, name string) trace.Port { return trace.Port{Kernel: kernel, Name: name} }
	h := &trace.Header{Series: []trace.Series{{Name: "e0", From: port("a", "y"), To: port("k", "x0")},
		{Name: "e1", From: port("b", "y"), To: port("k", "x1")}, {Name: "e2", From: port("k", "y"), To: port("c",
			"x")}}}
	for i := range int64(n) {
		at := i * 1000
		for _, e := range []trace.Event{{Time: at, Series: 0, Kind: trace.Available}, {Time: at + 1, Series: 1,
			Kind: trace.Available}, {Time: at + 2, Series: 0, Kind: trace.In}, {Time: at + 3, Series: 1,
			Kind: trace.In},
			{Time: at + 900, Series: 2, Kind: trace.Out}} {
			e.Index = uint64(i)
			if err := w.Write([]trace.Event{e}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Finish(h); err != nil {
		b.Fatal(err)
	}
	table, err := trace.OpenFile(path)
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	f, err := Rules("k", []string{"k.x0 and k.x1 -> k.y"}, table.Header())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	events := uint64(0)
	for b.Loop() {
		r, err := Evaluate(b.Context(), f, table, Options{})
		if err != nil || r.Blocks[0].Rules[0].Runs() != n {
			b.Fatal(err, r)
		}
		events += r.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
