package timetrial_test

import (
	"strings"
	"testing"

	"xopt/deploy/timetrial"
	"xopt/flow/flowtest"
)

// TestLinks: a link denotes its packets, and a resource beside it their sender or receiver. An edge or kernel
// with the same name has precedence.
func TestLinks(t *testing.T) {
	p := flowtest.X{Files: []string{}, More: stream + `resource core[2] is C; resource other is C;
resource lan is bus ({ core }, bandwidth="1GB/s", bulk="4KiB");
resource store is bus ({ core, other }, bandwidth="1GB/s", bulk="4KiB");`}.Program(t)
	q, err := timetrial.Parse("t", `measure rate at lan
measure mean size at lan -> core[2]
measure hist(bins=4, width=1KiB) size at core[1] -> lan
measure rate at store
measure mean latency at store -> other
size: measure max latency at lan
assert mean size at lan > 1 KiB & rate at lan > 3 ktps & size < 5 us`, p)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		link     string
		from, to int
		kind     timetrial.Type
	}{{"lan", -1, -1, timetrial.Rate}, {"lan", -1, 1, timetrial.Size}, {"lan", 0, -1, timetrial.Size}, {"", 0, 0,
		timetrial.Rate}, {"store", -1, 2, timetrial.Latency}, {"lan", -1, -1, timetrial.Latency},
		{"lan", -1, -1, timetrial.Size}, {"lan", -1, -1, timetrial.Rate}}
	if len(q.Measurements) != len(want) {
		t.Fatalf("%d measurements, want %d", len(q.Measurements), len(want))
	}
	for i, w := range want {
		m := q.Measurements[i]
		got := timetrial.Packets{}
		if m.Target.Packets != nil {
			got = *m.Target.Packets
		}
		if got != (timetrial.Packets{Link: w.link, From: w.from, To: w.to}) || m.Type != w.kind {
			t.Errorf("%s is %v of %+v, want %+v", m.Text, m.Type, got, w)
		}
	}
	if got := q.Measurements[2].Params.Width; got != 1024 {
		t.Errorf("bins are %g bytes wide", got)
	}
	if q.Measurements[0].Unit() != "packets/s" || q.Measurements[1].Unit() != "B" || q.Measurements[3].Unit() !=
		"elements/s" {
		t.Error("wrong units")
	}
	for text, want := range map[string]string{
		"measure util at lan":               "packets of link lan have no util",
		"measure mean value at lan":         "packets of link lan have no value",
		"measure rate at lan -> other":      "lan -> other measures packets to a resource that lan does not connect",
		"measure rate at other -> lan":      "other -> lan measures packets from a resource that lan does not connect",
		"measure rate at lna":               "did you mean lan?",
		"measure mean size at a":            "cannot measure size at a: all elements of an edge have the same size",
		"assert rate at lan > 3 MB/s":       "counts packets per second, not bytes",
		"assert latency at lan > 3 us":      "latency at lan has a value for each packet, which cannot be compared",
		"assert mean size at lan > 3 us":    "is in bytes, but 3 us is in seconds",
		"measure min rate at lan":           "rate has one value per frame",
		"measure mean latency at lan ... b": "unknown edge, port or kernel lan",
		"assert size > 3":                   "unknown label size",
	} {
		if _, err := timetrial.Parse("t", text, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", text, err, want)
		}
	}
}
