package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// ReplayRun is a mapping of an application with its throughput from the sources, in bytes/s over complete runs. It
// compares the throughput measured on this machine with simulations in virtual time that use the service times of the
// recorded mapping.
type ReplayRun struct {
	App, Mapping string
	Recorded     bool      // this is the recorded mapping
	Native       []float64 // throughput of each run
	Replayed     float64   // with the recorded times in their order
	Drawn        float64   // with times from gamma distributions with the same mean and scv
}

// Median returns the median throughput of the native runs.
func (r *ReplayRun) Median() float64 {
	return profile.MedianOf(r.Native).Value
}

// ReplayOptions configures [Replays].
type ReplayOptions struct {
	Runs int // number of native runs of each mapping, which alternate
	Note func(text string)
}

// replayApp is an application with its mappings, of which the first is recorded.
type replayApp struct {
	name     string
	elements uint64
	logged   int
	mappings [][2]string // name and text; the text "" selects the application's own map.x
}

const oneCore = "map { top } to proc[1];\n"

func replayApps() []replayApp {
	return []replayApp{
		{"jpeg", 80, 20_000, [][2]string{{"luma entropy coder on its own core", ""}, {"luma on its own core",
			"map { top.luma, top.convert } to proc[1]; map { top.read, top.cb, top.cr, top.write } to proc[2];\n"},
			{"one core", oneCore}}},
		{"des", 800_000, 20_000, [][2]string{{"eight rounds on each core", ""}, {"five and eleven rounds",
			"map { top.blocks, top.des.keys, top.des.initial, top.des.round[1..5] } to proc[1];\n" +
				"map { top.des.round[6..16], top.des.final, top.store } to proc[2];\n"}, {"one core", oneCore}}},
		{"blastn", 160_000, 20_000, [][2]string{{"first stage on its own core", ""}, {"first two stages on one core",
			"map { top.query1a, top.s1a, top.s1b } to proc[1]; map { top.db, top.s2, top.s3, top.out } to proc[2];\n"},
			{"one core", oneCore}}},
	}
}

// RealTime reports whether this process may run kernels in a real-time scheduling class, in which other programs do not
// disturb them.
func RealTime() bool { return os.Geteuid() == 0 }

// Replays records one mapping of each application. It compares simulations of this and other mappings with native runs
// (Gayen 2008, ch. 6). Because recording every firing increases the times, Replays scales the recorded times to the
// mean service times in runs without recording.
func Replays(ctx context.Context, o ReplayOptions) (list []ReplayRun, err error) {
	for _, a := range replayApps() {
		o.Note(a.name)
		runs, err := a.replay(ctx, o)
		if err != nil {
			return list, fmt.Errorf("%s: %w", a.name, err)
		}
		list = append(list, runs...)
	}
	return list, nil
}

func (a *replayApp) replay(ctx context.Context, o ReplayOptions) (runs []ReplayRun, err error) {
	dir, err := apps.Unpack(a.name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	designs := make([]*design.Design, len(a.mappings))
	programs := make([]*program.Program, len(a.mappings))
	for i := range a.mappings {
		if designs[i], err = a.load(dir, i); err != nil {
			return nil, err
		}
		if programs[i], err = program.New(ctx, designs[i], a.options(), ""); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, programs[i].Remove()) }()
		runs = append(runs, ReplayRun{App: a.name, Mapping: a.mappings[i][0], Recorded: i == 0})
	}
	var plain []*run.Measurement // runs of the recorded mapping
	for range o.Runs {
		for i, p := range programs {
			m, err := run.Well(ctx, p, run.Options{})
			if err != nil {
				return nil, err
			}
			runs[i].Native = append(runs[i].Native, m.Throughput)
			if i == 0 {
				plain = append(plain, m)
			}
		}
	}
	times, err := a.record(ctx, designs[0], plain)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if runs[i].Replayed, err = a.simulate(ctx, designs[i], times); err != nil {
			return nil, err
		}
		if runs[i].Drawn, err = a.simulate(ctx, designs[i], drawnAs(times)); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// load reads the application with one of its mappings.
func (a *replayApp) load(dir string, mapping int) (*design.Design, error) {
	path := filepath.Join(dir, "map.x")
	if text := a.mappings[mapping][1]; text != "" {
		path = filepath.Join(dir, fmt.Sprintf("replayed%d.x", mapping))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("writing a mapping: %w", err)
		}
	}
	return calibrate.Load([]string{filepath.Join(dir, "app.x"), filepath.Join(dir, "arch.x"), path}, nil,
		design.Options{Purpose: design.ForDeploy})
}

func (a *replayApp) options() program.Options {
	o := program.Options{Elements: a.elements}
	if RealTime() {
		o.Scheduler = program.SchedulerRR
	}
	return o
}

// record runs a mapping, logs the time of every firing, and scales the times to the mean times in plain, the runs
// without recording. It returns the times by kernel.
func (a *replayApp) record(ctx context.Context, d *design.Design, plain []*run.Measurement) ([][]uint64, error) {
	o := a.options()
	for k := range d.Program.Kernels {
		o.Taps = append(o.Taps, program.Tap{Kind: program.Service, Kernel: k, Every: 1, Trace: a.logged})
	}
	p, err := program.New(ctx, d, o, "")
	if err != nil {
		return nil, err
	}
	m, err := run.Well(ctx, p, run.Options{})
	if err = errors.Join(err, p.Remove()); err != nil {
		return nil, err
	}
	logged, means := new(result.Measured), new(result.Measured)
	for i := range m.Kernels {
		k := result.MeasuredKernel{Kernel: d.Program.Kernels[i].Name, Firings: m.Kernels[i].Firings,
			ServiceTime: m.Kernels[i].ServiceTime}
		for f := range m.Frames {
			k.Log = append(k.Log, m.Frames[f].Logs[i]...) // taps are in the order of kernels
		}
		k.Log = k.Log[:min(len(k.Log), a.logged)]
		logged.Kernels = append(logged.Kernels, k)
		var services []float64
		for _, x := range plain {
			services = append(services, x.Kernels[i].ServiceTime)
		}
		slices.Sort(services)
		means.Kernels = append(means.Kernels, result.MeasuredKernel{Kernel: k.Kernel,
			ServiceTime: stat.Quantile(0.5, stat.LinInterp, services, nil)})
	}
	times, err := xsim.Recorded(d.Program, logged)
	if err != nil {
		return nil, err
	}
	return xsim.Scaled(d.Program, times, means)
}

// simulate returns the throughput of a mapping in virtual time with the given service times by kernel, in bytes/s.
func (a *replayApp) simulate(ctx context.Context, d *design.Design, times [][]uint64) (float64, error) {
	p, _, err := xsim.Build(ctx, d, program.Options{Elements: a.elements}, xsim.Options{Times: times}, "")
	if err != nil {
		return 0, err
	}
	m, err := run.Well(ctx, p, run.Options{})
	if err = errors.Join(err, p.Remove()); err != nil {
		return 0, err
	}
	return m.Throughput, nil
}

// drawnAs replaces the times of each kernel by random times from a gamma distribution with the same mean and squared
// coefficient of variation, like --from profile.
func drawnAs(times [][]uint64) [][]uint64 {
	out := make([][]uint64, len(times))
	for k, list := range times {
		values := make([]float64, len(list))
		for i, t := range list {
			values[i] = float64(t)
		}
		mean, deviation := stat.MeanStdDev(values, nil)
		if len(list) < 2 || !(deviation > 0) || !(mean > 0) {
			out[k] = list
			continue
		}
		scv := deviation * deviation / (mean * mean)
		g := distuv.Gamma{Alpha: 1 / scv, Beta: 1 / (scv * mean), Src: rand.NewPCG(1, uint64(k))}
		for range list {
			out[k] = append(out[k], uint64(math.Round(g.Rand())))
		}
	}
	return out
}
