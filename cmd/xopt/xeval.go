package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/report"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// xevalCommand applies production rules to a trace.
func (a *app) xevalCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "xeval RULES.smx | APP.x …",
		Short: "waiting and execution times of any part of an application, from a trace and rules",
		Long: `xeval applies production rules to the events of a run (X-Eval; Gayen 2008, ch. 4). A rule
such as "sum.x0 and sum.x1 -> sum.y0" says which events belong together: its runs wait from
when all of their inputs are available until the last is taken, and execute until the last
of their outputs is sent. A block of rules may be a kernel, several, or the whole
application: "gen1.src -> store.sink" is the latency from end to end.

Rules come from a semantics file (.smx), from --rule, or, where X files are given, from what
these declare: joins, numbers of elements, and the testpoints of sources and sinks.`,
		Example: `xopt xeval rules.smx                               with the .ts files beside it
xopt xeval rules.smx --trace run.xtrace --timeline 5
xopt xeval --trace run.xtrace --rule 'gen1.src -> store.sink'
xopt xeval app.x arch.x --trace run.xtrace -o times  and write the times of every run
xopt xeval rules.smx --trace new --substitute c --times times -o new`,
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			return a.xeval(c, files, &a.settings.xeval)
		},
	}
}

// xeval evaluates rules, or substitutes a block.
func (a *app) xeval(c *cobra.Command, files []string, f *xevalFlags) error {
	if err := a.checkXeval(files, f); err != nil {
		return err
	}
	stage := a.longWork("reading")
	defer stage.end()
	table, err := trace.OpenFile(f.trace)
	if err != nil {
		return &usageError{fmt.Errorf("--trace: %w", err)}
	}
	defer table.Close()
	rules, err := a.rules(files, f, table)
	if err != nil {
		return err
	}
	name := rulesName(files, f)
	if err := a.planXeval(rules, name, files, f); err != nil {
		return err
	}
	stage.at("evaluating the trace")
	if f.substitute != "" {
		return a.substitute(c.Context(), rules, table, f)
	}
	r, line, err := evaluate(c.Context(), rules, table, f)
	stage.end()
	if err != nil {
		return a.shownRules(err, files)
	}
	for _, n := range r.Notes {
		a.note("note: %s", n)
	}
	parts := report.RuleParts(r, originOf(table.Header()))
	drawn := ""
	if line != nil {
		parts = append(parts, report.Part{Chart: report.TimelineChart(line)})
		drawn = report.RuleTimeline(line, timelineWidth(a.style().Width))
	}
	page := report.PageOf("Rules of "+name, shellLine(a.typed(c, files)), parts)
	made, err := compared(a.typed(c, files), rulesFiles(files))
	if err != nil {
		return err
	}
	page.WithProvenance(made)
	page.Warnings = append(page.Warnings, r.Notes...)
	err = errors.Join(a.keepPage(name, page), a.saveTables(report.TablesOf(parts)))
	if a.settings.JSON {
		return errors.Join(err, writeRules(a.stdout.JSON(), r), misfits(r))
	}
	err = errors.Join(err, a.show(parts...))
	_, werr := io.WriteString(a.stdout, drawn)
	return errors.Join(err, werr, misfits(r))
}

// misfits is an error where rules do not fit the trace; the notes say of each why.
func misfits(r *xeval.Result) error {
	if n := len(r.Unfit()); n > 0 {
		return fmt.Errorf("%s not fit the trace, so that some times are not told (-): the notes say why, and what to "+
			"do", units.Counted(n, "rule does", "rules do"))
	}
	return nil
}

// timelineWidth is how wide a timeline is: as the terminal, or the usual line.
func timelineWidth(width int) int {
	const usual = 110
	if width == 0 {
		return usual
	}
	return width
}

// originOf says where the times of a trace come from.
func originOf(h *trace.Header) string {
	if h.Origin == "" {
		return "of a trace of unknown origin"
	}
	text := h.Origin
	for _, x := range h.ByOrigin() {
		if word := trace.OriginWord(x.Origin); word != trace.OriginWord(h.Origin) {
			text += fmt.Sprintf(", those of %s %s", units.Counted(len(x.Kernels), "kernel", "kernels"), word)
		}
	}
	return text
}

// writeRules prints a result as JSON.
func writeRules(w io.Writer, r *xeval.Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// checkXeval refuses what the arguments cannot say together, and finds the trace.
func (a *app) checkXeval(files []string, f *xevalFlags) error {
	smx := slices.IndexFunc(files, func(s string) bool { return filepath.Ext(s) == rulesSuffix })
	switch {
	case len(files) == 0 && len(f.rules) == 0:
		return wrongUse("xeval needs a file of rules (.smx), X files, or --rule; see xopt xeval --help")
	case len(files) > 0 && len(f.rules) > 0:
		return wrongUse("--rule stands in place of files: leave out %s", files[0])
	case smx >= 0 && len(files) > 1:
		return wrongUse("want one file of rules, or X files, not %s and others", files[smx])
	case f.trace == "" && smx < 0:
		return wrongUse("--trace is missing: name a file that deploy --trace wrote, or a folder of .ts files")
	case f.substitute != "" && (smx < 0 || f.times == "" || f.out == ""):
		return wrongUse("--substitute needs a file of rules, --times and --out")
	case f.substitute == "" && f.times != "":
		return wrongUse("--times is for --substitute")
	case f.trace == "":
		f.trace = filepath.Dir(files[smx])
	}
	return nil
}

// rules are those of a file, of --rule, or those that X files imply.
func (a *app) rules(files []string, f *xevalFlags, table trace.Table) (*xeval.File, error) {
	if len(f.rules) > 0 {
		r, err := xeval.Rules("rules", f.rules, table.Header())
		if err != nil {
			return nil, a.shownRules(err, nil)
		}
		return r, nil
	}
	if filepath.Ext(files[0]) == rulesSuffix {
		return readRules(files[0])
	}
	p, _, err := a.program(files)
	if err != nil {
		return nil, err
	}
	r, notes := xeval.Derive(p, table)
	for _, n := range notes {
		a.note("note: %s", n)
	}
	if len(r.Blocks) == 0 {
		return nil, &usageError{fmt.Errorf("--trace %s: no kernel has a rule: is the trace of another application?",
			f.trace)}
	}
	return r, nil
}

// shownRules shows mistakes of rules with their lines.
func (a *app) shownRules(err error, files []string) error {
	return renderedWith(err, func(name string) []byte {
		var at int
		if n, serr := fmt.Sscanf(name, "rule %d", &at); n == 1 && serr == nil && at >= 1 &&
			at <= len(a.settings.xeval.rules) {
			return []byte(a.settings.xeval.rules[at-1])
		}
		if slices.Contains(files, name) {
			if text, rerr := os.ReadFile(name); rerr == nil {
				return text
			}
		}
		return nil
	})
}

// rulesName is what pages are called.
func rulesName(files []string, f *xevalFlags) string {
	if len(files) > 0 {
		base := filepath.Base(files[0])
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	return strings.TrimSuffix(filepath.Base(f.trace), filepath.Ext(f.trace)) + ".rules"
}

// rulesFiles are the files that a result rests on.
func rulesFiles(files []string) []string { return slices.Clone(files) }

// planXeval checks what will be written.
func (a *app) planXeval(rules *xeval.File, name string, files []string, f *xevalFlags) error {
	plan := a.plan()
	a.planPage(plan, name)
	a.planTables(plan, output.Tables())
	if f.out != "" {
		names := xeval.RecordedFiles(rules)
		if f.substitute != "" {
			b := blockNamed(rules, f.substitute)
			if b < 0 {
				return wrongUse("--substitute: %s has no block %s", files[0], f.substitute)
			}
			names = xeval.SubstitutedFiles(&rules.Blocks[b])
		}
		kinds := make(map[string]output.Kind)
		for _, n := range names {
			kinds[n] = output.Times()
		}
		plan.Into("--out", f.out, kinds)
	}
	plan.Read(files...)
	return planned(plan)
}

func blockNamed(f *xeval.File, name string) int {
	return slices.IndexFunc(f.Blocks, func(b xeval.Block) bool { return b.Name == name })
}

// evaluate applies rules, and writes and draws what was asked for.
func evaluate(ctx context.Context, rules *xeval.File, table trace.Table, f *xevalFlags) (r *xeval.Result,
	line *xeval.Timeline, err error) {
	var each []func(*xeval.Run) error
	if f.out != "" {
		var rec *xeval.Recorder
		if rec, err = xeval.NewRecorder(f.out, rules, table.Header()); err != nil {
			return nil, nil, err
		}
		each = append(each, rec.Add)
		defer func() {
			if err != nil {
				err = errors.Join(err, rec.Abort())
				return
			}
			err = rec.Close()
		}()
	}
	if f.timeline > 0 {
		line = xeval.NewTimeline(rules, f.timeline)
		each = append(each, line.Add)
	}
	r, err = xeval.Evaluate(ctx, rules, table, xeval.Options{Each: func(run *xeval.Run) error {
		for _, add := range each {
			if err := add(run); err != nil {
				return err
			}
		}
		return nil
	}})
	if err == nil && f.out != "" && len(r.Unfit()) > 0 {
		err = fmt.Errorf("nothing was written to %s, because rules do not fit the trace: %s", f.out,
			strings.Join(r.Unfit(), "; "))
	}
	if err == nil && line != nil {
		line.Refuse(r)
		err = line.Events(ctx, table)
	}
	return r, line, err
}

// substitute writes what a block would do with the times of another run.
func (a *app) substitute(ctx context.Context, rules *xeval.File, table trace.Table, f *xevalFlags) error {
	at := blockNamed(rules, f.substitute)
	b := &rules.Blocks[at]
	var times []*xeval.Times
	defer func() {
		for _, t := range times {
			_ = t.Close() // it was read
		}
	}()
	for i := range b.Rules {
		t, err := xeval.OpenTimes(f.times, b.Name, i, len(b.Rules[i].Outputs), 1)
		if err != nil {
			return &usageError{fmt.Errorf("--times: %w", err)}
		}
		times = append(times, t)
	}
	w, err := xeval.NewSubstituteWriter(f.out, b)
	if err != nil {
		return err
	}
	done, err := xeval.Substitute(ctx, rules, at, table, times, w.Emit)
	if err != nil {
		return errors.Join(a.shownRules(err, []string{rules.Name}), w.Abort())
	}
	if err := w.Close(); err != nil {
		return err
	}
	for i, n := range done.Runs {
		fmt.Fprintf(a.stdout, "%s of block %s ran %s\n", xeval.RuleName(i), b.Name,
			units.Counted(int(n), "time", "times"))
	}
	fmt.Fprintf(a.stdout, "the last run finished at %s\n", unitsTime(done.Last))
	if done.Repeated > 0 {
		a.note("note: %d runs took times again, for there are fewer of them than runs", done.Repeated)
	}
	if done.Clipped > 0 {
		a.note("note: %d times that were drawn were below 0, and are 0", done.Clipped)
	}
	return nil
}

// unitsTime is a time in ps, with a unit.
func unitsTime(ps int64) string { return units.Time(float64(ps) / trace.PerSecond) }
