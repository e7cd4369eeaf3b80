package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench/paper"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
)

// benchPaperCommand repeats the papers' experiments.
func (a *app) benchPaperCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "paper",
		Short: "repeat the experiments of Beard 2013 and of Lancaster 2011, ch. 7, on this machine",
		Long: `paper repeats the papers' experiments on two cores of this machine and writes
papers.md, our figures beside theirs, and papers.json with all figures:
how processes share a core (Beard 2013, Fig. 14), the flow through forty synthetic
applications (Fig. 15), JPEG (16), DES (17) and others in random mappings, modelled and
measured queues (18 to 20), and BLASTN as a Jacksonian network (Lancaster 2011, ch. 7).

It takes about an hour, in which the machine should do nothing else; --short takes
minutes, and shows that everything works. Results are written at every step. With
--only the other experiments in the folder are kept as they are.`,
		Example: "xopt bench paper --short -o try\nxopt bench paper --only 14,15 -o results",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.paper(c, a.paperOptions(), a.settings.bench.out)
		},
	}
}

// paperOptions says which experiments are repeated, and how long. With --short everything that was
// not given is little.
func (a *app) paperOptions() paper.Options {
	f := &a.settings.bench
	o := paper.Options{Only: f.only, Apps: f.apps, Mappings: f.mappings, Seed: a.settings.Seed, Runs: f.runs,
		Window: f.window, Short: f.short}
	if !f.short {
		return o
	}
	for _, x := range []struct {
		name string
		set  func()
	}{
		{"apps", func() { o.Apps = 2 }}, {"mappings", func() { o.Mappings = 1 }}, {"runs", func() { o.Runs = 1 }},
		{"window", func() { o.Window = 200 * time.Millisecond }},
	} {
		if !a.given(x.name) {
			x.set()
		}
	}
	o.MaxTasks = 8
	return o
}

func (a *app) paper(c *cobra.Command, o paper.Options, folder string) error {
	const pageName, rawName = "papers.md", "papers.json"
	plan := a.plan()
	plan.Into("-o", folder, map[string]output.Kind{pageName: output.PaperPage(), rawName: output.PaperFigures()})
	if err := planned(plan); err != nil {
		return err
	}
	page, raw := filepath.Join(folder, pageName), filepath.Join(folder, rawName)
	if o.Only != nil {
		if old, err := infile.Open(raw); err == nil {
			var p paper.Results
			err := json.NewDecoder(old).Decode(&p)
			if err := errors.Join(err, old.Close()); err != nil {
				return &usageError{fmt.Errorf("%s, whose other experiments would be kept, is damaged: %w; remove "+
					"it, or name another folder with -o", raw, err)}
			}
			o.Earlier = &p
		}
	}
	o.Note = func(text string) { a.note("%s", text) }
	o.Done = func(p *paper.Results) error {
		return errors.Join(output.WriteFile(page, p.WriteExperiments), output.WriteFile(raw, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(p)
		}))
	}
	_, err := paper.Run(c.Context(), o)
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
