package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/cmd/internal/report/page"
	"xopt/cmd/internal/report/plots"
	"xopt/cmd/internal/report/timeline"
	"xopt/cmd/internal/settings"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/internal/interrupt"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// reportCommand is the command xopt report.
type reportCommand struct {
	*app
	*settings.Convert
}

func (f *reportCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:   "report NAME.result.json",
		Short: "convert a result to an HTML page, plots, tables or a timeline",
		Long: `report converts a result file to one self-contained HTML file, NAME.html: the drawing of
the mapping, its bottlenecks, buffers, candidates, measurements, and the origin of every figure. It
reads only the result file.`,
		Example: `xopt report app.result.json
xopt report app.result.json --plots figures     plots and CSV tables
xopt report app.result.json --format md         Markdown for an issue or a paper
xopt report run.result.json --trace run.trace.json     a timeline for ui.perfetto.dev or chrome://tracing`,
		Args: options.ExactArgs(1, "a result file (NAME.result.json of xopt search, or the -o file of xopt deploy)"),
		RunE: func(c *cobra.Command, args []string) error { return f.report(c.Context(), args[0]) },
	}
}

func (f *reportCommand) report(ctx context.Context, path string) error {
	f.settle(path, f.settings.Plots+f.settings.Waves != "")
	stage := f.longWork("reading " + path)
	defer stage.Stop()
	var p *report.Page
	r, err := interrupt.Do(ctx, func() (*result.Result, error) {
		r, err := result.ReadFile(path)
		if err == nil {
			p = report.Of(r)
		}
		return r, err
	})
	if stage.Stop(); err != nil {
		return err
	}
	if err := f.planPages(path, r, p); err != nil {
		return err
	}
	switch f.Format {
	case "md", "csv", "json":
		err = f.reportText(ctx, r, p)
	default:
		if f.Output == "" {
			break // only plots or a timeline
		}
		stage := f.longWork("writing " + f.Output)
		err = output.WriteRendered(ctx, f.Output, func(w io.Writer) error { return page.Write(w, p, version()) })
		stage.Stop()
		err = f.written(f.Output, err)
	}
	if f.settings.Plots != "" {
		stage := f.longWork("writing plots and tables into " + f.settings.Plots)
		e := plots.Write(ctx, f.settings.Plots, p)
		stage.Stop()
		names := plots.Names(p)
		if e = errors.Join(e, output.Record(f.settings.Plots, names)); e == nil {
			f.note("wrote %s into %s", units.Counted(len(names), "file", "files"), f.settings.Plots)
		}
		err = errors.Join(err, e)
	}
	if f.Trace != "" {
		err = errors.Join(err, f.written(f.Trace, output.WriteRendered(ctx, f.Trace,
			func(w io.Writer) error { return timeline.Write(w, r) })))
	}
	return errors.Join(err, f.keepWaves(r))
}

// keepWaves writes the signal traces for --waves.
func (a *app) keepWaves(r *result.Result) error {
	path := a.settings.Waves
	if path == "" {
		return nil
	}
	return a.written(path, output.WriteFile(path, func(w io.Writer) error { return timeline.WriteWaves(w, r) }))
}

// reportText writes a result as text, to the file of -o if it is set.
func (f *reportCommand) reportText(ctx context.Context, r *result.Result, p *report.Page) error {
	write := func(w io.Writer) error {
		switch f.Format {
		case "md":
			return markdown.Write(w, p)
		case "csv":
			return report.WriteCSV(w, p)
		}
		return report.Encoder(r)(w)
	}
	if f.Output == "" {
		if f.Format == "json" {
			return write(f.stdout.JSON()) // encoding is fast and needs no interruption
		}
		text, err := output.Render(ctx, write)
		if err != nil {
			return err
		}
		_, err = f.stdout.Write(text)
		return err
	}
	p.Maker = "xopt report" // identifies the page when it is replaced
	return f.written(f.Output, output.WriteRendered(ctx, f.Output, func(w io.Writer) error {
		if f.Format == "csv" {
			if _, err := fmt.Fprintf(w, "%s %s\n", output.TablesMark, version()); err != nil {
				return err
			}
		}
		return write(w)
	}))
}

// kind returns the kind of file that a format produces.
func (f *reportCommand) kind() output.Kind {
	switch f.Format {
	case "md":
		return output.MarkdownPage()
	case "csv":
		return output.Tables()
	case "json":
		return output.Result()
	}
	return output.Page()
}

// settle sets the default path of the page, unless the user requested a path or only other outputs.
func (f *reportCommand) settle(path string, others bool) {
	if f.Format == "html" && f.Output == "" && f.Trace == "" && !others {
		f.Output = strings.TrimSuffix(strings.TrimSuffix(path, ".json"), ".result") + ".html"
	}
}

// planPages checks the files that report writes.
func (f *reportCommand) planPages(path string, r *result.Result, p *report.Page) error {
	if f.Trace != "" && r.Measured == nil {
		return fault.NoRun.Usagef("%s contains no run; --trace needs a result of xopt deploy -o", path)
	}
	plan := f.plan()
	for _, x := range []struct {
		flag, path string
		kind       output.Kind
	}{{"-o", f.Output, f.kind()}, {"--waves", f.settings.Waves, output.Waves()}, {"--trace", f.Trace, output.Trace()}} {
		if infile.Same(x.path, path) {
			return faults.OverwritesResult.Usagef("%s %s would overwrite the result: choose another name", x.flag,
				x.path)
		}
		plan.File(x.flag, x.path, x.kind)
	}
	plan.Folder("--plots", f.settings.Plots, plots.Names(p)...)
	return plan.Err()
}

func writePage(path string, p *report.Page) error {
	return output.WriteRendered(context.Background(), path,
		func(w io.Writer) error { return page.Write(w, p, version()) })
}

// complete adds the parts of a report other than predictions to a result; see [predict.Complete]. designs contains the
// design of each mapping.
func (a *app) complete(ctx, extras context.Context, r *result.Result, designs []*design.Design,
	mappings []*flow.Mapping) error {
	if a.settings.Profile != "" {
		p, err := settings.ReadProfile("profile", a.settings.Profile)
		if err != nil {
			return err
		}
		r.StoreProfile(p)
	}
	return predict.Complete(ctx, extras, r, designs, mappings)
}

// keepReport writes a result and its page into the folder of --report, if it is set.
func (a *app) keepReport(name string, r *result.Result) error {
	if a.settings.Report == "" {
		return nil
	}
	base := a.place().At(name)
	stage := a.longWork("writing " + base + ".html")
	defer stage.Stop()
	if err := errors.Join(output.WriteFile(base+".result.json", report.Encoder(r)), writePage(base+".html",
		report.Of(r))); err != nil {
		return err
	}
	stage.Stop()
	a.wrote = append(a.wrote, base+".html", base+".result.json")
	a.note("wrote %s.html and %s.result.json", base, base)
	return nil
}
