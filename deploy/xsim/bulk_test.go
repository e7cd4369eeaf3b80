package xsim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/mapper"
	"xopt/queueing"
)

// bulkX is a source and a server on two cores, over a link with bulks. Elements have 8 bytes, a service takes 1 us,
// and the link 400 ns for 8 elements.
const bulkX = `#include "std.x"
block S { config UNSIGNED64 elements = 100000; output UNSIGNED64 y; };
block K { input UNSIGNED64 x; };
block top { config UNSIGNED64 elements = 1; S s (elements=elements); K k; e: s.y -> k.x; };
use top (elements=%d);
platform C { impl S (src="s.c"); impl K (src="k.c"); };
resource core[2] is C;
resource lan is bus ({ core }, bandwidth="160MB/s" %s);
impl S on C (mu="%s", scv=1);
impl K on C (mu="8MB/s", scv=1);
map { top.s } to core[1];
map { top.k } to core[2];
buffer { top.e } = %d;
`

const (
	bulkSource = `#include "X_S.h"
void X_S_init(X_S *d) { d->state = (void *)(size_t)d->config.elements; }
void X_S_destroy(X_S *d) { (void)d; }
int X_S_go(X_S *d) {
    size_t left = (size_t)d->state;
    if (left == 0)
        return 1;
    *X_S_y(d, 1) = left;
    X_S_y_send(d, 1);
    d->state = (void *)(left - 1);
    return left == 1;
}
`
	bulkServer = `#include "X_K.h"
void X_K_init(X_K *d) { (void)d; }
void X_K_destroy(X_K *d) { (void)d; }
void X_K_push(X_K *d) {
    while (X_K_x_avail(d) > 0)
        X_K_x_release(d, 1);
}
`
)

// bulk contains the parameters that vary from run to run.
type bulk struct {
	elements, buffer int
	rate, link       string
}

// design reads one.
func (b bulk) design(t *testing.T) (*design.Design, error) {
	t.Helper()
	dir := testkit.Files(t, map[string]string{"app.x": fmt.Sprintf(bulkX, b.elements, b.link, b.rate, b.buffer),
		"s.c": bulkSource, "k.c": bulkServer})
	return design.New(flowtest.X{Dir: dir, Files: []string{"app.x"}}.Program(t),
		design.Options{Purpose: design.ForMapping})
}

// play runs one, with taps of the queue found by elements and of their latency.
func (b bulk) play(t *testing.T) (*design.Design, *run.Measurement) {
	t.Helper()
	d, err := b.design(t)
	if err != nil {
		t.Fatal(err)
	}
	return d, simulate(t, d, atEase, []program.Tap{
		{Kind: program.Occupancy, Edge: 0, Every: 1, Histogram: &program.Bins{Width: 1, N: 4096}},
		{Kind: program.Latency, Edge: 0, Every: 1},
	})
}

// atEase is the stall limit of runs that go on: no machine is so busy that it decides.
const atEase = 5 * time.Minute

func simulate(t *testing.T, d *design.Design, stall time.Duration, taps []program.Tap) *run.Measurement {
	t.Helper()
	prog, _, err := xsim.Build(context.Background(), d, program.Options{CPUs: 1, Taps: taps},
		xsim.Options{FromProfile: true, Seed: 3}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(context.Background(), prog, run.Options{Stall: stall})
	if err = errors.Join(err, prog.Remove()); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBulkLinks: a run in virtual time has the queue lengths and the path latency that the model predicts.
func TestBulkLinks(t *testing.T) {
	t.Parallel()
	elements := 200_000
	if testing.Short() {
		elements = 50_000
	}
	for _, c := range []struct {
		rate, link string
		gap        float64
		queue      queueing.BulkQueue
	}{
		{"6.4MB/s", `, bulk="512B"`, 1.25e-6, queueing.BulkQueue{Bulk: 64, Transfer: 3.2e-6}},
		{"6.4MB/s", `, bulk="512B", latency="20us", overhead="1us"`, 1.25e-6, queueing.BulkQueue{Bulk: 64,
			Transfer: 4.2e-6, Setup: 1e-6, Latency: 20e-6}},
		{"4MB/s", `, bulk="2KiB", flush="30us", overhead="1us"`, 2e-6, queueing.BulkQueue{Bulk: 256,
			Transfer: 13.8e-6, Setup: 1e-6, Flush: 30e-6}},
	} {
		d, m := bulk{elements, 4000, c.rate, c.link}.play(t)
		if m.Failure != nil {
			t.Fatal(m.Failure)
		}
		c.queue.Gap = func(r *rand.Rand) float64 { return c.gap * r.ExpFloat64() }
		c.queue.Service = func(r *rand.Rand) float64 { return 1e-6 * r.ExpFloat64() }
		want, err := c.queue.Simulate(context.Background(), 2_000_000, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		found := m.Taps[0].Total
		got := queueing.Distribution(found.Histogram)
		if math.Abs(got.Mean()-want.Virtual.Mean()) > .05*want.Virtual.Mean() ||
			got.Distance(want.Virtual) > .1 || found.Above > 0 {
			t.Errorf("%s: elements find %.4g before them, the model has %.4g; distance %.3g", c.link, got.Mean(),
				want.Virtual.Mean(), got.Distance(want.Virtual))
		}
		if got, want := predicted(t, d, 1/c.gap), m.Taps[1].Total.Mean(); math.Abs(got/want-1) > .15 {
			t.Errorf("%s: a latency of %.4g s is predicted, %.4g s was simulated", c.link, got, want)
		}
	}
}

// predicted returns the mean latency at a rate of elements/s, as a search and a report work it out.
func predicted(t *testing.T, d *design.Design, rate float64) float64 {
	t.Helper()
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	mean, _, _ := mapper.NewPaths(d.Problem, n.Flows).Longest(flow.NewOperation(n, s), 8*rate/s.Throughput)
	return mean
}

// TestSmallBuffersBeforeBulks: a buffer smaller than a bulk, before which the link would wait forever, is
// refused. With a flush time the run continues.
func TestSmallBuffersBeforeBulks(t *testing.T) {
	b := bulk{elements: 1000, buffer: 32, rate: "6.4MB/s", link: `, bulk="512B"`}
	if _, err := b.design(t); err == nil || !strings.Contains(err.Error(),
		"two transfers of lan with 64 elements each") {
		t.Errorf("32 elements of room and bulks of 64: %v", err)
	}
	b.link += `, flush="50us"`
	if _, m := b.play(t); m.Failure != nil || m.Edges[0].Elements != 1000 || m.Edges[0].Left != 0 {
		t.Errorf("with a flush time: %+v, %+v", m.Failure, m.Edges[0])
	}
}

// TestBulkThatNobodyFills: if a kernel waits for a reply to less than a bulk, the run stops and the message
// names the link. With a flush time it continues.
func TestBulkThatNobodyFills(t *testing.T) {
	t.Parallel()
	const app = `#include "std.x"
block A { input UNSIGNED64 x; output UNSIGNED64 y; };
block S { config UNSIGNED64 elements = 10; output UNSIGNED64 y; };
block B { input UNSIGNED64 x; input UNSIGNED64 go; join x, go; };
block top { S s; A a; B b; e: s.y -> a.x; bulky: a.y -> b.x; other: s.y -> b.go; };
use top;
platform C { impl S (src="s.c"); impl A (src="a.c"); impl B (src="b.c"); };
resource core[3] is C;
resource lan is bus ({ core }, bandwidth="160MB/s", bulk="512B" %s);
resource side is bus ({ core }, bandwidth="160MB/s");
impl S on C (mu="6.4MB/s", scv=1);
impl A on C (mu="8MB/s", gain=1, scv=1);
impl B on C (mu="16MB/s", scv=1);
map { top.s } to core[1];
map { top.a } to core[2];
map { top.b } to core[3];
map { top.e, top.other } to side;
map { top.bulky } to lan;
buffer { top.other } = 8;
`
	const pass = `#include "X_A.h"
void X_A_init(X_A *d) { (void)d; }
void X_A_destroy(X_A *d) { (void)d; }
void X_A_push(X_A *d) {
    for (; X_A_x_avail(d) > 0; X_A_x_release(d, 1)) {
        *X_A_y(d, 1) = *X_A_x(d);
        X_A_y_send(d, 1);
    }
}
`
	const join = `#include "X_B.h"
void X_B_init(X_B *d) { (void)d; }
void X_B_destroy(X_B *d) { (void)d; }
void X_B_push(X_B *d) {
    while (X_B_x_avail(d) > 0 && X_B_go_avail(d) > 0) {
        X_B_x_release(d, 1);
        X_B_go_release(d, 1);
    }
}
`
	run := func(flush string, stall time.Duration) *run.Measurement {
		dir := testkit.Files(t, map[string]string{"app.x": fmt.Sprintf(app, flush), "s.c": bulkSource, "a.c": pass,
			"b.c": join})
		d := flowtest.X{Dir: dir, Files: []string{"app.x"}, Set: map[string]string{"top.s.elements": "1000"}}.Design(t,
			design.Options{Purpose: design.ForMapping})
		return simulate(t, d, stall, nil)
	}
	m := run("", 2*time.Second)
	if m.Failure == nil || m.Failure.Kind != "deadlock" || !strings.Contains(m.Failure.Text,
		"waits for a transfer of 64") || strings.Contains(m.Failure.Text, "does nothing") {
		t.Errorf("a bulk that nobody fills: %+v, want a deadlock of the link", m.Failure)
	}
	if m := run(`, flush="50us"`, atEase); m.Failure != nil || m.Edges[1].Elements != 1000 {
		t.Errorf("with a flush time: %+v", m.Failure)
	}
}

// TestPackets: the packets of a link are counted correctly. Their bytes are those of the elements, each is as large
// as a bulk, except the last, and its latency is that of waiting, transfer and delay. A link whose transfers cost
// nothing carries no packets.
func TestPackets(t *testing.T) {
	const elements, perBulk, size = 20_000, 64, 8
	d, m := bulk{elements, 4000, "6.4MB/s", `, bulk="512B", latency="20us", overhead="1us"`}.play(t)
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	if len(m.Packets) != 1 {
		t.Fatalf("%d links carry packets, want 1: %+v", len(m.Packets), m.Packets)
	}
	p := m.Packets[0]
	if p.Link != "lan" || d.Program.Edges[p.Index].Name != "top.e" || p.Bytes != elements*size ||
		p.Packets != (elements+perBulk-1)/perBulk || p.Largest != perBulk*size || p.Smallest != elements%perBulk*size {
		t.Errorf("of %d elements of %d bytes, in bulks of %d: %+v", elements, size, perBulk, p)
	}
	// 63 gaps of 1.25 us on average, 1 us of overhead, 3.2 us of transfer, 20 us of latency
	const want = 63*1.25e-6 + 1e-6 + 3.2e-6 + 20e-6
	if math.Abs(p.Latency/want-1) > .02 || !(p.Quickest > 24e-6) || !(p.Slowest < 2*want) {
		t.Errorf("packets take %.4g s, %.4g to %.4g; want %.4g", p.Latency, p.Quickest, p.Slowest, want)
	}
	if _, m := (bulk{1000, 4000, "6.4MB/s", ""}).play(t); m.Failure != nil || len(m.Packets) != 0 {
		t.Errorf("a link without packets carries %+v (%v)", m.Packets, m.Failure)
	}
}

// TestPacketTaps: taps of packets agree with the independent counts of packets and bytes, and with the minimum and
// maximum times. Their bins contain every packet.
func TestPacketTaps(t *testing.T) {
	const elements, perBulk, size = 20_000, 64, 8
	d, err := bulk{elements, 4000, "6.4MB/s", `, bulk="512B", latency="20us", overhead="1us"`}.design(t)
	if err != nil {
		t.Fatal(err)
	}
	on := []program.OnLink{{Edge: 0, Hop: 0}}
	m := simulate(t, d, atEase, []program.Tap{
		{Kind: program.PacketBytes, Edge: 0, Packets: on, Every: 1, Histogram: &program.Bins{Low: 0, Width: 256, N: 2}},
		{Kind: program.PacketTime, Edge: 0, Packets: on, Every: 1, Trace: 1 << 12},
		{Kind: program.PacketTime, Edge: 0, Packets: on, Every: 10},
	})
	if m.Failure != nil || len(m.Packets) != 1 {
		t.Fatalf("%v: packets on %d links", m.Failure, len(m.Packets))
	}
	p, bytes, times := &m.Packets[0], &m.Taps[0].Total, &m.Taps[1].Total
	if bytes.Weight != float64(p.Packets) || bytes.Sum != elements*size || bytes.Min != elements%perBulk*size ||
		bytes.Max != perBulk*size || bytes.Histogram[1] != 1 || bytes.Above != elements/perBulk {
		t.Errorf("the tap has %+v, the counts are %+v", *bytes, *p)
	}
	if times.Weight != float64(p.Packets) || math.Abs(times.Mean()/p.Latency-1) > 1e-9 ||
		math.Abs(times.Min/p.Quickest-1) > 1e-9 || math.Abs(times.Max/p.Slowest-1) > 1e-9 {
		t.Errorf("the tap has %+v, the counts are %+v", *times, *p)
	}
	if few := &m.Taps[2].Total; few.Samples != p.Packets/10 && few.Samples != p.Packets/10+1 {
		t.Errorf("one packet in ten: %d of %d", few.Samples, p.Packets)
	}
	for _, wrong := range []program.Tap{
		{Kind: program.PacketBytes, Edge: 0},
		{Kind: program.PacketBytes, Edge: 0, Packets: []program.OnLink{{Edge: 0, Hop: 1}}},
		{Kind: program.PacketTime, Edge: 0, Packets: on, Frame: 3},
	} {
		if _, _, err := xsim.Build(context.Background(), d, program.Options{CPUs: 1, Taps: []program.Tap{wrong}},
			xsim.Options{FromProfile: true, Seed: 3}, ""); err == nil {
			t.Errorf("a tap of %+v is not refused", wrong)
		}
	}
}

// TestJitter: packets with independent delays arrive in order, with the mean delay that package queueing computes.
// The simulation of the network agrees, and the same seed gives the same run.
func TestJitter(t *testing.T) {
	t.Parallel()
	const elements = 100_000
	for _, c := range []struct {
		jitter string
		want   float64
	}{{"1us", 1e-6}, {"40us", 40e-6}} {
		b := bulk{elements, 4000, "6.4MB/s", fmt.Sprintf(`, overhead="10ns", latency="20us", jitter="%s"`, c.jitter)}
		var latencies [2]float64
		for i := range latencies {
			_, m := b.play(t)
			if m.Failure != nil || len(m.Packets) != 1 {
				t.Fatalf("%v: packets on %d links", m.Failure, len(m.Packets))
			}
			p := &m.Packets[0]
			latencies[i] = p.Latency
			// The gaps are drawn, of 1.25 us on average; a transfer takes 60 ns, and hardly ever waits for another.
			stored := queueing.InOrder{Jitter: c.want, Rate: 6.4e6 / 8}
			if math.Abs(p.Latency/(20e-6+60e-9+stored.Mean())-1) > .02 {
				t.Errorf("jitter of %s: packets take %.4g s, want %.4g", c.jitter, p.Latency, 20e-6+60e-9+stored.Mean())
			}
			if p.Quickest < 20e-6 || p.Slowest > 21e-6+c.want {
				t.Errorf("jitter of %s: packets take %.4g to %.4g s", c.jitter, p.Quickest, p.Slowest)
			}
			if m.Edges[0].Elements != elements {
				t.Errorf("jitter of %s: %d elements arrive", c.jitter, m.Edges[0].Elements)
			}
		}
		if latencies[0] != latencies[1] {
			t.Errorf("jitter of %s: two runs of one seed take %.12g and %.12g s", c.jitter, latencies[0], latencies[1])
		}
	}
}
