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

// paperCommand repeats the papers' experiments.
func paperCommand(s *session) *cobra.Command {
	o, folder := paper.Options{Note: s.note}, ""
	c := &cobra.Command{
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
		Example: "xbench paper --short -o try\nxbench paper --only 14,15 -o results",
		Args:    options.MaxArgs(0),
	}
	f := c.Flags()
	f.StringSliceVar(&o.Only, "only", nil, "only these `experiments`, with commas between: figures 14 to 17 of "+
		"Beard 2013, "+
		"others, ch7")
	f.IntVar(&o.Apps, "apps", 40, "`number` of synthetic applications")
	f.IntVar(&o.Mappings, "mappings", 2, "`number` of random mappings of each")
	f.IntVar(&o.Runs, "runs", 3, "`number` of runs of each mapping, which alternate")
	f.DurationVar(&o.Window, "window", time.Second, "`length` of each run, after it has settled")
	f.BoolVar(&o.Short, "short", false, "do a little of everything, in a few minutes")
	f.Uint64Var(&o.Seed, "seed", 1, "`seed` that applications and mappings are drawn from")
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

// shortestPaperWindow is the shortest run of the experiments.
const shortestPaperWindow = 100 * time.Millisecond

// shorten reduces all options that were not given.
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

// repeatPapers runs the experiments, and writes page and figures after each.
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
				return faults.DamagedExperiments.Usagef("%s, whose other experiments would be kept, is damaged: "+
					"%w; remove it, or name another folder with -o", raw, err)
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
		s.note("interrupted; " + page + " has what was measured")
		return errInterrupted
	}
	if err != nil {
		return err
	}
	s.note("wrote " + page + " and " + raw)
	return nil
}
