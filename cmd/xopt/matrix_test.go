package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
	"xopt/mapper"
)

// matrixCommand is a row of the matrix: a command with its arguments.
type matrixCommand struct {
	name string
	// line returns the command line for a shape, with further options; before creates its input.
	line   func(s matrixShape) []string
	before func(s matrixShape) [][]string
	// out is the name for -o.
	out string
	// costly commands compile kernels or start processes; their cells run in the long ring.
	costly bool
	// shape is the shape for options; "" for the first.
	shape string
}

// matrixShape is the application, machine and mapping of a cell.
type matrixShape struct {
	name               string
	app, arch, mapping string
	more               []string // further files
}

func (s matrixShape) files(mapped bool) []string {
	files := append([]string{s.app, s.arch}, s.more...)
	if mapped {
		files = append(files, s.mapping)
	}
	return files
}

// matrixShapes returns the capabilities that depend on files.
func matrixShapes() []matrixShape {
	return []matrixShape{
		{"one chain on cores", "app.x", "arch.x", "map.x", nil},
		{"copies", "app.x", "arch.x", "map.copies.x", nil},
		{"loops", "loop.app.x", "arch.x", "map.loop.x", nil},
		{"joins with many inputs", "join.app.x", "arch.x", "map.join.x", nil},
		{"several sources", "sources.app.x", "arch.x", "map.sources.x", nil},
		{"an FPGA", "app.x", "fpga.arch.x", "map.fpga.x", nil},
		{"several FPGAs", "fpgas.app.x", "fpgas.arch.x", "map.fpgas.x", nil},
		{"hosts", "app.x", "hosts.arch.x", "map.x", nil},
		{"links with bulk and latency", "app.x", "links.arch.x", "map.x", nil},
		{"constraints", "app.x", "arch.x", "map.x", []string{"fix.x"}},
	}
}

// matrixOption is a capability that an option adds.
type matrixOption struct {
	name  string
	args  func(c *matrixCommand) []string
	shape string // the shape to use; "" for the first
}

// matrixOptions returns the capabilities that depend on options.
func matrixOptions() []matrixOption {
	always := func(args ...string) func(*matrixCommand) []string {
		return func(*matrixCommand) []string { return args }
	}
	list := []matrixOption{{"profile (`--profile`)", always("--profile", "none"), ""}}
	for _, o := range mapper.Objectives() {
		shape := ""
		if o == "area" {
			shape = "an FPGA"
		}
		list = append(list, matrixOption{"objective " + o, always("--objective", o), shape})
	}
	return append(list,
		matrixOption{"several objectives", always("--objective", "throughput,cores"), ""},
		matrixOption{"`--robust`", always("--robust", "--doubt", "10%"), ""},
		matrixOption{"`--race`", always("--race", "1s"), ""},
		matrixOption{"`--resume`", always("--resume"), ""},
		matrixOption{"`--json`", always("--json"), ""},
		matrixOption{"`--csv`", always("--csv", "tables"), ""},
		matrixOption{"`--md`", always("--md", "page.md"), ""},
		matrixOption{"`--report`", always("--report", "page"), ""},
		matrixOption{"`-o`", func(c *matrixCommand) []string { return []string{"-o", c.out} }, ""},
		matrixOption{"`--time`", always("--time", "5s"), ""},
		matrixOption{"`--seed`", always("--seed", "7"), ""})
}

// matrixCommands returns the rows.
func matrixCommands() []matrixCommand {
	on := func(mapped bool, line ...string) func(matrixShape) []string {
		return func(s matrixShape) []string {
			words := append([]string{line[0]}, s.files(mapped)...)
			return append(words, line[1:]...)
		}
	}
	search := []string{"search", "--evals", "200", "--threads", "1", "--top", "2"}
	run := []string{"deploy", "--elements", "200"}
	simulate := append(slices.Clone(run), "--simulate")
	result := func(s matrixShape) [][]string {
		return [][]string{append(on(false, search...)(s), "-o", "had", "--force")}
	}
	return []matrixCommand{
		{name: "check", line: on(true, "check")},
		// No --budget, which a busy machine may exceed before the FPGA is built. The precision limits the windows.
		{name: "calibrate", line: on(false, "calibrate", "--kernels-only", "--record", "200ms", "--precision", "0.9"),
			out: "own.profile.json", costly: true},
		{name: "eval", line: on(true, "eval")},
		{name: "buffers", line: on(true, "buffers"), out: "sized.map.x"},
		{name: "search", line: on(false, search...), out: "best"},
		{name: "sweep", line: on(false, "sweep", "--vary", "mem.bandwidth=100MB/s,200MB/s", "--evals", "200"),
			out: "best"},
		{name: "validate", line: on(true, "validate", "--runs", "1", "--window", "20ms", "--from", "profile"),
			out: "own.result.json", costly: true},
		{name: "deploy", line: on(true, run...), out: "run.result.json", costly: true},
		{name: "simulate", line: on(true, simulate...), out: "run.result.json", costly: true},
		{name: "export", line: on(true, append(slices.Clone(run), "--export", "project")...), out: "run.result.json",
			costly: true, shape: "an FPGA"},
		{name: "campaign", line: on(false, "search", "--evals", "100", "--threads", "1", "--campaign", "campaign"),
			out: "best", costly: true},
		{name: "report", before: result, out: "own.html",
			line: func(matrixShape) []string { return []string{"report", "had.result.json"} }},
		{name: "diff", before: result,
			line: func(matrixShape) []string { return []string{"diff", "had.result.json", "had.result.json"} }},
		{name: "trace", costly: true, out: "run.csv",
			before: func(s matrixShape) [][]string {
				return [][]string{append(on(true, simulate...)(s), "--trace", "run.xtrace", "--force")}
			},
			line: func(matrixShape) []string { return []string{"trace", "run.xtrace"} }},
	}
}

// matrixFresh is the message of --resume without an interrupted run; other tests resume.
const matrixFresh = "leave out --resume, or repeat"

// matrixRefusals returns the cells that must fail, with a part of the message. All other cells must work.
func matrixRefusals() map[string]map[string]string {
	none := func(with string, names ...string) map[string]string {
		list := make(map[string]string)
		for _, name := range names {
			list[name] = with
		}
		return list
	}
	var goals []string
	for _, o := range mapper.Objectives() {
		goals = append(goals, "objective "+o)
	}
	goals = append(goals, "several objectives")
	lacks := func(names ...string) map[string]string { return none("it belongs to", names...) }
	fixed := append(slices.Clone(goals), "`--robust`", "`--race`", "`--resume`", "`--time`") // they choose nothing
	runs := append(slices.Clone(goals), "`--robust`", "`--race`", "`--resume`", "`--md`")
	fixed = slices.Clip(fixed)
	list := map[string]map[string]string{
		"check":     lacks(append(fixed, "`--md`", "`-o`", "`--seed`")...),
		"eval":      lacks(append(fixed, "`--md`", "`-o`")...),
		"buffers":   lacks(fixed...),
		"search":    lacks("`--md`"),
		"calibrate": lacks(append(fixed, "profile (`--profile`)", "`--md`", "`--seed`")...),
		"validate":  lacks(append(slices.Clone(goals), "`--robust`", "`--race`", "`-o`", "`--time`")...),
		"deploy":    lacks(runs...),
		"simulate":  lacks(runs...),
		"export":    lacks(runs...),
		"campaign":  lacks("`--md`"),
		"trace":     lacks(append(fixed, "profile (`--profile`)", "`--csv`", "`--md`", "`--report`", "`--seed`")...),
		"sweep":     lacks("`--robust`", "`--race`", "`--md`"),
		"report": lacks(append(fixed, "profile (`--profile`)", "`--json`", "`--csv`", "`--md`", "`--report`",
			"`--seed`")...),
		"diff": lacks(append(fixed, "profile (`--profile`)", "`--md`", "`-o`", "`--seed`")...),
	}
	for _, command := range []string{"search", "sweep", "validate"} {
		list[command]["`--resume`"] = matrixFresh
	}
	list["campaign"]["`--race`"] = "--race does not apply to a campaign; search with --race on one machine"
	list["sweep"]["several objectives"] = "a sweep optimizes one objective: set limits for the other objectives"
	list["campaign"]["`--resume`"] = "campaigns save their progress automatically; continue with xopt campaign " +
		"resume DIR"
	for _, s := range matrixShapes() {
		list["export"][s.name] = "the mapping has no kernel on an FPGA: there is nothing to export"
	}
	delete(list["export"], "an FPGA")
	list["export"]["several FPGAs"] = "a project is for one FPGA: map the kernels to one of these FPGAs"
	list["trace"]["copies"] = "xopt does not record the events of copies (trace a mapping " +
		"without copies)"
	list["export"]["`--time`"] = "use --elements instead of --time"
	return list
}

// TestMatrix runs all cells of the matrix of commands and capabilities: each works, or fails with a reason.
func TestMatrix(t *testing.T) {
	refused := matrixRefusals()
	shapes := matrixShapes()
	for _, c := range matrixCommands() {
		t.Run(c.name, func(t *testing.T) {
			if c.costly {
				testkit.Long(t, "kernels are compiled, or workers started, for each cell")
				t.Parallel()
			}
			dir := matrixFolder(t, c.inside())
			did, had := make(map[string]bool), ""
			for _, s := range shapes {
				c.cell(t, matrixRun{dir, s, nil, did, &had}, refused[c.name][s.name])
			}
			for _, o := range matrixOptions() {
				shape := shapes[0]
				named := func(s matrixShape) bool { return s.name == cmp.Or(o.shape, c.shape) }
				if i := slices.IndexFunc(shapes, named); i >= 0 {
					shape = shapes[i]
				}
				c.cell(t, matrixRun{dir, shape, o.args(&c), did, &had}, refused[c.name][o.name])
			}
		})
	}
}

// inside reports whether the cells run in this process. Costly commands run in parallel, and need their own process
// and folder.
func (c *matrixCommand) inside() bool { return !c.costly }

// matrixFolder returns a new folder with the files of the matrix. It becomes the working folder if cells run in this
// process.
func matrixFolder(t *testing.T, inside bool) string {
	t.Helper()
	from := os.DirFS(filepath.Join("testdata", "matrix"))
	dir := t.TempDir()
	if err := os.CopyFS(dir, from); err != nil {
		t.Fatal(err)
	}
	if inside {
		t.Chdir(dir)
	}
	return dir
}

// matrixRun is the input of a cell: a shape, more options and a folder.
type matrixRun struct {
	dir  string
	s    matrixShape
	more []string
	did  map[string]bool // command lines of earlier cells of the row
	had  *string         // the last command line that created its input
}

// cell runs one cell. It must succeed, or the command or the creation of its input must fail with this message. Cells
// that differ only in files that the command does not read run once, as does a command that creates their input.
func (c *matrixCommand) cell(t *testing.T, r matrixRun, refusal string) {
	t.Helper()
	dir, s := r.dir, r.s
	var lines [][]string
	if c.before != nil {
		lines = c.before(s)
	}
	last := append(c.line(s), r.more...)
	id := fmt.Sprint(lines, last, refusal)
	if r.did[id] {
		return
	}
	r.did[id] = true
	for i, line := range append(lines, last) {
		if i < len(lines) && fmt.Sprint(line) == *r.had {
			continue
		}
		var out, errs bytes.Buffer
		code := c.run(dir, line, &out, &errs)
		if i < len(lines) && refusal != "" && code == exitUsage && strings.Contains(errs.String(), refusal) {
			break
		}
		if i < len(lines) {
			*r.had = fmt.Sprint(line)
		}
		want := exitDone
		if i == len(lines) && refusal != "" {
			want = exitUsage
		}
		if code != want || i == len(lines) && !strings.Contains(errs.String(), refusal) {
			t.Errorf("xopt %s\n%s: exit code %d, want %d, and %q in: %s", strings.Join(line, " "), s.name, code, want,
				refusal, &errs)
		}
	}
	for _, left := range []string{"project", "campaign"} {
		if err := os.RemoveAll(filepath.Join(dir, left)); err != nil {
			t.Error(err)
		}
	}
}

// run runs xopt in this process, or in its own.
func (c *matrixCommand) run(dir string, line []string, out, errs *bytes.Buffer) int {
	if c.inside() {
		return run(context.Background(), line, out, errs)
	}
	cmd := exec.Command("xopt", line...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, errs
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(errs, err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestMatrixPage checks that the table of docs/README.md is that of the test; -update rewrites it.
func TestMatrixPage(t *testing.T) {
	const first, stop = "<!-- matrix -->\n", "<!-- end of the matrix -->\n"
	path := filepath.Join("..", "..", "docs", "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), first)
	_, tail, ok2 := strings.Cut(rest, stop)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the matrix", path)
	}
	want := head + first + matrixTable() + stop + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("the matrix of %s is not that of the test: go test ./cmd/xopt -run TestMatrixPage -update", path)
	}
}

// matrixTable returns the matrix as Markdown: a column for each command, a note for each reason.
func matrixTable() string {
	refused := matrixRefusals()
	commands := matrixCommands()
	var names, capabilities []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	for _, s := range matrixShapes() {
		capabilities = append(capabilities, s.name)
	}
	for _, o := range matrixOptions() {
		capabilities = append(capabilities, o.name)
	}
	notes := make(map[string]int)
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat(":-:|", len(names)))
	for _, capability := range capabilities {
		row := []string{capability}
		for _, command := range names {
			reason := refused[command][capability]
			switch {
			case reason == "" || reason == matrixFresh:
				row = append(row, "yes")
			case strings.HasPrefix(reason, "it belongs to"):
				row = append(row, "-")
			default:
				if notes[reason] == 0 {
					notes[reason] = len(notes) + 1
				}
				row = append(row, fmt.Sprint(notes[reason]))
			}
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n- `yes`: the combination works.\n- `-`: the command has no such option. The error suggests " +
		"another command or option.\n- A number: xopt refuses the combination with one of these messages.\n\n")
	reasons := slices.SortedFunc(maps.Keys(notes), func(x, y string) int { return notes[x] - notes[y] })
	for _, reason := range reasons {
		fmt.Fprintf(&b, "%d. %s\n", notes[reason], reason)
	}
	return b.String()
}
