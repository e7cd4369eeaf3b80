package micro

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
)

//go:embed rivals/work.h
var workH []byte

//go:embed rivals/chain_tbb.cpp
var chainTBB []byte

//go:embed rivals/chain_gnuradio.cpp
var chainGNURadio []byte

// RivalsOptions configures [Rivals].
type RivalsOptions struct {
	Runs   int           // number of runs of each method, interleaved
	Window time.Duration // duration of each run
	Bytes  []int         // message sizes; nil for 64, 1 KiB, 16 KiB and 256 KiB
	Work   []RivalWork   // work in the chain; nil for 0, 1 and 20 µs per kernel, and half of the work in one kernel
	Only   []string      // parts to compare, from RivalParts; nil for all
	// Progress, if not nil, is called before the measurement of each case.
	Progress func(done, all int)
	// Note, if not nil, receives messages about missing software.
	Note func(text string)
}

// RivalWork is the work per message in µs in a chain: the work of each of the nine kernels, and the additional work of
// the fifth kernel.
type RivalWork struct{ Work, Heavy float64 }

// RivalInput is the input of one comparison: the chain of eleven kernels, or another application.
type RivalInput struct {
	App   string // "" for the chain
	Bytes int    // bytes per message; 1 for other applications
	RivalWork
}

// RivalsCase is a comparison of all methods on the chain or another application. For another application, rates are in
// bytes/s into the sinks, and processor times are per element into the sinks.
type RivalsCase struct {
	RivalInput
	// Mapping is the mapping with which xopt was fastest in short runs. Settings contains the chosen settings of each
	// method.
	Mapping  string
	Settings [rivalWays]string
	// Predicted is the predicted rate of Mapping in messages/s, from kernel times on one core and the cost of messages
	// between cores. Found is the measured rate of the mapping that the search found with these figures, divided by the
	// measured rate of Mapping, in short runs.
	Predicted, Found float64
	// Rates contains the rate of each method in messages/s. N is 0 for a method that is not installed.
	Rates [rivalWays]profile.Median
	// CPU contains the processor time of all threads per message in s, including busy waiting. It depends less on other
	// programs than the rates do.
	CPU [rivalWays]profile.Median
	// P99 contains the 99 % quantile of the latency of messages from the source to the sink in s, measured in separate
	// runs. N is 0 for applications other than the chain.
	P99 [rivalWays]profile.Median
	RivalsVerdict
}

// RivalsVerdict compares xopt with its rivals run by run.
type RivalsVerdict struct {
	// Cheapest is the rival with the lowest processor time. Saved is its processor time divided by the processor time
	// of xopt.
	Cheapest int
	Saved    profile.Median
	// Best is the fastest rival. Ratio is the rate of xopt divided by the rate of this rival; N is 0 if there is no
	// rival.
	Best  int
	Ratio profile.Median
	// Bound is an upper bound on the rate in messages/s: the rate of two cores that only execute kernels. It is 0 if
	// the kernels do no work, and for other applications.
	Bound float64
}

// The compared methods of running the chain.
const (
	rivalXopt = iota
	rivalPipeline
	rivalPipelineBatch
	rivalGraph
	rivalGraphBatch
	rivalGNURadio
	rivalWays
)

// RivalWays returns the names of the compared methods. The first method is xopt.
func RivalWays() [rivalWays]string {
	return [rivalWays]string{"xopt", "TBB pipeline", "TBB pipeline, batches", "TBB flow graph",
		"TBB flow graph, batches", "GNU Radio"}
}

// rivalBatch is the size in bytes of a token that contains a batch of messages. It equals the size of xopt's batches.
const rivalBatch = 16 << 10

// RivalParts returns the names of the comparison's parts: the chain, the chain with half of the work in one kernel, and
// other applications.
func RivalParts() []string { return []string{partChain, partSkewed, "jpeg", "des"} }

const (
	partChain  = "chain"
	partSkewed = "skewed"
)

// Rivals compares the chain of bench/apps/chain, deployed by xopt, with implementations on oneTBB and GNU Radio. It
// compares other applications only with oneTBB. All implementations do the same work on the same two cores, in
// interleaved runs. Rivals skips frameworks that are not installed, with a note. On an error, it also returns the
// complete comparisons.
func Rivals(ctx context.Context, o RivalsOptions) (_ []RivalsCase, err error) {
	cpus, err := twoProcessors()
	if err != nil {
		return nil, err
	}
	cases := o.cases()
	var r *rivalChain
	defer func() { err = errors.Join(err, r.remove()) }()
	for i := range cases {
		c := &cases[i]
		if r == nil || r.name() != c.App {
			if err := r.remove(); err != nil {
				return cases[:i], err
			}
			if r, err = newRivals(ctx, c.App, cpus, o); err != nil {
				return cases[:i], err
			}
		}
		if o.Progress != nil {
			o.Progress(i, len(cases))
		}
		if err := r.measure(ctx, c); err != nil {
			return cases[:i], fmt.Errorf("measuring %s: %w", c.what(), err)
		}
	}
	return cases, nil
}

// cases returns the cases to measure, grouped by application.
func (o *RivalsOptions) cases() []RivalsCase {
	wants := func(part string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, part) }
	sizes, works := o.Bytes, o.Work
	if sizes == nil {
		sizes = []int{64, 1 << 10, 16 << 10, 256 << 10}
	}
	if works == nil {
		works = []RivalWork{{}, {Work: 1}, {Work: 20}, {Work: 1, Heavy: 7}} // 8 of 16 µs
	}
	var cases []RivalsCase
	for _, bytes := range sizes {
		for _, work := range works {
			part := partChain
			if work.Heavy > 0 {
				part = partSkewed
			}
			if wants(part) {
				cases = append(cases, RivalsCase{RivalInput: RivalInput{Bytes: bytes, RivalWork: work}})
			}
		}
	}
	for _, app := range rivalApps() {
		// Message sizes apply only to the chain. If they are set, other applications must be requested by name.
		if wants(app.name) && (o.Bytes == nil || len(o.Only) > 0) {
			cases = append(cases, RivalsCase{RivalInput: RivalInput{App: app.name, Bytes: 1}})
		}
	}
	return cases
}

// what returns a description of the input for messages.
func (c *RivalInput) what() string {
	if c.App != "" {
		return c.App
	}
	return fmt.Sprintf("messages of %d bytes with %g us of work", c.Bytes, c.Work)
}

// newRivals unpacks an application, builds its implementations on other frameworks, and measures the cost of messages.
func newRivals(ctx context.Context, app string, cpus [2]int, o RivalsOptions) (_ *rivalChain, err error) {
	r := &rivalChain{cpus: cpus, o: o, programs: make(map[string]string), steps: stepRate(), app: rivalAppOf(app)}
	if r.dir, err = apps.Unpack(cmp.Or(app, "chain")); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.remove())
		}
	}()
	if r.app != nil {
		if err := r.declare(); err != nil {
			return nil, err
		}
		if err := r.buildApp(ctx); err != nil {
			return nil, err
		}
	} else if err := r.build(ctx); err != nil {
		return nil, err
	}
	return r, r.messageCosts(ctx)
}

// remove removes all unpacked and compiled files.
func (r *rivalChain) remove() error {
	if r == nil {
		return nil
	}
	return os.RemoveAll(r.dir)
}

// name returns the application's name, or "" for the chain.
func (r *rivalChain) name() string {
	if r.app == nil {
		return ""
	}
	return r.app.name
}

// rivalChain is the chain or another application, with its programs for other frameworks.
type rivalChain struct {
	app      *rivalApp // nil for the chain
	dir      string
	cpus     [2]int
	o        RivalsOptions
	programs map[string]string // by framework
	steps    float64           // steps of work per microsecond
	links    *design.Measured  // cost of messages between cores
}

// work converts a time in microseconds to steps of work.
func (r *rivalChain) work(us float64) uint64 { return uint64(us * r.steps) }

// stepRate returns the number of work steps that a core executes in a microsecond. It uses the fastest of several
// tries, which was disturbed least. All methods execute the same number of steps, even if the duration of steps differs
// between them.
func stepRate() float64 {
	const steps, tries = 1 << 18, 31
	best := math.Inf(1)
	for i := range tries {
		start := time.Now()
		x := uint64(i + 1)
		for range steps {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		elapsed := time.Since(start)
		if x != 0 { // never true, but the compiler cannot omit the steps
			best = min(best, elapsed.Seconds())
		}
	}
	return steps / best * 1e-6
}

// framework is a framework, with the code of the chain for this framework.
type framework struct {
	name, file, pkg, debian string
	code                    []byte
	flags                   []string
}

// build compiles the chain for each installed framework.
func (r *rivalChain) build(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(r.dir, "work.h"), workH, 0o644); err != nil {
		return fmt.Errorf("writing work.h for the rivals: %w", err)
	}
	for _, f := range []framework{
		{name: "oneTBB", file: "chain_tbb.cpp", pkg: "tbb", debian: "libtbb-dev", code: chainTBB},
		{name: "GNU Radio", file: "chain_gnuradio.cpp", pkg: "gnuradio-runtime", debian: "gnuradio-dev",
			code: chainGNURadio, flags: []string{"-lfmt"}},
	} {
		path, missing, err := r.compile(ctx, &f)
		switch {
		case err != nil:
			return fmt.Errorf("compiling the chain for %s: %w", f.name, err)
		case missing != "":
			r.missing(f.name, missing)
		default:
			r.programs[f.name] = path
		}
	}
	return nil
}

// missing calls Note with the name of a skipped framework and the reason.
func (r *rivalChain) missing(framework, why string) {
	if r.o.Note != nil {
		r.o.Note("skipped " + framework + ": " + why)
	}
}

// installed returns the compiler flags of a library. missing names software that is not installed, with its Debian
// package.
func installed(ctx context.Context, pkg, debian string) (flags []string, missing string, err error) {
	const install = " (Debian: apt-get install --no-install-recommends %s)"
	for _, tool := range []string{"g++", "pkg-config"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, tool + " is not installed" + fmt.Sprintf(install, tool+" "+debian), nil
		}
	}
	out, err := exec.CommandContext(ctx, "pkg-config", "--cflags", "--libs", pkg).Output()
	if err != nil {
		return nil, pkg + " is not installed" + fmt.Sprintf(install, debian), ctx.Err()
	}
	return strings.Fields(string(out)), "", nil
}

// compile compiles the chain for a framework, and returns the path of the program. missing names software that is not
// installed.
func (r *rivalChain) compile(ctx context.Context, f *framework) (path, missing string, err error) {
	flags, missing, err := installed(ctx, f.pkg, f.debian)
	if err != nil || missing != "" {
		return "", missing, err
	}
	source := filepath.Join(r.dir, f.file)
	path = strings.TrimSuffix(source, ".cpp")
	if err := os.WriteFile(source, f.code, 0o644); err != nil {
		return "", "", err
	}
	// These are the flags for kernels (see build.kernelCommand).
	args := slices.Concat([]string{"-std=c++17", "-O2", "-falign-functions=64", "-o", path, source}, flags, f.flags)
	if out, err := exec.CommandContext(ctx, "g++", args...).CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, "", nil
}

// way is a method of running an application, with its settings.
type way struct {
	framework, kind string
	batch, tokens   int
	every           int // the sink records the latency of every n-th message; 0 for none
}

func (w way) String() string {
	if w.tokens == 0 {
		return ""
	}
	return fmt.Sprintf("%d tokens of %d elements", w.tokens, w.batch)
}

// ways returns the settings to try for a method. The comparison uses the settings that are fastest in short runs.
func ways(c *RivalInput, kind int) []way {
	if c.App != "" {
		return rivalAppOf(c.App).ways(kind)
	}
	batch := max(1, rivalBatch/c.Bytes)
	var list []way
	tokens := func(name string, batch int) []way {
		for _, n := range []int{2, 4, 16} {
			list = append(list, way{framework: "oneTBB", kind: name, batch: batch, tokens: n})
		}
		return list
	}
	switch {
	case kind == rivalPipeline:
		return tokens("pipeline", 1)
	case kind == rivalGraph:
		return tokens("graph", 1)
	case kind == rivalPipelineBatch && batch > 1:
		return tokens("pipeline", batch)
	case kind == rivalGraphBatch && batch > 1:
		return tokens("graph", batch)
	case kind == rivalGNURadio:
		return []way{{framework: "GNU Radio", kind: "blocks"}}
	}
	return nil
}

// mappings returns the mappings to try with xopt, by name. For the chain, these are one core, divisions between two
// cores, and replicas of the nine kernels with or without the source.
func (r *rivalChain) mappings() map[string]string {
	if r.app != nil {
		return maps.Clone(r.app.mappings)
	}
	list := map[string]string{"one core": "map { top } to core[1];"}
	for k := 4; k <= 5; k++ {
		list[fmt.Sprintf("divided after pass[%d]", k)] = fmt.Sprintf(""+
			"map { top.source, top.pass[1..%d] } to core[1];\n"+
			"map { top.pass[%d..9], top.sink } to core[2];", k, k+1)
	}
	for name, cores := range map[string]string{"two copies": "core[1] & core[2]",
		"two copies, ratio 1:2": "core[1] & 2 core[2]"} {
		list[name] = "map { top.source, top.sink } to core[1];\nmap { top.pass[1..9] } to " + cores + ";"
	}
	list["two complete chains"] = "map { top.source, top.pass[1..9] } to core[1] & core[2];\n" +
		"map { top.sink } to core[1];"
	return list
}

func (r *rivalChain) measure(ctx context.Context, c *RivalsCase) (err error) {
	if sum := 9*c.Work + c.Heavy; c.App == "" && sum > 0 {
		c.Bound = 2e6 / sum
	}
	best, prog, err := r.bestMapping(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	var chosen [rivalWays]*way
	for kind := range rivalWays {
		if chosen[kind], err = r.bestSettings(ctx, &c.RivalInput, kind); err != nil {
			return err
		}
	}
	var rates, costs [rivalWays][]float64
	for run := range r.o.Runs {
		for kind := range calibrate.Alternating(run, rivalWays) {
			var now ran
			switch {
			case kind == rivalXopt:
				now, err = runXopt(ctx, prog, c.Bytes, r.o.Window)
			case chosen[kind] != nil:
				now, err = r.run(ctx, &c.RivalInput, chosen[kind], r.o.Window)
			default:
				continue
			}
			if errors.Is(err, errNothing) {
				r.leaveOut(&c.RivalInput, kind)
				chosen[kind], rates[kind], costs[kind] = nil, nil, nil
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", RivalWays()[kind], err)
			}
			rates[kind], costs[kind] = append(rates[kind], now.rate), append(costs[kind], now.cost)
		}
	}
	for kind := range rivalWays {
		if len(rates[kind]) == 0 {
			continue
		}
		c.Rates[kind], c.CPU[kind] = median(rates[kind]), median(costs[kind])
		if chosen[kind] != nil {
			c.Settings[kind] = chosen[kind].String()
		}
		if kind != rivalXopt && (c.Best == 0 || c.Rates[kind].Value > c.Rates[c.Best].Value) {
			c.Best = kind
		}
		if kind != rivalXopt && (c.Cheapest == 0 || c.CPU[kind].Value < c.CPU[c.Cheapest].Value) {
			c.Cheapest = kind
		}
	}
	if c.Best > 0 {
		c.Ratio = median(ratios(rates[rivalXopt], rates[c.Best]))
		c.Saved = median(ratios(costs[c.Cheapest], costs[rivalXopt]))
	}
	return r.latencies(ctx, c, best, chosen)
}

// ratios returns the ratio of the values of two methods in each round.
func ratios(of, to []float64) []float64 {
	list := make([]float64, len(of))
	for i := range of {
		list[i] = of[i] / to[i]
	}
	return list
}

// median returns the median of values with its interval. If there are too few values for an interval, both ends are the
// median.
func median(values []float64) profile.Median {
	m := profile.MedianOf(values)
	if !m.Covered() {
		m.Low, m.High = m.Value, m.Value
	}
	return m
}

// ran is the result of a run: messages/s, the processor time per message in s, and the recorded latencies in s.
type ran struct {
	rate, cost float64
	latencies  []float64
}

// childrenTime returns the total processor time in s of this process's children that have ended.
func childrenTime() (float64, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		return 0, fmt.Errorf("reading the processor time of a run: %w", err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9, nil
}

// runXopt executes one run of a program that xopt deployed.
func runXopt(ctx context.Context, prog *program.Program, bytes int, window time.Duration) (ran, error) {
	before, err := childrenTime()
	if err != nil {
		return ran{}, err
	}
	rate, messages, err := calibrate.SinkRun(ctx, prog, window)
	if err != nil {
		return ran{}, err
	}
	after, err := childrenTime()
	return ran{rate: rate / float64(bytes), cost: (after - before) / messages}, err
}

// rivalGrace is the time after the end of its window at which a rival counts as hung.
const rivalGrace = 30 * time.Second

// leaveOut calls Note to report that no message arrived in any of a method's runs.
func (r *rivalChain) leaveOut(c *RivalInput, kind int) {
	if r.o.Note != nil {
		r.o.Note(fmt.Sprintf("skipped %s for %s: no message arrived in %d consecutive runs of %v",
			RivalWays()[kind], c.what(), busyTries, r.o.Window))
	}
}

// errNothing reports that no message arrived in a run because the machine was busy.
var errNothing = errors.New("no message arrived: the machine is too busy (rerun on a quiet machine)")

// busyTries is the maximum number of attempts if no message arrives in a run.
const busyTries = 5

// run runs a rival in a window. It repeats runs in which no message arrives, up to busyTries times.
func (r *rivalChain) run(ctx context.Context, c *RivalInput, w *way, window time.Duration) (now ran, err error) {
	for range busyTries {
		if now, err = r.once(ctx, c, w, window); !errors.Is(err, errNothing) {
			break
		}
	}
	return now, err
}

// arguments returns the command-line arguments of a rival's program.
func (r *rivalChain) arguments(c *RivalInput, w *way, window time.Duration) []string {
	if r.app != nil {
		return r.appArguments(w, window.Milliseconds(), 1<<60, "-")
	}
	return []string{w.kind, fmt.Sprint(c.Bytes / 8), fmt.Sprint(r.work(c.Work)), fmt.Sprint(r.work(c.Heavy)),
		fmt.Sprint(w.batch), fmt.Sprint(w.tokens), fmt.Sprint(window.Milliseconds()), fmt.Sprint(w.every),
		fmt.Sprint(r.cpus[0]), fmt.Sprint(r.cpus[1])}
}

func (r *rivalChain) once(ctx context.Context, c *RivalInput, w *way, window time.Duration) (ran, error) {
	ctx, cancel := context.WithTimeout(ctx, window+rivalGrace)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.programs[w.framework], r.arguments(c, w, window)...)
	cmd.Env = append(os.Environ(), "GR_CONF_LOG_LOG_LEVEL=off")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return ran{}, errors.Join(ctx.Err(), err)
	}
	var messages, all uint64
	var seconds float64
	latencies, last, err := splitLatencies(out)
	if err != nil {
		return ran{}, err
	}
	if _, err := fmt.Sscan(last, &messages, &seconds, &all); err != nil || !(seconds > 0) {
		return ran{}, fmt.Errorf("unexpected output %q", last)
	}
	if messages == 0 {
		return ran{}, errNothing
	}
	elapsed := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return ran{float64(messages) / seconds, elapsed.Seconds() / float64(all), latencies}, nil
}
