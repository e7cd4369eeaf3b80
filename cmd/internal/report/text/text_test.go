package text_test

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestTextFromFileAlone checks that a result file prints the same text as the run that wrote it.
func TestTextFromFileAlone(t *testing.T) {
	for _, e := range configs.Examples() {
		if e.Eval == nil {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			d := flowtest.X{Files: e.Eval, From: configs.ExampleFiles()}.Design(t,
				design.Options{Purpose: design.ForMapping})
			c, err := predict.Mapping(context.Background(), d, d.Mapping, flow.Fast{}, "map")
			if err != nil {
				t.Fatal(err)
			}
			r := predict.Describe(d)
			r.Candidates = []result.Candidate{*c}
			var file, direct, read bytes.Buffer
			if err := r.Encode(&file); err != nil {
				t.Fatal(err)
			}
			back, err := result.Decode("x", &file)
			if err != nil {
				t.Fatal(err)
			}
			for _, style := range []text.Style{{}, {Width: 72, Color: true}, {Width: 1}, {Full: true}} {
				direct.Reset()
				read.Reset()
				if err := text.Write(&direct, report.Terminal(r), style); err != nil {
					t.Fatal(err)
				}
				if err := text.Write(&read, report.Terminal(back), style); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(direct.String(), read.String()); diff != "" {
					t.Errorf("%+v: %s", style, diff)
				}
			}
		})
	}
}

// TestHostileNames prints a result whose names and notes contain escape sequences and line breaks. None may reach the
// terminal.
func TestHostileNames(t *testing.T) {
	const evil = "\x1b[2J\x07a\nb\u202e\x9b"
	r := small()
	c := &r.Candidates[0]
	c.Name, c.File = evil, evil
	c.Place[0] = result.Placement{Kernel: evil, Resource: evil}
	c.Stations[0].Name, c.Stations[0].On, c.Stations[0].Origin = evil, evil, evil
	c.Bottlenecks[0].Limits[0].Name = evil
	c.Citations = []result.Citation{{Origin: evil, Note: evil, Figures: 1, Stale: evil}}
	c.Queues = []result.Queue{{Edge: evil, From: evil, To: evil, Before: evil,
		Estimates: []result.Estimate{{Estimator: evil, Elements: 1, Bytes: 1}}}}
	c.Resources = []result.Share{{Name: evil, Sharing: evil, SharingOrigin: evil, Members: 2,
		Area: []result.Area{{Kind: evil, Used: 1, Usable: 2}}}}
	c.Alternatives = []result.Alternative{{Sharing: evil, Throughput: 1, Why: evil}}
	c.Blocks = []result.Block{{Name: evil, Platform: evil, Instances: 2, TenPercent: 0.1}}
	note := []fault.Note{{Text: evil}}
	c.Warnings, r.Warnings, r.Notes = note, note, note
	r.Search = &result.Search{Method: evil, Status: evil, Placements: evil}
	var out bytes.Buffer
	if err := text.Write(&out, report.Terminal(r), text.Style{Full: true}); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(out.String(), "\n") {
		if strings.ContainsAny(line, "\x1b\x07\u202e") || !utf8.ValidString(line) {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
}

func small() *result.Result {
	return &result.Result{Schema: result.Schema, Tool: "xopt", Version: "test", Application: "top",
		Candidates: []result.Candidate{{Name: "map", Throughput: 26.76e6, Place: []result.Placement{{}},
			Bottlenecks: []result.Step{{Throughput: 26.76e6, Limits: []result.Limit{{Members: []string{"top.a"},
				Parts: []result.Number{0.5}}}}}, Stations: []result.Station{{Utilization: 0.5}}}}}
}

// TestTable renders figures of every kind.
func TestTable(t *testing.T) {
	number := func(text, unit, origin string, v float64) report.Cell {
		return report.Cell{Text: text, Unit: unit, Origin: origin, Value: v, Valued: true}
	}
	text1 := func(s string) report.Cell { return report.Cell{Text: s} }
	table := &report.Table{
		Title: "Figures",
		Columns: []report.Column{{Name: "name"}, {Name: "rate", Shown: "MB/s", Number: true},
			{Name: "part", Number: true},
			{Name: "mixed", Number: true}, {Name: "text"}},
		Rows: []report.Row{
			{Cells: []report.Cell{text1("a"), number("400", "", "assumed", 400), number("100", "%", "", 1),
				number("8", "B", "", 8), text1("x 1")}},
			{Cells: []report.Cell{text1("long.name"), number("2.495", "", "measured", 2.495), number("0.3568", "%", "",
				0.003),
				number("1.2", "kB", "", 1200), text1("y")}},
			{Cells: []report.Cell{text1("c"), text1("-"), text1("-"), text1("-"), text1("")}},
			{Cells: []report.Cell{text1("d"), number("unlimited", "", "published", math.Inf(1)), text1(""), text1(""),
				text1("-")}},
		},
	}
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
	var out bytes.Buffer
	if err := text.Write(&out, []report.Part{{Table: table}}, text.Style{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestNarrow checks that a narrow terminal drops columns in their order and names them, then wraps text, and shows
// the busiest rows of a long table.
func TestNarrow(t *testing.T) {
	table := &report.Table{Title: "T", Columns: []report.Column{{Name: "a"}, {Name: "spared late", Spare: 2},
		{Name: "spared first", Spare: 1}, {Name: "words", Fold: 100}, {Name: "page only", Detail: true}}}
	for i := range 70 {
		table.Rows = append(table.Rows, report.Row{Load: float64(i % 2), Cells: []report.Cell{{Text: "k"},
			{Text: strings.Repeat("x", 10)}, {Text: strings.Repeat("y", 12)}, {Text: strings.Repeat("word ", 8)},
			{Text: "z"}}})
	}
	var out bytes.Buffer
	if err := text.Write(&out, []report.Part{{Table: table}}, text.Style{Width: 40}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 40 {
			t.Errorf("%q is too long", line)
		}
	}
	for _, want := range []string{
		"Columns hidden at this width: spared\nfirst, spared late. Widen the terminal\nor pipe the output.\n",
		"(the 40 busiest of 70 rows; --full shows\nall rows)\n", "k  word word word word word word word\n   word\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "page only") {
		t.Error("a column for pages is shown")
	}
}

// TestShortFits checks that the tables of short answers fit 80 columns, whatever their figures and names.
func TestShortFits(t *testing.T) {
	figure := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 12, CI95: [2]float64{0.5 * v, 2 * v}}
	}
	p := &profile.Profile{}
	for i, name := range []string{"top.a", "top.encoder.left.transform", "top.b"} {
		v := math.Pow(10, float64(3*i))
		p.Kernels = append(p.Kernels, profile.Kernel{Instance: name, Block: "A", Platform: "Platform",
			Gain: figure(0.0009956), ServiceRate: figure(2191734 * v), FiringBytes: figure(1024 * v),
			ServiceSCV:     figure(0.02001),
			CoLocationCost: figure(1e-9 / v), Undisturbed: &profile.Undisturbed{Windows: 12, Good: 6}})
	}
	v := &result.Validation{}
	for i, name := range []string{"best 1", "a long name of a mapping.map.x", "random 1"} {
		x, repeats := 123456789*math.Pow(10, float64(i)), 0.1234
		v.Cases = append(v.Cases, result.ValidatedCase{Name: name, Candidate: -1, Predicted: result.Number(1.5 * x),
			Measured: x, Undisturbed: 1.1 * x, Slowed: 0.9, Runs: []float64{x, x, x},
			Interval: &[2]float64{x / 2, 2 * x},
			Repeats:  &repeats, Slow: "top.encoder.left.transform", SlowRatio: 1.2345, Disturbed: 2,
			Bottleneck: []string{"core[1]", "core[2]"}, Possible: []string{"core[3]"}})
	}
	v.Summary.Cases = len(v.Cases)
	changes := report.Narrow([]report.Part{{Table: report.Changes("measured", "Measured", []report.Change{
		{What: "service rate μ of top.encoder.left.transform on core[1]", Before: 123456789, After: 987654321,
			Spread: [2]string{"± 12.34 %", "± 123.45 %"}, Change: "+700.1 %", Confidence: "p=0.001 n=12"},
		{What: "throughput", Before: 1, After: 2, Confidence: "predicted from 12 measured figures, then " +
			"predicted from 3 measured and 4 assumed figures; their 95 % confidence intervals do not overlap"}})}})
	for name, parts := range map[string][]report.Part{"calibrate": report.ShortCalibration(p), "diff": changes,
		"validate": report.ShortValidation(&result.Result{Validation: v})} {
		var b strings.Builder
		if err := text.Write(&b, parts, text.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
		if strings.Count(b.String(), "\n") < 5 {
			t.Errorf("%s: %s", name, b.String())
		}
	}
}

// TestLongLead checks that a lead word as wide as its column is separated from its text.
func TestLongLead(t *testing.T) {
	var out bytes.Buffer
	parts := []report.Part{{Lead: &report.Lead{Word: "Undetermined", Text: "1 of 5"}}}
	err := text.Write(&out, parts, text.Style{})
	if err != nil || !strings.Contains(out.String(), "Undetermined 1 of 5") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestCommandUnwrapped checks that a command at the end of a line or an item has its own line, however long.
func TestCommandUnwrapped(t *testing.T) {
	line := "xopt calibrate app.x arch.x --set top.half.n=4 " + strings.Repeat("more/", 20) + " -o app.profile.json"
	advice := "figures of top.half on proc[1] are stale: half.c changed; measure them again with: " + line
	var out bytes.Buffer
	err := text.Write(&out, []report.Part{{Lead: &report.Lead{Word: "To do", Text: advice}},
		{List: &report.List{Title: "Missing", Items: []string{advice}}}}, text.Style{Width: 80})
	if err != nil {
		t.Fatal(err)
	}
	alone := 0
	for l := range strings.SplitSeq(out.String(), "\n") {
		if strings.TrimSpace(l) == line && l != line {
			alone++
		}
	}
	if alone != 2 {
		t.Errorf("%d commands stand on an indented line of their own, want 2:\n%s", alone, out.String())
	}
}

// TestFitHeight checks that an answer with remarks keeps its lines and rows on a high terminal, and loses some on a
// terminal of unknown height.
func TestFitHeight(t *testing.T) {
	table := &report.Table{Title: "T", Columns: []report.Column{{Name: "a"}}}
	var parts []report.Part
	for range 12 {
		table.Rows = append(table.Rows, report.Row{Cells: []report.Cell{{Text: "k"}}})
		parts = append(parts, report.Part{Lead: &report.Lead{Word: "Lead", Text: "text"}})
	}
	parts = append(parts, report.Part{Table: table})
	var b text.Brief
	b.Shows("warning: doubt\nof\nthe\nfigures")
	for height, want := range map[int]bool{0: false, 24: false, 50: true} {
		style := text.Style{Width: 80, Height: height}
		if got := len(b.Fit(parts, style)) == len(parts); got != want {
			t.Errorf("%d lines: everything is shown: %t", height, got)
		}
	}
}

// TestFitHidden checks that an answer whose table does not fit names it, and keeps the lines that fit without it.
func TestFitHidden(t *testing.T) {
	var parts []report.Part
	for _, word := range []string{"Best", report.ToDo, "How sure", "Bottleneck", "Mapping", "Buffers"} {
		parts = append(parts, report.Part{Lead: &report.Lead{Word: word, Text: strings.Repeat("words ", 18)}})
	}
	table := &report.Table{ID: "candidates", Title: "T", Columns: []report.Column{{Name: "#"}}, Note: "(more)"}
	for range 5 {
		table.Rows = append(table.Rows, report.Row{Cells: []report.Cell{{Text: "1"}}})
	}
	parts = append(parts, report.Part{Table: table})
	var b text.Brief
	b.Closing = 4
	b.Shows("note: 4 of 5 candidates omitted:\ntime limit reached")
	b.Shows("warning: one\nmore\nand\nmore")
	var out strings.Builder
	style := text.Style{Width: 80}
	if err := text.Write(&out, b.Fit(parts, style), style); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "Buffers") || !strings.Contains(got, "(hidden table: --full)") {
		t.Errorf("the answer is\n%s", got)
	}
}
