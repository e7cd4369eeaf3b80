package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// thesisTS returns the file of Gayen 2008, Figs. 3.20 and 3.21, with ticks that yield the 5, 17 and 28 us of
// Fig. 3.19 (the scan has lost digits).
func thesisTS() []byte {
	text := []byte("#XTSFile\nfreq=3200000000\n#compile_time=10:36:14\noffset=1000000000000000\nend\n")
	text = append(text, bytes.Repeat([]byte(" "), TSHeaderBytes-len(text))...)
	for _, tick := range []uint64{1000000000016000, 1000000000054400, 1000000000089600} {
		text = binary.LittleEndian.AppendUint64(text, tick)
	}
	return text
}

func times(t *testing.T, path string) (list []int64, err error) {
	t.Helper()
	f, err := OpenTS(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		ps, err := f.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, ps)
	}
}

// written writes a file into a new folder.
func written(t testing.TB, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestThesisTS(t *testing.T) {
	path := written(t, "top_gen1_y0_out.ts", thesisTS())
	got, err := times(t, path)
	if d := cmp.Diff([]int64{5e6, 17e6, 28e6}, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	f, err := OpenTS(path)
	if err != nil || f.Frequency != 3.2e9 || f.Offset != 1e15 || f.Other["compile_time"] != "10:36:14" || f.Count != 3 {
		t.Errorf("%+v, %v", f, err)
	}
	_ = f.Close()
	want := strings.TrimRight(string(thesisTS()[:TSHeaderBytes]), " ")
	if text := f.Text(); len(text) != TSHeaderBytes || strings.TrimRight(string(text),
		"\n") != strings.TrimRight(want, "\n") {
		t.Errorf("the header is written as %q", text)
	}
}

// TestBrokenTS: files that are cut off, foreign or wrong are one error that names them.
func TestBrokenTS(t *testing.T) {
	complete := thesisTS()
	back := binary.LittleEndian.AppendUint64(bytes.Clone(complete), 1000000000016001)
	early := bytes.Clone(complete)
	binary.LittleEndian.PutUint64(early[TSHeaderBytes:], 5)
	for want, text := range map[string][]byte{
		"shorter than the header":        complete[:511],
		"not a .ts file":                 append([]byte("XTSFile"), complete...),
		"the file is truncated: 7 bytes": complete[:len(complete)-1],
		"has no line \"end\"":            bytes.Replace(complete, []byte("\nend"), []byte("\nEND"), 1),
		"freq=x":                         bytes.Replace(complete, []byte("3200000000"), []byte("x         "), 1),
		"freq=-2":                        bytes.Replace(complete, []byte("3200000000"), []byte("-2        "), 1),
		"offset=-":                       bytes.Replace(complete, []byte("offset=1"), []byte("offset=-"), 1),
		"time 4: an event is before the previous one": back,
		"time 1 (tick 5) is before the":               early,
	} {
		path := written(t, "top_a_y_out.ts", text)
		if _, err := times(t, path); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestFolder: files of a folder are a table that is found by their names.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, list ...int64) {
		w, err := CreateTS(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, ps := range list {
			if err := w.Put(ps); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	put("top_b_1__x0_avl.ts", 1, 5, 9)
	put("top_b_1__x0_in.ts", 2, 6)
	put("top_a_y0_out.ts", 0, 5)
	put("top_a_src_tpt.ts", 0)
	if err := os.WriteFile(filepath.Join(dir, "top_rule1_index.ts"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	var streams []Stream
	for name, n := range map[string]uint64{"top_b_1__x0_avl.ts": 3, "old/top_b_1__x0_in.ts": 2, "top_a_src_tpt.ts": 1} {
		s, err := table.Header().Find(name)
		if err != nil || len(s) != 1 || table.Count(s[0]) != n {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	s, err := table.Header().Find("top_a_y0_out.ts")
	if err != nil {
		t.Fatal(err)
	}
	streams = append(streams, s...)
	if s, err = table.Header().Find("top_b_1__x0_avl.ts"); err != nil {
		t.Fatal(err)
	}
	streams = append(streams, s...)
	r, err := table.Open(streams...)
	if err != nil {
		t.Fatal(err)
	}
	events, err := ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]int64
	for _, e := range events {
		got = append(got, [2]int64{e.Time, int64(e.Kind)})
	}
	out, avl := int64(Out), int64(Available)
	if d := cmp.Diff([][2]int64{{0, out}, {1, avl}, {5, out}, {5, avl}, {9, avl}}, got); d != "" {
		t.Error(d)
	}
	if _, err := table.Header().Find("top_a_y1_out.ts"); err == nil || !strings.Contains(err.Error(),
		"only of top_a_src_tpt.ts, top_a_y0_out.ts, top_b_1__x0_avl.ts, top_b_1__x0_in.ts") {
		t.Errorf("%v", err)
	}
	if _, err := OpenFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "contains no trace") {
		t.Errorf("%v", err)
	}
}

// FuzzTS: reading any file ends, and times never decrease.
func FuzzTS(f *testing.F) {
	f.Add(thesisTS())
	f.Add([]byte("#XTSFile\nfreq=1\nend"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := times(t, written(t, "top_a_y_out.ts", text))
		if err == nil && uint64(len(list)) != uint64(len(text)-TSHeaderBytes)/8 {
			t.Fatalf("%d times of %d bytes", len(list), len(text))
		}
		for i := 1; i < len(list); i++ {
			if list[i] < list[i-1] || list[i-1] < 0 {
				t.Fatalf("time %d after %d", list[i], list[i-1])
			}
		}
	})
}
