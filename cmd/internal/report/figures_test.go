package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/flow/profile"
	"xopt/internal/files/output"
	"xopt/mapper/result"
)

// TestFigures checks a page of figures: command, time, machine and disturbance, then the command's words and its
// tables with the meaning of their columns.
func TestFigures(t *testing.T) {
	began := time.Date(2026, 11, 22, 23, 58, 0, 0, time.UTC)
	f := report.Figures{Title: "Rings", Shows: "This page shows rings.",
		Maker: "xbench ring", Command: "xbench ring --md my_page.md",
		Version: "0.1.0", About: "One\nparagraph.\n\nAnother.", Notes: []string{"one run failed"},
		Machine: profile.Machine{CPU: "a processor", Cores: 2, Kernel: "Linux 6"},
		Surroundings: profile.Surroundings{Began: began, Ended: began.Add(time.Minute), Cores: 2,
			Spins: [2]profile.Median{{Value: 1e-3, N: 9}, {Value: 1.01e-3, N: 9}}},
		Parts: []report.Part{
			{Lead: &report.Lead{Word: "Error", Text: "in the median 1 %"}},
			{List: &report.List{Title: "Failed", Items: []string{"a|b"}}},
			{Table: &report.Table{Title: "Messages", Columns: []report.Column{{Name: "way"},
				{Name: "rate", Shown: "MB/s", Number: true, Meaning: "what arrives"}},
				Rows: []report.Row{{Cells: []report.Cell{{Text: "ring"}, {Text: "24.7"}}}}}}}}
	var got strings.Builder
	if err := markdown.Write(&got, f.Page()); err != nil {
		t.Fatal(err)
	}
	const want = `<!-- Written by xbench ring; run it again to replace this page -->

# Rings

This page shows rings.

    xbench ring --md my_page.md

- **Date:** 2026-11-22 23:58 to 23:59 UTC
- **Version:** xopt 0.1.0
- **Machine:** a processor, 2 cores, Linux 6
- **Load:** other programs used 0.00 of the 2 processors; the host of a virtual machine and interrupts used 0.00 ` +
		`processors on average
- **Reference:** a fixed workload took 1 ms before and 1.01 ms after the runs (medians of 9 tries); ` +
		`the machine was quiet
- note: one run failed

Error in the median 1 %

Failed

- a\|b

### Messages

| way | rate (MB/s) |
|---|---:|
| ring | 24.7 |

- rate: what arrives

## Method

One paragraph.

Another.
`
	if got.String() != want {
		t.Errorf("the page is\n%s\nwant\n%s", got.String(), want)
	}
}

// TestDisturbed checks that disturbances are described with their size.
func TestDisturbed(t *testing.T) {
	began := time.Date(2026, 11, 22, 23, 58, 0, 0, time.UTC)
	quiet := profile.Surroundings{Began: began, Ended: began, Cores: 2,
		Spins: [2]profile.Median{{Value: 1e-3}, {Value: 1e-3}}}
	for _, c := range []struct {
		change func(*profile.Surroundings)
		want   []string
	}{
		{func(*profile.Surroundings) {}, []string{"23:58 UTC", "was quiet"}},
		{func(s *profile.Surroundings) { s.Others = 1.5 }, []string{"used 1.50 of the 2", "was disturbed"}},
		{func(s *profile.Surroundings) { s.Taken = 0.1 }, []string{"interrupts used 0.10"}},
		{func(s *profile.Surroundings) { s.Spins[1].Value = 2e-3 }, []string{"and 2 ms after", "was disturbed"}},
		{func(s *profile.Surroundings) { s.Load[0] = 30 }, []string{"30.0 processes were running or ready"}},
		{func(s *profile.Surroundings) { s.Nice = -20 }, []string{"ran with nice -20"}},
		{func(s *profile.Surroundings) { s.Ended = began.Add(3 * time.Minute) }, []string{"to 2026-11-23 00:01 UTC"}},
	} {
		f := report.Figures{Surroundings: quiet}
		c.change(&f.Surroundings)
		var text strings.Builder
		if err := markdown.Write(&text, f.Page()); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("the page does not say %q:\n%s", want, text.String())
			}
		}
	}
}

// TestSlowRuns checks that a page says of the machine what its runs show, even if it was as fast before as after.
func TestSlowRuns(t *testing.T) {
	v := &result.Validation{Cases: []result.ValidatedCase{{Name: "best 1", Measured: 8, Slowed: 0.8, Undisturbed: 10}}}
	slow := report.SlowRuns(v, 2)
	f := report.Figures{Slow: slow,
		Surroundings: profile.Surroundings{Spins: [2]profile.Median{{Value: 1}, {Value: 1}}}}
	var text strings.Builder
	if err := markdown.Write(&text, f.Page()); err != nil {
		t.Fatal(err)
	}
	if s := text.String(); !strings.Contains(s, "20 % slower than undisturbed in the runs (largest slowdown: best "+
		"1); 2 further runs were discarded") ||
		strings.Contains(s, "was quiet") {
		t.Error(s)
	}
	v.Cases[0].Slowed = 0.98
	if s := report.SlowRuns(v, 0); s != "" {
		t.Error(s)
	}
}

// TestTablesBeside checks that a saved page contains small tables, and links files with every row of large ones.
func TestTablesBeside(t *testing.T) {
	table := func(id string, rows int, cell string) report.Part {
		x := &report.Table{ID: id, Title: "Of " + id, Columns: []report.Column{{Name: "n"}}}
		for i := range rows {
			x.Rows = append(x.Rows, report.Row{Cells: []report.Cell{{Text: fmt.Sprint(cell, i)}}})
		}
		return report.Part{Table: x}
	}
	f := report.Figures{Title: "Tables", Maker: "xbench tables", Parts: []report.Part{table("small", 20, "few"),
		table("long", 1001, "row"), table("wide", 2, strings.Repeat("w", 2000))}}
	path := filepath.Join(t.TempDir(), "a.md")
	for range 2 { // it replaces its own files
		var plan output.Plan
		markdown.Plan(&plan, "--md", path)
		if err := plan.Err(); err != nil {
			t.Fatal(err)
		}
		if err := markdown.Save(path, f.Page()); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"few19", "[a.long.csv](a.long.csv), 1001 rows", "[a.wide.csv](a.wide.csv), 2 rows"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(page), "row1") || strings.Contains(string(page), "www") {
		t.Errorf("the page contains a large table:\n%s", page)
	}
	for name, rows := range map[string]int{"a.long.csv": 1001, "a.wide.csv": 2} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if n := strings.Count(string(text), "\n") - 1; err != nil || n != rows {
			t.Errorf("%s has %d rows, want %d; error %v", name, n, rows, err)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "a.small.csv")); err == nil {
		t.Error("a small table has a file")
	}
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	var plan output.Plan
	if markdown.Plan(&plan, "--md", path); plan.Err() == nil {
		t.Error("the tables of a foreign page are replaced")
	}
}
