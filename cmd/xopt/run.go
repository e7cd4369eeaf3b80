package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"xopt/flow"
	"xopt/internal/report"
	"xopt/internal/xlang"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// app is one run of the program.
type app struct {
	stdout, stderr io.Writer
	settings       settings
	code           int // when a command ends without an error but not with 0
}

// usageError is a wrong way to call the program.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// inputError is a mistake in an input file, rendered in full.
type inputError struct{ text string }

func (e *inputError) Error() string { return e.text }

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{stdout: stdout, stderr: stderr}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.code
	}
	var usage *usageError
	var input *inputError
	switch {
	case errors.As(err, &input):
		fmt.Fprintln(stderr, strings.TrimRight(input.text, "\n"))
		return exitUsage
	case errors.As(err, &usage) || isCobraUsage(err):
		fmt.Fprintf(stderr, "xopt: %v\n", err)
		return exitUsage
	case errors.Is(err, flow.ErrCycle) || errors.Is(err, flow.ErrInvalid):
		fmt.Fprintf(stderr, "xopt: %v\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "xopt: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "xopt: %v\n", err)
	return exitFailed
}

// isCobraUsage recognizes cobra's own errors about commands, which have no type.
func isCobraUsage(err error) bool {
	return strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")
}

// rootCommand builds the command tree.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "xopt",
		Short: "map a streaming application onto processor cores and FPGAs",
		Long: `xopt tells which kernel of a streaming application should run on which
processor core or FPGA, over which links and with which buffers, and how we know.

The application and the machine are described in the X language. The shortest
way to see an answer is a bundled example:

    xopt examples veritas            writes the folder veritas
    cd veritas
    xopt check  pipes2.x arch_slow.x           what it is, and what is known of it
    xopt eval   arch_slow.x mapB2.x            score one mapping
    xopt search pipes2.x arch_slow.x           find the best mappings`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	a.settings.bind(root)
	root.AddCommand(a.checkCommand(), a.evalCommand(), a.searchCommand(), a.deployCommand(), a.examplesCommand(), a.configCommand())
	return root
}

// atLeast is cobra's check of arguments with the files named.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return &usageError{fmt.Errorf("%s needs %s; see %s --help", c.Name(), what, c.CommandPath())}
		}
		return nil
	}
}

// isTerminal reports whether a writer is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// style is how text goes to standard output. Lines are folded to the width of the
// terminal, or to COLUMNS where there is none, and not at all where that is not
// set.
func (a *app) style() report.Style {
	s := report.Style{Color: isTerminal(a.stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	if f, ok := a.stdout.(*os.File); ok && isTerminal(f) {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.Width = w
		}
	}
	return s
}

// rendered turns diagnostics into an error that shows them.
func rendered(err error, source *xlang.Source) error {
	var d xlang.Diagnostics
	if !errors.As(err, &d) {
		return err
	}
	var b strings.Builder
	d.Render(&b, source.Text)
	mistakes := 0
	for _, x := range d {
		if !x.Warning {
			mistakes++
		}
	}
	if mistakes > 1 {
		fmt.Fprintf(&b, "%d errors\n", mistakes)
	}
	return &inputError{b.String()}
}
