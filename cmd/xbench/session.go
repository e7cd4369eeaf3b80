package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/cmd/internal/report/text"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/release"
	"xopt/internal/safetext"
)

// benchmark is a command that measures and shows figures.
type benchmark struct {
	use, short, long, example string
	files                     int // maximum number of arguments
	// declare declares the options. The returned functions check their values, and measure.
	declare func(f *pflag.FlagSet) (check func() error, run measure)
}

// measure returns the figures of a benchmark, both as the value for --json and as tables. It omits nil tables.
type measure func(ctx context.Context, s *session, files []string) (figures any, tables []*report.Table, err error)

// session is one run of the program: its outputs and the page that it writes.
type session struct {
	stdout, stderr *safetext.Writer
	json, force    bool
	page           string   // file of --md; "" for none
	remarks        []string // notes about the figures
	bar            *progress.Work
}

func (s *session) command(b *benchmark) *cobra.Command {
	c := &cobra.Command{Use: b.use, Short: b.short, Long: b.long, Example: b.example, Args: options.MaxArgs(b.files)}
	flags := c.Flags()
	check, run := b.declare(flags)
	flags.BoolVar(&s.json, "json", false, "print the figures as JSON")
	flags.StringVar(&s.page, "md", "", "write the figures as a page of Markdown to this `file`")
	flags.BoolVar(&s.force, "force", false, "replace a file that xopt did not write")
	c.RunE = func(c *cobra.Command, files []string) error {
		plan := &output.Plan{Force: s.force}
		markdown.Plan(plan, "--md", s.page)
		plan.Read(files...)
		if err := plan.Err(); err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		seen := profile.Observe()
		figures, tables, err := run(c.Context(), s, files)
		s.endProgress()
		if err != nil && !errors.Is(err, errInterrupted) {
			return err
		}
		return errors.Join(err, s.show(c, figures, tables, seen))
	}
	return c
}

// show prints the figures and writes their page.
func (s *session) show(c *cobra.Command, figures any, tables []*report.Table, seen *profile.Observation) error {
	var parts []report.Part
	for _, t := range tables {
		if t != nil {
			parts = append(parts, report.Part{Table: t})
		}
	}
	machine := profile.ThisMachine()
	var err error
	if s.json {
		err = s.printJSON(figures)
	} else {
		err = text.Write(s.stdout, append([]report.Part{report.Machine(&machine)}, parts...), s.style())
	}
	if s.page == "" || len(parts) == 0 {
		return err
	}
	short := []rune(c.Short)
	view := report.Figures{Title: strings.ToUpper(string(short[0])) + string(short[1:]),
		Shows: shows()[c.Name()], Maker: c.CommandPath(),
		Command: commandLine(c), Version: release.Build(), About: c.Long, Notes: s.remarks, Machine: machine,
		Surroundings: seen.Stop(), Parts: parts}
	if e := markdown.Save(s.page, view.Page()); e != nil {
		return errors.Join(err, e)
	}
	s.note("wrote " + s.page)
	return err
}

// shows returns the first sentence of each benchmark's page.
func shows() map[string]string {
	return map[string]string{
		"ring":     "This page compares the rate of messages between two cores by an edge and by other links.",
		"network":  "This page compares the rate of messages over TCP by an edge between hosts, iperf3 and ZeroMQ.",
		"hosts":    "This page compares the predicted and the measured throughput of mappings over several hosts.",
		"taps":     "This page shows how much throughput a chain of eleven kernels loses because of taps.",
		"queues":   "This page compares measured or estimated queues with known solutions.",
		"sharing":  "This page compares the measured rates of kernels on one core with two sharing rules.",
		"buffers":  "This page compares throughput, memory and latency for three methods of sizing buffers.",
		"rivals":   "This page compares a chain of eleven kernels in xopt, oneTBB and GNU Radio.",
		"unseen":   "This page shows the errors of predictions for random applications that xopt was not tuned on.",
		"repeats":  "This page compares several calibrations of one application, and their predictions.",
		"hardware": "This page shows the area of hardware taps, and their effect on clock rates.",
		"xsim":     "This page compares the predicted and simulated throughput of VERITAS at several bus bandwidths.",
		"gnuradio": "This page compares the answers of xopt gnuradio with experiments on flow graphs that were not " +
			"used to build it.",
		"replay": "This page compares native runs with simulations that replay the service times of another mapping.",
		"clocks": "This page shows the clock synchronization errors of FPGAs on a network, and the network's " +
			"latencies and traffic.",
		"search": "This page compares the quality of search methods over time.",
		"arena":  "This page compares xopt's search with other methods on published task graphs.",
		"proofs": "This page shows the gap between the best mapping and the bound, and the time of a proof.",
	}
}

// commandLine returns the command line that repeats a command: its path, its files, and the options that the user set.
func commandLine(c *cobra.Command) string {
	line := append(strings.Fields(c.CommandPath()), c.Flags().Args()...)
	c.Flags().Visit(func(f *pflag.Flag) {
		value := strings.Trim(f.Value.String(), "[]")
		line = append(line, "--"+f.Name)
		if f.Value.Type() != "bool" || value != "true" {
			line = append(line, value)
		}
	})
	return safetext.ShellLine(line)
}

func (s *session) printJSON(v any) error {
	e := json.NewEncoder(s.stdout.JSON())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// style returns the style of printed text. Text in a terminal has colors and wrapped lines.
func (s *session) style() text.Style {
	return text.Style{Full: true, Color: progress.IsColored(s.stdout), Width: progress.TerminalWidth(s.stdout)}
}

// note prints a note on standard error.
func (s *session) note(text string) {
	s.endProgress()
	fmt.Fprintln(s.stderr, text)
}

// remark prints a note and adds it to the page.
func (s *session) remark(text string) {
	s.note(text)
	s.remarks = append(s.remarks, strings.TrimPrefix(text, "note: "))
}

// progress shows the number of completed cases on a terminal.
func (s *session) progress(done, all int) {
	if !progress.IsTerminal(s.stderr) {
		return
	}
	if s.bar == nil {
		s.bar = progress.Start(s.stderr, "case")
	}
	s.bar.Step(done, all)
}

// endProgress removes the progress bar.
func (s *session) endProgress() {
	s.bar.Stop()
	s.bar = nil
}

// between rejects a value of an option outside its limits.
func between[T cmp.Ordered](option string, value, low, high T) error {
	if value < low || value > high {
		return fault.WrongValue(option, value, "%v to %v", low, high)
	}
	return nil
}

// allBetween rejects values of an option outside its limits.
func allBetween(option string, values []int, low, high int) error {
	for _, v := range values {
		if err := between(option, v, low, high); err != nil {
			return err
		}
	}
	return nil
}

// oneOf rejects unknown values of an option.
func oneOf(option string, values, existing []string) error {
	for _, v := range values {
		if !slices.Contains(existing, v) {
			return fault.WrongValue(option, v, "one or more of %s", strings.Join(existing, ", "))
		}
	}
	return nil
}
