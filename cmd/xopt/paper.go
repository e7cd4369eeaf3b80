package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench"
	"xopt/internal/infile"
	"xopt/internal/output"
	"xopt/internal/report"
)

// benchPaperCommand repeats the papers' experiments.
func (a *app) benchPaperCommand() *cobra.Command {
	var o bench.PaperOptions
	var only []string
	var folder string
	c := &cobra.Command{
		Use:   "paper",
		Short: "repeat the experiments of Beard 2013 and of Lancaster 2011, ch. 7, on this machine",
		Long: `paper repeats the papers' experiments on two cores of this machine and writes
experiments.md, ours beside theirs, and experiments.json with the figures behind it:
how processes share a core (Beard 2013, Fig. 14), the flow through forty synthetic
applications (Fig. 15), JPEG (16), DES (17) and others in random mappings, modelled and
measured queues (18 to 20), and BLASTN as a Jacksonian network (Lancaster 2011, ch. 7).

It takes about an hour, in which the machine should do nothing else; --short takes
minutes, and shows that everything works. What is done is written at every step. With
--only the other experiments in the folder are kept as they are.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Apps < 1 || o.Apps > 10000 || o.Mappings < 1 || o.Mappings > 1000 || o.Runs < 1 ||
				o.Window < 100*time.Millisecond {
				return &usageError{fmt.Errorf("--apps %d, --mappings %d, --runs %d, --window %v: want 1 to 10000 "+
					"applications, 1 to 1000 mappings, one run at least, of 100ms at least", o.Apps, o.Mappings, o.Runs,
					o.Window)}
			}
			for _, name := range only {
				if !slices.Contains(bench.Experiments(), name) {
					return &usageError{fmt.Errorf("--only %s: want some of %s", name, strings.Join(bench.Experiments(),
						", "))}
				}
			}
			o.Only = only
			if o.Short {
				short := func(flag string, set func()) {
					if !c.Flags().Changed(flag) {
						set()
					}
				}
				short("apps", func() { o.Apps = 2 })
				short("mappings", func() { o.Mappings = 1 })
				short("runs", func() { o.Runs = 1 })
				short("window", func() { o.Window = 200 * time.Millisecond })
				o.MaxTasks = 8
			}
			return a.paper(c, o, folder)
		},
	}
	flags := c.Flags()
	a.forceFlag(flags)
	flags.StringSliceVar(&only, "only", nil, "only these `EXPERIMENTS`: "+strings.Join(bench.Experiments(), ", "))
	flags.IntVar(&o.Apps, "apps", 40, "synthetic applications")
	flags.IntVar(&o.Mappings, "mappings", 2, "random mappings of each")
	flags.Uint64Var(&o.Seed, "random-seed", 1, "what applications and mappings are drawn from")
	flags.IntVar(&o.Runs, "runs", 3, "runs of each mapping, taking turns")
	flags.DurationVar(&o.Window, "window", time.Second, "length of each run, after it has settled")
	flags.BoolVar(&o.Short, "short", false, "a few minutes of everything")
	flags.StringVarP(&folder, "out", "o", ".", "write to this `FOLDER`")
	return c
}

func (a *app) paper(c *cobra.Command, o bench.PaperOptions, folder string) error {
	const pageName, rawName = "experiments.md", "experiments.json"
	plan := a.plan()
	plan.Into("-o", folder, map[string]output.Kind{pageName: output.PaperPage(), rawName: output.PaperFigures()})
	if err := planned(plan); err != nil {
		return err
	}
	page, raw := filepath.Join(folder, pageName), filepath.Join(folder, rawName)
	if o.Only != nil {
		if old, err := infile.Open(raw); err == nil {
			var p bench.Paper
			err := json.NewDecoder(old).Decode(&p)
			if err := errors.Join(err, old.Close()); err != nil {
				return &usageError{fmt.Errorf("%s, whose other experiments would be kept, is damaged: %w; remove "+
					"it, or name another folder with -o", raw, err)}
			}
			o.Earlier = &p
		}
	}
	o.Note = func(text string) { a.note("%s", text) }
	o.Done = func(p *bench.Paper) error {
		return errors.Join(report.WriteFile(page, p.WriteExperiments), report.WriteFile(raw, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(p)
		}))
	}
	_, err := bench.RunPaper(c.Context(), o)
	if c.Context().Err() != nil {
		a.code = exitInterrupted
		a.note("interrupted; %s has what was measured", page)
		return nil
	}
	if err != nil {
		return err
	}
	a.note("wrote %s and %s", page, raw)
	return nil
}
