package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/gnuradio"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// gnuradioCommand implements xopt gnuradio, which finds the limits of flow graphs of GNU Radio.
type gnuradioCommand struct {
	*app
	*settings.GNURadio
}

func (f *gnuradioCommand) command() *cobra.Command {
	c := &cobra.Command{
		Use:   "gnuradio",
		Short: "find the block that limits a GNU Radio flow graph",
		Args:  options.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	flowGraph := options.ExactArgs(1, "a .grc file")
	c.AddCommand(
		&cobra.Command{
			Use:   "measure FLOW.grc",
			Short: "run a flow graph and measure its blocks",
			Long: `measure runs the flow graph with your GNU Radio. It reads the performance counters and the processor
time of each block. It tries pinnings, larger buffers and shorter work calls in turns with the unchanged
graph. It writes FLOW.x, machine.x and FLOW.profile.json into the working folder. The flow graph runs as
your own program, with its files, network and hardware.`,
			Example: `xopt gnuradio measure radio.grc --headless --unthrottle`,
			Args:    flowGraph,
			RunE:    func(c *cobra.Command, args []string) error { return f.measure(c, args[0]) },
		},
		&cobra.Command{
			Use:   "doctor FLOW.grc",
			Short: "show the limiting block and the changes that help",
			Long: `doctor reads the files of measure, and runs nothing without --verify. It names the limit of the flow
graph, and lists changes with their gains and 95 % confidence intervals, the best first. --verify slows single blocks
by a known amount of processor work, and compares the effect at the sink with the prediction.`,
			Example: `xopt gnuradio doctor flow.grc --verify`,
			Args:    flowGraph,
			RunE:    func(c *cobra.Command, args []string) error { return f.doctor(c.Context(), args[0]) },
		},
		&cobra.Command{
			Use:   "apply FLOW.grc -o FAST.grc",
			Short: "write a flow graph with the advised settings",
			Long: `apply writes a copy of the flow graph. Only the values of affinity, minoutbuf or max_nouts differ;
all other bytes are the same. It runs nothing. Without a worthwhile change, it writes nothing and exits with 1.`,
			Example: `xopt gnuradio apply flow.grc -o fast.grc --change buffers`,
			Args:    flowGraph,
			RunE:    func(_ *cobra.Command, args []string) error { return f.apply(args[0]) },
		},
		&cobra.Command{
			Use:   "compare FLOW.grc FAST.grc",
			Short: "run two flow graphs in turns and compare their rates",
			Long: `compare runs both flow graphs alternately, without performance counters. It prints the gain of the
second graph at the sink, with its 95 % confidence interval.`,
			Example: `xopt gnuradio compare flow.grc fast.grc`,
			Args:    options.ExactArgs(2, "two .grc files"),
			RunE:    func(c *cobra.Command, args []string) error { return f.compare(c.Context(), args) },
		})
	return c
}

// runOptions returns the options of runs, which show their steps as progress.
func (f *gnuradioCommand) runOptions() (gnuradio.Options, func()) {
	work := f.longWork("running the flow graph")
	return gnuradio.Options{Headless: f.Headless, Unthrottle: f.Unthrottle, Time: f.Time, Pairs: f.Pairs,
		Progress: work.At}, work.Stop
}

func (f *gnuradioCommand) measure(c *cobra.Command, path string) error {
	g, err := gnuradio.Read(path)
	if err != nil {
		return err
	}
	base, plan := gnuradio.Base(path), f.plan()
	plan.File("FLOW.x", base+".x", output.Imported())
	plan.File("machine.x", "machine.x", output.Imported())
	plan.File("profile", gnuradio.ProfilePath(base), output.Profile())
	plan.Read(path)
	if err := plan.Err(); err != nil {
		return err
	}
	o, done := f.runOptions()
	m, err := gnuradio.Measure(c.Context(), g, o)
	done()
	if err != nil {
		return err
	}
	if c.Context().Err() != nil {
		f.code = exitInterrupted
	}
	if err := errors.Join(output.WriteFile(base+".x", m.WriteX), output.WriteFile("machine.x", m.WriteMachine),
		output.WriteFile(gnuradio.ProfilePath(base), m.WriteProfile)); err != nil {
		return err
	}
	if f.settings.JSON {
		return f.printJSON(struct {
			Limit gnuradio.Limit `json:"limit"`
			*gnuradio.Measurement
		}{m.Limit(), m})
	}
	if err := f.answer(report.FlowGraphMeasured(m, false), report.FlowGraphMeasured(m, true)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.stdout, "wrote %s.x, machine.x, %s; next: xopt gnuradio doctor %s\n", base,
		gnuradio.ProfilePath(base), safetext.ShellWord(path))
	return err
}

func (f *gnuradioCommand) doctor(ctx context.Context, path string) error {
	g, m, err := readMeasured(path)
	var x *gnuradio.Experiment
	if err == nil && (f.Headless && !m.Headless || f.Unthrottle && !m.Unthrottled) {
		err = faults.OptionsConflict.Usagef("%s was measured without the options of doctor: run xopt gnuradio "+
			"measure again with --headless or --unthrottle", path)
	}
	if err == nil && f.Verify {
		o, done := f.runOptions()
		o.Headless, o.Unthrottle = m.Headless, m.Unthrottled // as measured
		x, err = gnuradio.Verify(ctx, g, m, o)
		done()
	}
	if err != nil {
		return err
	}
	if f.settings.JSON {
		answer := map[string]any{"limit": m.Limit(), "rate": m.Rate, "sink": m.Sink, "notes": m.Notes,
			"headless": m.Headless, "unthrottled": m.Unthrottled, "interrupted": m.Interrupted,
			"others": m.Others, "advised": m.Best(),
			"settings": m.Settings(), "changes": m.WhatIfs(), "experiment": x}
		if x != nil {
			answer["agrees"] = x.Agrees(m.Limit().Kind, len(m.CPUs))
		}
		return f.printJSON(answer)
	}
	apply := "xopt gnuradio apply " + safetext.ShellWord(path) + " -o fast.grc"
	return f.answer(report.FlowGraphAdvice(m, x, apply, false), report.FlowGraphAdvice(m, x, apply, true))
}

// readMeasured reads a flow graph and its measurement.
func readMeasured(path string) (*gnuradio.FlowGraph, *gnuradio.Measurement, error) {
	g, err := gnuradio.Read(path)
	if err != nil {
		return nil, nil, err
	}
	m, err := gnuradio.ReadMeasurement(g, gnuradio.Base(path))
	return g, m, err
}

func (f *gnuradioCommand) apply(path string) error {
	g, m, err := readMeasured(path)
	if err != nil {
		return err
	}
	a, err := m.Choose(f.Change)
	if err != nil {
		return err
	}
	if f.Out == "" {
		return faults.ArgumentMissing.Usagef("apply needs -o FILE, because apply never changes %s", path)
	}
	plan := f.plan()
	plan.File("-o", f.Out, output.FlowGraph())
	plan.Read(path)
	if err := plan.Err(); err != nil {
		return err
	}
	text, err := g.Apply(a, m.Blocks)
	if err != nil {
		return err
	}
	if err := output.WriteFile(f.Out, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	if f.settings.JSON {
		return f.printJSON(a)
	}
	options := ""
	if m.Headless {
		options += " --headless"
	}
	if m.Unthrottled {
		options += " --unthrottle"
	}
	_, err = fmt.Fprintf(f.stdout, "wrote %s with %s; next: xopt gnuradio compare %s %s%s\n", f.Out, a.Text,
		safetext.ShellWord(path), safetext.ShellWord(f.Out), options)
	return err
}

func (f *gnuradioCommand) compare(ctx context.Context, paths []string) error {
	var graphs [2]*gnuradio.FlowGraph
	for i, path := range paths {
		var err error
		if graphs[i], err = gnuradio.Read(path); err != nil {
			return err
		}
	}
	o, done := f.runOptions()
	c, err := gnuradio.Compare(ctx, graphs, o)
	done()
	if err != nil {
		return err
	}
	if c.Interrupted {
		f.code = exitInterrupted
	}
	if f.settings.JSON {
		return f.printJSON(c)
	}
	return f.show(report.FlowGraphsCompared(c, [2]string{paths[0], paths[1]})...)
}
