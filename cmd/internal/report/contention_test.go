package report

import (
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/mapper/result"
)

// TestContentionTable checks that every measured kernel has a row and every level a column, and that missing
// measurements are stated.
func TestContentionTable(t *testing.T) {
	if x := contentionTable(&profile.Profile{Kernels: []profile.Kernel{{Block: "A", Platform: "C"}}}); x != nil {
		t.Errorf("a table of nothing: %+v", x)
	}
	slow := func(level, times float64) profile.Slowdown {
		return profile.Slowdown{Level: level, Times: profile.Figure{Value: times, N: 9, CI95: [2]float64{times - 0.01,
			times + 0.01}}}
	}
	p := &profile.Profile{Memory: &profile.Memory{Shared: "memory", Assumed: true}, Kernels: []profile.Kernel{
		{Instance: "top.a", Platform: "C", Contention: &profile.Contention{Pressure: &profile.Figure{Value: 4.5},
			Slowdown: []profile.Slowdown{slow(3, 1.1), slow(10, 1.25)}}},
		{Instance: "top.b", Platform: "C", Contention: &profile.Contention{Unmeasured: "its firings are too long"}},
		{Instance: "top.c", Platform: "C"}}}
	table := contentionTable(p)
	if !strings.Contains(table.Title, "(memory, assumed)") {
		t.Errorf("the title is %q", table.Title)
	}
	var csv strings.Builder
	if err := table.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	want := "kernel,platform,pressure,level 3,level 10,not measured\n" +
		"top.a,C,4.5,1.1,1.25,-\ntop.b,C,-,-,-,its firings are too long\n"
	if csv.String() != want {
		t.Errorf("the table is\n%s, want\n%s", csv.String(), want)
	}
}

// TestContentionFound checks that the kernel of the bottleneck with the most contention is reported, unless it is
// slight.
func TestContentionFound(t *testing.T) {
	reported := func(part float64) string {
		r := &result.Result{Candidates: []result.Candidate{{Name: "1",
			Bottlenecks: []result.Step{{Limits: []result.Limit{{Name: "proc[1]", Members: []string{"top.a",
				"top.b"}}}}},
			Stations: []result.Station{
				{Name: "top.a", On: "proc[1]", Parts: []result.LoadPart{{Part: "compute", Value: 0.4},
					{Part: "memory contention", Value: result.Number(part)}}},
				{Name: "top.b", On: "proc[1]", Parts: []result.LoadPart{{Part: "compute", Value: 0.4}}},
				{Name: "top.c", On: "proc[2]", Parts: []result.LoadPart{{Part: "compute", Value: 0.1},
					{Part: "memory contention", Value: 0.1}}}}}}}
		f := &findings{}
		f.contention(&r.Candidates[0])
		if len(f.list) == 0 {
			return ""
		}
		return f.list[0].seen
	}
	if got := reported(0.1); got != "memory contention with other cores slows top.a by a factor of 1.25 "+
		"(measured) and uses 10 % of proc[1]" {
		t.Errorf("told is %q", got)
	}
	if got := reported(0.001); got != "" {
		t.Errorf("told is %q", got)
	}
}
