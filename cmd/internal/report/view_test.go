package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/cmd/internal/report/page"
	"xopt/cmd/internal/report/timeline"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// evil is a name that would be executed if it were not escaped.
const evil = `</script><script>alert(1)</script>|"'` + "`" + `\n<b>`

func number(v float64) *float64 { return &v }

// full returns a result with all fields set, and hostile names.
func full() *result.Result {
	d := &result.Distribution{Samples: 3, Elements: 3, Mean: 2, SCV: number(0.1), Min: 1, Max: 3,
		Bins: []result.Bin{{From: 1, To: 2, Elements: 1}, {From: 2, To: 3.5, Elements: 2}}}
	frame := func(at float64) result.MeasuredFrame {
		return result.MeasuredFrame{Frame: uint64(at), Start: at, End: at + 1,
			Edges:   []result.FrameEdge{{Sent: 3, Consumed: 3, Rate: 1e6 + at, Occupancy: number(2)}},
			Kernels: []result.FrameKernel{{Utilization: 0.5}, {Utilization: 0.25}}}
	}
	candidate := func(name string, throughput float64) result.Candidate {
		return result.Candidate{Name: name, Throughput: result.Number(throughput), Code: "map { " + evil +
			" } to proc[1];\n", Figures: []result.OriginCount{{Origin: "measured", Count: 3}},
			Citations: []result.Citation{{Origin: "measured", Note: evil, Figures: 3}},
			Latency:   &result.Latency{Load: 0.9, Seconds: result.Number(1e-3 * throughput), Kernels: []string{evil}},
			Place:     []result.Placement{{Kernel: evil, Resource: "proc[1]"}, {Kernel: "top.b", Resource: "fpga"}},
			Routes:    []result.Route{{Edge: "top.e", Links: []string{evil}}},
			Bottlenecks: []result.Step{{Throughput: result.Number(throughput),
				Limits: []result.Limit{{Name: evil, Members: []string{evil, "x"}, Parts: []result.Number{0.7, 0.3}}}},
				{Throughput: result.Number(2 * throughput), Limits: []result.Limit{{Name: "fpga"}}}},
			Stations: []result.Station{{Name: evil, On: "proc[1]", ServiceRate: 2e6, SharedRate: 2e6,
				ArrivalRate: 1e6, Utilization: 0.5, Origin: "measured", Note: evil}, {Name: "top.b", On: "fpga",
				ServiceRate: result.Number(math.Inf(1)), SharedRate: result.Number(math.Inf(1)), ArrivalRate: 1e6}},
			Queues: []result.Queue{{Edge: "top.e", From: evil, To: "top.b", Before: "top.b", Flow: 1e6,
				ElementBytes: 8, Utilization: 0.5, Estimates: []result.Estimate{{Estimator: "M/M/1 Eq. 8", Elements: 20,
					Bytes: 160}}, Given: &result.Estimate{Elements: 3}}},
			Resources: []result.Share{{Name: "proc[1]", Members: 1, Utilization: 0.5, TenPercent: 0.1},
				{Name: "fpga", Members: 1, Area: []result.Area{{Kind: "lut", Used: 10, Usable: 100}}}},
			Links:        []result.Share{{Name: evil, Members: 1, Utilization: 1, Rate: 1e6, Origin: "published"}},
			Alternatives: []result.Alternative{{Sharing: "equal", Throughput: 5e5, Why: evil}},
			Warnings:     []fault.Note{{Text: evil}}}
	}
	f := &profile.Figure{Value: 2e6, N: 9, CI95: [2]float64{1.9e6, 2.1e6}, Windows: []float64{1.9e6, 2e6, 2.1e6}}
	return &result.Result{Schema: result.Schema, Tool: "xopt", Version: "test", Command: []string{"xopt", evil},
		Inputs: []result.Input{{Path: evil, SHA256: "0"}}, Application: evil,
		Kernels: []result.Kernel{{Name: evil, Block: "A"}, {Name: "top.b", Block: "B"}},
		Edges: []result.Edge{{Name: "top.e", From: evil, FromPort: "y", To: "top.b", ToPort: "x", ElementBytes: 8,
			Routing: 1}},
		Architecture: []result.Resource{{Name: "proc[1]", Platform: "C"}, {Name: "fpga", Platform: "HDL"}},
		Links:        []result.Link{{Name: evil, Linktype: "bus"}}, MaxUtilization: 0.99998, Probability: 1e-7,
		Search: &result.Search{Method: "anneal", Status: evil, Placements: "12345678901", Evals: 100, Seconds: 1,
			History: []result.Rise{{Evals: 1, Seconds: 0.1, Throughput: 1e6}},
			Course: []result.Moment{{Seconds: 0.1, Temperature: 1}, {Seconds: 0.2, Temperature: 0.5,
				Acceptance: 0.3}}},
		Candidates: []result.Candidate{candidate("1", 1e6), candidate("2", 9e5)},
		WhatIf: []result.WhatIf{{Name: "bandwidth of " + evil, Unit: "B/s", Now: 1e6, Values: []result.Number{5e5,
			1e6, 2e6}, Throughput: [][]result.Number{{5e5, 1e6, 1e6}, {4e5, 9e5, 9e5}}}},
		Measured: &result.Measured{Seconds: 2, Throughput: 1e6,
			Buffers: &result.MeasuredBuffers{Sizes: "tuned", Start: 8192, Max: 20480, Touched: 12288, Limit: 1 << 30,
				Grown: []result.GrownBuffer{{Edge: "top.e", Time: 0.0123, From: 23, To: 46, All: 8192, Why: "had to"},
					{Edge: "top.e", Time: 0.0234, From: 46, To: 92, All: 20480, Why: "it had to"}}},
			Paths: []result.PathLatency{{From: "top.a", To: "top.b", Edges: []string{"top.e"},
				Latency: &result.Distribution{Samples: 999, Elements: 1e5, Mean: 1.5e-6, Max: 4e-5}},
				{From: "top.a", To: "top.c", Edges: []string{"top.e", "top.f"}}},
			Place: []result.Placement{{Kernel: evil, Resource: "proc[1]"}, {Kernel: "top.b", Resource: "fpga"}},
			Kernels: []result.MeasuredKernel{{Kernel: evil, Utilization: 0.5, Service: d,
				Log: []result.Logged{{Index: 1, Time: 0.1, Value: 0.05}, {Index: 2, Time: 0.12, Value: 0.04}}},
				{Kernel: "top.b"}},
			Edges: []result.MeasuredEdge{{Edge: "top.e", Elements: 10, Rate: 1e6, Capacity: 8, Occupancy: d,
				Latency: d, Links: []string{evil}, Log: []result.Logged{{Index: 1, Time: 0.1, Value: 3}}}},
			Hardware: []result.HardwareTap{{FPGA: "fpga", Edge: "top.e", Place: "queue", Cycles: 10, Max: 3},
				{FPGA: "fpga", Edge: "top.e", Place: "into", Cycles: 10, Moved: 5}},
			Frames: []result.MeasuredFrame{frame(0), frame(1)}, Queries: []result.Query{{Name: evil, Text: evil,
				Total: result.QueryValue{Value: number(3)}}}, Assertions: []result.Assertion{{Name: evil, Text: evil}}},
		Validation: &result.Validation{Cases: []result.ValidatedCase{{Name: evil, Candidate: 0, Predicted: 1e6,
			Measured: 9e5, Runs: []float64{9e5, 9.1e5}, Reason: evil, Slow: evil,
			Edges:      []result.ValidatedEdge{{Edge: "top.e", Predicted: 1e6, Measured: 9e5}},
			Queues:     []result.ValidatedQueue{{Kernel: "top.b", Predicted: 5, Measured: 7}},
			EdgeQueues: []result.EdgeQueue{{Edge: "top.e", Predicted: 5, Measured: 17, Buffer: 64, Why: evil}},
			Sizes: []result.ValidatedSize{{Edge: "top.e", Recommended: 40, Level: "simulated",
				Measured: 17,
				Buffer:   64}, {Edge: "top.f", Recommended: 30, Level: evil, Measured: 31,
				Buffer: 512}}},
			{Name: "failed", Candidate: 1, Fail: evil}}},
		Profile: &profile.Profile{Schema: profile.Schema,
			Kernels: []profile.Kernel{{Block: "A", Instance: evil, Platform: "C", ServiceRate: f, Gain: f}}},
		Warnings: []fault.Note{{Text: evil}}}
}

// TestEverySection checks that a complete result shows every section, and that every table has as many cells as
// columns.
func TestEverySection(t *testing.T) {
	p := report.Of(full())
	var ids []string
	seen := make(map[string]bool)
	for _, s := range p.Sections {
		ids = append(ids, s.ID)
		for _, x := range s.Parts {
			for _, id := range []string{tableID(x), chartID(x)} {
				if id != "" && seen[id] {
					t.Errorf("two parts are called %s", id)
				}
				seen[id] = true
			}
			if x.Table == nil {
				continue
			}
			for _, r := range x.Table.Rows {
				if len(r.Cells) != len(x.Table.Columns) {
					t.Errorf("%s: %d cells in %d columns", x.Table.ID, len(r.Cells), len(x.Table.Columns))
				}
			}
		}
	}
	if got := strings.Join(ids, " "); got != "guidance answer candidates why measurements reality search provenance" {
		t.Errorf("sections %s", got)
	}
}

func tableID(p report.Part) string {
	if p.Table == nil {
		return ""
	}
	return p.Table.ID
}

func chartID(p report.Part) string {
	if p.Chart == nil {
		return ""
	}
	return p.Chart.ID
}

// TestHostile checks that names are escaped in every format.
func TestHostile(t *testing.T) {
	p := report.Of(full())
	var html, md, table bytes.Buffer
	if err := page.Write(&html, p, evil); err != nil {
		t.Fatal(err)
	}
	// The page contains it once for each script element of its own.
	if n := strings.Count(html.String(), "alert(1)"); n == 0 {
		t.Error("the name is nowhere")
	}
	for _, bad := range []string{"<script>alert", "<b>", "</script><script>alert"} {
		if strings.Contains(html.String(), bad) {
			i := strings.Index(html.String(), bad)
			t.Errorf("the page holds %q: …%s…", bad, html.String()[max(0, i-200):i+40])
		}
	}
	if err := markdown.Write(&md, p); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(md.String()) {
		if !strings.HasPrefix(line, "    ") && strings.Contains(line, "<script") {
			t.Errorf("Markdown holds HTML: %s", line)
		}
	}
	if err := report.WriteCSV(&table, p); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&table)
	r.Comment, r.FieldsPerRecord = '#', -1
	if rows, err := r.ReadAll(); err != nil || len(rows) < 30 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}

// TestUnseen checks that control characters, direction marks and invisible characters reach no page, Markdown or CSV,
// wherever a result contains them.
func TestUnseen(t *testing.T) {
	r := full()
	r.Application = strings.Repeat("\x1b\u202e\u2066\U000e0041", 2) + "name"
	r.Kernels[0].Name += "\x1b\u202e\u2066\U000e0041"
	r.Candidates[0].Code += "\x1b[31m"
	var html, others bytes.Buffer
	if err := errors.Join(page.Write(&html, report.Of(r), ""), markdown.Write(&others, report.Of(r)),
		report.WriteCSV(&others, report.Of(r))); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.String(), "????????name") {
		t.Error("the name is nowhere")
	}
	for _, bad := range []string{"\x1b", "\u202e", "\u2066", "\U000e0041"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("the page holds %q", bad)
		}
		if strings.Contains(others.String(), bad) {
			t.Errorf("Markdown or CSV holds %q", bad)
		}
	}
}

// TestValues checks that files contain the values, not their displayed form.
func TestValues(t *testing.T) {
	for _, s := range report.Of(full()).Sections {
		for _, x := range s.Parts {
			if x.Table == nil || x.Table.ID != "kernels" {
				continue
			}
			var b bytes.Buffer
			if err := x.Table.WriteCSV(&b); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&b).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			at := -1
			for i, h := range rows[0] {
				if h == "μ alone (B/s)" {
					at = i
				}
			}
			if at < 0 {
				t.Fatalf("no column for μ in %q", rows[0])
			}
			if v, err := strconv.ParseFloat(rows[1][at], 64); err != nil || v != 2e6 || rows[1][at+1] != "measured" {
				t.Errorf("μ is %q from %q, want 2e6, measured", rows[1][at], rows[1][at+1])
			}
			return
		}
	}
	t.Error("no table of kernels")
}

// TestTimeline checks the timeline against the Trace Event Format: the fields of events, and slices of a track that
// do not overlap.
func TestTimeline(t *testing.T) {
	var b bytes.Buffer
	if err := timeline.Write(&b, full()); err != nil {
		t.Fatal(err)
	}
	var f struct {
		Events []struct {
			Name string         `json:"name"`
			Ph   string         `json:"ph"`
			TS   *float64       `json:"ts"`
			Dur  float64        `json:"dur"`
			PID  *int           `json:"pid"`
			TID  int            `json:"tid"`
			Args map[string]any `json:"args"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	ends := make(map[int]float64)
	for _, e := range f.Events {
		count[e.Ph]++
		if e.Name == "" || e.TS == nil || e.PID == nil {
			t.Errorf("an event without name, time or process: %+v", e)
		}
		switch e.Ph {
		case "X":
			if e.Dur <= 0 || *e.TS < ends[e.TID]-0.01 {
				t.Errorf("%s begins at %g us on track %d, where another ends at %g", e.Name, *e.TS, e.TID, ends[e.TID])
			}
			ends[e.TID] = *e.TS + e.Dur
		case "C":
			for _, v := range e.Args {
				if _, ok := v.(float64); !ok {
					t.Errorf("counter %s is %v", e.Name, v)
				}
			}
		case "M":
			_, named := e.Args["name"].(string)
			if _, sorted := e.Args["sort_index"].(float64); named == sorted {
				t.Errorf("metadata %+v", e)
			}
		case "i":
		default:
			t.Errorf("phase %q", e.Ph)
		}
	}
	if count["X"] != 2 || count["C"] < 3 || len(ends) != 2 { // the two firings overlap
		t.Errorf("%v on %d tracks", count, len(ends))
	}
	if err := timeline.Write(io.Discard, &result.Result{Measured: &result.Measured{}}); err == nil ||
		!strings.Contains(err.Error(), "--log") {
		t.Errorf("without a log: %v", err)
	}
}

// FuzzView checks that every accepted result file can be shown.
func FuzzView(f *testing.F) {
	var b bytes.Buffer
	if err := full().Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema": 1, "tool": "xopt",
		"measured": {"kernels": [{}], "edges": [{"occupancy": {"bins": [{}, {}]}}]}}`))
	f.Add([]byte(`{"schema": 1, "tool": "xopt", "candidates": [{"throughput": 1, "bottlenecks": [{}]}],
		"search": {"history": [{}]}, "validation": {}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := result.Decode("x", bytes.NewReader(text))
		if err != nil {
			return // rejected, as it should be
		}
		p := report.Of(r)
		if err := markdown.Write(io.Discard, p); err != nil {
			t.Error(err)
		}
		if err := page.Write(io.Discard, p, ""); err != nil {
			t.Error(err)
		}
	})
}
