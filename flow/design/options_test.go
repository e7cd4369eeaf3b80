package design

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

func TestSharingOption(t *testing.T) {
	src := figured + `resource slow is bus ({proc}, bandwidth="1MB/s", overhead="5us", bulk="4KiB");
resource spin is C (sharing="equal", switch="2us");`
	for _, c := range []struct {
		sharing string
		want    map[string]flow.SharingRule
	}{
		{"", map[string]flow.SharingRule{"proc[1]": flow.Conserving, "spin": flow.Equal, "fpga": flow.AreaOnly,
			"PCI": flow.Conserving, "slow": flow.Bulk}},
		{"equal", map[string]flow.SharingRule{"proc[1]": flow.Equal, "spin": flow.Equal, "fpga": flow.AreaOnly,
			"PCI": flow.Equal, "slow": flow.Equal}},
		{"conserving", map[string]flow.SharingRule{"proc[1]": flow.Conserving, "spin": flow.Conserving,
			"fpga": flow.AreaOnly, "PCI": flow.Conserving, "slow": flow.Bulk}},
	} {
		d := mustLower(t, Options{Sharing: c.sharing}, src)
		got := make(map[string]flow.Sharing)
		for _, r := range d.Problem.Architecture.Resources {
			got[r.Name] = r.Sharing
		}
		for _, l := range d.Problem.Architecture.Links {
			got[l.Name] = l.Sharing
		}
		for name, want := range c.want {
			if got[name].Rule != want {
				t.Errorf("sharing %q: %s shares by %s, want %s", c.sharing, name, got[name].Rule, want)
			}
		}
		if slow := got["slow"]; math.Abs(slow.TransferCost-5e-6) > 1e-15 || slow.TransferBytes != 4096 {
			t.Errorf("slow has transfers of %g bytes at %g s, want 4096 at 5e-6", slow.TransferBytes, slow.TransferCost)
		}
		if got["spin"].SwitchCost-2e-6 > 1e-15 {
			t.Errorf("switching costs %g s on spin, want 2e-6", got["spin"].SwitchCost)
		}
	}
}

// TestLinkDelays: latency and flush are times, and a flush needs a bulk.
func TestLinkDelays(t *testing.T) {
	const declared = `resource lan is bus ({proc}, bandwidth="1MB/s", `
	d := mustLower(t, Options{}, figured+declared+`bulk="4KiB", flush="50us", latency="1us");`)
	links := d.Problem.Architecture.Links
	if l := links[len(links)-1]; math.Abs(l.Flush-50e-6) > 1e-15 || math.Abs(l.Latency-1e-6) > 1e-15 {
		t.Errorf("flush of %g s and latency of %g s, want 50e-6 and 1e-6", l.Flush, l.Latency)
	}
	d = mustLower(t, Options{}, figured+declared+`flush="0s");`)
	links = d.Problem.Architecture.Links
	if l := links[len(links)-1]; l.Flush != 0 || l.Latency != 0 {
		t.Errorf("flush of %g s and latency of %g s, want none", l.Flush, l.Latency)
	}
}

func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		config string
		want   float64
	}{
		{`bandwidth="1000Mbit/s"`, 125e6},
		{`bandwidth="1.5GiB/s"`, 1.5 * (1 << 30)},
		{`bandwidth="250Mbit/s"`, 31.25e6},
		{`bandwidth="inf"`, math.Inf(1)},
		{`freq=66, width=32`, 264e6}, // the PCI bus of Gayen 2008, Fig. 2.7
	} {
		d := mustLower(t, Options{}, figured+"linktype pci: bus { config UNSIGNED16 freq=1, width=1; };\n"+
			"resource other is pci ({proc}, "+c.config+");")
		links := d.Problem.Architecture.Links
		if got := links[len(links)-1].Bandwidth; got != c.want {
			t.Errorf("%s is %g bytes/s, want %g", c.config, got, c.want)
		}
	}
}

// TestMissing checks the missing figures for each purpose.
func TestMissing(t *testing.T) {
	// For mid on the FPGA there is an implementation, but no rate.
	src := strings.Replace(figured, `impl MID on Chip (time="10ns", lut=700, from="published by someone");`,
		`platform Chip { impl MID (src="mid.v"); };`, 1)
	maps := "map { top.src, top.mid, top.sink } to proc[1];\n"
	for _, c := range []struct {
		name, src string
		purpose   Purpose
		fails     bool
	}{
		{"search", src, ForSearch, true},
		{"search with mid fixed elsewhere", src + "fix { top.mid } to proc;", ForSearch, false},
		{"search with mid forbidden there", src + "forbid { top.mid } to Chip;", ForSearch, false},
		{"a mapping that does not use it", src + maps, ForMapping, false},
		{"a mapping that uses it", src + "map { top.src, top.sink } to proc[1]; map { top.mid } to fpga;", ForMapping,
			true},
		{"check", src, ForCheck, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := lower(t, Options{Purpose: c.purpose}, c.src)
			if c.fails {
				var list xlang.Diagnostics
				if !errors.As(err, &list) || len(list) != 1 || list[0].ID != faults.NoFigure ||
					list[0].Subject != "kernel top.mid" {
					t.Fatalf("error is %+v, %v", list, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.purpose == ForCheck {
				if len(d.Missing) != 1 || d.Missing[0].Kernel != "top.mid" || !slices.Equal(d.Missing[0].Rates,
					[]string{"fpga"}) {
					t.Errorf("missing is %+v", d.Missing)
				}
				return
			}
			if err := d.Problem.Validate(); err != nil {
				t.Error(err)
			}
			if d.figure("top.mid", "fpga").Available {
				t.Error("mid is available on the FPGA without a rate")
			}
		})
	}
}

// TestCheckWithoutArchitecture: an application alone can be checked, and a
// directed cycle in it is found.
func TestCheckWithoutArchitecture(t *testing.T) {
	src := `block A { input FLOAT32 x; output FLOAT32 y, z; };
block B { input FLOAT32 x, w; output FLOAT32 y; };
block S { output FLOAT32 y; };
block T { input FLOAT32 x; };
block top { S s; B b; A a; T t; s.y -> b.x; b.y -> a.x; a.y -> t.x; %s };`
	_, err := lower(t, Options{Purpose: ForCheck}, strings.Replace(src, "%s", "a.z -> b.w;", 1))
	if err == nil || !strings.Contains(err.Error(), "deadlock in cycle top.b -> top.a -> top.b") {
		t.Errorf("error is %v, want the cycle", err)
	}
	src = strings.NewReplacer("%s", "S s2; s2.y -> b.w; T t2; a.z -> t2.x;").Replace(src)
	d := mustLower(t, Options{Purpose: ForCheck}, src)
	var lacking []string
	for _, m := range d.Missing {
		lacking = append(lacking, m.Kernel)
	}
	if want := []string{"top.b", "top.a"}; !slices.Equal(lacking, want) { // gain; routing
		t.Errorf("missing are figures of %v, want %v", lacking, want)
	}
	for _, purpose := range []Purpose{ForSearch, ForMapping, ForRun, ForDeploy} {
		_, err := lower(t, Options{Purpose: purpose}, src)
		var list xlang.Diagnostics
		if !errors.As(err, &list) || len(list) != 1 || list[0].ID != faults.NoResource || list[0].Hint == "" {
			t.Errorf("purpose %d: error is %v, expected one, of the missing architecture", purpose, err)
		}
	}
}

func TestConstraints(t *testing.T) {
	d := mustLower(t, Options{}, figured+`
fix { top.src } to proc;
fix { top.src } to proc[2];
forbid { top.mid } to fpga;
forbid { top.mid } to proc[1];
together { top.src, top.mid };
apart { top.src, top.sink };`)
	c := d.Constraints
	src, mid, sink := d.kernel("top.src"), d.kernel("top.mid"), d.kernel("top.sink")
	if !slices.Equal(c.Fixed[src], []int{1}) || c.Fixed[mid] != nil {
		t.Errorf("fixed is %v; want src to proc[2] and mid free", c.Fixed)
	}
	if !slices.Equal(c.Forbidden[mid], []int{0, 2}) {
		t.Errorf("mid is forbidden on %v, want proc[1] and fpga", c.Forbidden[mid])
	}
	if !slices.Equal(c.Together[0], []int{src, mid}) || !slices.Equal(c.Separate[0], []int{src, sink}) {
		t.Errorf("together %v, apart %v", c.Together, c.Separate)
	}
	r := d.Problem.Architecture.Resources
	if r[0].Class == r[1].Class {
		t.Error("proc[1] and proc[2] count as interchangeable, but constraints tell them apart")
	}
}

func TestMapping(t *testing.T) {
	src := figured +
		`map { top.src } to proc[1]; map { top.mid } to fpga; map { top.sink } to proc[2]; ` +
		`buffer { top.e1 } = "1KiB"; buffer { top.e2 } = 7;`
	d := mustLower(t, Options{Purpose: ForMapping}, src)
	if !slices.Equal(d.Mapping.Place, []int{0, 2, 1}) || !slices.Equal(d.Mapping.Route[0], []int{0}) ||
		!slices.Equal(d.Mapping.Route[1], []int{0}) {
		t.Errorf("mapping is %+v", d.Mapping)
	}
	if d.Buffers[0] != 256 || d.Buffers[1] != 7 {
		t.Errorf("buffers are %v, want 256 and 7 elements", d.Buffers)
	}
	// A search only notes it.
	d = mustLower(t, Options{}, src)
	if !strings.Contains(strings.Join(fault.Texts(d.Notes), "\n"), "the files map 3 of 3 kernels") {
		t.Errorf("notes are %q", d.Notes)
	}
	d = mustLower(t, Options{}, figured+`map { top.src } to proc[1];`)
	if d.Mapping != nil || !slices.Equal(d.Place, []int{0, -1, -1}) || len(d.Unmapped) != 1 {
		t.Errorf("of a partial mapping: mapping %v, place %v, unmapped %q", d.Mapping, d.Place, d.Unmapped)
	}
}

// kernelFigures are the figures of a kernel in a profile for tests; 0 for none, of the gain and SCV -1.
type kernelFigures struct {
	ServiceRate, Gain, ServiceSCV, CoLocationCost, SwitchCost float64
	Contention                                                *flow.Contention
}

// measured is a profile for tests: figures by "block resource".
type measured struct {
	kernels map[string]kernelFigures
	link    LinkFigures
	sharing map[string]SharingFigures // by "platform processes"
}

// source returns the measured figures as a profile.
func (m *measured) source() *Measured {
	figure := func(v, none float64) *profile.Figure {
		if v == none {
			return nil
		}
		return &profile.Figure{Value: v}
	}
	p := &profile.Profile{Conditions: &profile.Conditions{DataSet: "day.dat"}}
	for name, f := range m.kernels {
		block, resource, _ := strings.Cut(name, " ")
		p.Kernels = append(p.Kernels, profile.Kernel{Block: block, Resource: resource,
			ServiceRate: figure(f.ServiceRate, 0), Gain: figure(f.Gain, -1), ServiceSCV: figure(f.ServiceSCV, -1),
			CoLocationCost: figure(f.CoLocationCost, 0), SwitchCost: figure(f.SwitchCost, 0)})
		if c := f.Contention; c != nil {
			x := &profile.Contention{Pressure: figure(c.Pressure, 0)}
			for _, s := range c.Curve {
				x.Slowdown = append(x.Slowdown, profile.Slowdown{Level: s.Level, Times: *figure(s.Times, 0)})
			}
			p.Kernels[len(p.Kernels)-1].Contention = x
		}
	}
	for _, linktype := range []string{"bus", "memory", "switch"} {
		if m.link.Bandwidth > 0 {
			p.Links = append(p.Links, profile.Link{Linktype: linktype, Bandwidth: figure(m.link.Bandwidth, 0),
				TransferCost: figure(m.link.TransferCost, 0), TransferBytes: figure(m.link.TransferBytes, 0),
				Latency: figure(m.link.Latency, 0)})
		}
	}
	for name, f := range m.sharing {
		platform, processes, _ := strings.Cut(name, " ")
		p.Sharing = append(p.Sharing, profile.Sharing{Platform: platform, Processes: processes, Wait: "auto",
			Scheduler: "other", Model: f.Rule.String(), SwitchCost: figure(f.SwitchCost, 0)})
	}
	return FromProfile("test.profile.json", p, nil)
}

// TestProfileSharing: the sharing rule of a core is the measured one for its deployment, unless the X files or the
// command line override it.
func TestProfileSharing(t *testing.T) {
	src := chain + `platform C { impl SRC (src="a.c"); impl MID (src="b.c"); impl SINK (src="c.c"); };
platform Fast : C;
impl SRC on C (mu="1MB/s"); impl MID on C (mu="1MB/s", gain=1); impl SINK on C (mu="1MB/s");
`
	p := &measured{sharing: map[string]SharingFigures{
		"C core": {Rule: flow.Conserving, SwitchCost: 20e-9}, "C kernel": {Rule: flow.Equal},
		"Fast core": {Rule: flow.Conserving, SwitchCost: 10e-9}}}
	for _, c := range []struct {
		resource string
		option   string
		rule     flow.SharingRule
		cost     float64
		origin   flow.Origin
	}{
		{`resource own is C;`, "", flow.Conserving, 20e-9, flow.Measured},
		{`resource own is Fast;`, "", flow.Conserving, 10e-9, flow.Measured},
		{`resource own is C (processes="kernel");`, "", flow.Equal, 0, flow.Measured},
		{`resource own is C (sharing="equal");`, "", flow.Equal, 20e-9, flow.Assumed},
		{`resource own is C (switch="5ns");`, "", flow.Conserving, 5e-9, flow.Measured},
		{`resource own is C;`, "equal", flow.Equal, 20e-9, flow.Assumed},
		{`resource own is HDL;`, "", flow.AreaOnly, 0, flow.Assumed},
	} {
		d := mustLower(t, Options{Profile: p.source(), Sharing: c.option}, src+c.resource)
		res := d.Problem.Architecture.Resources
		s := res[len(res)-1].Sharing
		if s.Rule != c.rule || s.SwitchCost != c.cost || s.Origin != c.origin {
			t.Errorf("%s with the option %q shares by %s, %g s, %s; want %s, %g, %s", c.resource, c.option, s.Rule,
				s.SwitchCost, s.Origin, c.rule, c.cost, c.origin)
		}
	}
}

func TestProfile(t *testing.T) {
	src := chain + `platform C { impl SRC (src="a.c"); impl MID (src="b.c"); impl SINK (src="c.c"); };
resource lan is switch ({proc});
impl MID on proc[2] (mu="33MB/s");`
	p := &measured{kernels: make(map[string]kernelFigures), link: LinkFigures{Bandwidth: 2e6, TransferCost: 1e-6,
		TransferBytes: 100, Latency: 3e-7}}
	for _, r := range []string{"proc[1]", "proc[2]"} {
		p.kernels["SRC "+r] = kernelFigures{ServiceRate: 1e6, Gain: -1, ServiceSCV: 0.1}
		p.kernels["SINK "+r] = kernelFigures{ServiceRate: 3e6, Gain: -1, ServiceSCV: 0.1}
		p.kernels["MID "+r] = kernelFigures{ServiceRate: 2e6, Gain: 0.5, ServiceSCV: 0.2}
	}
	d := mustLower(t, Options{Profile: p.source()}, src)
	f := d.figure("top.mid", "proc[1]")
	if f.ServiceRate != 2e6 || f.ServiceSCV != 0.2 || f.Origin != flow.Measured ||
		f.Note != "measured: test.profile.json" {
		t.Errorf("mid on proc[1] is %+v, want what the profile measured", f)
	}
	if f := d.figure("top.mid", "proc[2]"); f.ServiceRate != 33e6 || f.Origin != flow.Assumed {
		t.Errorf("mid on proc[2] is %+v, want what the X file states", f)
	}
	if k := d.Problem.Application.Kernels[d.kernel("top.mid")]; k.Gain != 0.5 || k.GainOrigin != flow.Measured {
		t.Errorf("gain of mid is %g (%s)", k.Gain, k.GainOrigin)
	}
	links := d.Problem.Architecture.Links
	if l := links[len(links)-1]; l.Bandwidth != 2e6 || l.Origin != flow.Measured || l.Sharing.Rule != flow.Bulk ||
		l.Sharing.TransferBytes != 100 || l.Latency != 3e-7 {
		t.Errorf("lan is %+v, want what the profile measured", l)
	}
	stated := mustLower(t, Options{Profile: p.source()}, strings.Replace(src, "switch ({proc})",
		`switch ({proc}, latency="2us")`, 1)).Problem.Architecture.Links
	if l := stated[len(stated)-1]; l.Latency != 2e-6 {
		t.Errorf("lan has a latency of %g s, want what the X file states", l.Latency)
	}

	// Gains within 1% are measurement error; others contradict each other.
	set := func(gain float64) {
		f := p.kernels["MID proc[2]"]
		f.Gain = gain
		p.kernels["MID proc[2]"] = f
	}
	set(0.504)
	if d := mustLower(t, Options{Profile: p.source()}, src); len(d.Warnings) != 1 ||
		!strings.Contains(d.Warnings[0].Text, "gain of top.mid is 0.5 on proc[1] and 0.504 on proc[2]") {
		t.Errorf("warnings are %q", d.Warnings)
	}
	set(0.6)
	if _, err := lower(t, Options{Profile: p.source()}, src); err == nil || !strings.Contains(err.Error(),
		"gain of top.mid differs between resources: 0.5 on proc[1] and 0.6 on proc[2]") {
		t.Errorf("error is %v", err)
	}
	if d := mustLower(t, Options{Profile: p.source()},
		src+"impl MID on C (gain=0.55);"); d.Problem.Application.Kernels[d.kernel("top.mid")].Gain != 0.55 {
		t.Error("the gain of the X file does not go before those of the profile")
	}
}

func TestCitations(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping},
		figured+`map { top.src } to proc[1]; map { top.mid } to fpga; map { top.sink } to proc[2];`)
	got := d.Citations(d.Mapping)
	want := []Citation{
		{Origin: flow.Assumed, Figures: 2, Of: []string{"rate of top.src", "rate of top.sink"}},
		{Origin: flow.Published, Note: "published in a data sheet", Figures: 2, Of: []string{"bandwidth of PCI",
			"sharing of PCI"}},
		{Origin: flow.Published, Note: "published by someone", Figures: 1, Of: []string{"rate of top.mid"}},
		{Origin: flow.Measured, Note: "measured on a machine", Figures: 1, Of: []string{"gain of top.mid"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("citations are %+v, want %+v", got, want)
	}
}

// TestBroadcastIsNoFigure: that every reader of a kernel's only port gets all of it follows from the
// language, and is not a figure that anybody measured.
func TestBroadcastIsNoFigure(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping}, `
block S { output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S s; T a; T b; T c; s.y -> a.x; s.y -> b.x; s.y -> c.x; };
use top;
platform C {};
resource p is C;
impl S on C (mu="1MB/s"); impl T on C (mu="1MB/s");
map { top.s, top.a, top.b, top.c } to p;
`)
	want := []Citation{{Origin: flow.Assumed, Figures: 4, Of: []string{"rate of top.s", "rate of top.a",
		"rate of top.b", "rate of top.c"}},
		{Origin: flow.Assumed, Note: "sharing: conserving", Figures: 1, Of: []string{"sharing of p"}}}
	if got := d.Citations(d.Mapping); !reflect.DeepEqual(got, want) {
		t.Errorf("citations are %+v, want %+v", got, want)
	}
	for _, e := range d.Problem.Application.Edges {
		if e.Routing != 1 || e.RoutingOrigin.String() != "derived" {
			t.Errorf("routing of %s is %g, %s; want 1, derived", e.Name, e.Routing, e.RoutingOrigin)
		}
	}
}

// FuzzParseOverride: printing and parsing an accepted override is the identity.
func FuzzParseOverride(f *testing.F) {
	for _, s := range []string{"FFT@proc[1]:mu=40MB/s", "top.a:gain=2,mu=1", "", "a:", ":b=c", "a@:b=c", `a:b="c"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := ParseOverride(s)
		if err != nil {
			return
		}
		again, err := ParseOverride(o.String())
		if err != nil || again.String() != o.String() {
			t.Errorf("%q reads as %q, which reads as %q (%v)", s, o, again, err)
		}
	})
}
