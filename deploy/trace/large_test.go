package trace_test

import (
	"io"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"xopt/deploy/trace"
	"xopt/internal/testkit"
)

// TestLarge: a hundred million events of 80 edges are written and read, merged by time, in less than 200 MB of memory.
func TestLarge(t *testing.T) {
	testkit.Long(t, "a hundred million events take a minute")
	const events, most = 100_000_000, 200_000_000
	path := filepath.Join(t.TempDir(), "a.xtrace")
	begin := time.Now()
	synthetic(t, path, 80, events)
	wrote := time.Since(begin)
	f, err := trace.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	buf, n, last := make([]trace.Event, 4096), 0, int64(0)
	for {
		k, err := r.Read(buf)
		for i := range buf[:k] {
			if buf[i].Time < last {
				t.Fatalf("event %d goes back in time", n+i)
			}
			last = buf[i].Time
		}
		if n += k; err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read := time.Since(begin)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d events: %.1f M/s written, %.1f M/s read, %d MB of memory", n, float64(n)/wrote.Seconds()/1e6,
		float64(n)/read.Seconds()/1e6, m.Sys/1_000_000)
	if n < events || m.Sys > most {
		t.Errorf("%d of %d events, in %d bytes of memory, want at most %d", n, events, m.Sys, most)
	}
}
