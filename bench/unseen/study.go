package unseen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/files/output"
	"xopt/internal/files/scratch"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Options configures [Run].
type Options struct {
	Seed     uint64
	Apps     int           // number of applications, with consecutive seeds
	Mappings int           // number of mappings of each application: half from a search, half random
	Runs     int           // number of runs of each mapping, which alternate
	Window   time.Duration // duration of each run
	Budget   time.Duration // time for measuring the kernels of an application alone
	Out      string        // folder for the applications and their profiles; "" to discard them
	// Progress, if not nil, is called with the current step, the elapsed time, and the estimated total time.
	Progress func(what string, done, all time.Duration)
}

// The assumed durations of steps other than the windows of kernels and the runs of mappings.
const (
	linksTime   = 20 * time.Second
	sharingTime = 25 * time.Second
	searchTime  = 2 * time.Second
	buildTime   = 2 * time.Second // per mapping
)

// bufferSeed is the seed of the simulations that use the buffers of the runs.
const bufferSeed = 1

// Estimate returns the approximate total time, without repetitions of disturbed runs.
func (o *Options) Estimate() time.Duration {
	all := linksTime + sharingTime
	for i := range o.Apps {
		all += o.calibration(Draw(o.Seed+uint64(i))) + o.running()
	}
	return all
}

func (o *Options) calibration(a *App) time.Duration {
	return calibrate.Estimate(len(a.Kernels), 0, calibrate.Options{Budget: o.Budget, Contention: true})
}

func (o *Options) running() time.Duration {
	return searchTime + time.Duration(o.Mappings)*(buildTime+time.Duration(o.Runs)*(o.Window+o.Window/2))
}

// bench is the state of a call of Run.
type bench struct {
	Options
	all, done time.Duration
	machine   profile.Profile // memory and core sharing, the same for all applications
	unshared  string          // reason why core sharing is unknown; "" if it is known
	results   *Results
}

// Run draws applications, calibrates and runs them, and compares the runs with predictions. On an error, it also
// returns the partial results.
func Run(ctx context.Context, o Options) (*Results, error) {
	b := &bench{Options: o, all: o.Estimate(), results: &Results{Machine: profile.ThisMachine()}}
	for i := range o.Apps {
		a := Draw(o.Seed + uint64(i))
		s, err := b.study(ctx, a)
		if s != nil {
			b.results.Apps = append(b.results.Apps, *s)
		}
		b.results.Summarize()
		if ctx.Err() != nil {
			b.results.Partial = true
			return b.results, ctx.Err()
		}
		if err != nil && s == nil { // continue with the other applications
			b.results.Apps = append(b.results.Apps, Study{Seed: a.Seed, Kind: a.Kind, Kernels: len(a.Kernels),
				Edges: len(a.Edges), Fail: err.Error()})
		} else if err != nil {
			b.results.Apps[len(b.results.Apps)-1].Fail = err.Error()
		}
	}
	return b.results, nil
}

// report calls Progress with the current step and the time elapsed in it.
func (b *bench) report(a *App, what string, elapsed time.Duration) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf("seed %d: %s", a.Seed, what), min(b.done+elapsed, b.all), b.all)
	}
}

// study calibrates and runs one application, and compares the runs with predictions. It returns nil if no mapping ran.
func (b *bench) study(ctx context.Context, a *App) (_ *Study, err error) {
	start := time.Now()
	dir, err := b.folder(a)
	if err != nil {
		return nil, err
	}
	if b.Out == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := a.Write(dir, profile.ThisMachine().Cores); err != nil {
		return nil, err
	}
	p, disturbed, err := b.calibrate(ctx, a, pathsIn(dir))
	if err != nil {
		return nil, fmt.Errorf("calibrating the application of seed %d: %w", a.Seed, err)
	}
	if b.Out != "" {
		if err := output.WriteFile(filepath.Join(dir, "profile.json"), p.Encode); err != nil {
			return nil, err
		}
	}
	d, err := calibrate.LoadMeasured(pathsIn(dir), nil, p)
	if err != nil {
		return nil, fmt.Errorf("loading the application of seed %d with its profile: %w", a.Seed, err)
	}
	s := &Study{Seed: a.Seed, Kind: a.Kind, Kernels: len(a.Kernels), Edges: len(a.Edges), Blocks: a.blocks(),
		Disturbed: disturbed}
	err = b.run(ctx, a, d, s)
	s.Seconds = time.Since(start).Seconds()
	return s, err
}

// folder creates a folder for an application.
func (b *bench) folder(a *App) (string, error) {
	if b.Out == "" {
		dir, err := scratch.Dir("", scratch.Bench)
		if err != nil {
			return "", fmt.Errorf("creating a folder: %w", err)
		}
		return dir, nil
	}
	dir := filepath.Join(b.Out, fmt.Sprintf("seed-%d", a.Seed))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("creating a folder: %w", err)
	}
	return dir, nil
}

// pathsIn returns the paths of the X files of an application in its folder.
func pathsIn(dir string) (paths []string) {
	for _, f := range Files() {
		paths = append(paths, filepath.Join(dir, f))
	}
	return paths
}

// calibrate measures the kernels of an application and, on the first call, the machine. It also returns a description
// of disturbances.
func (b *bench) calibrate(ctx context.Context, a *App, paths []string) (*profile.Profile, string, error) {
	d, err := calibrate.LoadMeasured(paths, nil, nil)
	if err != nil {
		return nil, "", err
	}
	if err := b.measureMachine(ctx, a, d); err != nil {
		return nil, "", err
	}
	duration := b.calibration(a)
	b.report(a, "measuring kernels", 0)
	p, report, err := calibrate.Calibrate(ctx, d, calibrate.Options{Budget: b.Budget, Contention: true,
		Progress: func(now calibrate.Progress) { b.report(a, "measuring kernels", max(0, duration-now.Left)) }})
	if err != nil {
		return nil, "", err
	}
	b.done += duration
	p.Links, p.Sharing = b.machine.Links, b.machine.Sharing
	calibrate.Settle(d, p)
	disturbed := report.Disturbed
	if b.unshared != "" {
		disturbed = strings.TrimPrefix(disturbed+"; "+b.unshared, "; ")
	}
	return p, disturbed, errors.Join(failures(report)...)
}

// measureMachine measures the memory between cores and core sharing, on its first call. If the machine is too busy to
// measure core sharing, measureMachine reports this and continues.
func (b *bench) measureMachine(ctx context.Context, a *App, d *design.Design) (err error) {
	if b.machine.Links == nil {
		b.report(a, "measuring shared memory", 0)
		if b.machine.Links, err = calibrate.Links(ctx, d, calibrate.Options{}); err != nil {
			return fmt.Errorf("measuring shared memory: %w", err)
		}
		b.done += linksTime
	}
	if b.machine.Sharing != nil {
		return nil
	}
	b.report(a, "measuring kernels that share a core", 0)
	s, err := calibrate.RecommendSharing(ctx, design.CorePlatform, calibrate.SharingCase{Style: program.PerCore,
		Wait: program.WaitAuto, Scheduler: program.SchedulerOther}, nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		b.unshared = "predictions exclude the cost of sharing a core, because it could not be measured: " + err.Error()
		return nil
	}
	b.done, b.unshared, b.machine.Sharing = b.done+sharingTime, "", []profile.Sharing{*s}
	return nil
}

// failures converts the texts about unmeasured kernels in a report to errors.
func failures(r *calibrate.Report) []error {
	var list []error
	for _, text := range r.Failed {
		list = append(list, errors.New(text))
	}
	return list
}

// run selects mappings, predicts them, and runs them in interleaved order.
func (b *bench) run(ctx context.Context, a *App, d *design.Design, s *Study) error {
	b.report(a, "searching mappings", 0)
	names, mappings, err := mapper.Choose(ctx, d.Problem, d.Constraints, mapper.Choice{Best: (b.Mappings + 1) / 2,
		Random: b.Mappings / 2, Search: searchTime, Seed: a.Seed})
	if err != nil {
		return err
	}
	duration := b.running()
	cases, err := validate.Mappings(ctx, d, validate.Choices(names, mappings), validate.Options{Runs: b.Runs,
		Window: b.Window, Seed: a.Seed, BufferSeed: bufferSeed,
		Progress: func(done, all, _ int, _ time.Duration) {
			what := fmt.Sprintf("running %d mappings", len(mappings))
			if done >= all { // one additional run per mapping
				what += ", repeating runs that differ"
				b.all += b.Window + b.Window/2
				b.done += b.Window + b.Window/2
			}
			b.report(a, what, duration*time.Duration(min(done, all))/time.Duration(all))
		}})
	b.done += duration
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("running the application of seed %d: %w", a.Seed, err)
	}
	for i := range cases {
		c, failed := newCase(context.WithoutCancel(ctx), d, &cases[i])
		if failed != nil {
			return failed
		}
		s.Cases = append(s.Cases, c)
	}
	s.addCases(cases)
	return err
}

// newCase converts the result of a mapping to a Case.
func newCase(ctx context.Context, d *design.Design, c *validate.Case) (Case, error) {
	x := Case{Name: c.Name, Fail: c.Fail, Predicted: c.Predicted, Bottleneck: c.Bottleneck,
		PossibleBottlenecks: c.Possible}
	if c.Fail == "" && c.Bounded() {
		x.Fail = "other programs disturbed the runs"
	}
	if x.Fail != "" {
		return x, nil
	}
	x.Measured, x.Runs, x.MostUsed, x.Holds, x.Reason = c.Measured, c.Runs, c.MostUsed, c.BottleneckHolds, c.Reason
	x.Undisturbed = c.Undisturbed
	if len(c.Slowed) > 0 {
		slowed := profile.MedianOf(c.Slowed).Value
		x.Slowed, x.RunSlowed = &slowed, c.Slowed
	}
	x.Significant, x.Unsteady, x.Idle = c.Significant(), c.Unsteady(), c.Idle
	if c.Repeated95 {
		x.Repeats = &c.Repeats
	}
	p, err := predict.Mapping(ctx, d, c.Mapping, flow.Fast{}, c.Name)
	if err != nil {
		return x, fmt.Errorf("computing the interval of mapping %s: %w", c.Name, err)
	}
	c.LimitTo(p)
	x.Interval, x.GoodInterval, x.RunInterval = intervalBounds(p.Interval), intervalBounds(p.GoodInterval),
		intervalBounds(p.RunInterval)
	for k, r := range c.Mapping.Place {
		x.Place = append(x.Place, [2]string{d.Program.Kernels[k].Name, d.Program.Resources[r].Name})
	}
	return x, nil
}

// intervalBounds converts an interval; nil for none.
func intervalBounds(x *[2]result.Number) *[2]float64 {
	if x == nil {
		return nil
	}
	return &[2]float64{float64(x[0]), float64(x[1])}
}

// blocks returns the kinds of blocks in the application, without duplicates, sorted by name.
func (a *App) blocks() []string {
	var list []string
	for i := range a.Kernels {
		list = append(list, a.Kernels[i].Block)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
