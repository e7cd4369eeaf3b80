package design

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// readSource loads X source as if it stood in a file test.x.
func readSource(src string) (*xlang.Program, error) { return readSet(src, nil) }

// readSet is readSource with values of the command line.
func readSet(src string, set map[string]string) (*xlang.Program, error) {
	prog, _, err := xlang.Load([]string{"test.x"}, xlang.Options{
		Library: configs.Library(),
		Set:     set,
		ReadFile: func(path string) ([]byte, error) {
			if path == "test.x" {
				return []byte(src), nil
			}
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		},
	})
	return prog, err
}

func read(t testing.TB, src string) *xlang.Program {
	t.Helper()
	prog, err := readSource(src)
	if err != nil {
		t.Fatalf("the source of the test is wrong: %v", err)
	}
	return prog
}

func lower(t testing.TB, opt Options, src string) (*Design, error) {
	t.Helper()
	return New(read(t, src), opt)
}

func mustLower(t testing.TB, opt Options, src string) *Design {
	t.Helper()
	d, err := lower(t, opt, src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// solve returns the throughput of a design's mapping.
func solve(t testing.TB, d *Design) *flow.Solution {
	t.Helper()
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// chain is an application of three kernels, and a machine of two processors and
// an FPGA, without figures.
const chain = `#include "std.x"
block SRC { output FLOAT32 y; };
block MID { input FLOAT32 x; output FLOAT32 y; };
block SINK { input FLOAT32 x; };
block top {
    SRC src;
    MID mid;
    SINK sink;
    e1: src.y -> mid.x;
    e2: mid.y -> sink.x;
};
platform Fast: C;
platform Chip: HDL;
resource proc[2] is Fast;
resource fpga is Chip (lut=1000);
resource PCI is bus ({proc, fpga}, bandwidth="640MB/s", from="published in a data sheet");
resource mem is memory ({proc}, bandwidth="8000Mbit/s");
`

// figured adds figures for all of chain.
const figured = chain + `
impl SRC on C (mu="100MB/s");
impl MID on C (mu="40MB/s", gain=0.5, scv=0.3, from="measured on a machine");
impl MID on Chip (time="10ns", lut=700, from="published by someone");
impl SINK on C (mu="50MB/s");
`

func (d *Design) kernel(name string) int {
	return slices.IndexFunc(d.Problem.Application.Kernels, func(k flow.Kernel) bool { return k.Name == name })
}

func (d *Design) resource(name string) int {
	return slices.IndexFunc(d.Problem.Architecture.Resources, func(r flow.Resource) bool { return r.Name == name })
}

func (d *Design) figure(kernel, resource string) flow.Figures {
	return d.Problem.Figures[d.kernel(kernel)][d.resource(resource)]
}

func TestLowering(t *testing.T) {
	d := mustLower(t, Options{}, figured)
	mid := d.figure("top.mid", "proc[1]")
	want := flow.Figures{Available: true, ServiceRate: 40e6, ServiceSCV: 0.3, Origin: flow.Measured,
		Note: "measured on a machine"}
	if !reflect.DeepEqual(mid, want) {
		t.Errorf("figures of mid on proc[1] are %+v, want %+v", mid, want)
	}
	chip := d.figure("top.mid", "fpga")
	want = flow.Figures{Available: true, ServiceRate: 4 / 10e-9, ServiceSCV: -1, Area: flow.Area{700},
		Origin: flow.Published, Note: "published by someone"}
	if math.Abs(chip.ServiceRate-want.ServiceRate) > 1 {
		t.Errorf("10 ns for 4 bytes are %g bytes/s, want %g", chip.ServiceRate, want.ServiceRate)
	}
	if chip.ServiceRate = want.ServiceRate; !reflect.DeepEqual(chip, want) {
		t.Errorf("figures of mid on fpga are %+v, want %+v", chip, want)
	}
	if d.figure("top.src", "fpga").Available {
		t.Error("src has no implementation for the FPGA, but is available there")
	}
	k := d.Problem.Application.Kernels[d.kernel("top.mid")]
	if k.Gain != 0.5 || k.GainOrigin != flow.Measured {
		t.Errorf("gain of mid is %g (%s), want 0.5 (measured)", k.Gain, k.GainOrigin)
	}
	fpga := d.Problem.Architecture.Resources[d.resource("fpga")]
	if fpga.Sharing.Rule != flow.AreaOnly || fpga.Area[flow.LUT] != 800 || !math.IsInf(fpga.Area[flow.DSP], 1) {
		t.Errorf("fpga shares by %s and offers %v; want area, 80%% of 1000 LUTs and all else unlimited",
			fpga.Sharing.Rule, fpga.Area)
	}
	pci := d.Problem.Architecture.Links[0]
	if pci.Bandwidth != 640e6 || pci.Origin != flow.Published || pci.Sharing.Rule != flow.Conserving {
		t.Errorf("PCI is %+v", pci)
	}
	if mem := d.Problem.Architecture.Links[1]; mem.Bandwidth != 1e9 {
		t.Errorf("8000 Mbit/s are %g bytes/s, want 1e9", mem.Bandwidth)
	}
	r := d.Problem.Architecture.Resources
	if r[0].Class != r[1].Class || r[0].Class == r[2].Class {
		t.Errorf("classes are %s, %s, %s; want the two processors alike", r[0].Class, r[1].Class, r[2].Class)
	}
}

// TestPrecedence states the rate of mid on proc[1] ever more specifically.
func TestPrecedence(t *testing.T) {
	src := figured
	rate := func(opt Options) float64 { return mustLower(t, opt, src).figure("top.mid", "proc[1]").ServiceRate }
	for _, c := range []struct {
		statement string
		want      float64
	}{
		{"", 40e6},
		{`impl MID on Fast (mu="41MB/s");`, 41e6},
		{`impl MID on proc (mu="42MB/s");`, 42e6},
		{`impl MID on proc[1] (mu="43MB/s");`, 43e6},
		{`impl top.mid on C (mu="44MB/s");`, 44e6},
		{`impl top.mid on proc (time="100ns");`, 40e6},
		{`impl top.mid on proc[1] (mu="46MB/s");`, 46e6},
	} {
		src += c.statement + "\n"
		if got := rate(Options{}); math.Abs(got-c.want) > 1 {
			t.Errorf("after %s the rate is %g, want %g", c.statement, got, c.want)
		}
	}
	for _, c := range []struct {
		override string
		want     float64
	}{
		{"MID:mu=50MB/s", 50e6},
		{"MID@C:mu=51MB/s", 51e6},
		{"top.mid@proc[1]:time=80ns", 50e6},
		{"top.mid@proc[2]:mu=1MB/s", 46e6},
	} {
		o, err := ParseOverride(c.override)
		if err != nil {
			t.Fatal(err)
		}
		if got := rate(Options{Overrides: []Override{o}}); math.Abs(got-c.want) > 1 {
			t.Errorf("with --figure %s the rate is %g, want %g", c.override, got, c.want)
		}
		if o.String() != c.override {
			t.Errorf("override %q prints as %q", c.override, o)
		}
	}
}

// TestFaultOnce checks that a mistake in a statement for an array of resources is reported once.
func TestFaultOnce(t *testing.T) {
	_, err := lower(t, Options{}, figured+`impl MID on proc (mu="0MB/s");`)
	var list xlang.Diagnostics
	if !errors.As(err, &list) || len(list) != 1 || list[0].ID != "wrong-figure" {
		t.Errorf("want one error, got %v", err)
	}
}

// faultCase is a mistake with a part of its error.
type faultCase struct {
	name, src string
	opt       Options
	line      int // 0: anywhere
	want      []string
}

// faultsOfFigures returns mistakes in the figures of kernels.
func faultsOfFigures(lines int) []faultCase {
	return []faultCase{
		{name: "no figures at all", src: chain, want: []string{"kernel top.src (block SRC): no implementation for " +
			"any resource", "top.mid", "top.sink"}},
		{
			name: "missing rate and gain", src: chain + `
platform C { impl SRC (src="a.c"); impl MID (src="b.c"); impl SINK (src="c.c"); };`,
			want: []string{"kernel top.src (block SRC): no service rate (mu or time) on proc[1..2]",
				"kernel top.mid (block MID): no service rate (mu or time) on proc[1..2], and no gain",
				"xopt calibrate APP ARCH;"},
		},
		{
			name: "the command names the files", src: chain + `
platform C { impl SRC (src="a.c"); impl MID (src="b.c"); impl SINK (src="c.c"); };`,
			opt: Options{Files: []string{"a.x", "b.x"}}, want: []string{"xopt calibrate a.x b.x;"},
		},
		{name: "gain differs", src: figured + `impl MID on fpga (gain=0.6);`, line: lines + 1,
			want: []string{"gain of top.mid differs between resources: 0.5 on proc[1] and 0.6 on fpga"}},
		{name: "equal rank", src: figured + `impl MID on C (mu="41MB/s");`, line: lines + 1,
			want: []string{"two statements set different values of mu of top.mid on proc[1]"}},
		{name: "mu and time", src: figured + `impl MID on proc (mu="41MB/s", time="3us");`, line: lines + 1,
			want: []string{"the statement sets both mu and time"}},
		{name: "mu and time of equal rank", src: figured + `impl MID on C (time="3us");`, line: lines + 1,
			want: []string{"service rate (mu or time) of top.mid"}},
		{name: "bad unit", src: figured, opt: Options{Overrides: []Override{{Target: "MID", Resource: "proc",
			Attrs: [][2]string{{"mu", "41 parsecs"}}}}}, want: []string{"mu: ", "41 parsecs"}},
		{name: "rate of zero", src: figured, opt: Options{Overrides: []Override{{Target: "MID", Resource: "proc",
			Attrs: [][2]string{{"mu", "0"}}}}}, want: []string{"mu is 0; expected a positive value"}},
		{name: "negative area", src: figured, opt: Options{Overrides: []Override{{Target: "MID", Resource: "fpga",
			Attrs: [][2]string{{"lut", "-3"}}}}}, want: []string{"lut is -3"}},
	}
}

// faultsOfArchitectures returns mistakes in resources, links, mappings and options.
func faultsOfArchitectures(lines int) []faultCase {
	return []faultCase{
		{name: "sharing", src: figured + `resource other is C (sharing="fair");`, line: lines + 1,
			want: []string{`sharing of resource other is "fair"`, "conserving, equal or area"}},
		{name: "usable", src: figured + `resource other is Chip (usable=1.5);`, line: lines + 1,
			want: []string{"usable of resource other"}},
		{name: "no bandwidth", src: figured + `resource lan is switch ({proc});`, line: lines + 1,
			want: []string{"link lan: no bandwidth"}},
		{name: "bandwidth without unit", src: figured + `resource lan is switch ({proc}, bandwidth="3");`,
			line: lines + 1,
			want: []string{"bandwidth of link lan: 3 has no unit", `write "3MB/s", "3Mbit/s" or "3B/s"`}},
		{name: "bandwidth as a number", src: figured + `resource lan is switch ({proc}, bandwidth=3);`, line: lines + 1,
			want: []string{"3 has no unit"}},
		{name: "overhead without unit", src: figured +
			`resource lan is switch ({proc}, bandwidth="3MB/s", overhead=5);`, line: lines + 1,
			want: []string{"5 has no unit", `"5us"`}},
		{name: "bulk without unit", src: figured +
			`resource lan is switch ({proc}, bandwidth="3MB/s", overhead="5us", bulk=4096);`, line: lines + 1,
			want: []string{"4096 has no unit", `"4096B"`}},
		{name: "switch without unit", src: figured + `resource two is C (switch="3");`, line: lines + 1,
			want: []string{"switch of resource two: 3 has no unit", `"3us"`}},
		{name: "clock without unit", src: figured + `resource two is HDL (clock="100");`, line: lines + 1,
			want: []string{"clock of resource two: 100 has no unit", `"100MHz"`}},
		{name: "power without unit", src: figured + `resource two is C (power=15);`, line: lines + 1,
			want: []string{"15 has no unit", `"15W"`}},
		{name: "price without unit", src: figured + `resource two is C (price=0.4);`, line: lines + 1,
			want: []string{"0.4 has no unit", `"0.4$/h"`}},
		{name: "frequency in words", src: figured + `platform P: C { config freq; }; resource two is P (freq="fast");`,
			line: lines + 1, want: []string{"freq of resource two"}},
		{name: "bad bandwidth", src: figured + `resource lan is switch ({proc}, bandwidth="fast");`, line: lines + 1,
			want: []string{"bandwidth of link lan"}},
		{name: "flush without a bulk", src: figured + `resource lan is bus ({proc}, bandwidth="1MB/s", flush="50us");`,
			line: lines + 1, want: []string{"flush of link lan has no effect"}},
		{name: "flush without unit", src: figured +
			`resource lan is bus ({proc}, bandwidth="1MB/s", bulk="4KiB", flush=50);`, line: lines + 1,
			want: []string{"flush of link lan", "50 has no unit"}},
		{name: "latency of apples", src: figured + `resource lan is bus ({proc}, bandwidth="1MB/s", latency="10kg");`,
			line: lines + 1, want: []string{"latency of link lan"}},
		{name: "two fixes", src: figured + `fix { top.mid } to proc[1]; fix { top.mid } to proc[2];`, line: lines + 1,
			want: []string{"they have no resource in common"}},
		{name: "mapping incomplete", src: figured + `map { top.mid } to proc[1];`, opt: Options{Purpose: ForMapping},
			want: []string{"2 of 3 kernels are not placed: top.src, top.sink",
				"map { top.src, top.sink } to proc[1];"}},
		{
			name: "edge inside a resource", src: figured +
				`map { top.src, top.mid, top.sink } to proc[1]; map { top.e1 } to mem;`,
			opt:  Options{Purpose: ForMapping},
			line: lines + 1, want: []string{"edge top.e1 stays inside proc[1]"},
		},
		{
			name: "link leads elsewhere", src: figured +
				`map { top.src, top.sink } to proc[1]; map { top.mid } to fpga; map { top.e1 } to mem;`,
			opt:  Options{Purpose: ForMapping},
			line: lines + 1, want: []string{"edge top.e1 leads from proc[1] to fpga, but the route mem does not",
				"PCI"},
		},
		{name: "buffer below one element", src: figured + `buffer { top.e1 } = "3B";`, line: lines + 1,
			want: []string{"buffer of top.e1"}},
		{name: "override of nothing", src: figured,
			opt:  Options{Overrides: []Override{{Target: "NONE", Attrs: [][2]string{{"mu", "1MB/s"}}}}},
			want: []string{"no kernel or block is named NONE"}},
		{name: "override of a misspelled block", src: figured,
			opt:  Options{Overrides: []Override{{Target: "MIDD", Attrs: [][2]string{{"mu", "1MB/s"}}}}},
			want: []string{"no kernel or block is named MIDD (did you mean MID?)"}},
		{name: "override of an unknown figure", src: figured,
			opt:  Options{Overrides: []Override{{Target: "MID", Attrs: [][2]string{{"speed", "1"}}}}},
			want: []string{"speed is not a figure"}},
		{name: "sharing rule", src: figured, opt: Options{Sharing: "fair"},
			want: []string{`sharing rule is "fair"; expected conserving or equal`}},
		{name: "maximum utilization", src: figured, opt: Options{MaxUtilization: 1.5},
			want: []string{"maximum utilization is 1.5"}},
	}
}

// TestFaults checks that mistakes are reported, in words and at their lines.
func TestFaults(t *testing.T) {
	lines := strings.Count(figured, "\n") // the addition begins on the next line
	for _, c := range append(faultsOfFigures(lines), faultsOfArchitectures(lines)...) {
		t.Run(c.name, func(t *testing.T) {
			_, err := lower(t, c.opt, c.src)
			var diags xlang.Diagnostics
			if !errors.As(err, &diags) {
				t.Fatalf("error is %v, want xlang.Diagnostics", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error does not say %q:\n%v", want, err)
				}
			}
			if c.line != 0 && !slices.ContainsFunc(diags,
				func(d xlang.Diagnostic) bool { return d.Pos.Line == c.line }) {
				t.Errorf("no fault is reported on line %d:\n%v", c.line, err)
			}
		})
	}
}

// fork is an application whose kernels have several ports.
const fork = `#include "std.x"
block SRC { output FLOAT32 y0; output FLOAT64 y1; };
block ADD { input FLOAT32 x0; input FLOAT64 x1; output FLOAT64 y; join 2 x0, x1; };
block ANY { input FLOAT32 x0; input FLOAT64 x1; };
block top {
    SRC src;
    ADD add;
    ANY any;
    a: src.y0 -> add.x0;
    b: src.y1 -> add.x1;
    c: add.y -> any.x1;
    d: src.y0 -> any.x0;
};
resource proc is C;
impl SRC on C (mu="10MB/s");
impl ADD on C (time="1us", gain=0.5);
impl ANY on C (mu="10MB/s");
`

// TestAnyName: a * in a map statement matches every name, and arrays and blocks as their names do.
func TestAnyName(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping}, figured+`map { top.* } to proc[1];`)
	if want := []int{0, 0, 0}; !slices.Equal(d.Place, want) {
		t.Errorf("kernels are placed on %v, want %v", d.Place, want)
	}
	d = mustLower(t, Options{}, figured+`fix { *.mid } to proc[2]; together { top.* };`)
	c, fixed := d.Constraints, []int{d.resource("proc[2]")}
	if len(c.Together) != 1 || len(c.Together[0]) != 3 || !slices.Equal(c.Fixed[d.kernel("top.mid")], fixed) {
		t.Errorf("constraints are %+v", c)
	}
}

// TestFastestRoute: an edge for which the mapping names no link uses the fastest one, and a note reports it.
func TestFastestRoute(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping}, figured+
		`map { top.src, top.mid } to proc[1]; map { top.sink } to proc[2];`)
	links := d.Problem.Architecture.Links
	used := d.Mapping.Route[slices.IndexFunc(d.Problem.Application.Edges, func(e flow.Edge) bool {
		return e.Name == "top.e2"
	})]
	if len(used) != 1 {
		t.Fatalf("top.e2 uses links %v", used)
	}
	for l := range links {
		if links[l].Bandwidth > links[used[0]].Bandwidth {
			t.Errorf("top.e2 uses %s, but %s is faster", links[used[0]].Name, links[l].Name)
		}
	}
	if !slices.ContainsFunc(d.Notes, func(n fault.Note) bool { return strings.Contains(n.Text, "top.e2") }) {
		t.Errorf("no note names the edge: %q", d.Notes)
	}
}

// TestDefaultRoutesSpread checks that edges without a route are spread over equal links, and avoid the link of an edge
// with a route.
func TestDefaultRoutesSpread(t *testing.T) {
	for routed, want := range map[string][2]string{"": {"a", "b"}, "map { top.e2 } to a;": {"b", "a"}} {
		d := mustLower(t, Options{Purpose: ForCheck}, `#include "std.x"
block G { output UNSIGNED8 y, z; };
block S { input UNSIGNED8 x; };
block top { G g; S s; S u; e1: g.y -> s; e2: g.z -> u; };
use top;
resource proc[2] is C;
resource a is bus ({ proc }, bandwidth="10MB/s"); resource b is bus ({ proc }, bandwidth="10MB/s");
map { top.g } to proc[1]; map { top.s, top.u } to proc[2];`+routed)
		for e, name := range want {
			if used := d.Mapping.Route[e]; len(used) != 1 || d.Problem.Architecture.Links[used[0]].Name != name {
				t.Errorf("%q: edge %d uses links %v, want %s", routed, e+1, used, name)
			}
		}
	}
}

// TestRouteOfUnknownBandwidth: edges between cores that share a memory without a bandwidth use it, not a bus that has
// one. The note names the unknown bandwidth.
func TestRouteOfUnknownBandwidth(t *testing.T) {
	for name, c := range map[string]struct{ links, want, unknown string }{
		"memory": {`resource mem is memory ({ proc }); resource pcix is bus ({ proc }, bandwidth="640MB/s");`,
			"mem", "mem"},
		"bus": {`resource slow is bus ({ proc }); resource pcix is bus ({ proc }, bandwidth="640MB/s");`,
			"pcix", "slow"},
		"known": {`resource mem is memory ({ proc }, bandwidth="1MB/s");
resource pcix is bus ({ proc }, bandwidth="2MB/s");`, "pcix", ""},
	} {
		d := mustLower(t, Options{Purpose: ForCheck}, `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; e: g -> s; };
use top;
resource proc[2] is C;
`+c.links+`
map { top.g } to proc[1]; map { top.s } to proc[2];`)
		note := strings.Join(fault.Texts(d.Notes), "; ")
		if used := d.Mapping.Route[0]; len(used) != 1 || d.Problem.Architecture.Links[used[0]].Name != c.want {
			t.Errorf("%s: it uses links %v", name, used)
		}
		if noted := strings.Contains(note, "the bandwidth of "+c.unknown+" is unknown"); noted != (c.unknown != "") ||
			strings.Contains(note, "the fastest") == noted {
			t.Errorf("%s: the note is %q", name, note)
		}
	}
}

func TestPorts(t *testing.T) {
	d := mustLower(t, Options{}, fork+`route SRC.y0 = 1/2; route SRC.y1 = 1/2;`)
	app := d.Problem.Application
	for e, want := range []float64{1. / 2, 1. / 2, 1, 1. / 2} { // a and d both carry y0
		if math.Abs(app.Edges[e].Routing-want) > 1e-12 || app.Edges[e].Copy != (e == 3) {
			t.Errorf("routing of %s is %g, want %g; it is a copy: %v", app.Edges[e].Name, app.Edges[e].Routing, want,
				app.Edges[e].Copy)
		}
	}
	add := d.figure("top.add", "proc")
	if math.Abs(add.ServiceRate-16e6) > 1 {
		t.Errorf("add takes %g bytes/s; want 2×4 + 8 in 1 us", add.ServiceRate)
	}
	join := app.Kernels[d.kernel("top.add")].Joins[0]
	if join.Ports[0].Bytes != 8 || join.Ports[1].Bytes != 8 || !slices.Equal(join.Ports[0].Edges, []int{0}) {
		t.Errorf("join is %+v", join)
	}
	for _, c := range []struct{ src, want string }{
		{fork, "kernel top.src (block SRC): no routing fraction for y0, y1"},
		{fork + `route SRC.y0 = 0.5; route SRC.y1 = 0.4;`, "routing fractions of top.src sum to 0.9"},
		{strings.Replace(fork, `ANY on C (mu="10MB/s")`, `ANY on C (time="1us")`, 1) +
			`route SRC.y0 = 1/2; route SRC.y1 = 1/2;`, "time is ambiguous for kernel top.any"},
		{strings.Replace(fork, `SRC on C (mu="10MB/s")`, `SRC on C (time="1us")`, 1) +
			`route SRC.y0 = 1/2; route SRC.y1 = 1/2;`, "time is ambiguous for kernel top.src"},
	} {
		if _, err := lower(t, Options{}, c.src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v; want %q", err, c.want)
		}
	}
	// One element on each port: 4 of 12 bytes on y0.
	d = mustLower(t, Options{}, `#include "std.x"
block SRC { output FLOAT32 y0; output FLOAT64 y1; };
block ANY { input FLOAT32 x0; input FLOAT64 x1; };
block top { SRC src; ANY any; a: src.y0 -> any.x0; b: src.y1 -> any.x1; };
resource proc is C;
impl SRC on C (time="1us");
impl ANY on C (mu="10MB/s");
route SRC.y0 = 1/3;
route SRC.y1 = 2/3;
`)
	if src := d.figure("top.src", "proc"); math.Abs(src.ServiceRate-12e6) > 1 {
		t.Errorf("src puts out %g bytes/s; want 12 in 1 us", src.ServiceRate)
	}
}

func TestRanges(t *testing.T) {
	got := Ranges([]string{"a", "p[1]", "p[2]", "p[3]", "p[5]", "q[1].x", "r[6]", "s[7]"})
	want := []string{"a", "p[1..3]", "p[5]", "q[1].x", "r[6]", "s[7]"}
	if !slices.Equal(got, want) {
		t.Errorf("ranges are %q, want %q", got, want)
	}
}
