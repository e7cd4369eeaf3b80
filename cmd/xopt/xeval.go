package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/deploy/xsim"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// xevalCommand is the command xopt xeval, which applies production rules to a trace.
type xevalCommand struct {
	*app
	*settings.XEval
}

// usualWidth is the width of a timeline in characters if the width of the terminal is unknown.
const usualWidth = 110

// command returns the command that applies production rules to a trace.
func (f *xevalCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:   "xeval RULES.smx | APP.x …",
		Short: "compute waiting and execution times from a trace and rules",
		Long: `xeval applies production rules to the events of a run (X-Eval; Gayen 2008, ch. 4). A rule
such as "sum.x0 and sum.x1 -> sum.y0" defines which events belong together. A run of the rule waits from
the arrival of all inputs until the last input is consumed, and executes until the last output is sent.
A block of rules may be one kernel, several kernels, or the complete application: for example,
"gen1.src -> store.sink" is the end-to-end latency.

Rules come from a rules file (.smx), from --rule, or from the joins, element counts and testpoints
that X files declare.`,
		Example: `xopt xeval rules.smx                with the .ts files in the same folder
xopt xeval rules.smx --trace run.xtrace --timeline 5
xopt xeval --trace run.xtrace --rule 'gen1.src -> store.sink'
xopt xeval app.x arch.x --trace run.xtrace -o times  write the times of every run, too
xopt xeval rules.smx --trace new --substitute c --times times -o new`,
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			return f.xeval(c, files)
		},
	}
}

// xeval evaluates rules or substitutes a block.
func (f *xevalCommand) xeval(c *cobra.Command, files []string) error {
	if err := f.checkXeval(files); err != nil {
		return err
	}
	stage := f.longWork("reading")
	defer stage.Stop()
	table, err := trace.OpenFile(f.Trace)
	if err != nil {
		return fault.Usage(fmt.Errorf("--trace: %w", err))
	}
	defer table.Close()
	rules, err := f.rules(c.Context(), files, table)
	if err != nil {
		return err
	}
	name := rulesName(files, f)
	if err := f.planXeval(rules, name, files); err != nil {
		return err
	}
	stage.At("evaluating the trace")
	if f.Substitute != "" {
		return f.writeSubstitute(c.Context(), rules, table)
	}
	r, line, err := xeval.EvaluateInto(c.Context(), rules, table, xeval.Output{Folder: f.Out, Timeline: f.Timeline})
	stage.Stop()
	if err != nil {
		return shownRules(err, files, f.Rule)
	}
	noteEach(f.app, "note: %s", r.Notes)
	parts := report.RuleParts(r, table.Header().OriginText())
	drawn := ""
	if line != nil {
		parts = append(parts, report.Part{Chart: report.TimelineChart(line)})
		drawn = report.RuleTimeline(line, cmp.Or(f.style().Width, usualWidth))
	}
	page := report.PageOf("Rules of "+name, safetext.ShellLine(f.typed(c, files)), parts)
	made, err := result.Made(version(), f.typed(c, files), files)
	if err != nil {
		return err
	}
	page.WithProvenance(made)
	page.Warnings = append(page.Warnings, fault.Texts(r.Notes)...)
	err = errors.Join(f.keepPage(name, page), f.saveTables(report.TablesOf(parts)))
	if f.settings.JSON {
		return errors.Join(err, r.WriteJSON(f.stdout.JSON()), r.Misfit())
	}
	err = errors.Join(err, f.show(parts...))
	_, werr := io.WriteString(f.stdout, drawn)
	return errors.Join(err, werr, r.Misfit())
}

// checkXeval rejects contradictory arguments and determines the trace.
func (f *xevalCommand) checkXeval(files []string) error {
	smx := slices.IndexFunc(files, func(s string) bool { return filepath.Ext(s) == xsim.RulesSuffix })
	switch {
	case len(files) == 0 && len(f.Rule) == 0:
		return faults.ArgumentMissing.Usagef("xeval needs a rules file (.smx), X files, or --rule; see xopt " +
			"xeval --help")
	case len(files) > 0 && len(f.Rule) > 0:
		return faults.OptionsConflict.Usagef("--rule replaces the files; leave out %s", files[0])
	case smx >= 0 && len(files) > 1:
		return faults.WrongArgument.Usagef("expected one rules file or only X files, got %s and more files", files[smx])
	case f.Trace == "" && smx < 0:
		return faults.OptionMissing.Usagef("--trace is missing: name a file that deploy --trace wrote, or a folder " +
			"of .ts files")
	case f.Substitute != "" && (smx < 0 || f.Times == "" || f.Out == ""):
		return faults.OptionRequires.Usagef("--substitute requires a rules file, --times and --out")
	case f.Substitute == "" && f.Times != "":
		return faults.OptionRequires.Usagef("--times requires --substitute BLOCK")
	case f.Trace == "":
		f.Trace = filepath.Dir(files[smx])
	}
	return nil
}

// rules returns the rules of a file or of --rule, or the rules that X files imply.
func (f *xevalCommand) rules(ctx context.Context, files []string, table trace.Table) (*xeval.File, error) {
	if len(f.Rule) > 0 {
		r, err := xeval.Rules("rules", f.Rule, table.Header())
		if err != nil {
			return nil, shownRules(err, nil, f.Rule)
		}
		return r, nil
	}
	if filepath.Ext(files[0]) == xsim.RulesSuffix {
		return readRules(files[0])
	}
	p, _, err := f.program(ctx, files)
	if err != nil {
		return nil, err
	}
	r, notes := xeval.Derive(p, table)
	noteEach(f.app, "note: %s", notes)
	if len(r.Blocks) == 0 {
		return nil, fault.NoRule.Usagef("--trace %s: no kernel has a rule; use the X files of the application that "+
			"wrote the trace", f.Trace)
	}
	return r, nil
}

// shownRules converts mistakes in rules from files and options to an error that shows their lines.
func shownRules(err error, files, given []string) error {
	return renderedWith(err, func(name string) []byte {
		var at int
		if n, serr := fmt.Sscanf(name, "rule %d", &at); n == 1 && serr == nil && at >= 1 &&
			at <= len(given) {
			return []byte(given[at-1])
		}
		if strings.HasSuffix(name, xsim.RulesSuffix) || slices.Contains(files, name) {
			if text, rerr := os.ReadFile(name); rerr == nil {
				return text
			}
		}
		return nil
	})
}

// rulesName returns the base name of the page.
func rulesName(files []string, f *xevalCommand) string {
	if len(files) > 0 {
		base := filepath.Base(files[0])
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	return strings.TrimSuffix(filepath.Base(f.Trace), filepath.Ext(f.Trace)) + ".rules"
}

// planXeval checks the output files.
func (f *xevalCommand) planXeval(rules *xeval.File, name string, files []string) error {
	plan := f.plan()
	f.planPage(plan, name)
	f.planTables(plan, output.Tables())
	if f.Out != "" {
		names := xeval.RecordedFiles(rules)
		if f.Substitute != "" {
			b := rules.Block(f.Substitute)
			if b < 0 {
				return faults.NothingToSubstitute.Usagef("--substitute: %s has no block %s", files[0], f.Substitute)
			}
			names = xeval.SubstitutedFiles(&rules.Blocks[b])
		}
		kinds := make(map[string]output.Kind)
		for _, n := range names {
			kinds[n] = output.Times()
		}
		plan.Into("--out", f.Out, kinds)
	}
	plan.Read(files...)
	return plan.Err()
}

// writeSubstitute writes the behavior of a block with the times from another run.
func (f *xevalCommand) writeSubstitute(ctx context.Context, rules *xeval.File, table trace.Table) error {
	at := rules.Block(f.Substitute)
	done, err := xeval.SubstituteInto(ctx, rules, table, xeval.OtherTimes{Folder: f.Times, Block: at}, f.Out)
	var times *xeval.TimesError
	if errors.As(err, &times) {
		return fault.Usage(fmt.Errorf("--times: %w", err))
	}
	if err != nil {
		return shownRules(err, []string{rules.Name}, f.Rule)
	}
	for i, n := range done.Runs {
		fmt.Fprintf(f.stdout, "%s of block %s: executed %s\n", xeval.RuleName(i), rules.Blocks[at].Name,
			units.Counted(int(n), "time", "times"))
	}
	fmt.Fprintf(f.stdout, "the last run finished at %s\n", units.Time(float64(done.Last)/trace.PerSecond))
	if done.Repeated > 0 {
		f.noteID(faults.TimesReused, "note: %s, because there are fewer times than runs",
			units.Counted(int(done.Repeated), "run reused a time", "runs reused times"))
	}
	if done.Clipped > 0 {
		f.noteID(faults.TimesClipped, "note: %s below 0 and replaced by 0",
			units.Counted(int(done.Clipped), "time was drawn", "times were drawn"))
	}
	return nil
}

// readRules parses a rules file. Its error shows mistakes with their lines.
func readRules(path string) (*xeval.File, error) {
	f, err := xsim.ReadRules(path)
	if shown := shownRules(err, nil, nil); shown != err {
		return nil, shown
	} else if err != nil {
		return nil, fault.Usage(err)
	}
	return f, nil
}
