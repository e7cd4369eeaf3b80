// Command xbench measures xopt itself: the costs of its links, taps and buffers, and the quality of its searches,
// proofs and predictions. It also repeats experiments of papers. Its pages are in docs/results.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xopt/cmd/faults"
	"xopt/deploy/run"
	"xopt/internal/cache"
	"xopt/internal/fault"
	"xopt/internal/release"
	"xopt/internal/safetext"
)

// Exit codes, as in xopt.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program immediately
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command that the arguments name and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := &session{stdout: safetext.NewWriter(stdout), stderr: safetext.NewWriter(stderr)}
	kept := cache.New(cache.Settings{Note: s.note})
	root := rootCommand(s)
	root.SetArgs(args)
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	err := root.ExecuteContext(withParts(cache.With(ctx, kept)))
	err = errors.Join(err, kept.Close(), s.stdout.Flush())
	var usage *fault.UsageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintln(s.stderr, "xbench: "+fault.Text(err))
		return exitUsage
	case errors.Is(err, context.Canceled), errors.Is(err, errInterrupted):
		fmt.Fprintln(s.stderr, "xbench: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(s.stderr, "xbench: "+fault.Text(err))
	return exitFailed
}

// errInterrupted ends an interrupted benchmark that has shown its results.
var errInterrupted = errors.New("interrupted")

// rootCommand builds the command tree.
func rootCommand(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:   "xbench",
		Short: "measure xopt itself: links, taps, buffers, searches, predictions, the papers' experiments",
		Long: `xbench measures xopt itself on this machine. Each command prints its figures, the machine and its
load. --md writes them as a page, and --json as JSON.

Exit codes: 0 success; 1 failure; 2 wrong input or usage; 130 interrupted.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       release.Build(),
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return faults.WrongOption.Usagef("%w (see %s --help)", err, c.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, b := range benchmarks() {
		root.AddCommand(s.command(b))
	}
	root.AddCommand(syntheticCommand(s), paperCommand(s), partCommand())
	return root
}

// partCommand returns the command that runs this host's part of a mapping. Benchmarks on several hosts start this
// command.
func partCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "part",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return run.Part(c.Context(), os.Stdin, os.Stdout, release.Build())
		},
	}
}

// withParts returns a context for runs on several hosts. It makes all parts start on this machine.
func withParts(ctx context.Context) context.Context {
	return run.WithParts(ctx, &run.Parts{Command: partLine(), Version: release.Build(),
		Launch: func(_ string, command []string) ([]string, error) { return command, nil }})
}

// partLine returns the command line that starts partCommand.
func partLine() []string {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return []string{self, "part"}
}

// Limits of benchmark options.
const (
	maxRuns     = 10_000
	maxGraphs   = 10_000
	maxMappings = 100_000
	maxWindow   = time.Hour
	maxDuration = time.Duration(math.MaxInt64)
)

// benchmarks returns all benchmarks in the order of the help.
func benchmarks() []*benchmark {
	return []*benchmark{ring(), network(), hosts(), taps(), queues(), sharing(), buffers(), rivals(), unseenApps(),
		calibrations(), hardware(), xsim(), replay(), clocks(), searches(), proofs(), arenaRuns(), flowGraphs()}
}

// timing contains the options of benchmarks that alternate between variants.
type timing struct {
	runs   int
	window time.Duration
}

// timingOf declares --runs and --window with the given defaults.
func timingOf(f *pflag.FlagSet, runs int, window time.Duration) *timing {
	t := &timing{}
	f.IntVar(&t.runs, "runs", runs, "`number` of alternating runs of each variant")
	f.DurationVar(&t.window, "window", window, "`duration` of each run")
	return t
}

// check rejects values of --runs and --window outside their limits.
func (t *timing) check() error {
	return errors.Join(between("runs", t.runs, 1, maxRuns), between("window", t.window, shortestWindow, maxWindow))
}

// shortestWindow is the duration of the shortest run in which links and buffers reach steady state.
const shortestWindow = 50 * time.Millisecond
