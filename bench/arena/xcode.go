package arena

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// pace is the name of the kernel that limits the period of iterations to at least Problem.Cycle. The kernel has its own
// core.
const pace = "pace"

// started returns the tasks without inputs, which the pace kernel feeds. It returns nil if the problem needs no pace
// kernel. A problem needs a pace kernel if cycles limit its period, if parts of the graph are not connected, or if a
// replicable source does not have exactly one output.
func (p *Problem) started() []int {
	in, out, part := make([]int, len(p.Tasks)), make([]int, len(p.Tasks)), make([]int, len(p.Tasks))
	for t := range part {
		part[t] = t
	}
	parts := len(p.Tasks)
	for _, e := range p.Edges {
		in[e.To]++
		out[e.From]++
		if a, b := part[e.From], part[e.To]; a != b {
			parts--
			for t := range part {
				if part[t] == a {
					part[t] = b
				}
			}
		}
	}
	var list []int
	needed := p.Cycle > 0 || parts > 1
	for t := range in {
		if in[t] == 0 {
			list = append(list, t)
			needed = needed || p.Tasks[t].Replicable && out[t] != 1
		}
	}
	if !needed {
		return nil
	}
	return list
}

// identifier returns the name of a task in X.
func (p *Problem) identifier(t int) string { return fmt.Sprintf("t%d_%s", t, plain(p.Tasks[t].Name)) }

// origin returns the text of the times' origin for X files.
func (i *Instance) origin() string {
	if i.Measured {
		return "measured: " + i.Source
	}
	return "published: " + i.Source
}

// WriteApplication writes the application in X. Every kernel fires once per iteration.
func (i *Instance) WriteApplication(w io.Writer) error {
	b, p := bufio.NewWriter(w), &i.Problem
	fmt.Fprintf(b, "// Imported by xopt from %s (set %s): %s\n", p.Name, i.Set, i.Source)
	if i.Note != "" {
		fmt.Fprintf(b, "// %s\n", i.Note)
	}
	fmt.Fprint(b, "#include \"std.x\"\n\n")
	for _, k := range p.Kinds {
		fmt.Fprintf(b, "platform %s : C { };\n", k)
	}
	started := p.started()
	if started != nil {
		fmt.Fprintf(b, "platform Pace : C { };\nblock PACE {")
		for n := range started {
			fmt.Fprintf(b, " output UNSIGNED8 s%d; emit s%d;", n, n)
		}
		fmt.Fprintf(b, " };\nimpl PACE on Pace (time=%q, scv=0, from=\"published: limit of the cycles\");\n",
			seconds(p.Cycle))
	}
	for t := range p.Tasks {
		p.writeBlock(b, t, slices.Index(started, t))
		for k, work := range p.Tasks[t].Work {
			if !math.IsInf(work, 1) {
				fmt.Fprintf(b, "impl B%d on %s (time=%q, scv=0, from=%q);\n", t, p.Kinds[k], seconds(work), i.origin())
			}
		}
	}
	fmt.Fprint(b, "block top {\n")
	if started != nil {
		fmt.Fprintf(b, "    PACE %s;\n", pace)
	}
	for t := range p.Tasks {
		fmt.Fprintf(b, "    B%d %s;\n", t, p.identifier(t))
	}
	for n, t := range started {
		fmt.Fprintf(b, "    start%d: %s.s%d -> %s.start;\n", n, pace, n, p.identifier(t))
	}
	for n, e := range p.Edges {
		fmt.Fprintf(b, "    e%d: %s.o%d -> %s.i%d;\n", n, p.identifier(e.From), n, p.identifier(e.To), n)
	}
	fmt.Fprint(b, "};\nuse top;\n")
	return b.Flush()
}

// writeBlock writes the block of a task. start is the output number of the pace kernel that feeds the task; -1 for
// none.
func (p *Problem) writeBlock(w io.Writer, t, start int) {
	fmt.Fprintf(w, "block B%d {", t)
	var in, out []string
	if start >= 0 {
		in = append(in, "start")
		fmt.Fprint(w, " input UNSIGNED8 start;")
	}
	for n, e := range p.Edges {
		if e.To == t {
			in = append(in, fmt.Sprintf("i%d", n))
			fmt.Fprintf(w, " input UNSIGNED8[%d] i%d;", int64(e.Bytes), n)
		}
		if e.From == t {
			out = append(out, fmt.Sprintf("o%d", n))
			fmt.Fprintf(w, " output UNSIGNED8[%d] o%d;", int64(e.Bytes), n)
		}
	}
	if len(in) > 1 {
		fmt.Fprintf(w, " join %s;", strings.Join(in, ", "))
	}
	if len(out) > 0 {
		fmt.Fprintf(w, " emit %s;", strings.Join(out, ", "))
	}
	if p.Tasks[t].Replicable {
		fmt.Fprint(w, " stateless;")
	}
	fmt.Fprintln(w, " };")
}

// seconds formats a time in s for X.
func seconds(t float64) string { return strconv.FormatFloat(t, 'g', -1, 64) + "s" }

// WriteMachine writes the machine in X. It returns an error for an instance that needs both a pace kernel and a bus.
func (i *Instance) WriteMachine(w io.Writer) error {
	b, p := bufio.NewWriter(w), &i.Problem
	fmt.Fprintf(b, "// Imported by xopt from %s (set %s): its machine\n", p.Name, i.Set)
	if i.Note != "" {
		fmt.Fprintf(b, "// %s\n", i.Note)
	}
	fmt.Fprint(b, "#include \"std.x\"\n\n")
	var names []string
	for k, kind := range p.Kinds {
		n := 0
		for _, c := range p.Cores {
			if c == k {
				n++
			}
		}
		fmt.Fprintf(b, "resource %s_core[%d] is %s;\n", kind, n, kind)
		names = append(names, kind+"_core")
	}
	if p.started() != nil {
		if p.Bus > 0 {
			return fmt.Errorf("cannot write the machine of %s in X: its bus would carry the data of the pace kernel "+
				"(choose an instance without a bus)", p.Name)
		}
		fmt.Fprintf(b, "resource %s_core is Pace;\n", pace)
		names = append(names, pace+"_core")
	}
	if p.Bus > 0 {
		fmt.Fprintf(b, "resource shared is bus ({ %s }, bandwidth=\"%sB/s\", from=%q);\n", strings.Join(names, ", "),
			strconv.FormatFloat(p.Bus, 'f', -1, 64), "published: "+i.Source)
	} else {
		fmt.Fprintf(b, "resource shared is memory ({ %s }, bandwidth=\"inf\", "+
			"from=\"assumed: data moves at no cost\");\n", strings.Join(names, ", "))
	}
	return b.Flush()
}

// Design returns the design of the instance's X files, as read by `xopt search`, but with a maximum utilization of 1,
// as in the problem.
func (i *Instance) Design(ctx context.Context) (*design.Design, error) {
	var app, machine strings.Builder
	if err := i.WriteApplication(&app); err != nil {
		return nil, err
	}
	if err := i.WriteMachine(&machine); err != nil {
		return nil, err
	}
	files := map[string]string{"app.x": app.String(), "arch.x": machine.String()}
	read := func(name string) ([]byte, error) {
		text, ok := files[filepath.Base(name)]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	program, _, err := xlang.Load([]string{"app.x", "arch.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: read})
	if err != nil {
		return nil, fmt.Errorf("reading %s in X: %w", i.Problem.Name, err)
	}
	return design.NewContext(ctx, program, design.Options{Purpose: design.ForSearch, MaxUtilization: 1})
}
