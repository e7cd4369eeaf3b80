package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/calibrate"
	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/report"
	"xopt/internal/report/page"
	"xopt/internal/report/plots"
	"xopt/internal/report/timeline"
	"xopt/internal/report/view"
)

// reportFlags are what only report has.
type reportFlags struct {
	output, plots, format, trace string
}

// reportCommand turns a result file into something to read.
func (a *app) reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report NAME.result.json",
		Short: "make a result readable: HTML, plots, tables, a timeline",
		Long: `report writes what a result file holds as one HTML file, NAME.html, that needs nothing
else: the mapping drawn, the bottlenecks, buffers to allocate, the candidates, what the
prediction is made of, what was measured, and where every figure comes from. Everything
comes from the result file alone.

    xopt report app.result.json
    xopt report app.result.json --plots figures         each picture as SVG and PNG, each table as CSV
    xopt report app.result.json --format md             the tables, for an issue or a paper
    xopt report run.result.json --trace run.trace.json  a timeline for ui.perfetto.dev or chrome://tracing`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Errorf("want one result file (NAME.result.json, as search, or --save of deploy, write it), not %d", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.report(c.Context(), args[0], &f) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the HTML to this `FILE`; NAME.html if not given")
	flags.StringVar(&f.plots, "plots", "", "write each picture as SVG and PNG, and each table as CSV,\ninto this `FOLDER`")
	flags.StringVar(&f.format, "format", "html", "what to write: html, or to standard output `md`, json, csv")
	flags.StringVar(&f.trace, "trace", "", "write a timeline of the run to this `FILE`, in the Trace Event\nFormat")
	return c
}

// readResult reads a result file; what is wrong with it is wrong input.
func readResult(path string) (*report.Result, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &usageError{err}
	}
	defer file.Close()
	r, err := report.Decode(path, file)
	if err != nil {
		return nil, &usageError{err}
	}
	return r, nil
}

func (a *app) report(ctx context.Context, path string, f *reportFlags) error {
	r, err := readResult(path)
	if err != nil {
		return err
	}
	p := view.Of(r)
	switch f.format {
	case "md":
		err = view.WriteMarkdown(a.stdout, p)
	case "csv":
		err = view.WriteCSV(a.stdout, p)
	case "json":
		err = r.Encode(a.stdout.JSON())
	case "html":
		if f.trace != "" && f.output == "" && f.plots == "" {
			break // that is what was asked for
		}
		out := f.output
		if out == "" {
			out = strings.TrimSuffix(strings.TrimSuffix(path, ".json"), ".result") + ".html"
		}
		if out == path {
			return &usageError{fmt.Errorf("-o %s would overwrite the result file", out)}
		}
		if err = writePage(out, p); err == nil {
			a.note("wrote %s", out)
		}
	default:
		return &usageError{fmt.Errorf("--format is %q, want html, md, json or csv", f.format)}
	}
	if err != nil {
		return err
	}
	if f.plots != "" {
		n, err := plots.Write(ctx, f.plots, p)
		if err != nil {
			return err
		}
		a.note("wrote %d files into %s", n, f.plots)
	}
	if f.trace == "" {
		return nil
	}
	if r.Measured == nil {
		return &usageError{fmt.Errorf("%s holds no run: a timeline is of one that xopt deploy --save wrote", path)}
	}
	if err := report.WriteFile(f.trace, func(w io.Writer) error { return timeline.Write(w, r) }); err != nil {
		return err
	}
	a.note("wrote %s", f.trace)
	return nil
}

func writePage(path string, p *view.Page) error {
	return report.WriteFile(path, func(w io.Writer) error { return page.Write(w, p, version()) })
}

// reportFolder makes the folder that --report names, before what may take long.
func (a *app) reportFolder() (string, error) {
	folder := a.settings.Report
	if folder == "" {
		return "", nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", &usageError{fmt.Errorf("--report: %w", err)}
	}
	return folder, nil
}

// complete adds to a result what a report shows beside the predictions.
func (a *app) complete(ctx context.Context, r *report.Result, d *design.Design, mappings []*flow.Mapping) error {
	if a.settings.Profile != "" {
		p, err := readProfile("profile", a.settings.Profile)
		if err != nil {
			return err
		}
		p.Kernels = slices.DeleteFunc(p.Kernels, func(k calibrate.Kernel) bool {
			return !slices.ContainsFunc(r.Kernels, func(x report.Kernel) bool {
				return x.Block == k.Block && (k.Instance == "" || k.Instance == x.Name)
			})
		})
		r.Profile = p
	}
	return r.Complete(ctx, d, mappings)
}

// keepReport writes a result and its page into a folder, where --report asks for it.
func (a *app) keepReport(ctx context.Context, folder, name string, r *report.Result) error {
	if folder == "" {
		return nil
	}
	base := filepath.Join(folder, name)
	if err := report.WriteFile(base+".result.json", r.Encode); err != nil {
		return err
	}
	if err := writePage(base+".html", view.Of(r)); err != nil {
		return err
	}
	a.note("wrote %s.html and %s.result.json", base, base)
	return nil
}
