package report

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"xopt/configs"
	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/testkit"
)

// load reads a bundled example for one mapping.
func load(t *testing.T, files []string, overrides ...string) *design.Design {
	t.Helper()
	opt := design.Options{Purpose: design.ForMapping}
	for _, o := range overrides {
		x, err := design.ParseOverride(o)
		if err != nil {
			t.Fatal(err)
		}
		opt.Overrides = append(opt.Overrides, x)
	}
	return testkit.X{Files: files, From: configs.ExampleFiles()}.Design(t, opt)
}

func predict(t *testing.T, d *design.Design) *Candidate {
	t.Helper()
	c, err := Predict(context.Background(), d, d.Mapping, flow.Fast{}, "map")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTextFromFileAlone: what is printed from a result file is what is printed in
// the run that wrote it.
func TestTextFromFileAlone(t *testing.T) {
	for _, e := range configs.Examples() {
		if e.Eval == nil {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			d := load(t, e.Eval)
			r := Describe(d)
			r.Candidates = []Candidate{*predict(t, d)}
			var file, direct, read bytes.Buffer
			if err := r.Encode(&file); err != nil {
				t.Fatal(err)
			}
			back, err := Decode("x", &file)
			if err != nil {
				t.Fatal(err)
			}
			for _, style := range []Style{{}, {Width: 72, Color: true}, {Width: 1}, {Full: true}} {
				direct.Reset()
				read.Reset()
				if err := r.Write(&direct, style); err != nil {
					t.Fatal(err)
				}
				if err := back.Write(&read, style); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(direct.String(), read.String()); diff != "" {
					t.Errorf("%+v: %s", style, diff)
				}
			}
		})
	}
}

// TestTenPercent compares what ten percent are said to bring with the throughput
// of a problem whose figures say so from the start.
func TestTenPercent(t *testing.T) {
	for name, c := range map[string]struct {
		files   []string
		kernels int // that bring something
	}{
		"one limit":       {[]string{"beard-fig7/app.x", "beard-fig7/arch.x", "beard-fig7/map.x"}, 1},
		"shared core":     {[]string{"gayen-veritas/arch.x", "gayen-veritas/mapA2.x"}, 4},
		"several at once": {[]string{"gayen-veritas/arch.x", "gayen-veritas/mapB2.x"}, 0},
		"a link":          {[]string{"gayen-veritas/arch_slow.x", "gayen-veritas/mapB2.x"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := predict(t, load(t, c.files))
			next := float64(before.Bottlenecks[1].Throughput / before.Bottlenecks[0].Throughput)
			kernels := 0
			for _, s := range before.Stations {
				if s.IsLink {
					continue
				}
				after := predict(t, load(t, c.files, fmt.Sprintf("%s@%s:mu=%gB/s", s.Name, s.On,
					1.1*float64(s.ServiceRate))))
				got, want := float64(s.TenPercent), float64(after.Throughput/before.Throughput)-1
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %g, want %g", s.Name, got, want)
				}
				if got > min(0.1, next-1)+1e-9 {
					t.Errorf("%s: %g is more than the next bottleneck lets through", s.Name, got)
				}
				if got > 1e-9 {
					kernels++
				}
			}
			if kernels != c.kernels {
				t.Errorf("%d kernels bring something, want %d", kernels, c.kernels)
			}
		})
	}
}

// TestHostileNames prints a result whose names and notes hold escape sequences
// and line breaks: none reaches the terminal.
func TestHostileNames(t *testing.T) {
	const evil = "\x1b[2J\x07a\nb\u202e\x9b"
	r := sample()
	c := &r.Candidates[0]
	c.Name, c.File = evil, evil
	c.Place[0] = Placement{evil, evil}
	c.Stations[0].Name, c.Stations[0].On, c.Stations[0].Origin = evil, evil, evil
	c.Bottlenecks[0].Limits[0].Name = evil
	c.Citations = []Citation{{evil, evil, 1, evil}}
	c.Queues = []Queue{{Edge: evil, From: evil, To: evil, Before: evil, Estimates: []Estimate{{evil, 1, 1}}}}
	c.Resources = []Share{{Name: evil, Sharing: evil, SharingOrigin: evil, Members: 2, Area: []Area{{evil, 1, 2}}}}
	c.Otherwise = []Alternative{{evil, 1, evil}}
	c.Blocks = []Block{{evil, evil, 2, 0.1}}
	c.Warnings, r.Warnings, r.Notes = []string{evil}, []string{evil}, []string{evil}
	r.Search = &Search{Method: evil, Status: evil, Placements: evil}
	var out bytes.Buffer
	if err := r.Write(&out, Style{Full: true}); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(out.String(), "\n") {
		if strings.ContainsAny(line, "\x1b\x07\u202e") || !utf8.ValidString(line) {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
}

// TestTable lays out figures of every kind.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	w := &textWriter{w: &out}
	w.grid(grid{
		title:    "Figures (" + legend + ")",
		headings: []string{"name", "rate (MB/s)", "part", "mixed", "text"},
		rows: [][]string{
			{"a", "400 a", "100 %", "8 B", "x 1"},
			{"long.name", "2.495 m", "0.3568 %", "1.2 kB", "y"},
			{"c", "-", "-", "-", ""},
			{"d", "unlimited p", "", "", "-"},
		},
	})
	const want = `
Figures (m measured, p published, a assumed)
name              rate        part   mixed  text
                  MB/s
────────────────────────────────────────────────
a            400     a  100      %     8 B  x 1
long.name      2.495 m    0.3568 %  1.2 kB  y
c                  -           -         -
d          unlimited p                      -
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Error(diff)
	}
}
