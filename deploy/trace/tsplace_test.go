package trace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"xopt/deploy/trace"
)

// breaking is a table whose events of one kind cannot be read to their end.
type breaking struct {
	trace.Table
	at trace.Kind
}

var errBroken = errors.New("the disk does not answer")

type brokenReader struct{ trace.Reader }

func (brokenReader) Read([]trace.Event) (int, error) { return 0, errBroken }

// Open implements Table.
func (b breaking) Open(streams ...trace.Stream) (trace.Reader, error) {
	r, err := b.Table.Open(streams...)
	if err == nil && streams[0].Kind == b.at {
		return brokenReader{r}, nil
	}
	return r, err
}

// inFolder returns the files of a folder and below it.
func inFolder(t *testing.T, dir string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, rerr := filepath.Rel(dir, path)
			names, err = append(names, name), rerr
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestWriteTSWholeOrNot: where one file cannot be written, the folder is unchanged.
func TestWriteTSWholeOrNot(t *testing.T) {
	table := trace.TableOf(t, &trace.Header{Series: two()}, events()[:7])
	dir := t.TempDir()
	for _, k := range []trace.Kind{trace.Out, trace.Available, trace.In, trace.Point} {
		if err := trace.WriteTS(dir, breaking{table, k}); !errors.Is(err, errBroken) {
			t.Fatalf("%v: %v", k, err)
		}
		if left := inFolder(t, dir); len(left) > 0 {
			t.Fatalf("%v: left are %v", k, left)
		}
	}
	if err := trace.WriteTS(dir, table); err != nil {
		t.Fatal(err)
	}
	complete := inFolder(t, dir)
	if len(complete) != 5 || !slices.Contains(complete, trace.TSListName) {
		t.Errorf("the folder has %v", complete)
	}
	if err := trace.WriteTS(dir, breaking{table, trace.Point}); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	if again := inFolder(t, dir); !slices.Equal(complete, again) {
		t.Errorf("the folder had %v, and has %v", complete, again)
	}
	if err := trace.WriteTS(dir, table); err != nil { // overwrites the existing files
		t.Fatal(err)
	}
}

// TestWriteTSFull: on a full device nothing is left of a trace.
func TestWriteTSFull(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=12k"); err != nil {
		t.Skipf("cannot mount a small device: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	table := trace.TableOf(t, &trace.Header{Series: two()}, events()[:7])
	if err := trace.WriteTS(small, table); !errors.Is(err, unix.ENOSPC) { // four files of a page each
		t.Fatalf("got %v, want no space left", err)
	}
	if left := inFolder(t, small); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestFolderLacksFiles: a folder that lacks files of its trace is refused, and one without a list is read as it is.
func TestFolderLacksFiles(t *testing.T) {
	h := &trace.Header{Series: two(), Folders: map[string]string{"top.sum": "temp"}}
	dir := t.TempDir()
	if err := trace.WriteTS(dir, trace.TableOf(t, h, events()[:7])); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		table, err := trace.OpenFile(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		return len(read(t, table))
	}
	if n := count(); n != 7 { // with those in the folder below
		t.Errorf("the folder has %d events, want 7", n)
	}
	refused := func(want string) {
		t.Helper()
		table, err := trace.OpenFile(dir)
		if err == nil {
			_ = table.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	remove := func(names ...string) {
		for _, n := range names {
			if err := os.Remove(filepath.Join(dir, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove("temp/top_sum_x_1__avl.ts")
	refused("does not contain temp/top_sum_x_1__avl.ts of the 4 files that xopt wrote together, so the trace is " +
		"incomplete: write it again, or remove ")
	remove("top_gen1_y0_out.ts")
	refused("does not contain top_gen1_y0_out.ts, temp/top_sum_x_1__avl.ts of the 4 files")
	remove(trace.TSListName)
	if n := count(); n != 2 {
		t.Errorf("the folder has %d events, want 2", n)
	}
}
