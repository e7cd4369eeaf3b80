package main

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench/paper"
	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
)

// paperCommand returns the command that repeats experiments of papers.
func paperCommand(s *session) *cobra.Command {
	o, folder := paper.Options{Note: s.note}, ""
	c := &cobra.Command{
		Use:   "paper",
		Short: "repeat the experiments of Beard 2013 and of Lancaster 2011, ch. 7, on this machine",
		Long: `paper repeats the papers' experiments on two cores of this machine. It writes papers.md,
which compares the measured figures with the published figures, and papers.json with all figures:

- processes that share a core (Beard 2013, Fig. 14)
- the flow through random mappings of forty synthetic applications (Fig. 15), JPEG (Fig. 16),
  DES (Fig. 17) and other applications
- modelled and measured queues (Figs. 18 to 20)
- BLASTN as a Jackson network (Lancaster 2011, ch. 7)

The command takes about an hour. Use no other programs on the machine during this time. --short
takes a few minutes, and only checks that all experiments work. The command writes its results
after every step. With --only, it keeps the results of the other experiments in the folder.`,
		Example: "xbench paper --short -o try\nxbench paper --only 14,15 -o results",
		Args:    options.MaxArgs(0),
	}
	f := c.Flags()
	f.StringSliceVar(&o.Only, "only", nil, "only these `experiments`, separated by commas: 14 to 17 (figures of "+
		"Beard 2013), others, ch7")
	f.IntVar(&o.Apps, "apps", 40, "`number` of synthetic applications")
	f.IntVar(&o.Mappings, "mappings", 2, "`number` of random mappings of each application")
	f.IntVar(&o.Runs, "runs", 3, "`number` of runs of each mapping, alternating with runs of other mappings")
	f.DurationVar(&o.Window, "window", time.Second, "`duration` of each run, without its warm-up")
	f.BoolVar(&o.Short, "short", false, "run a small part of every experiment, in a few minutes")
	f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the random applications and mappings")
	f.StringVarP(&folder, "out", "o", ".", "write to this `folder`")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := errors.Join(oneOf("only", o.Only, paper.Experiments()), between("apps", o.Apps, 1, maxGraphs),
			between("mappings", o.Mappings, 1, maxMappings), between("runs", o.Runs, 1, maxRuns),
			between("window", o.Window, shortestPaperWindow, maxWindow)); err != nil {
			return err
		}
		if o.Short {
			shorten(&o, f.Changed)
		}
		return repeatPapers(c, s, o, folder)
	}
	return c
}

// shortestPaperWindow is the duration of the shortest run of these experiments.
const shortestPaperWindow = 100 * time.Millisecond

// shorten reduces the amount of work in all options that the user did not set.
func shorten(o *paper.Options, given func(option string) bool) {
	if !given("apps") {
		o.Apps = 2
	}
	if !given("mappings") {
		o.Mappings = 1
	}
	if !given("runs") {
		o.Runs = 1
	}
	if !given("window") {
		o.Window = 200 * time.Millisecond
	}
	o.MaxTasks = 8
}

// repeatPapers runs the experiments. After each, it writes the page and the figures.
func repeatPapers(c *cobra.Command, s *session, o paper.Options, folder string) error {
	const pageName, rawName = "papers.md", "papers.json"
	plan := &output.Plan{}
	plan.Into("-o", folder, map[string]output.Kind{pageName: output.PaperPage(), rawName: output.PaperFigures()})
	if err := plan.Err(); err != nil {
		return err
	}
	page, raw := filepath.Join(folder, pageName), filepath.Join(folder, rawName)
	if o.Only != nil {
		if old, err := infile.Open(raw); err == nil {
			var p paper.Results
			err := json.NewDecoder(old).Decode(&p)
			if err := errors.Join(err, old.Close()); err != nil {
				return faults.DamagedExperiments.Usagef("cannot keep the other experiments in %s: the file is "+
					"damaged: %w (remove it, or choose another folder with -o)", raw, err)
			}
			o.Earlier = &p
		}
	}
	o.Done = func(p *paper.Results) error {
		return errors.Join(output.WriteFile(page, p.WriteExperiments), output.WriteFile(raw, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(p)
		}))
	}
	_, err := paper.Run(c.Context(), o)
	if c.Context().Err() != nil {
		s.note("interrupted: " + page + " contains the results of the completed steps")
		return errInterrupted
	}
	if err != nil {
		return err
	}
	s.note("wrote " + page + " and " + raw)
	return nil
}
