package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// floats returns the little-endian bytes of 32-bit numbers.
func floats(list ...float32) (b []byte) {
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// added returns a trace of the thesis' example (Gayen 2008, Figs. 3.19 and 3.23): gen1 and gen2 send to sum. Here both
// also send to one port of log, in the order gen2, gen1, gen1; its first element is an initial one.
func added(t *testing.T) Table {
	t.Helper()
	port := func(kernel, name string) Port { return Port{"top." + kernel, name} }
	h := &Header{Series: []Series{
		{Name: "e1", From: port("gen1", "y0"), To: port("sum", "x0"), Bytes: 4},
		{Name: "e2", From: port("gen2", "y0"), To: port("sum", "x1"), Bytes: 4},
		{Name: "l1", From: port("gen1", "y1"), To: port("log", "x"), Bytes: 4},
		{Name: "l2", From: port("gen2", "y1"), To: port("log", "x"), Bytes: 4},
		{Name: "e3", From: port("sum", "y0"), To: port("half", "x0"), Bytes: 4}}}
	const us = 1_000_000
	return TableOf(t, h, []Event{
		{Time: 5 * us, Series: 0, Kind: Out, Index: 0}, {Time: 17 * us, Series: 0, Kind: Out, Index: 1},
		{Time: 11 * us, Series: 1, Kind: Out, Index: 0}, {Time: 23 * us, Series: 1, Kind: Out, Index: 1},
		{Time: 10 * us, Series: 0, Kind: In, Index: 0}, {Time: 22 * us, Series: 0, Kind: In, Index: 1},
		{Time: 16 * us, Series: 1, Kind: In, Index: 0},
		{Time: 1 * us, Series: 2, Kind: Out, Index: 1}, {Time: 2 * us, Series: 3, Kind: Out, Index: 0},
		{Time: 2 * us, Series: 2, Kind: In, Index: 0}, {Time: 9 * us, Series: 2, Kind: In, Index: 1},
		{Time: 4 * us, Series: 3, Kind: In, Index: 0}, {Time: 10 * us, Series: 3, Kind: In, Index: 1},
		{Time: 17 * us, Series: 4, Kind: Out, Index: 0}, {Time: 29 * us, Series: 4, Kind: Out, Index: 1},
		{Time: 22 * us, Series: 4, Kind: In, Index: 0},
	}, floats(6.41, 2.5), floats(8.13, 3.5), floats(-1, 1, 2), floats(7), floats(7.27))
}

// dats returns the .dat files of a folder.
func dats(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.dat"))
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string][]byte)
	for _, f := range files {
		if list[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestDat: the elements of a table are written to the files of the thesis, in the order of the times beside
// them. Reading these restores them.
func TestDat(t *testing.T) {
	want := map[string][]byte{
		"top_gen1_y0_out.dat": floats(6.41, 2.5),
		"top_gen2_y0_out.dat": floats(8.13, 3.5),
		"top_sum_x0_in.dat":   floats(6.41, 2.5),
		"top_sum_x1_in.dat":   floats(8.13), // the second was never taken
		"top_gen1_y1_out.dat": floats(1),    // behind the one that was there at the start
		"top_gen2_y1_out.dat": floats(7),
		"top_log_x_in.dat":    floats(-1, 7, 1), // of two edges; the next is not held
		"top_sum_y0_out.dat":  floats(7.27),     // the second is not held
		"top_half_x0_in.dat":  floats(7.27),
	}
	m := added(t)
	first, second := t.TempDir(), t.TempDir()
	if err := WriteTS(first, m); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, dats(t, first)); d != "" {
		t.Errorf("the elements of the table: %s", d)
	}
	names, err := TSFiles(m)
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(s string) bool { return !strings.HasSuffix(s, ".dat") })
	if d := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(names))); d != "" {
		t.Errorf("the planned files: %s", d)
	}
	folder, err := OpenFile(first)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.xtrace")
	if err := Copy(path, folder); err != nil {
		t.Fatal(err)
	}
	file, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, s := range file.Header().Series {
		if s.Bytes != 4 {
			t.Errorf("elements of %s have %d bytes", s.Name, s.Bytes)
		}
		if n, err := StoredBytes(file, int32(i)); n == 0 || err != nil {
			t.Errorf("of %s are %d bytes held, %v", s.Name, n, err)
		}
	}
	if err := WriteTS(second, file); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, dats(t, second)); d != "" {
		t.Errorf("through a folder and a file: %s", d)
	}
}

// TestDatOfThesis: a folder of X-Sim, whose headers do not contain the size of elements.
func TestDatOfThesis(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string][]byte{"top_gen1_y0_out.ts": thesisTS(), "top_sum_x0_avl.ts": thesisTS(),
		"top_gen1_y0_out.dat": floats(6.41, 1, 2), "top_sum_x0_in.dat": floats(6.41, 1, 2),
		"other_sink_out.dat": []byte("another program's")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range folder.Header().Series {
		if n, err := StoredBytes(folder, int32(i)); s.Bytes != 4 || n != 12 || err != nil {
			t.Errorf("%s: elements of %d bytes, %d bytes, %v", s.Name, s.Bytes, n, err)
		}
	}
	if n := len(folder.Header().Series); n != 2 {
		t.Errorf("there are %d ports", n)
	}
}

// TestBrokenDat: elements that do not match the times beside them cause one error that names the file.
func TestBrokenDat(t *testing.T) {
	reported := func(line string) []byte {
		text := thesisTS()
		copy(text, bytes.Replace(text[:TSHeaderBytes], []byte("#compile_time=10:36:14"), []byte(line), 1))
		return text
	}
	for _, x := range []struct {
		ts, dat []byte
		want    string
	}{
		{thesisTS(), floats(1, 2, 3)[:11], "the size of 11 bytes is not a multiple of the number of times in the .ts " +
			"file, 3"},
		{thesisTS(), nil, "the size of 0 bytes is not a multiple of the number of times in the .ts file, 3"},
		{thesisTS()[:TSHeaderBytes], floats(1), "the size of 4 bytes is not a multiple of the number of times in " +
			"the .ts file, 0"},
		{reported("#element_bytes=4      "), floats(1, 2)[:7],
			"the file ends within an element of 4 bytes: 3 bytes follow"},
		{reported("#element_bytes=4      "), floats(1, 2, 3, 4),
			"the file has 4 elements, but the .ts file has 3"},
		{reported("#element_bytes=0      "), floats(1, 2, 3), ".ts file has element_bytes=0"},
		{reported("#element_bytes=x      "), floats(1, 2, 3), ".ts file has element_bytes=x"},
		{reported("#element_bytes=4      "), floats(1, 2), ""},
	} {
		path := written(t, "top_a_y_out.ts", x.ts)
		dat := strings.TrimSuffix(path, ".ts") + ".dat"
		if err := os.WriteFile(dat, x.dat, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := OpenFile(filepath.Dir(path))
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want) ||
			!strings.Contains(err.Error(), dat)) {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
}

// TestDataDamaged: elements of many chunks are read as they were written, by two readers at once, and a changed byte is
// an error.
func TestDataDamaged(t *testing.T) {
	var elements []byte
	for i := range uint32(200_000) {
		elements = binary.LittleEndian.AppendUint32(elements, i*2654435761)
	}
	path := filepath.Join(t.TempDir(), "a.xtrace")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for part := range slices.Chunk(elements, 300_001) {
		if err := errors.Join(w.Data(1, bytes.NewReader(part)), w.Write([]Event{{Time: w.at, Kind: Out,
			Index: uint64(w.at)}})); err != nil {
			t.Fatal(err)
		}
	}
	port := func(name string) Port { return Port{"k", name} }
	if err := w.Finish(&Header{Series: []Series{{Name: "a", From: port("y")}, {Name: "b", To: port("x"),
		Bytes: 4}}}); err != nil {
		t.Fatal(err)
	}
	file, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	one, n, err := elementsOf(file, 1)
	two, _, err2 := elementsOf(file, 1)
	if err != nil || err2 != nil || n != int64(len(elements)) {
		t.Fatal(n, err, err2)
	}
	if none, n, err := elementsOf(file, 0); none != nil || n != 0 || err != nil {
		t.Errorf("an edge without elements has %d bytes, %v", n, err)
	}
	head := make([]byte, 1000)
	if _, err := io.ReadFull(two, head); err != nil || !bytes.Equal(head, elements[:1000]) {
		t.Errorf("the second reader: %v", err)
	}
	if got, err := io.ReadAll(one); err != nil || !bytes.Equal(got, elements) {
		t.Errorf("%d bytes are read of %d, %v", len(got), len(elements), err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[bytes.Index(text, elements[40_000:40_020])]++
	damaged, err := OpenFile(written(t, "b.xtrace", text))
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	r, _, err := elementsOf(damaged, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, errDamaged) {
		t.Errorf("a changed element is read: %v", err)
	}
}

// FuzzDat: any file beside times is refused, or read and rewritten identically.
func FuzzDat(f *testing.F) {
	f.Add(thesisTS(), []byte("twelve bytes"))
	f.Add(thesisTS(), []byte("eleven bytes"[:11]))
	f.Add(bytes.Replace(thesisTS(), []byte("#compile_time=10:36:14"), []byte("#element_bytes=4      "), 1),
		[]byte("4bts"))
	f.Fuzz(func(t *testing.T, ts, dat []byte) {
		path := written(t, "top_a_y_out.ts", ts)
		if err := os.WriteFile(datOf(path), dat, 0o644); err != nil {
			t.Fatal(err)
		}
		folder, err := OpenFile(filepath.Dir(path))
		if err != nil {
			return
		}
		dir := t.TempDir()
		if WriteTS(dir, folder) != nil { // times may go back
			return
		}
		if got := dats(t, dir)["top_a_y_out.dat"]; !bytes.Equal(got, dat) {
			t.Fatalf("%q is written as %q", dat, got)
		}
	})
}
