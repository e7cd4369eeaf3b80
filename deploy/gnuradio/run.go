package gnuradio

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/files/scratch"
)

//go:embed runner.py
var runnerSource []byte

// Timeouts of child processes.
const (
	compileTimeout = 2 * time.Minute  // grcc reads the descriptions of all blocks
	startTimeout   = 60 * time.Second // Python's imports, the construction of the blocks, and the shutdown
)

// maxOutput is the maximum number of bytes of a child's output to store for error messages.
const maxOutput = 32 << 10

// Options are the settings of runs.
type Options struct {
	Headless   bool          // replace hardware blocks
	Unthrottle bool          // remove the limits of throttles
	Time       time.Duration // measured time of each run
	Pairs      int           // runs of each flow graph in a comparison
	// Progress receives the name of each step; nil for none.
	Progress func(step string)
}

// plan returns the plan of a run of the unchanged graph without counters, divided into windows.
func (o *Options) plan(windows int) plan {
	const shortest = 0.05 // s
	return plan{Warmup: warmup.Seconds(), Window: max(shortest, o.Time.Seconds()/float64(windows)), Rounds: windows,
		Variants: []variant{{}}}
}

func (o *Options) step(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// lab is a folder with the generated Python of flow graphs.
type lab struct {
	dir, grcc, python string
	options           Options
	runs              int
}

// newLab creates a lab. The caller must call Close to remove the folder.
func newLab(o Options) (*lab, error) {
	grcc, err := exec.LookPath("grcc")
	if err != nil {
		return nil, fault.NotInstalled.Usagef("grcc of GNU Radio is not installed or not on the PATH (Debian: " +
			"apt-get install gnuradio)")
	}
	dir, err := scratch.Dir("", scratch.GNURadio)
	if err != nil {
		return nil, err
	}
	l := &lab{dir: dir, grcc: grcc, python: interpreter(grcc), options: o}
	if err := os.WriteFile(filepath.Join(dir, "runner.py"), runnerSource, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close removes the folder of the lab.
func (l *lab) Close() error { return os.RemoveAll(l.dir) }

// interpreter returns the Python that runs grcc, because only this Python is known to have GNU Radio's modules.
func interpreter(grcc string) string {
	text, err := os.ReadFile(grcc)
	if err == nil && bytes.HasPrefix(text, []byte("#!")) {
		words := strings.Fields(firstLine(string(text[2:])))
		if len(words) == 1 {
			return words[0]
		}
		if len(words) == 2 && filepath.Base(words[0]) == "env" {
			return words[1]
		}
	}
	return "python3"
}

// module is the generated Python of a flow graph.
type module struct {
	graph *FlowGraph
	path  string
}

// compile generates the Python of a flow graph with grcc.
func (l *lab) compile(ctx context.Context, g *FlowGraph) (*module, error) {
	l.options.step("compiling %s with grcc", g.Path)
	dir := filepath.Join(l.dir, fmt.Sprintf("graph%d", l.runs))
	l.runs++
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(g.Path)
	if err != nil {
		return nil, err
	}
	out, err := l.child(ctx, compileTimeout, filepath.Dir(path), nil, l.grcc, "-o", dir, path)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := &module{g, filepath.Join(dir, g.ID+".py")}
	if _, missing := os.Stat(m.path); err != nil || missing != nil {
		return nil, faults.FlowGraphRejected.Usagef("grcc rejects %s: %s (open the flow graph with "+
			"gnuradio-companion; if a block is missing, install its module)", g.Path,
			cmp.Or(g.missingBlocks(out), grccReason(out, err)))
	}
	return m, nil
}

// grccReason returns the lines of grcc's output that name the error.
func grccReason(out string, err error) string {
	var list []string
	if _, after, found := strings.Cut(out, " errors from flowgraph:"); found {
		after, _, _ = strings.Cut(after, "****")
		for line := range strings.Lines(after) {
			list = append(list, strings.TrimSpace(line))
		}
		list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); len(list) == 0 && strings.Contains(line, "Error: ") {
			list = append(list, strings.TrimPrefix(line, ">>> "))
		}
	}
	const maxReasons = 4
	if len(list) > 0 {
		return brief(strings.Join(list[:min(len(list), maxReasons)], "; "))
	}
	if err != nil {
		return err.Error()
	}
	return "it wrote no program"
}

// run runs a module under the runner and returns its record.
func (l *lab) run(ctx context.Context, m *module, p plan) (*record, error) {
	p.Out = filepath.Join(l.dir, fmt.Sprintf("record%d.json", l.runs))
	l.runs++
	p.Module, p.Class, p.Qt, p.MaxNouts = m.path, m.graph.ID, m.graph.qt, cmp.Or(p.MaxNouts, m.graph.maxNout)
	p.Headless, p.Unthrottle, p.Audio = l.options.Headless, l.options.Unthrottle, m.graph.audioPorts()
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	input := p.Out + ".plan"
	if err := os.WriteFile(input, text, 0o600); err != nil {
		return nil, err
	}
	measured := time.Duration((p.Warmup + float64(p.Rounds*len(p.Variants))*(p.Window+0.2)) * float64(time.Second))
	folder, err := filepath.Abs(filepath.Dir(m.graph.Path)) // relative paths in the flow graph start here
	if err != nil {
		return nil, err
	}
	counters := []string{"GR_CONF_PERFCOUNTERS_ON=False"}
	if p.Counters { // GNU Radio's default clock, of the thread, needs a system call
		counters = []string{"GR_CONF_PERFCOUNTERS_ON=True", "GR_CONF_PERFCOUNTERS_CLOCK=monotonic"}
	}
	timeout := startTimeout + 2*measured
	started := time.Now()
	out, runErr := l.child(ctx, timeout, folder, counters, l.python, filepath.Join(l.dir, "runner.py"), input)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &record{}
	if text, err = os.ReadFile(p.Out); err == nil {
		err = json.Unmarshal(text, r)
	}
	switch {
	case err == nil && r.Error == nil && len(r.Windows) > 0:
		markOnly(r.Blocks)
		return r, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the counters of %s: %w", m.graph.Path, err)
	}
	if r.Error != nil {
		return nil, m.graph.explain(r.Error, out, l.options)
	}
	return nil, m.graph.crashed(runErr, out, time.Since(started), timeout)
}

// child runs a program in a process group of its own without a shell, and returns the end of its output. settings
// are variables of its environment. All processes of the group end with the program, with ctx, and with xopt.
func (l *lab) child(ctx context.Context, timeout time.Duration, dir string, settings []string,
	command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), settings, []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1",
		"QT_QPA_PLATFORM=offscreen", "TMPDIR=" + l.dir})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // end programs that the flow graph started
	}
	if err != nil && ctx.Err() != nil {
		err = context.DeadlineExceeded
	}
	return string(out.text), err
}

// tail keeps the end of a child's output.
type tail struct{ text []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if n := len(t.text); n > maxOutput {
		t.text = append(t.text[:0], t.text[n-maxOutput:]...)
	}
	return len(p), nil
}

// explain converts an error of the runner to an error for users.
func (g *FlowGraph) explain(e *runError, out string, o Options) error {
	at := ""
	if e.Line != "" {
		at = fmt.Sprintf(" at %q", e.Line)
	}
	switch e.Kind {
	case "no-gnuradio":
		return fault.NotInstalled.Usagef("the Python of grcc cannot import GNU Radio: %s (install the package "+
			"gnuradio for this Python)", e.Text)
	case "counters-off":
		return faults.CountersOff.Usagef("GNU Radio's performance counters stay off: %s (use a build with performance "+
			"counters, such as Debian's)", e.Text)
	case "import":
		if strings.Contains(e.Text, "name 'gr' is not defined") { // grcc imports gr for the first enabled block
			return faults.FlowGraphIdle.Usagef("%s has no enabled block", g.Path)
		}
		return faults.FlowGraphRejected.Usagef("%s needs a Python module that fails to load: %s%s (install the module)",
			g.Path, brief(e.Text), at)
	case "construct", "start":
		fix := "run the flow graph in gnuradio-companion to correct it"
		if strings.Contains(e.Text, "can't open file") {
			fix = "create the file, or correct its path"
		} else if list := g.hardware(); len(list) > 0 && !o.Headless && !strings.Contains(e.Text, "NameError") {
			fix = fmt.Sprintf("connect the hardware of %s, or measure with --headless", strings.Join(list, ", "))
		}
		return faults.FlowGraphRejected.Usagef("%s does not start: %s%s (%s)", g.Path, brief(e.Text), at, fix)
	case "ended":
		return faults.FlowGraphEnded.Usagef("%s ended after %s s, before the measurement was complete%s: let its "+
			"source repeat, or remove the block that stops it", g.Path, e.Text, headsText(e.Heads))
	case "no-items", "no-streams":
		return faults.FlowGraphIdle.Usagef("%s moves no stream data: %s (connect its source, or measure a flow graph "+
			"with streams; xopt does not model messages)", g.Path, e.Text)
	case "slow":
		return faults.DelayUnsupported.Errorf("the experiment cannot slow a block down: %s", e.Text)
	}
	return faults.FlowGraphRejected.Errorf("measuring %s failed: %s; the last output was: %s", g.Path, e.Text,
		lastLines(out))
}

func headsText(heads []string) string {
	if len(heads) == 0 {
		return ""
	}
	return " (it contains " + strings.Join(heads, ", ") + ")"
}

// crashed returns the error for a run without a result.
func (g *FlowGraph) crashed(err error, out string, ran, timeout time.Duration) error {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return faults.FlowGraphHung.Errorf("%s did not finish in %v and was ended; its last output was: %s (run it in "+
			"gnuradio-companion to see where it stops)", g.Path, timeout.Round(time.Second), lastLines(out))
	case errors.As(err, &exit):
		how := fmt.Sprintf("exit code %d", exit.ExitCode())
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			how = fmt.Sprintf("signal %d (%v)", s.Signal(), s.Signal())
		}
		return faults.FlowGraphCrashed.Errorf("%s crashed after %.1f s with %s; its last output was: %s (run it in "+
			"gnuradio-companion to find the block)", g.Path, ran.Seconds(), how, lastLines(out))
	case err != nil:
		return fmt.Errorf("running %s: %w", g.Path, err)
	}
	return faults.FlowGraphEnded.Usagef("%s ended its process by itself after %.1f s: remove the call that exits",
		g.Path, ran.Seconds())
}

// brief shortens a long text, such as a template that grcc prints.
func brief(text string) string {
	const maxLength = 240 // bytes: three lines of a terminal
	if len(text) <= maxLength {
		return text
	}
	return strings.ToValidUTF8(text[:maxLength], "") + "…"
}

// lastLines returns the last lines of a child's output as one line, without stack traces.
func lastLines(out string) string {
	const maxLines = 2
	trace := regexp.MustCompile(`^\s|^Traceback|^Press Enter`)
	var list []string
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\r\n "); line != "" && !trace.MatchString(line) {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return "nothing"
	}
	return brief(strings.Join(list[max(0, len(list)-maxLines):], "; "))
}
