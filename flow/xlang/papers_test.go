package xlang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/flow/xlang"
)

const papers = "testdata/papers/"

// test1 are the kernels and edges of Gayen's running example.
var test1Kernels = []string{"top.gen1 GENERATE", "top.gen2 GENERATE", "top.sum SUM", "top.half HALF", "top.store STORE"}

// TestPapers loads every listing of the papers, alone or with its dependencies, and checks its content.
func TestPapers(t *testing.T) {
	for _, c := range []struct {
		files     []string
		top       string
		kernels   []string
		edges     []string
		resources []string // name, platform, freq
		links     []string // name, linktype, ends
		maps      []string
	}{
		{files: []string{"gayen-2.4.x"}, top: "top", kernels: test1Kernels,
			edges: []string{"top.e1 gen1.y0 sum.x0 4", "top.e2 gen2.y0 sum.x1 4", "top.e3 sum.y0 half.x0 4",
				"top.e4 half.y0 store.x0 4"}},
		{files: []string{"gayen-2.12.x"}, top: "top", kernels: test1Kernels,
			resources: []string{"fpga HDL_Virtex4 ", "proc[1] C_Pentium4 3200", "proc[2] C_Pentium4 3200",
				"proc[3] C_Pentium4 2800"},
			links: []string{"LAN switch_ether proc[1] proc[2] proc[3]", "PCI bus_pci fpga proc[1] proc[2]"},
			maps:  []string{"gen1 proc[1]", "gen2 proc[1]", "sum fpga", "half proc[2]", "store proc[2]"}},
		{files: []string{"gayen-2.14.x"}, top: "top", kernels: test1Kernels,
			maps: []string{"gen1 proc[1]", "gen2 proc[1]", "sum fpga", "half proc[2]", "store proc[3]"}},
		{files: []string{"gayen-2.22.x"},
			resources: []string{"fpga VHDLSim ", "proc[1] C 3400", "proc[2] C 3400", "proc[3] C 2800"},
			links:     []string{"LAN FileIO proc[1] proc[2] proc[3]", "PCI FileIO fpga proc[1] proc[2]"}},
		{files: []string{"gayen-2.4.x", "gayen-2.6.x", "gayen-2.7.x", "gayen-3.9.x", "gayen-3.8.x"}, top: "top",
			resources: []string{"fpga HDL_Virtex4 ", "proc[1] C_Pentium4 3400", "proc[2] C_Pentium4 3400",
				"proc[3] C_Pentium4 2800"},
			maps: []string{"gen1 proc[1]", "gen2 proc[1]", "sum fpga", "half proc[2]", "store proc[2]"}},
		{files: []string{"gayen-2.4.x", "gayen-2.6.x", "../../../../configs/lib/fileio.x", "gayen-3.10.x",
			"gayen-3.8.x"},
			top: "top",
			resources: []string{"fpga VHDLSim ", "proc[1] C_Pentium4 3400", "proc[2] C_Pentium4 3400",
				"proc[3] C_Pentium4 2800"},
			links: []string{"LAN FileIO proc[1] proc[2] proc[3]", "PCI FileIO fpga proc[1] proc[2]"}},
		{files: []string{"lancaster-2.3.x"}, top: "Stream",
			kernels: []string{"Stream.acquire Sensor", "Stream.filter LPF", "Stream.total Accumulate",
				"Stream.report WriteFile"},
			edges: []string{"Stream.a acquire.y filter.x 2", "Stream.b filter.y total.x 2",
				"Stream.c total.y report.x 4"}},
		{files: []string{"lancaster-6.17.x"}, top: "BLAST",
			edges: []string{"BLAST.queryq prepquery.out readdb.in 1", "BLAST.vqA readdb.out FPGA1.BLASTstage1a.in 1",
				"BLAST.vqB readdb.out FPGA2.BLASTstage1a.in 1",
				"BLAST.hw1q1b FPGA1.BLASTstage1a.out FPGA1.BLASTstage1b.in 8",
				"BLAST.hw2q1b FPGA2.BLASTstage1a.out FPGA2.BLASTstage1b.in 8",
				"BLAST.resultsq enqueue.out BLASTstage3.in 8"}},
	} {
		t.Run(strings.Join(c.files, "+"), func(t *testing.T) {
			var files []string
			for _, f := range c.files {
				files = append(files, filepath.Join(papers, f))
			}
			p := load(t, nil, files...)
			if p.Top != c.top {
				t.Errorf("application is %q, want %q", p.Top, c.top)
			}
			compare(t, "kernels", c.kernels, kernels(p))
			compare(t, "edges", c.edges, edges(p))
			compare(t, "resources", c.resources, resources(p))
			compare(t, "links", c.links, links(p))
			compare(t, "maps", c.maps, maps(p))
		})
	}
}

func compare(t *testing.T, what string, want, got []string) {
	t.Helper()
	if want != nil && !slices.Equal(got, want) {
		t.Errorf("%s are\n%q, want\n%q", what, got, want)
	}
}

func kernels(p *xlang.Program) (out []string) {
	for _, k := range p.Kernels {
		out = append(out, k.Name+" "+k.Block)
	}
	return out
}

func edges(p *xlang.Program) (out []string) {
	short := func(k int) string { return strings.TrimPrefix(p.Kernels[k].Name, p.Top+".") }
	for _, e := range p.Edges {
		from, to := p.Kernels[e.From].Outputs[e.FromPort], p.Kernels[e.To].Inputs[e.ToPort]
		out = append(out, fmt.Sprintf("%s %s.%s %s.%s %g", e.Name, short(e.From), from.Name, short(e.To), to.Name,
			to.ElementBytes))
	}
	return out
}

func resources(p *xlang.Program) (out []string) {
	for _, r := range p.Resources {
		out = append(out, r.Name+" "+r.Platform+" "+r.Config["freq"].Text)
	}
	return out
}

func links(p *xlang.Program) (out []string) {
	for _, l := range p.Links {
		s := l.Name + " " + l.Linktype
		for _, e := range l.Endpoints {
			s += " " + p.Resources[e].Name
		}
		out = append(out, s)
	}
	return out
}

func maps(p *xlang.Program) (out []string) {
	for _, m := range p.Maps {
		out = append(out, strings.TrimPrefix(p.Kernels[m.Kernel].Name, p.Top+".")+" "+p.Resources[m.Resource].Name)
	}
	return out
}

// TestPaperConfigs checks inherited and given configs of Figs. 2.6 to 2.8.
func TestPaperConfigs(t *testing.T) {
	p := load(t, nil, papers+"gayen-2.12.x")
	if v := p.Resources[0].Config["part"]; v.Text != "XC4V8000" {
		t.Errorf("part is %q", v.Text)
	}
	if v := p.Resources[1].Config["hasMMX"]; v.Text != "yes" {
		t.Errorf("hasMMX is %q", v.Text)
	}
	if v := p.Links[0].Config["bandwidth"]; v.Number != 1000 {
		t.Errorf("bandwidth is %v", v)
	}
	if f, w := p.Links[1].Config["freq"], p.Links[1].Config["width"]; f.Number != 66 || w.Number != 32 {
		t.Errorf("freq and width are %v, %v", f, w)
	}
	if v := load(t, nil, papers+"lancaster-2.3.x").Kernels[3].Config["filename"]; v.Text != "out.txt" {
		t.Errorf("filename is %q", v.Text)
	}
}

// TestFragments: listings of single blocks have no application, and nothing else
// is wrong with them.
func TestFragments(t *testing.T) {
	for _, f := range []string{"gayen-2.2.x", "gayen-2.3.x", "gayen-3.12.x", "gayen-3.15.x"} {
		_, src, err := xlang.Load([]string{papers + f}, xlang.Options{Library: os.DirFS(library)})
		d, ok := err.(xlang.Diagnostics)
		if !ok || len(d) != 1 || !strings.Contains(d[0].Message, "no top-level block") {
			t.Errorf("%s: %s", f, render(err, src))
		}
	}
	for _, f := range []string{"gayen-2.6.x", "gayen-2.7.x"} {
		load(t, nil, papers+f)
	}
}

// TestMisc reads the testpoints of Figs. 3.12 and 3.15 into a program.
func TestMisc(t *testing.T) {
	text, err := os.ReadFile(papers + "gayen-3.12.x")
	if err != nil {
		t.Fatal(err)
	}
	more, err := os.ReadFile(papers + "gayen-3.15.x")
	if err != nil {
		t.Fatal(err)
	}
	p, src, err := loadText(string(text) + string(more) + "block top { GENERATE g; STORE s; g -> s; };")
	if err != nil {
		t.Fatal(render(err, src))
	}
	store := &p.Kernels[1]
	if got := store.Testpoints; len(got) != 2 || got[0].Name != "src" || got[1].Name != "sink" ||
		store.TraceFolder != "temp/Xfileio" {
		t.Errorf("testpoints are %v in %q, want src and sink in temp/Xfileio", got, store.TraceFolder)
	}
}

// TestMiscMistakes: a misc statement that no code can use, or without effect, is a mistake with its place.
func TestMiscMistakes(t *testing.T) {
	for _, c := range []struct{ misc, want string }{
		{`testpiont "a";`, "unknown statement of misc 'testpiont'"},
		{`colour "red";`, "unknown statement of misc 'colour'"},
		{`testpoint;`, "the name of the testpoint is missing"},
		{`testpoint "a b";`, "is not valid in C"},
		{`testpoint "1st";`, "is not valid in C"},
		{`testpoint "x";`, "has the name of a port"},
		{`testpoint "a"; testpoint "A";`, "testpoint 'A' is declared twice"},
		{`filepath "../up";`, "filepath has 1 name"},
		{`filepath "/tmp";`, "filepath has 1 name"},
		{`filepath "a"; filepath "b";`, "more than one filepath"},
	} {
		_, src, err := loadText("block S { output UNSIGNED8 y; };\nblock K { input UNSIGNED8 x;\n  misc { " + c.misc +
			" };\n};\nblock top { S s; K k; s -> k; };")
		if text := render(err, src); !strings.Contains(text, c.want) || !strings.Contains(text, ":3:") {
			t.Errorf("misc { %s }: %s, want %q in line 3", c.misc, text, c.want)
		}
	}
	_, src, err := loadText("block S { output UNSIGNED8 y; };\nblock K { input UNSIGNED8 x; };\n" +
		`block top { misc { testpoint "p"; }; S s; K k; s -> k; };`)
	if text := render(err, src); !strings.Contains(text, "contains instances") {
		t.Errorf("a testpoint of a composite block: %s", text)
	}
}

// TestFig211 reads Fig. 2.11 as printed, whose fourth processor lacks a frequency,
// and with the three processors that the other figures have.
func TestFig211(t *testing.T) {
	text, err := os.ReadFile(papers + "gayen-2.11.x")
	if err != nil {
		t.Fatal(err)
	}
	_, src, err := loadText(string(text))
	d, ok := err.(xlang.Diagnostics)
	if !ok || len(d) != 1 || !strings.Contains(d[0].Message, "resource 'proc' has 4 elements but 3 lists of configs") {
		t.Errorf("as printed: %s", render(err, src))
	}
	p, src, err := loadText(strings.Replace(string(text), "resource proc[4]", "resource proc[3]", 1))
	if err != nil {
		t.Fatal(render(err, src))
	}
	if v := p.Links[0].Config["bandwidth"]; v.Number != 1000 {
		t.Errorf("bandwidth without an equals sign is %v", v)
	}
}
