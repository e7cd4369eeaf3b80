package main

import (
	"context"
	"encoding/json"
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

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/cmd/internal/settings"
	"xopt/cmd/internal/submit"
	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/cache"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// app is the state of one run of the program.
type app struct {
	stdout, stderr *safetext.Writer
	notes          *safetext.Writer // for notes and progress: stderr, or discarded with --quiet
	table          options.Table    // table of all options
	settings       settings.Settings
	setBy          map[string]string // flag that sets each config, other than --set
	inForce        options.InForce   // options of the command with their origins
	profileOf      string            // file with the default profile in use; "" if the user chose the profile
	code           int               // exit code of a command without an error
	remarked       report.Remarked   // printed remarks
	brief          text.Brief        // the remarks of a command without --full
	unpredicted    []fault.Note      // reasons for a missing prediction of a run with a profile
	kept           *cache.Cache      // compiled files; nil until a command has its settings
	begun          time.Time         // start time of the command
	figures        *figuresPage      // output of --md, --csv and --report; nil without these options
	wrote          []string          // files that contain the result
	made           output.Folders    // created folders
	parser         *xlang.Parser     // parser of X files; nil before its first use
	working        *progress.Work    // progress display; nil before its first use
	campaigns
}

// inputError is a mistake in an input file, with its complete text.
type inputError struct {
	text string
	list xlang.Diagnostics
}

func (e *inputError) Error() string { return e.text }

// run runs the program and returns its exit code. All output passes two writers that remove escape sequences in the
// text of kernels, tools and files.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := newApp(stdout, stderr)
	var err error
	if a.role, err = campaign.RemoveRole(); err != nil {
		a.failed(err)
		return exitFailed
	}
	if a.role.Point { // a scheduler signals all processes of a job, but only the worker interrupts a point
		ignored := make(chan os.Signal, 1)
		signal.Notify(ignored, syscall.SIGTERM, syscall.SIGUSR1)
		defer signal.Stop(ignored)
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt)
		defer stop()
	}
	code := a.execute(ctx, args)
	if a.role.File != "" && code == exitUsage {
		a.fail("xopt: did not start the campaign described in %s", a.role.File)
	}
	if err := a.stdout.Flush(); err != nil {
		a.fail("xopt: writing to standard output: %v", err)
		code = max(code, exitFailed)
	}
	if err := a.stderr.Flush(); err != nil && !errors.Is(err, syscall.EBADF) { // stderr may be closed on purpose
		code = max(code, exitFailed) // there is nowhere to print the reason
	}
	return code
}

func newApp(stdout, stderr io.Writer) *app {
	a := &app{stdout: safetext.NewWriter(stdout), stderr: safetext.NewWriter(stderr), begun: time.Now()}
	a.table = a.settings.Options(campaignCommands())
	a.notes = a.stderr
	return a
}

// execute runs the command that the arguments name.
func (a *app) execute(ctx context.Context, args []string) int {
	root, err := a.rootCommand()
	if err != nil {
		a.failed(err)
		return exitFailed
	}
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err = root.ExecuteContext(ctx)
	a.made.RemoveEmpty()
	if line := a.brief.Rest(); line != "" {
		a.printWrapped(a.notes, line)
	}
	if a.kept != nil {
		if left := a.kept.Close(); left != nil {
			a.noteID(faults.CacheNotRemoved, "note: cannot remove compiled files: %v", left)
		}
	}
	if err == nil {
		return a.code
	}
	var usage *fault.UsageError
	var input *inputError
	var deployed *program.InputError
	switch {
	case errors.As(err, &input):
		a.fail("%s", strings.TrimRight(input.text, "\n"))
		if a.settings.JSON {
			a.failJSON(input.list)
		}
		return exitUsage
	case errors.As(err, &usage) || errors.As(err, &deployed) || isCobraUsage(err),
		errors.Is(err, flow.ErrCycle) || errors.Is(err, flow.ErrInvalid):
		a.failed(err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		a.fail("xopt: interrupted")
		return exitInterrupted
	}
	a.failed(err)
	return exitFailed
}

// load sets the options of a command and the state that all commands need.
func (a *app) load(c *cobra.Command) error {
	var err error
	layers := options.AllLayers
	if a.role.Sealed() {
		layers = options.FlagsOnly
	}
	if a.inForce, err = a.table.Load(c, layers); err != nil {
		return fault.Usage(err)
	}
	if a.settings.Quiet {
		a.silence()
	}
	if err := a.useCache(c); err != nil || a.role.Sealed() {
		return err
	}
	for _, n := range a.table.UnknownEnvironment(os.Environ()) {
		a.note("note: %s", n)
	}
	return nil
}

// useCache opens the cache of compiled files.
func (a *app) useCache(c *cobra.Command) error {
	size, err := units.ParseSize(a.settings.CacheSize)
	if err != nil {
		return fault.Usage(fmt.Errorf("--cache-size: %w", err))
	}
	if a.kept == nil {
		a.kept = cache.New(cache.Settings{Dir: a.settings.Cache, Size: int64(min(size, math.MaxInt64/2)),
			Note: func(text string) { a.note("note: %s", text) }})
	}
	ctx := c.Context()
	if ctx == nil { // a test may load a command without a context
		ctx = context.Background()
	}
	c.SetContext(a.withParts(cache.With(ctx, a.kept)))
	return nil
}

// note prints a remark to standard error, unless --quiet is set. If the command has the option --full, but the option
// is not set, note prints only the remarks that fit into the screen.
func (a *app) note(format string, args ...any) {
	text := fault.Tagged(fmt.Sprintf(format, args...), "")
	if a.isFull() || a.brief.Shows(text) {
		a.printWrapped(a.notes, text)
	}
}

// isFull reports whether a command prints everything: --full or --json is set, or the command has no option --full.
func (a *app) isFull() bool {
	_, short := a.inForce["full"]
	return !short || a.settings.Full || a.settings.JSON
}

// noteID prints a note or warning as note does, with its identifier.
func (a *app) noteID(id fault.ID, format string, args ...any) {
	a.note("%s", id.Textf(format, args...))
}

// noteEach prints each element of a list in a format such as "note: %s".
func noteEach[T any](a *app, format string, list []T) {
	for _, x := range list {
		a.note(format, x)
	}
}

// written prints the path of an output that a command has written. It returns the error of the write.
func (a *app) written(path string, err error) error {
	if err == nil {
		a.note("wrote %s", path)
	}
	return err
}

// fail prints an error on standard error.
func (a *app) fail(format string, args ...any) {
	a.printWrapped(a.stderr, fmt.Sprintf(format, args...))
}

// failed prints an error with its identifier to standard error.
func (a *app) failed(err error) { a.printWrapped(a.stderr, "xopt: "+fault.Text(err)) }

// failJSON prints the mistakes in X files as JSON to standard output.
func (a *app) failJSON(list xlang.Diagnostics) {
	if err := a.printJSON(map[string]any{"errors": list}); err != nil {
		a.failed(err)
	}
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout.JSON())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printWrapped prints text, wrapped to the width of the terminal, above the progress line.
func (a *app) printWrapped(w *safetext.Writer, s string) {
	a.working.Clear()
	width := progress.TerminalWidth(w)
	for line := range strings.SplitSeq(safetext.Clean(s), "\n") {
		fmt.Fprintln(w, strings.Join(text.Fold(line, width), "\n"))
	}
}

// longWork shows a step of a command until the step ends.
func (a *app) longWork(what string) *progress.Work {
	a.working = progress.Start(a.notes, what)
	return a.working
}

// aboveProgress removes the progress line and writes other text while a command works.
type aboveProgress struct {
	app *app
	to  io.Writer
}

func (b aboveProgress) Write(p []byte) (int, error) {
	b.app.working.Clear()
	return b.to.Write(p)
}

// silence suppresses further notes and progress.
func (a *app) silence() { a.notes = safetext.NewWriter(io.Discard) }

// rootCommand builds the command tree.
func (a *app) rootCommand() (*cobra.Command, error) {
	root := &cobra.Command{
		Use:   "xopt",
		Short: "map a streaming application onto processor cores and FPGAs",
		Long: `xopt predicts the throughput of a streaming application, and finds the processor core or FPGA for
each kernel, the route for each edge and the size of each buffer. The application and the machine are
described in the X language.

Exit codes: 0 success; 1 failure, such as no feasible mapping; 2 wrong input or usage; 130 interrupted.
Interrupted commands that search, sweep, measure or run print and save their results so far.

Each option can also be set in ` + options.FileName + ` or by a variable XOPT_…; see xopt config show.`,
		Example: `xopt examples gayen-veritas gv && cd gv
xopt search pipes2.x arch_slow.x`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		Args:          options.OnlyCommands,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if err := a.load(c); err != nil {
				return err
			}
			a.settleProfile(args)
			return nil
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(a.table.FlagError)
	s := &a.settings
	exchange := &exchangeCommand{a, &s.Exchange}
	root.AddCommand(a.searchCommand(), a.sweepCommand(), a.calibrateCommand(), a.validateCommand(), a.buffersCommand(),
		a.campaignCommand(), a.partCommand(), a.versionCommand(), a.diffCommand(), a.examplesCommand(),
		a.configCommand(), (&deployCommand{app: a, Deploy: &s.Deploy}).command(),
		(&xevalCommand{a, &s.XEval}).command(), exchange.importCommand(), exchange.exportCommand(),
		(&machineCommand{a, &s.Machine}).command(), submit.Command(a.stdout, a.design),
		(&traceCommand{a, &s.Trace}).command(), (&reportCommand{a, &s.Convert}).command(),
		(&evalCommand{a, &s.Eval}).command(), (&checkCommand{a, &s.Check}).command(),
		(&initCommand{a, &s.Init}).command(), (&gnuradioCommand{a, &s.GNURadio}).command())
	if err := a.table.Declare(root, options.Complete); err != nil {
		return nil, err
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if err := options.Help(a.stdout, c, tasks()); err != nil {
			a.failed(err)
			a.code = exitUsage
		}
	})
	root.SetHelpCommand(options.HelpCommand(root))
	return root, nil
}

// tasks lists the commands in xopt --help by task, in order of use.
func tasks() []options.CommandGroup {
	return []options.CommandGroup{
		{Title: "Start", Commands: []string{"init", "examples", "import", "machine", "check"}},
		{Title: "Predict and search", Commands: []string{"eval", "search", "sweep", "buffers"}},
		{Title: "Run and measure", Commands: []string{"calibrate", "deploy", "validate", "gnuradio"}},
		{Title: "Inspect", Commands: []string{"report", "diff", "trace", "xeval", "export", "submit-check"}},
		{Title: "Scale out", Commands: []string{"campaign"}},
		{Title: "Settings and help", Commands: []string{"config", "completion", "version", "help"}},
	}
}

// style returns the style of standard output. xopt wraps lines at the width of the terminal or, without a terminal, at
// COLUMNS. It does not wrap lines if both are unknown.
func (a *app) style() text.Style {
	return text.Style{Color: progress.IsColored(a.stdout), Width: progress.LineWidth(a.stdout),
		Height: progress.TerminalHeight(a.stdout)}
}

// show prints parts with all rows of their tables.
func (a *app) show(parts ...report.Part) error {
	style := a.style()
	style.Full = true
	return text.Write(a.stdout, parts, style)
}

// answer prints the short answer or, with --full, the complete answer.
func (a *app) answer(short, full []report.Part) error {
	if a.settings.Full {
		return a.show(full...)
	}
	return text.Write(a.stdout, a.brief.Fit(short, a.style()), a.style())
}

// rendered converts diagnostics to an error that shows them.
func rendered(err error, source *xlang.Source) error { return renderedWith(err, source.Text) }

// renderedWith is like rendered, for mistakes in any text.
func renderedWith(err error, source func(file string) []byte) error {
	var d xlang.Diagnostics
	if !errors.As(err, &d) {
		return err
	}
	var b strings.Builder
	d.Render(&b, source)
	mistakes := 0
	for _, x := range d {
		if !x.Warning {
			mistakes++
		}
	}
	if mistakes > 1 {
		fmt.Fprintf(&b, "%d errors\n", mistakes)
	}
	return &inputError{b.String(), d}
}

// isCobraUsage recognizes cobra's errors about commands, which have no type of their own.
func isCobraUsage(err error) bool {
	return strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")
}
