package design

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/profile"
	"xopt/queueing/maxplus"
)

// overNetwork is a fork of three kernels on three hosts, whose network is a switch of 100 MB/s.
const overNetwork = `
#include "std.x"
block S { output UNSIGNED8 y, z; };
block T { input UNSIGNED8 x; };
block top { S src; T one, two; e1: src.y -> one.x; e2: src.z -> two.x; };
resource a[2] is C (host="n1");
resource b is C (host="n2");
resource c is C (host="n3", address="10.0.0.3");
resource mem is memory ({ a }, bandwidth="10GB/s");
resource net is network ({ a, b, c }, bandwidth="100MB/s", latency="2ms");
route S.y = 0.5; route S.z = 0.5;
impl S on C (mu="1GB/s"); impl T on C (mu="1GB/s");
`

// TestSwitchedNetwork: edges from a host share its outgoing port, and edges to it its incoming one; on one host they
// use the memory. Latency and acknowledgement include the complete route.
func TestSwitchedNetwork(t *testing.T) {
	for _, x := range []struct {
		places     string
		throughput float64
		routes     string
	}{
		{"map { top.src } to a[1]; map { top.one } to b; map { top.two } to c;", 100e6,
			"[net<n1 net>n2] [net<n1 net>n3]"},
		{"map { top.src } to b; map { top.one } to a[1]; map { top.two } to a[2];", 100e6,
			"[net<n2 net>n1] [net<n2 net>n1]"},
		{"map { top.src } to a[1]; map { top.one } to a[2]; map { top.two } to c;", 200e6, "[mem] [net<n1 net>n3]"},
		{"map { top.src } to c; map { top.one } to c; map { top.two } to a[1]; map { top.e2 } to net;", 200e6,
			"[] [net<n3 net>n1]"},
	} {
		d := mustLower(t, Options{Purpose: ForMapping}, overNetwork+x.places)
		links := d.Problem.Architecture.Links
		var routes []string
		for e, r := range d.Mapping.Route {
			var names []string
			latency, back := 0.0, 0.0
			for _, l := range r {
				names = append(names, links[l].Name)
				latency, back = latency+links[l].Latency, back+links[l].Return
			}
			if len(r) == 2 && (latency != 2e-3 || back != 2e-3) {
				t.Errorf("%s: edge %d is under way for %g s, and back for %g s", x.places, e, latency, back)
			}
			routes = append(routes, fmt.Sprint(names))
		}
		if got := strings.Join(routes, " "); got != x.routes {
			t.Errorf("%s: routes %s, want %s", x.places, got, x.routes)
		}
		if s := solve(t, d); math.Abs(s.Throughput/(x.throughput*flow.DefaultMaxUtilization)-1) > 1e-9 {
			t.Errorf("%s: %g B/s, want %g", x.places, s.Throughput, x.throughput)
		}
	}
}

// TestNetworkOfTwo: between two hosts there is a direction there and one back.
func TestNetworkOfTwo(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping}, `#include "std.x"
block S { output UNSIGNED8 y; };
block M { input UNSIGNED8 x; output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; M mid; T sink; e1: src.y -> mid.x; e2: mid.y -> sink.x; };
resource a is C (host="n1"); resource b is C (host="n2");
resource net is network ({ a, b }, bandwidth="100MB/s");
impl S on C (mu="1GB/s"); impl M on C (mu="1GB/s", gain=1); impl T on C (mu="1GB/s");
map { top.src, top.sink } to a; map { top.mid } to b;`)
	if s := solve(t, d); math.Abs(s.Throughput/(100e6*flow.DefaultMaxUtilization)-1) > 1e-9 {
		t.Errorf("%g B/s, want 100 MB/s each way", s.Throughput)
	}
}

// TestNetworkWork: the cost of carrying comes from the X files, else from the profile; it has an effect or is
// rejected.
func TestNetworkWork(t *testing.T) {
	const app = `#include "std.x"
block S { output UNSIGNED8[100] y; };
block T { input UNSIGNED8[100] x; };
block top { S src; T sink; e: src.y -> sink.x; };
impl S on C (mu="1GB/s"); impl T on C (mu="500MB/s");
map { top.src } to a; map { top.sink } to b;
`
	const hosts = `resource a is C (host="n1"); resource b is C (host="n2");
`
	measured := &profile.Profile{Links: []profile.Link{{Linktype: "network", Link: "net", Where: "between hosts",
		Bandwidth: &profile.Figure{Value: 1e10}, Send: &profile.Figure{Value: 2e-9},
		SendElement: &profile.Figure{Value: 1e-7}, Receive: &profile.Figure{Value: 4e-9}}}}
	for _, c := range []struct {
		arch    string
		profile *Measured
		want    [2]float64 // s/byte of each core
	}{
		{`resource net is network ({ a, b }, bandwidth="10GB/s");`, nil, [2]float64{1e-9, 2e-9}},
		{`resource net is network ({ a, b }, bandwidth="10GB/s", send="0.5ns", receive="3ns");`, nil,
			[2]float64{1.5e-9, 5e-9}},
		{`resource net is network ({ a, b });`, FromProfile("p.profile.json", measured, nil), [2]float64{4e-9, 6e-9}},
		{`resource net is network ({ a, b }, receive="1ns");`, FromProfile("p.profile.json", measured, nil),
			[2]float64{4e-9, 3e-9}},
	} {
		d := mustLower(t, Options{Purpose: ForMapping, Profile: c.profile}, app+hosts+c.arch)
		s := solve(t, d)
		for r, want := range c.want {
			if got := s.Resources[r].Utilization / s.Throughput; math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%s: a byte takes %g s of core %d, want %g", c.arch, got, r, want)
			}
		}
	}
	const one = `resource a is C; resource b is C;
resource net is network ({ a, b }, bandwidth="1GB/s", duplex="half", send="1ns");`
	_, err := lower(t, Options{Purpose: ForMapping}, app+one)
	if err == nil || !strings.Contains(err.Error(), "send of link net has no effect") {
		t.Errorf("on one machine: error %v", err)
	}
}

// TestBackplane: all traffic through a switch shares its backplane, on any ports, also in the simulation.
func TestBackplane(t *testing.T) {
	for _, x := range []struct {
		backplane  string
		throughput float64
	}{{`backplane="150MB/s"`, 150e6}, {`backplane="1GB/s"`, 200e6}} {
		d := mustLower(t, Options{Purpose: ForMapping}, `#include "std.x"
block S { output UNSIGNED8[1000] y; };
block T { input UNSIGNED8[1000] x; };
block top { S one, two; T first, second; e1: one.y -> first.x; e2: two.y -> second.x; };
resource a is C (host="n1"); resource b is C (host="n2"); resource c is C (host="n3"); resource d is C (host="n4");
resource net is network ({ a, b, c, d }, bandwidth="100MB/s", latency="1ms", `+x.backplane+`);
impl S on C (mu="1GB/s"); impl T on C (mu="1GB/s");
map { top.one } to a; map { top.two } to b; map { top.first } to c; map { top.second } to d;`)
		n, err := flow.NewNetwork(d.Problem, d.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		links := d.Problem.Architecture.Links
		var names []string
		latency := 0.0
		for _, l := range n.Mapping.Route[0] {
			names, latency = append(names, links[l].Name), latency+links[l].Latency
		}
		if got := strings.Join(names, " "); got != "net<n1 net* net>n3" || latency != 1e-3 {
			t.Errorf("route %s of %g s", got, latency)
		}
		s := solve(t, d)
		if math.Abs(s.Throughput/(x.throughput*flow.DefaultMaxUtilization)-1) > 1e-9 {
			t.Errorf("%s: %g B/s, want %g", x.backplane, s.Throughput, x.throughput)
		}
		scorer, err := flow.NewScorer(d.Problem, d.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		if got := scorer.Throughput(); math.Abs(got/s.Throughput-1) > 1e-9 {
			t.Errorf("%s: the scorer says %g B/s, the network %g", x.backplane, got, s.Throughput)
		}
		m, err := buffers.Network(n, s, buffers.Setting{})
		if err != nil {
			t.Fatal(err)
		}
		at, err := m.Simulator()
		if err != nil {
			t.Fatal(err)
		}
		sizes := make([]int, len(d.Program.Edges))
		for e := range sizes {
			sizes[e] = 2000 // elements: 2 MB
		}
		out, err := at.Run(t.Context(), sizes, maxplus.Options{Events: 200_000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Throughput.Value; math.Abs(got/s.Throughput-1) > 0.02 {
			t.Errorf("%s: simulated %g B/s, want %g", x.backplane, got, s.Throughput)
		}
	}
	_, err := lower(t, Options{Purpose: ForMapping}, `#include "std.x"
block S { output UNSIGNED8 y; }; block T { input UNSIGNED8 x; }; block top { S s; T t; e: s.y -> t.x; };
resource a is C (host="n1"); resource b is C (host="n2"); impl S on C (mu="1GB/s"); impl T on C (mu="1GB/s");
resource net is network ({ a, b }, bandwidth="100MB/s", duplex="half", backplane="1GB/s"); map { top } to a;`)
	if err == nil || !strings.Contains(err.Error(), "so backplane has no effect") {
		t.Errorf("half duplex: error %v", err)
	}
}

// aroundX is a loop of two kernels over a bus, whose data are 20 to 50 us on the way.
const aroundX = `#include "std.x"
block S { output UNSIGNED8[100] y; };
block A { input UNSIGNED8[100] x, back; output UNSIGNED8[100] y; join x, back; emit y; };
block B { input UNSIGNED8[100] x; output UNSIGNED8[100] y; emit y; };
block T { input UNSIGNED8[100] x; };
block top { S s; A a; B b; T t; s.y -> a.x; ab: a.y -> b.x; b.y -> t.x; ba: b.y -> a.back (initial=1); };
resource r[4] is C;
resource lan is bus ({ r }, bandwidth="10GB/s", latency="20us", jitter="30us");
impl S on C (mu="1GB/s"); impl T on C (mu="1GB/s"); impl A on C (time="10us"); impl B on C (time="10us");
map { top.s } to r[1]; map { top.a } to r[2]; map { top.b } to r[3]; map { top.t } to r[4];
`

// TestJitter: the bound of a cycle includes the mean of the jitter, and a simulation of the network reaches it. A
// switch with ports adds it once per route, and between hosts the acknowledgement has it, too.
func TestJitter(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping}, aroundX)
	s := solve(t, d)
	want := 100 / (10e-6 + 10e-6 + 2*35e-6) // 35 us on the way on average
	if math.Abs(s.Throughput/want-1) > 1e-3 {
		t.Errorf("%g B/s, want %g", s.Throughput, want)
	}
	scorer, err := flow.NewScorer(d.Problem, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	if got := scorer.Throughput(); math.Abs(got/s.Throughput-1) > 1e-9 {
		t.Errorf("the scorer says %g B/s, the network %g", got, s.Throughput)
	}
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	m, err := buffers.Network(n, s, buffers.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := m.Simulator()
	if err != nil {
		t.Fatal(err)
	}
	out, err := at.Run(t.Context(), []int{50, 50, 50, 50}, maxplus.Options{Events: 200_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Throughput.Value; math.Abs(got/want-1) > 0.01 {
		t.Errorf("simulated %g B/s, want %g", got, want)
	}
	d = mustLower(t, Options{Purpose: ForMapping}, strings.Replace(overNetwork, `latency="2ms"`,
		`latency="2ms", jitter="1ms"`, 1)+"map { top.src } to a[1]; map { top.one } to b; map { top.two } to c;")
	for e, route := range d.Mapping.Route {
		there, back := 0.0, 0.0
		for _, l := range route {
			there += d.Problem.Architecture.Links[l].Latest()
			back += d.Problem.Architecture.Links[l].AcknowledgementDelay()
		}
		if len(route) != 2 || math.Abs(there-3e-3) > 1e-12 || math.Abs(back-3e-3) > 1e-12 {
			t.Errorf("edge %d is under way for up to %g s over %v, and back for %g s; want 3 ms", e, there, route, back)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`jitter="30us"`, `jitter="-1us"`, "jitter of link lan"},
		{`jitter="30us"`, `jitter="30"`, "jitter of link lan"},
	} {
		_, err := lower(t, Options{Purpose: ForMapping}, strings.Replace(aroundX, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.new, err, c.want)
		}
	}
}

// TestInsideHost: data between two cores of a host stay in it if a link inside joins them, whatever the network.
// Without such a link, or if a mapping requires it, they use the network.
func TestInsideHost(t *testing.T) {
	const app = `#include "std.x"
block S { output UNSIGNED8 y; }; block T { input UNSIGNED8 x; }; block top { S s; T t; e: s.y -> t.x; };
impl S on C (mu="1GB/s"); impl T on C (mu="1GB/s");
resource a[2] is C (host="n1"); resource b is C (host="n2"); resource c is C (host="n3");
map { top.s } to a[1]; map { top.t } to a[2];
`
	const memory = `resource mem is memory ({ a }, bandwidth="10MB/s");`
	for _, c := range []struct{ name, links, want string }{
		{"half duplex", memory + `resource net is network ({ a, b, c }, bandwidth="1GB/s", duplex="half");`, "[[mem]]"},
		{"two hosts", memory + `resource net is network ({ a, b }, bandwidth="1GB/s");`, "[[mem]]"},
		{"ports", memory + `resource net is network ({ a, b, c }, bandwidth="1GB/s");`, "[[mem]]"},
		{"a backplane", memory + `resource net is network ({ a, b, c }, bandwidth="1GB/s", backplane="2GB/s");`,
			"[[mem]]"},
		{"no memory", `resource net is network ({ a, b }, bandwidth="1GB/s", duplex="half");`, "[[net]]"},
	} {
		d := mustLower(t, Options{Purpose: ForMapping}, app+c.links)
		arch := &d.Problem.Architecture
		var names [][]string
		for _, route := range flow.NewRoutes(arch).Between(d.Mapping.Place[0], d.Mapping.Place[1]) {
			var of []string
			for _, l := range route {
				of = append(of, arch.Links[l].Name)
			}
			names = append(names, of)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("%s: routes %s, want %s", c.name, got, c.want)
		}
	}
	d := mustLower(t, Options{Purpose: ForMapping}, app+memory+
		`resource net is network ({ a, b }, bandwidth="1GB/s", duplex="half"); map { top.e } to net;`)
	if s := solve(t, d); !(s.Throughput > 900e6) {
		t.Errorf("as the mapping says, over the network: %g B/s", s.Throughput)
	}
}

// TestSwitchInside checks that an edge between two cores at one port of a switch crosses that port out and in, and no
// port of an FPGA.
func TestSwitchInside(t *testing.T) {
	for _, fpgas := range []string{"f[1]", "f[2]", "f[3]"} {
		d := mustLower(t, Options{Purpose: ForMapping}, `#include "std.x"
block S { output UNSIGNED32 y; };
block T { input UNSIGNED32 x; };
block top { S s; T t; e: s.y -> t.x; };
use top;
resource c[2] is C;
resource `+fpgas+` is HDL;
resource net is switch ({ c, f }, bandwidth="100MB/s", duplex="full");
impl S on C (mu="80MB/s"); impl T on C (mu="1GB/s");
map { top.s } to c[1]; map { top.t } to c[2];
`)
		var names []string
		for _, l := range d.Mapping.Route[0] {
			names = append(names, d.Problem.Architecture.Links[l].Name)
		}
		want := "net<cores net>cores"
		if fpgas == "f[1]" { // two ports: the directions have no names of ports
			want = "net> net<"
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("with %s: route %s, want %s", fpgas, got, want)
		}
		if s := solve(t, d); math.Abs(s.Throughput/(80e6*flow.DefaultMaxUtilization)-1) > 1e-9 {
			t.Errorf("with %s: %g B/s, want 80 MB/s", fpgas, s.Throughput)
		}
	}
}
