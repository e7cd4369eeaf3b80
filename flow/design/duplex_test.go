package design

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// duplexed is a chain of three kernels on two cores and two FPGAs on a full-duplex bus of
// 100 MB/s.
const duplexed = `
#include "std.x"
block S { output UNSIGNED8 y; };
block M { input UNSIGNED8 x; output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; M mid; T sink; e1: src.y -> mid.x; e2: mid.y -> sink.x; };
resource proc[2] is C;
resource fpga[2] is HDL;
resource PCIe is bus ({ proc, fpga }, bandwidth="100MB/s", duplex="full");
impl S on C (mu="1GB/s"); impl M on C (mu="1GB/s", gain=1); impl T on C (mu="1GB/s");
impl S on HDL (mu="1GB/s"); impl M on HDL (mu="1GB/s", gain=1); impl T on HDL (mu="1GB/s");
`

// TestDuplex: there and back, each direction has all of the bandwidth; between FPGAs, and
// between cores, both are crossed.
func TestDuplex(t *testing.T) {
	for _, x := range []struct {
		places     string
		throughput float64
		routes     string
	}{
		{"map { top.src, top.sink } to proc[1]; map { top.mid } to fpga[1];", 100e6, "[PCIe>] [PCIe<]"},
		{"map { top.src, top.sink } to fpga[1]; map { top.mid } to proc[2];", 100e6, "[PCIe<] [PCIe>]"},
		{"map { top.src } to proc[1]; map { top.mid } to fpga[1]; map { top.sink } to fpga[2];", 50e6,
			"[PCIe>] [PCIe< PCIe>]"},
		{"map { top.src, top.sink } to proc[1]; map { top.mid } to fpga[1]; map { top.e1, top.e2 } to PCIe;", 100e6,
			"[PCIe>] [PCIe<]"},
		{"map { top.src } to proc[1]; map { top.mid } to proc[2]; map { top.sink } to fpga[1];", 50e6,
			"[PCIe> PCIe<] [PCIe>]"},
		{"map { top.src } to proc[1]; map { top.mid, top.sink } to proc[2]; map { top.e1 } to PCIe;", 100e6,
			"[PCIe> PCIe<] []"},
	} {
		d := mustLower(t, Options{Purpose: ForMapping}, duplexed+x.places)
		var routes []string
		for _, r := range d.Mapping.Route {
			var names []string
			for _, l := range r {
				names = append(names, d.Problem.Architecture.Links[l].Name)
			}
			routes = append(routes, fmt.Sprint(names))
		}
		if got := strings.Join(routes, " "); got != x.routes {
			t.Errorf("%s: routes %s, want %s", x.places, got, x.routes)
		}
		s := solve(t, d)
		if math.Abs(s.Throughput/(x.throughput*flow.DefaultMaxUtilization)-1) > 1e-9 {
			t.Errorf("%s: throughput %g, want %g", x.places, s.Throughput, x.throughput)
		}
		scorer, err := flow.NewScorer(d.Problem, d.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		if got := scorer.Throughput(); math.Abs(got/s.Throughput-1) > 1e-9 {
			t.Errorf("%s: the scorer has %g, the network %g", x.places, got, s.Throughput)
		}
		var b strings.Builder
		if err := d.WriteMapping(&b, d.Mapping, nil, ""); err != nil {
			t.Fatal(err)
		}
		again := mustLower(t, Options{Purpose: ForMapping}, duplexed+b.String())
		if !slices.EqualFunc(again.Mapping.Route, d.Mapping.Route, slices.Equal[[]int]) {
			t.Errorf("%s: written and read, routes are %v, and were %v", x.places, again.Mapping.Route, d.Mapping.Route)
		}
	}
}

// TestDuplexRemoved checks that a full-duplex bus whose FPGAs the command line removes has no direction, while one that
// joins only cores in its file is a mistake.
func TestDuplexRemoved(t *testing.T) {
	const text = `
#include "std.x"
block S { output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; T sink; src.y -> sink.x; };
resource proc[2] is C;
resource fpga is HDL;
resource mem is memory ({ proc }, bandwidth="1GB/s");
resource PCIe is bus ({ proc, fpga }, bandwidth="100MB/s", duplex="full");
impl S on C (mu="1GB/s"); impl T on C (mu="1GB/s");
map { top } to proc[1];
`
	program, err := readSet(text, map[string]string{"fpga": "0"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(program, Options{Purpose: ForMapping})
	if err != nil {
		t.Fatal(err)
	}
	if names := linkNames(d); names != "mem" {
		t.Errorf("links %s, want only mem", names)
	}
	for at, x := range map[string]string{"whole": text, "one": strings.Replace(text, "proc, fpga }", "proc }", 1)} {
		d, err := lower(t, Options{Purpose: ForMapping}, x)
		if (err == nil) != (at == "whole") || err == nil && linkNames(d) != "mem PCIe> PCIe<" {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestDuplexOneHost checks that a full-duplex network inside one host is reported at its statement, although full is
// the default of its type, and that the error names the cores and the host.
func TestDuplexOneHost(t *testing.T) {
	_, err := lower(t, Options{Purpose: ForMapping}, `#include "std.x"
block G { output UNSIGNED8 y; }; block S { input UNSIGNED8 x; }; block top { G g; S s; g -> s; };
resource a is C (host="node");
resource b is C (host="node");
resource lan is network ({ a, b }, bandwidth="1Gbit/s");
`)
	var list xlang.Diagnostics
	if !errors.As(err, &list) {
		t.Fatalf("error %v", err)
	}
	i := slices.IndexFunc(list, func(d xlang.Diagnostic) bool { return d.ID == faults.FullDuplexOneSide })
	if i < 0 || list[i].Pos.Line != 5 || !strings.HasSuffix(list[i].Message, "a, b, on host node") {
		t.Errorf("error %v", err)
	}
}

// linkNames returns the names of the links of a design.
func linkNames(d *Design) string {
	var names []string
	for i := range d.Problem.Architecture.Links {
		names = append(names, d.Problem.Architecture.Links[i].Name)
	}
	return strings.Join(names, " ")
}
