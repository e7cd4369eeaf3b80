package main

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/internal/testkit"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// statement is a figure of a result file, with its cell: a table, a row by its first cell, and a column.
type statement struct {
	table, column string
	row           []string
	value         float64
	onTerminal    bool // rather than on pages alone
}

// TestOneValueEverywhere checks that a figure is the same on the terminal, on the page, in Markdown, in CSV and in
// the result file. It uses a predicted mapping, a search for several objectives, and a run.
func TestOneValueEverywhere(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	root := testkit.Root(t)
	examples, apps := filepath.Join(root, "configs/examples"), filepath.Join(root, "bench/apps")
	existing := `impl GENERATE on C (mu="2GB/s"); impl SUM on C (mu="2GB/s", gain=0.5);
impl HALF on C (mu="2GB/s", gain=1); impl STORE on C (mu="2GB/s");
`
	for _, c := range []struct {
		name string
		args []string
	}{
		{"predicted", []string{"search", examples + "/beard-jpeg/app.x", examples + "/beard-jpeg/arch.x", "--evals",
			"5000", "--threads", "1"}},
		{"front", []string{"search", examples + "/beard-fig7/app.x", examples + "/beard-fig7/arch.x", "--evals", "2000",
			"--threads", "1", "--objective", "throughput,cores,latency"}},
		{"run", []string{"deploy", apps + "/test1/app.x", apps + "/test1/arch.x", apps + "/test1/map.x", "known.x",
			"--elements", "500", "--frame", "2ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(testkit.Files(t, map[string]string{"known.x": existing}))
			x := everyForm(t, c.args)
			list := candidateStatements(x.result)
			if x.result.Measured != nil {
				list = runStatements(x.result.Measured)
				x.bottleneck(t, x.result.Measured)
			}
			for _, f := range list {
				x.check(t, &f)
			}
			if len(list) < 10 {
				t.Errorf("%d figures", len(list))
			}
			x.headline(t)
			noUseAboveAll(t, "result", x.decoded)
		})
	}
}

// forms contains all output of a result.
type forms struct {
	result              *result.Result
	decoded             any // the same as decoded JSON
	terminal            string
	page, markdown      string
	inCSV, inMD, inPage map[string]*grid // tables
	titles              map[string]string
}

// grid is a table as read back.
type grid struct {
	heads []string
	rows  [][]string
}

// everyForm runs a command and reads all forms of its output.
func everyForm(t *testing.T, args []string) *forms {
	t.Helper()
	x := &forms{}
	x.terminal, _ = typedLine(t, 0, append(args, "--report", "out")...)
	files, err := filepath.Glob("out/*.result.json")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	inCSV, _ := typedLine(t, 0, "report", files[0], "--format", "csv")
	x.markdown, _ = typedLine(t, 0, "report", files[0], "--format", "md")
	asJSON, _ := typedLine(t, 0, "report", files[0], "--format", "json")
	if err := json.Unmarshal([]byte(asJSON), &x.decoded); err != nil {
		t.Fatal(err)
	}
	if x.result, err = result.Decode("json", strings.NewReader(asJSON)); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(strings.TrimSuffix(files[0], ".result.json") + ".html")
	if err != nil {
		t.Fatal(err)
	}
	x.page = strings.ReplaceAll(string(page), "<wbr>", "")
	x.inCSV, x.titles = csvGrids(t, inCSV)
	x.inMD, x.inPage = markdownGrids(x.markdown, x.titles), pageGrids(x.page)
	return x
}

// cell returns the cell of a row in the last column with this name, and the heading.
func (g *grid) cell(f *statement) (text, head string, err error) {
	if g == nil {
		return "", "", fmt.Errorf("there is no table %s", f.table)
	}
	at := -1
	for i, h := range g.heads {
		if name, _, _ := strings.Cut(h, " ("); name == f.column || h == f.column {
			at = i
		}
	}
	if at < 0 {
		return "", "", fmt.Errorf("%s has no column %q in %q", f.table, f.column, g.heads)
	}
	for _, r := range g.rows {
		if len(r) > at && len(r) >= len(f.row) && slices.Equal(r[:len(f.row)], f.row) {
			return r[at], g.heads[at], nil
		}
	}
	return "", "", fmt.Errorf("%s has no row %q", f.table, f.row)
}

// check compares a figure with every form.
func (x *forms) check(t *testing.T, f *statement) {
	t.Helper()
	at := fmt.Sprintf("%s, %s of %q", f.table, f.column, f.row)
	inCSV, _, err := x.inCSV[f.table].cell(f)
	if err != nil {
		t.Error(err)
		return
	}
	if v, err := strconv.ParseFloat(inCSV, 64); err != nil && (inCSV != "-" || f.value != 0) ||
		err == nil && math.Abs(v-f.value) > 1e-12*math.Abs(f.value) {
		t.Errorf("%s: CSV has %s, the result %g", at, inCSV, f.value)
	}
	inMD, head, err := x.inMD[f.table].cell(f)
	if err != nil {
		t.Errorf("Markdown: %v", err)
		return
	}
	inPage, _, err := x.inPage[f.table].cell(f)
	if err != nil || inPage != inMD {
		t.Errorf("%s: the page has %q, Markdown %q: %v", at, inPage, inMD, err)
	}
	if err := shows(inMD, head, f.value); err != nil {
		t.Errorf("%s: %v", at, err)
	}
	if f.onTerminal && !x.onTerminal(f, inMD) {
		t.Errorf("%s: the page has %q, the terminal no row with that\n%s", at, inMD, x.terminal)
	}
}

// onTerminal reports whether a row of a table on the terminal contains a text.
func (x *forms) onTerminal(f *statement, text string) bool {
	inside := false
	for line := range strings.Lines(x.terminal) {
		switch line = squeezed1(line); {
		case strings.HasPrefix(line, x.titles[f.table]):
			inside = true
		case line == "":
			inside = false
		case inside && strings.HasPrefix(line+" ", strings.Join(f.row, " ")+" ") &&
			strings.Contains(line+" ", " "+text+" "):
			return true
		}
	}
	return false
}

// shows returns the difference between a text, with the unit after it or in its heading, and a value, if it exceeds
// the last digit.
func shows(text, head string, value float64) error {
	if text == "-" && value == 0 {
		return nil
	}
	number, unit, _ := strings.Cut(text, " ")
	if unit == "" || len(unit) == 1 && unit != "B" && unit != "s" && unit != "%" && unit != "k" && unit != "M" {
		_, unit, _ = strings.Cut(strings.TrimSuffix(head, ")"), " (")
	}
	factor := 1.0
	if unit == "%" {
		factor = 0.01
	}
	for _, parse := range []func(string) (float64, error){units.ParseRate, units.ParseSize, units.ParseTime} {
		if v, err := parse("1" + unit); err == nil && unit != "" {
			factor = v
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number: %w", text, err)
	}
	if unit == "times" { // a factor, and the words after it
		v--
	}
	_, decimals, _ := strings.Cut(number, ".")
	if last := math.Pow10(-len(decimals)); math.Abs(v*factor-value) > 0.500001*last*factor {
		return fmt.Errorf("%q in %q is shown of %g", text, head, value)
	}
	return nil
}

// candidateStatements returns the figures of the first candidate, and of all in their table.
func candidateStatements(r *result.Result) []statement {
	var list []statement
	several := r.Search != nil && len(r.Search.Objectives) > 1
	for i := range r.Candidates {
		c := &r.Candidates[i]
		list = append(list, statement{"candidate-table", "throughput", []string{c.Name}, float64(c.Throughput), true},
			statement{"candidate-table", "buffers", []string{c.Name}, recommendedBytes(c), false})
		if several {
			list = append(list, statement{"candidate-table", "cores", []string{c.Name}, float64(c.Measures.Cores),
				true})
		}
	}
	if len(r.Candidates) == 0 {
		return nil
	}
	best := &r.Candidates[0]
	for _, s := range slices.Concat(best.Resources, best.Links) {
		if s.Members > 0 {
			list = append(list, statement{"resources", "utilization", []string{s.Name}, float64(s.Utilization), true})
		}
	}
	for i := range best.Queues {
		if q := &best.Queues[i]; q.Recommended != nil {
			row := []string{q.Edge, q.Before}
			list = append(list, statement{"buffers", "recommended", row, float64(q.Recommended.Elements), true},
				statement{"buffers", "size", row, float64(q.Recommended.Bytes), true})
		}
	}
	for i := range best.Bottlenecks[:min(3, len(best.Bottlenecks)-1)] {
		gain := best.Bottlenecks[i+1].Throughput/best.Bottlenecks[i].Throughput - 1
		list = append(list, statement{"bottlenecks", "gain", []string{fmt.Sprint(i + 1)}, float64(gain), false})
	}
	return list
}

// recommendedBytes returns the memory of all buffers of a candidate.
func recommendedBytes(c *result.Candidate) float64 {
	all := 0.0
	for i := range c.Queues {
		if r := c.Queues[i].Recommended; r != nil {
			all += float64(r.Bytes)
		}
	}
	return all
}

// runStatements returns the figures of a run.
func runStatements(m *result.Measured) []statement {
	var list []statement
	for i := range m.Used {
		u := &m.Used[i]
		list = append(list, statement{"run-used", "in use", []string{u.Name}, float64(u.Utilization), !u.Estimated})
		if u.IsLink {
			list = append(list, statement{"run-used", "carried", []string{u.Name}, float64(u.Rate), true})
		}
	}
	for i := range m.Kernels {
		k := &m.Kernels[i]
		list = append(list, statement{"run-kernels", "gain", []string{k.Kernel}, float64(k.Gain), true},
			statement{"run-kernels", "busy", []string{k.Kernel}, float64(k.Utilization), true},
			statement{"beside", "measured", []string{predict.BusyOf(k.Kernel)}, float64(k.Utilization), true})
	}
	for i := range m.Edges {
		e := &m.Edges[i]
		list = append(list, statement{"run-edges", "util", []string{e.Edge}, float64(e.Utilization), true},
			statement{"run-edges", "rate", []string{e.Edge}, float64(e.Rate), true},
			statement{"run-queues", "maximum", []string{e.Edge}, float64(e.MaxOccupancy), true})
	}
	return list
}

// headline compares the cards of the page with the terminal, and both with the result.
func (x *forms) headline(t *testing.T) {
	t.Helper()
	want := map[string]string{}
	if m := x.result.Measured; m != nil {
		want["Throughput"], want["Predicted"] = report.RunThroughput(m),
			units.Rate(float64(x.result.Prediction.Throughput))
		want["Run time"] = units.Time(float64(m.Seconds))
	} else {
		best := &x.result.Candidates[0]
		want["Throughput"], want["Buffers"] = units.Rate(float64(best.Throughput)), units.Size(recommendedBytes(best))
		if !strings.Contains(x.terminal, want["Buffers"]+" in total") {
			t.Errorf("the terminal does not say %s in total", want["Buffers"])
		}
		for i := range best.Bottlenecks[:1] {
			x.shares(t, &best.Bottlenecks[i])
		}
	}
	for label, value := range want {
		if !strings.Contains(x.markdown, "- **"+label+":** "+value) || !strings.Contains(x.page, ">"+value+"<") {
			t.Errorf("no headline of %s is %s", label, value)
		}
		if label != "Buffers" && !regexp.MustCompile(`(?m)^`+label+` +`+regexp.QuoteMeta(value)+`\b`).
			MatchString(x.terminal) {
			t.Errorf("on the terminal no %s is %s", label, value)
		}
	}
}

// shares compares the members of a bottleneck with the parts in the result.
func (x *forms) shares(t *testing.T, b *result.Step) {
	t.Helper()
	for i := range b.Limits {
		l := &b.Limits[i]
		if len(l.Members) < 2 {
			continue
		}
		want := fmt.Sprintf("%s %.0f %%", l.Members[0], 100*float64(l.Parts[0]))
		for _, c := range []struct{ form, text string }{{"terminal", x.terminal},
			{"Markdown", strings.ReplaceAll(x.markdown, `\`, "")}, {"page", html.UnescapeString(x.page)}} {
			if !strings.Contains(c.text, want) {
				t.Errorf("the %s does not say %s", c.form, want)
			}
		}
	}
}

// bottleneck checks that the most utilized part is named everywhere.
func (x *forms) bottleneck(t *testing.T, m *result.Measured) {
	t.Helper()
	if m.Inconclusive() { // it names none anywhere
		for _, text := range []string{x.terminal, x.markdown, x.page} {
			if strings.Contains(text, "Bottleneck  ") || strings.Contains(text, "(bottleneck)") {
				t.Errorf("a run that is too short names a bottleneck:\n%s", text)
			}
		}
		return
	}
	maximum := slices.MaxFunc(m.Used, func(a, b result.MeasuredUse) int {
		return int(math.Copysign(1, float64(a.Utilization-b.Utilization)))
	}).Name
	for _, c := range []struct{ form, text, prefix string }{{"terminal", x.terminal, "Bottleneck  "},
		{"Markdown", strings.ReplaceAll(x.markdown, `\`, ""), "- **Bottleneck:** "}} {
		line := ""
		if i := strings.Index(c.text, c.prefix); i >= 0 {
			line, _, _ = strings.Cut(c.text[i:], "\n")
		}
		if !strings.Contains(line, maximum) {
			t.Errorf("the bottleneck is %s, and the %s says %q", maximum, c.form, line)
		}
	}
	// On a busy machine a run may mostly wait: then nothing is marked.
	idle := strings.Contains(x.terminal, "Bottleneck  nothing was busy")
	if marked := strings.Contains(x.page, maximum+" (bottleneck)") || strings.Contains(x.page, "Bottleneck: "+
		maximum); marked == idle {
		t.Errorf("nothing was busy: %t, and the drawing marks %s: %t", idle, maximum, marked)
	}
}

// noUseAboveAll reports fractions of time above 1 in a result file.
func noUseAboveAll(t *testing.T, where string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			n, ok := x.(float64)
			if part := k == "utilization" || k == "backpressure" || k == "busiest" || k == "share"; part && ok &&
				n > 1 {
				t.Errorf("%s.%s is %g", where, k, n)
			}
			noUseAboveAll(t, where+"."+k, x)
		}
	case []any:
		for i, x := range v {
			noUseAboveAll(t, fmt.Sprintf("%s[%d]", where, i), x)
		}
	}
}
