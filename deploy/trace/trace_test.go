package trace_test

import (
	stdcmp "cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"xopt/deploy/trace"
)

// two returns the series of gen1 -> sum, and a testpoint of gen1.
func two() []trace.Series {
	point := trace.Port{Kernel: "top.gen1", Name: "src"}
	return []trace.Series{{Name: "top.e1", From: trace.Port{Kernel: "top.gen1", Name: "y0"},
		To: trace.Port{Kernel: "top.sum", Name: "x[1]"}, Bytes: 4}, {Name: point.String(), Point: point}}
}

const us = 1_000_000 // ps

func events() []trace.Event {
	return []trace.Event{
		{Time: 0, Kind: trace.Point, Series: 1},
		{Time: 5 * us, Kind: trace.Out, Bytes: 4}, {Time: 10 * us, Kind: trace.Available, Bytes: 4},
		{Time: 10 * us, Kind: trace.In, Bytes: 4},
		{Time: 11 * us, Kind: trace.Point, Series: 1, Index: 1},
		{Time: 17 * us, Kind: trace.Out, Bytes: 4, Index: 1},
		{Time: 22 * us, Kind: trace.Available, Bytes: 4, Index: 1}, {Time: 22 * us, Kind: trace.In, Bytes: 8, Index: 5},
	}
}

func read(t *testing.T, table trace.Table, streams ...trace.Stream) []trace.Event {
	t.Helper()
	r, err := table.Open(streams...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := trace.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTables: written events are read, by stream and merged by time.
func TestTables(t *testing.T) {
	h := &trace.Header{Application: "top", Series: two(), Seconds: 1e-4, Origin: "simulated"}
	table := trace.TableOf(t, h, events())
	if diff := cmp.Diff(events(), read(t, table)); diff != "" {
		t.Error(diff)
	}
	want := slices.DeleteFunc(events(), func(e trace.Event) bool { return e.Kind != trace.In })
	in := trace.Stream{Series: 0, Kind: trace.In}
	if diff := cmp.Diff(want, read(t, table, in)); diff != "" {
		t.Error(diff)
	}
	if n := table.Count(in); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
	if diff := cmp.Diff(h, table.Header()); diff != "" {
		t.Error(diff)
	}
	if _, err := table.Open(trace.Stream{Series: 1, Kind: trace.In}); !errors.Is(err, trace.ErrName) {
		t.Errorf("a testpoint's in: %v", err)
	}
}

// written returns the error of writing events to a table.
func written(t *testing.T, list []trace.Event) error {
	t.Helper()
	w, err := trace.CreateTemp()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	return w.Write(list)
}

// TestOrder: events that go back in their stream are refused, of others not.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		next trace.Event
		want error
	}{
		{"time", trace.Event{Time: 16 * us, Kind: trace.Out, Index: 2}, trace.ErrOrder},
		{"index", trace.Event{Time: 18 * us, Kind: trace.Out, Index: 1}, trace.ErrOrder},
		{"another stream", trace.Event{Time: 1 * us, Kind: trace.Out, Series: 2}, nil},
	} {
		if err := written(t, append(events(), c.next)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if err := written(t, []trace.Event{{Time: -1}}); err == nil {
		t.Error("an event before the start was taken")
	}
}

// TestFileRandom: any events of any streams are read as they were written, in the order of time; events at one time are
// read in the order of their streams.
func TestFileRandom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		h := &trace.Header{}
		n := rapid.IntRange(1, 5).Draw(r, "series")
		for i := range n {
			h.Series = append(h.Series, trace.Series{Name: fmt.Sprint(i), From: trace.Port{Kernel: "a", Name: "y"}})
		}
		var list []trace.Event
		last := make(map[trace.Stream]trace.Event)
		for range rapid.IntRange(0, 300).Draw(r, "events") {
			s := trace.Stream{Series: int32(rapid.IntRange(0, n-1).Draw(r, "of")),
				Kind: trace.Kind(rapid.IntRange(0, 2).Draw(r, "kind"))}
			e := trace.Event{Series: s.Series, Kind: s.Kind, Time: rapid.Int64Range(0, 3).Draw(r, "later"),
				Index: uint64(rapid.IntRange(0, 2).Draw(r, "skipped"))}
			if b, ok := last[s]; ok {
				e.Time += b.Time
				e.Index += b.Index + 1
			}
			if rapid.IntRange(0, 9).Draw(r, "long") == 0 {
				e.Time += rapid.Int64Range(0, 1<<40).Draw(r, "long")
				e.Bytes = rapid.Uint64().Draw(r, "bytes")
			}
			last[s] = e
			list = append(list, e)
		}
		kinds := []trace.Kind{trace.Out, trace.Available, trace.In}
		want := slices.SortedStableFunc(slices.Values(list), func(a, b trace.Event) int {
			return stdcmp.Or(stdcmp.Compare(a.Time, b.Time), stdcmp.Compare(a.Series, b.Series),
				stdcmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)))
		})
		if diff := cmp.Diff(want, read(t, trace.TableOf(t, h, list))); diff != "" {
			r.Fatal(diff)
		}
	})
}

// TestClock: times given in ticks of a clock are read in ps.
func TestClock(t *testing.T) {
	h := &trace.Header{Series: two(), Frequency: 3.2e9}
	list := []trace.Event{{Time: 16000, Kind: trace.Out}, {Time: 54400, Kind: trace.Out, Index: 1},
		{Time: 89600, Kind: trace.Out, Index: 2}}
	for i, e := range read(t, trace.TableOf(t, h, list)) {
		if want := []int64{5, 17, 28}[i] * us; e.Time != want {
			t.Errorf("element %d at %d ps, want %d (Gayen 2008 Fig. 3.21)", i, e.Time, want)
		}
	}
}

// TestFind: files are found by the thesis' names (Gayen 2008 §3.3.1), and an error lists the existing ones.
func TestFind(t *testing.T) {
	h := &trace.Header{Series: two()}
	for file, want := range map[string]trace.Stream{"top_gen1_y0_out.ts": {Kind: trace.Out},
		"temp/Xfileio/top_sum_x_1__avl.ts": {Kind: trace.Available}, "top_sum_x_1__in.ts": {Kind: trace.In},
		"top_gen1_src_tpt.ts": {Series: 1, Kind: trace.Point}} {
		if got, err := h.Find(file); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v, want %v", file, got, err, want)
		}
	}
	_, err := h.Find("top_gen2_y0_out.ts")
	if !errors.Is(err, trace.ErrName) || !strings.Contains(err.Error(), "top_gen1_y0_out.ts") {
		t.Errorf("a file that there is not: %v", err)
	}
}

// TestDamaged: a file that is truncated anywhere, or has a changed byte, causes an error or yields the same
// events.
func TestDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.xtrace")
	w, err := trace.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(events()), w.Finish(&trace.Header{Series: two()})); err != nil {
		t.Fatal(err)
	}
	complete, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "b.xtrace")
	try := func(text []byte) ([]trace.Event, error) {
		if err := os.WriteFile(damaged, text, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := trace.OpenFile(damaged)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		return trace.ReadAll(r)
	}
	for n := len(trace.Magic); n < len(complete); n++ {
		if _, err := try(complete[:n]); err == nil || !strings.Contains(err.Error(), damaged) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(complete), err)
		}
	}
	for n := range complete {
		text := slices.Clone(complete)
		text[n] ^= 1 << (n % 8)
		if list, err := try(text); err == nil && !cmp.Equal(list, events()) {
			t.Fatalf("byte %d changed: no error, and other events", n)
		}
	}
}

// TestUnfinished: an unfinished table leaves nothing behind.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	w, err := trace.Create(filepath.Join(dir, "a.xtrace"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(events()), w.Abort(), w.Abort()); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v is left, %v", list, err)
	}
	if w.Write(events()) == nil {
		t.Error("a writer that was given up takes events")
	}
}

// synthetic writes a number of events of some streams, as a run would: in batches.
func synthetic(tb testing.TB, path string, series, total int, each func()) {
	w, err := trace.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	h := &trace.Header{}
	for i := range series {
		name := fmt.Sprint(i)
		h.Series = append(h.Series, trace.Series{Name: name, From: trace.Port{Kernel: "k", Name: name}})
	}
	random := rand.New(rand.NewPCG(1, 2))
	buf := make([]trace.Event, 0, 4096)
	index := make([]uint64, series)
	now := int64(0)
	for n := 0; n < total; n += 3 {
		s := int32(random.IntN(series))
		now += int64(random.IntN(1_000_000))
		for _, k := range []trace.Kind{trace.Out, trace.Available, trace.In} {
			buf = append(buf, trace.Event{Time: now, Index: index[s], Series: s, Kind: k, Bytes: 64})
		}
		index[s]++
		if len(buf)+3 > cap(buf) {
			if err := w.Write(buf); err != nil {
				tb.Fatal(err)
			}
			buf = buf[:0]
			each()
		}
	}
	if err := errors.Join(w.Write(buf), w.Finish(h)); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkWrite writes 3 million events of 80 edges, and BenchmarkRead reads them merged by time.
func BenchmarkWrite(b *testing.B) {
	const events = 3_000_000
	path := filepath.Join(b.TempDir(), "a.xtrace")
	b.ReportAllocs()
	for b.Loop() {
		synthetic(b, path, 80, events, func() {})
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

func BenchmarkRead(b *testing.B) {
	const events = 3_000_000
	path := filepath.Join(b.TempDir(), "a.xtrace")
	synthetic(b, path, 80, events, func() {})
	b.ReportAllocs()
	for b.Loop() {
		f, err := trace.OpenFile(path)
		if err != nil {
			b.Fatal(err)
		}
		r, err := f.Open()
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]trace.Event, 4096)
		n := 0
		for {
			k, err := r.Read(buf)
			if n += k; err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if n != events {
			b.Fatalf("%d events, want %d", n, events)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
