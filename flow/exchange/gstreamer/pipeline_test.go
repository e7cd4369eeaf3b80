package gstreamer

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"xopt/flow/exchange/dot"
	"xopt/internal/fault"
)

// pipeline reads a recorded graph.
func pipeline(t *testing.T, name string) *Pipeline {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dot.Read(name, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !IsPipeline(d) {
		t.Error("no pipeline:", name)
	}
	p, err := FromDOT(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMultiqueue: each stream through a multiqueue is an edge of its own, and its four ends are in different threads.
func TestMultiqueue(t *testing.T) {
	p := pipeline(t, "multiqueue.dot")
	var list []string
	for i, e := range p.Edges {
		list = append(list, fmt.Sprintf("%s %s %s %d", p.Kernels[e.From].Name, p.Kernels[e.To].Name, e.Name,
			p.queues[i].buffers))
	}
	if got := strings.Join(list, ", "); got != "videotestsrc0 v m 6, audiotestsrc0 a m 6" {
		t.Error(got)
	}
	if got := p.Place("audiotestsrc0"); got != "multiqueue.dot:69" {
		t.Error(got)
	}
	hosts := make(map[string]bool)
	for _, k := range p.Kernels {
		hosts[k.Host] = true
	}
	if len(hosts) != 4 {
		t.Error(hosts)
	}
}

// TestTraceRefuses: a log without the two tracers, or of another pipeline, has one error.
func TestTraceRefuses(t *testing.T) {
	const head = "0:00:00.1 1 0x1 TRACE GST_TRACER :0:: "
	latency := head + "element-latency, element-id=(string)0x1, element=(string)v, src=(string)src, time=(guint64)9;\n"
	buffer := head + "buffer, thread-id=(guint64)1, ts=(guint64)1, pad-ix=(uint)1, peer-element-ix=(uint)2, " +
		"buffer-size=(uint)921600;\n"
	for _, c := range []struct{ text, want string }{
		{"", "no element-latency"}, {latency, "no buffer"},
		{latency + buffer, "no buffer left pad src of videotestsrc0"},
	} {
		err := pipeline(t, "multiqueue.dot").ReadTrace("t.log", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.Of(err) != "wrong-imported-times" {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
