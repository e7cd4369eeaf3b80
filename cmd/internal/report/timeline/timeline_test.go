package timeline_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/cmd/internal/report/timeline"
	"xopt/flow/profile"
	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// TestWrite checks a timeline. An element's arrow starts in the firing that sent it, and ends in the one that
// consumed it. Failed assertions, frames, full queues and the end of the log are instants. Queue and rate have their
// own counters. The metadata name mapping, machine and command.
func TestWrite(t *testing.T) {
	logged := func(index uint64, time, value float64) result.Logged {
		return result.Logged{Index: index, Time: float64(time), Value: float64(value)}
	}
	frame := func(n uint64, start float64) result.MeasuredFrame {
		return result.MeasuredFrame{Frame: n, Start: float64(start), End: float64(start + 1),
			Edges:   []result.FrameEdge{{Rate: 5, Backpressure: 0.25}},
			Kernels: []result.FrameKernel{{Utilization: 0.5}, {Utilization: 1}}}
	}
	r := &result.Result{Tool: "xopt", Version: "1", Command: []string{"xopt", "deploy", "a b.x"}, Application: "top",
		Architecture: []result.Resource{{Name: "core[1]", Platform: "cpu"}, {Name: "core[2]", Platform: "cpu"}},
		Links:        []result.Link{{Name: "bus"}},
		Edges:        []result.Edge{{Name: "top.e", From: "top.a", To: "top.b"}},
		Measured: &result.Measured{Seconds: 2, Machine: profile.Machine{CPU: "cpu", Cores: 2, Kernel: "Linux"},
			Place: []result.Placement{{Kernel: "top.a", Resource: "core[1]"}, {Kernel: "top.b", Resource: "core[2]"}},
			Kernels: []result.MeasuredKernel{
				{Kernel: "top.a", Firings: 9, Log: []result.Logged{logged(1, 0.2, 0.1), logged(2, 0.4, 0.1)}},
				{Kernel: "top.b", Firings: 2, Log: []result.Logged{logged(1, 0.6, 0.1), logged(2, 0.8, 0.1)}}},
			Edges: []result.MeasuredEdge{{Edge: "top.e", Capacity: 2, Links: []string{"bus"},
				Log: []result.Logged{logged(0, 0.2, 0), logged(1, 0.4, 1)},
				// The third is released after the end of the log, without a slice for its arrow.
				Released: []result.Logged{logged(0, 0.65, 0.45), logged(1, 0.75, 0.35), logged(2, 1.9, 0.1)}}},
			Frames: []result.MeasuredFrame{frame(0, 0), frame(1, 1)},
			Assertions: []result.Assertion{{Name: "a1", Text: "assert x", Failures: []result.Breach{{Frame: 1, Start: 1,
				End: 2, Text: "frame 1: x is 3"}}}}}}
	var b bytes.Buffer
	if err := timeline.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	count := testkit.TraceEvents(t, b.Bytes())
	want := map[string]int{"X firing": 4, "s element": 2, "f element": 2, "i frame": 2, "i assertion": 1, "i stall": 3,
		"i log": 2, "C queue": 2, "C rate": 4, "C busy": 4}
	for key := range count {
		if strings.HasPrefix(key, "M") {
			delete(count, key)
		}
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var f struct {
		Other map[string]string `json:"otherData"`
	}
	if err := json.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"command": "xopt deploy 'a b.x'",
		"mapping": "core[1]: top.a; core[2]: top.b", "machine": "cpu, 2 processors, Linux"} {
		if f.Other[key] != want {
			t.Errorf("%s is %q, want %q", key, f.Other[key], want)
		}
	}
}
