package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"xopt/calibrate"
	"xopt/internal/deploy"
	"xopt/internal/design"
	"xopt/internal/xlang"
)

// Options say how to calibrate. The zero value is what most applications need.
type Options struct {
	Input    string        // for the recorded run: the sources' config input
	Elements uint64        // likewise elements
	Record   time.Duration // how long the recorded run may take; 0 for 2 s
	Only     []int         // measure these kernels; nil for all
	// EdgeBytes bounds what is recorded of an edge, 0 for 16 MiB.
	EdgeBytes int
	// Precision is how near the ends of the 95 % interval of every service rate must
	// be to its median, relatively, for its kernel to be done; 0 for 0.01.
	Precision float64
	// Budget bounds the time for windows, 0 for 2 s for each kernel.
	Budget time.Duration
	// Progress, if set, is told what happens.
	Progress func(stage string, done, all int)
}

func (o *Options) fill(kernels int) {
	if o.Record == 0 {
		o.Record = 2 * time.Second
	}
	if o.EdgeBytes == 0 {
		o.EdgeBytes = 16 << 20
	}
	if o.Precision == 0 {
		o.Precision = 0.01
	}
	if o.Budget == 0 {
		o.Budget = 2 * time.Duration(kernels) * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
}

// Lengths of a measurement of one kernel: a run of some windows, of which the first
// do not count, while caches, batches and the kernel's own state settle.
const (
	window        = 20 * time.Millisecond
	runWindows    = 6
	warmUpWindows = 2
)

// Report is what happened besides the figures.
type Report struct {
	Seconds   float64 // that windows took
	Rounds    int     // turns of all kernels
	Dropped   int     // runs that were repeated, because the processor was taken away
	Spins     calibrate.Steadiness
	Imprecise []string // kernels whose interval is wider than was asked for
	Notes     []string
}

// Disturbed tells whether the machine was not the same throughout.
func (r *Report) Disturbed() bool { return r.Spins.Disturbed() }

// kernelRun is a kernel being measured.
type kernelRun struct {
	kernel  int
	program *deploy.Program
	cpu     int
	done    bool
	rate    []float64 // bytes/s, of each window
	company []float64 // s/byte, of each window of a run of all kernels
	gain    []float64 // of each run
	scv     []float64 // of each run
	firing  []float64 // bytes, of each run
	routing [][]float64
}

// Calibrate measures every kernel of a design with an implementation for a core. The
// mapping of the design says how the recorded run is deployed; it must be onto
// cores.
func Calibrate(ctx context.Context, d *design.Design, o Options) (_ *calibrate.Profile, _ *Report, err error) {
	kernels := len(d.Program.Kernels)
	o.fill(kernels)
	dir, err := os.MkdirTemp("", "xopt-calibrate-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for recorded data: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	report := &Report{}
	o.Progress("recording", 0, 1)
	files, err := record(ctx, d, o, dir, report)
	if err != nil {
		return nil, nil, err
	}
	runs := make([]*kernelRun, 0, kernels)
	defer func() {
		for _, r := range runs {
			err = errors.Join(err, r.program.Remove())
		}
	}()
	for k := range kernels {
		if o.Only != nil && !slices.Contains(o.Only, k) {
			continue
		}
		o.Progress("building "+d.Program.Kernels[k].Name, k, kernels)
		r, err := build(ctx, d, k, files, o, dir)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, r)
	}
	var all *deploy.Program
	if len(runs) == kernels && kernels > 1 && onOneCore(d) {
		o.Progress("building the application", 0, 1)
		if all, err = deploy.Build(ctx, d, deploy.Options{Input: o.Input, Elements: math.MaxInt64}, ""); err != nil {
			return nil, nil, fmt.Errorf("building the application: %w", err)
		}
		defer func() { err = errors.Join(err, all.Remove()) }()
	}
	if err := measureAll(ctx, d, runs, all, o, report); err != nil {
		return nil, nil, err
	}
	p := &calibrate.Profile{Schema: calibrate.Schema, Machine: calibrate.ThisMachine()}
	p.Machine.Compiler = runs[0].program.CompilerVersion()
	for _, r := range runs {
		p.Kernels = append(p.Kernels, r.figures(d))
	}
	return p, report, p.Validate()
}

// record runs the application once and writes what each edge carried to a file.
func record(ctx context.Context, d *design.Design, o Options, dir string, report *Report) (_ []string, err error) {
	var taps []deploy.Tap
	for e := range d.Program.Edges {
		size := int(d.Program.Kernels[d.Program.Edges[e].From].Outputs[d.Program.Edges[e].FromPort].ElementBytes)
		taps = append(taps, deploy.Tap{Kind: deploy.Record, Edge: e, Bytes: max(o.EdgeBytes, size)})
	}
	prog, err := deploy.Build(ctx, d, deploy.Options{Input: o.Input, Elements: o.Elements, Taps: taps}, "")
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	m, err := prog.Run(ctx, deploy.Limits{Time: o.Record})
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		return nil, fmt.Errorf("recording what the edges carry: %w", f)
	}
	cut := 0
	files := make([]string, len(taps))
	for e := range taps {
		data := m.Taps[e].Recorded
		if len(data) == 0 {
			continue
		}
		if uint64(len(data)) < m.Edges[e].Elements*uint64(d.Program.Kernels[d.Program.Edges[e].From].Outputs[d.Program.Edges[e].FromPort].ElementBytes) {
			cut++
		}
		files[e] = filepath.Join(dir, fmt.Sprintf("edge%d", e))
		if err := os.WriteFile(files[e], data, 0o644); err != nil {
			return nil, fmt.Errorf("writing what edge %s carried: %w", d.Program.Edges[e].Name, err)
		}
	}
	if cut > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("%d of %d edges carried more than %d MiB in the recorded run; kernels are fed the beginning of it", cut, len(taps), o.EdgeBytes>>20))
	}
	return files, nil
}

func build(ctx context.Context, d *design.Design, k int, files []string, o Options, dir string) (*kernelRun, error) {
	own := filepath.Join(dir, fmt.Sprintf("kernel%d", k))
	if err := os.Mkdir(own, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for kernel %s: %w", d.Program.Kernels[k].Name, err)
	}
	x, err := isolate(d, k, files, own)
	if err != nil {
		return nil, err
	}
	options := deploy.Options{Style: deploy.PerCore, CPUs: 1, Taps: []deploy.Tap{{Kind: deploy.Service, Kernel: 0}}}
	if isSource(&d.Program.Kernels[k]) {
		options.Input, options.Elements = o.Input, math.MaxInt64
	}
	prog, err := deploy.Build(ctx, x.design, options, "")
	if err != nil {
		return nil, fmt.Errorf("building kernel %s alone: %w", d.Program.Kernels[k].Name, err)
	}
	return &kernelRun{kernel: k, program: prog}, nil
}

func isSource(k *xlang.Kernel) bool { return len(k.Inputs) == 0 }

// measureAll gives kernels their turns until all are done or the budget is spent. all
// is the whole application on one core, or nil.
func measureAll(ctx context.Context, d *design.Design, runs []*kernelRun, all *deploy.Program, o Options, report *Report) error {
	begin := time.Now()
	for {
		left := 0
		for i, r := range runs {
			if r.done {
				continue
			}
			if report.Rounds > 0 && time.Since(begin) > o.Budget {
				left++
				continue
			}
			o.Progress("measuring "+d.Program.Kernels[r.kernel].Name, i, len(runs))
			if err := r.measure(ctx, d, o, report); err != nil {
				return fmt.Errorf("measuring kernel %s alone: %w", d.Program.Kernels[r.kernel].Name, err)
			}
			if !r.done {
				left++
			}
		}
		report.Rounds++
		if all != nil {
			o.Progress("measuring all kernels together", 0, 1)
			if err := together(ctx, d, runs, all); err != nil {
				return fmt.Errorf("measuring all kernels together: %w", err)
			}
		}
		if left == 0 || time.Since(begin) > o.Budget {
			break
		}
	}
	report.Seconds = time.Since(begin).Seconds()
	for _, r := range runs {
		if !r.done {
			report.Imprecise = append(report.Imprecise, d.Program.Kernels[r.kernel].Name)
		}
	}
	return nil
}

// onOneCore tells whether the mapping uses one core.
func onOneCore(d *design.Design) bool {
	return !slices.ContainsFunc(d.Mapping.Place, func(r int) bool { return r != d.Mapping.Place[0] })
}

// together runs all kernels on one core, and takes what each needs for a byte in
// that company.
func together(ctx context.Context, d *design.Design, runs []*kernelRun, all *deploy.Program) error {
	m, err := all.Run(ctx, deploy.Limits{Time: 2 * runWindows * window, Frame: 2 * window})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		return f
	}
	for i, f := range m.Frames {
		if i < warmUpWindows || i == len(m.Frames)-1 {
			continue
		}
		bytes := make([]float64, len(runs))
		for e, edge := range d.Program.Edges {
			if isSource(&d.Program.Kernels[edge.From]) {
				bytes[edge.From] += float64(f.Edges[e].Sent) * d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
			}
			bytes[edge.To] += float64(f.Edges[e].Taken) * d.Program.Kernels[edge.To].Inputs[edge.ToPort].ElementBytes
		}
		for _, r := range runs {
			if bytes[r.kernel] > 0 && f.Kernels[r.kernel].Busy > 0 {
				r.company = append(r.company, f.Kernels[r.kernel].Busy/bytes[r.kernel])
			}
		}
	}
	return nil
}

// repeats is how often a run is repeated when the processor was taken away in it.
const repeats = 3

// measure runs a kernel once.
func (r *kernelRun) measure(ctx context.Context, d *design.Design, o Options, report *Report) error {
	for try := 0; ; try++ {
		before, spin := stolen(r.cpu), calibrate.ReferenceSpin()
		m, err := r.program.Run(ctx, deploy.Limits{Time: runWindows * window, Frame: window})
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f := m.Failure; f != nil && f.Kind != "stopped" {
			return f
		}
		r.cpu = m.Processes[0].Processor
		const most = 1 // tick of 10 ms in a run
		spin = max(spin, calibrate.ReferenceSpin())
		slow := report.Spins.Slow(spin)
		if (slow || stolen(r.cpu)-before > most) && try < repeats {
			report.Dropped++
			continue
		}
		r.take(d, m)
		r.done = len(r.rate) > 0 && precise(figure(r.rate), o.Precision)
		return nil
	}
}

// take adds the windows of a run.
func (r *kernelRun) take(d *design.Design, m *deploy.Measurement) {
	kernel := &d.Program.Kernels[r.kernel]
	x := m.Kernels[0]
	ended := m.Failure == nil // by itself: a source that has no more
	for i, f := range m.Frames {
		last := i == len(m.Frames)-1 // shorter than the others
		if !ended && (i < warmUpWindows || last) || ended && !last && i < warmUpWindows {
			continue
		}
		if f.Kernels[0].Busy <= 0 {
			continue
		}
		bytes := 0.0
		for e, edge := range r.program.Edges() {
			switch {
			case isSource(kernel) && edge.From == 0:
				bytes += float64(f.Edges[e].Sent) * kernel.Outputs[edge.FromPort].ElementBytes
			case !isSource(kernel) && edge.To == 0:
				bytes += float64(f.Edges[e].Taken) * kernel.Inputs[edge.ToPort].ElementBytes
			}
		}
		if bytes > 0 {
			r.rate = append(r.rate, bytes/f.Kernels[0].Busy)
		}
	}
	if x.In > 0 && len(kernel.Outputs) > 0 {
		r.gain = append(r.gain, x.Gain)
	}
	if x.Firings > 0 {
		r.firing = append(r.firing, max(x.In, x.Out*boolean(isSource(kernel)))/float64(x.Firings))
	}
	if s := m.Taps[0].Total; s.Samples > 1 && s.Mean() > 0 {
		r.scv = append(r.scv, s.SCV())
	}
	if len(x.Routing) > 1 && x.Out > 0 {
		r.routing = append(r.routing, x.Routing)
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// figures puts the windows of a kernel together.
func (r *kernelRun) figures(d *design.Design) calibrate.Kernel {
	kernel := &d.Program.Kernels[r.kernel]
	platform := d.Program.Resources[d.Mapping.Place[r.kernel]].Platform
	out := calibrate.Kernel{Block: kernel.Block, Instance: kernel.Name, Platform: platform}
	set := func(to **calibrate.Figure, windows []float64) {
		if len(windows) > 0 {
			f := figure(windows)
			*to = &f
		}
	}
	set(&out.ServiceRate, r.rate)
	if len(r.company) > 0 && out.ServiceRate != nil {
		costs := make([]float64, len(r.company))
		for i, c := range r.company {
			costs[i] = max(c-1/out.ServiceRate.Value, 0)
		}
		set(&out.CompanyCost, costs)
	}
	set(&out.Gain, r.gain)
	set(&out.ServiceSCV, r.scv)
	set(&out.FiringBytes, r.firing)
	if len(r.routing) > 0 {
		out.Routing = make(map[string]calibrate.Figure)
		for i, port := range kernel.Outputs {
			var windows []float64
			for _, fractions := range r.routing {
				windows = append(windows, fractions[i])
			}
			out.Routing[port.Name] = figure(windows)
		}
	}
	return out
}
