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

// heap tracks the live heap of a loop: the memory after a collection, above that at the start. It does not depend on
// the collector's timing, nor on other tests of the process.
type heap struct {
	calls     int
	base, max uint64
}

// live returns the bytes of the heap that are in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// look collects in one of 512 calls.
func (h *heap) look() {
	if h.calls++; h.calls%512 == 0 {
		h.max = max(h.max, live())
	}
}

// used returns the largest part of the heap that the loop kept, in bytes.
func (h *heap) used() uint64 { return h.max - min(h.max, h.base) }

// TestLarge: a hundred million events of 80 edges are written and read, merged by time, while less than 64 MB are kept
// in memory.
func TestLarge(t *testing.T) {
	testkit.Long(t, "a hundred million events take a minute")
	const events, maximum = 100_000_000, 64_000_000
	path := filepath.Join(t.TempDir(), "a.xtrace")
	start, writing := time.Now(), heap{base: live()}
	synthetic(t, path, 80, events, writing.look)
	wrote, reading := time.Since(start), heap{base: live()}
	f, err := trace.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	buf, n, last := make([]trace.Event, 4096), 0, int64(0)
	for {
		k, err := r.Read(buf)
		reading.look()
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
	read := time.Since(start)
	t.Logf("%d events: %.1f M/s written with %d MB, %.1f M/s read with %d MB", n, float64(n)/wrote.Seconds()/1e6,
		writing.used()/1_000_000, float64(n)/read.Seconds()/1e6, reading.used()/1_000_000)
	if n < events || writing.calls < 512 || reading.calls < 512 || writing.used() > maximum ||
		reading.used() > maximum {
		t.Errorf("%d of %d events, written with %d bytes of memory and read with %d, want at most %d", n, events,
			writing.used(), reading.used(), maximum)
	}
}
