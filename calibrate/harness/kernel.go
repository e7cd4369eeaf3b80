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

// kernelRun is a kernel being measured.
type kernelRun struct {
	kernel int
	// near has the kernel's peers on its own core; takes has those that feed it on
	// another, sends those that drain it. The last two may be nil.
	near, takes, sends *variant
	rounds             int
	windows            int // of a run
	done               bool
	once               []bool    // inputs that are sent at the start only: no work
	rate               []float64 // bytes/s, of each window
	rates              []float64 // bytes/s, the median of each run
	company            []float64 // s/byte, of each window of a run of all kernels
	take               []float64 // s/byte that comes from another core, of each window
	send               []float64 // s/byte that goes there
	gain               []float64 // of each run
	scv                []float64 // of each run
	firing             []float64 // bytes, of each run
	routing            [][]float64
	batch              [][]float64 // elements that leave each port at once, of each run
	code               int64
	hash               string
	source             *calibrate.Source
}

// variant is one way in which a kernel runs alone.
type variant struct {
	program *deploy.Program
	cpu     int
}

func isSource(k *xlang.Kernel) bool { return len(k.Inputs) == 0 }

// buildKernel builds what a kernel is measured with, or returns its figures of the
// earlier profile where nothing has changed. crossing adds the variants with peers on
// another core.
func buildKernel(ctx context.Context, d *design.Design, k int, files []string, crossing bool, o Options, dir string) (_ *kernelRun, _ *calibrate.Kernel, err error) {
	r := &kernelRun{kernel: k, windows: runWindows, once: d.Program.SentOnce()[k]}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.remove())
		}
	}()
	kernel := &d.Program.Kernels[k]
	if r.near, err = buildVariant(ctx, d, k, files, where{}, o, dir); err != nil {
		return nil, nil, err
	}
	if r.hash, r.code, err = kernelHash(d, k, r.near.program, files, o); err != nil {
		return nil, nil, err
	}
	if r.source, err = sourceOf(d, k, r.near.program); err != nil {
		return nil, nil, err
	}
	if old := kept(o.Earlier, kernel.Name, d.Program.Resources[d.Mapping.Place[k]].Platform, r.hash); old != nil {
		same := *old
		same.Block, same.Source = kernel.Block, r.source // its comments may have changed
		return nil, &same, r.remove()
	}
	m, err := r.near.run(ctx, r.windows, &Report{})
	if err != nil {
		return nil, nil, fmt.Errorf("measuring kernel %s alone: %w", kernel.Name, err)
	}
	r.settle(m, o)
	if x := &m.Kernels[0]; x.ServiceTime > longFiring {
		return r, nil, nil
	}
	if crossing && len(kernel.Inputs) > 0 {
		if r.takes, err = buildVariant(ctx, d, k, files, where{in: true}, o, dir); err != nil {
			return nil, nil, err
		}
	}
	if crossing && len(kernel.Outputs) > 0 {
		if r.sends, err = buildVariant(ctx, d, k, files, where{out: true}, o, dir); err != nil {
			return nil, nil, err
		}
	}
	return r, nil, nil
}

// longFiring, in seconds, is from where on what crossing costs a firing, some tens of
// nanoseconds for an element of 64 bytes, is not looked for: it is lost in how the
// firings vary.
const longFiring = 10e-6

// settle makes runs long enough that the mean over the firings of one is as sure as
// was asked for: kernels draw, and data vary, the same way in each run, so that more
// runs do not help.
func (r *kernelRun) settle(m *deploy.Measurement, o Options) {
	const most = 50
	s := m.Taps[0].Total
	if s.Samples < 2 || !(s.Mean() > 0) {
		return
	}
	need := s.SCV() / (o.Precision * o.Precision) * m.Kernels[0].ServiceTime // seconds
	r.windows = min(max(r.windows, warmUpWindows+1+int(need/window.Seconds())), most)
}

func buildVariant(ctx context.Context, d *design.Design, k int, files []string, far where, o Options, dir string) (*variant, error) {
	name := d.Program.Kernels[k].Name
	own, err := os.MkdirTemp(dir, "kernel-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for kernel %s: %w", name, err)
	}
	x, err := isolate(d, k, files, far, own)
	if err != nil {
		return nil, err
	}
	options := deploy.Options{Style: deploy.PerCore, CPUs: 1, Objects: filepath.Join(dir, objectsFolder)}
	if far.in || far.out {
		options.CPUs = 2
	}
	if far == (where{}) {
		options.Taps = []deploy.Tap{{Kind: deploy.Service, Kernel: 0}}
	}
	if isSource(&d.Program.Kernels[k]) {
		options.Input, options.Elements = o.Input, math.MaxInt64
	}
	prog, err := deploy.Build(ctx, x.design, options, "")
	if err != nil {
		return nil, fmt.Errorf("building kernel %s alone: %w", name, err)
	}
	return &variant{program: prog}, nil
}

func (r *kernelRun) remove() error {
	var errs []error
	for _, v := range []*variant{r.near, r.takes, r.sends} {
		if v != nil {
			errs = append(errs, v.program.Remove())
		}
	}
	return errors.Join(errs...)
}

// repeats is how often a run is repeated when the processor was taken away in it.
const repeats = 3

// run runs a variant once, undisturbed if that can be had.
func (v *variant) run(ctx context.Context, windows int, report *Report) (*deploy.Measurement, error) {
	for try := 0; ; try++ {
		before, spin := calibrate.Stolen(v.cpu), calibrate.ReferenceSpin()
		m, err := v.program.RunWell(ctx, deploy.Limits{Time: time.Duration(windows) * window, Frame: window})
		if err != nil {
			return nil, err
		}
		v.cpu = m.Processes[0].Processor
		const most = 1 // tick of 10 ms in a run
		spin = max(spin, calibrate.ReferenceSpin())
		slow := report.Spins.Slow(spin)
		if (slow || calibrate.Stolen(v.cpu)-before > most) && try < repeats {
			report.Dropped++
			continue
		}
		return m, nil
	}
}

// measure runs every variant of a kernel once.
func (r *kernelRun) measure(ctx context.Context, d *design.Design, o Options, report *Report) error {
	m, err := r.near.run(ctx, r.windows, report)
	if err != nil {
		return err
	}
	near := r.costs(d, r.near.program, m)
	r.read(d, m, near)
	for _, far := range []struct {
		*variant
		to *[]float64
	}{{r.takes, &r.take}, {r.sends, &r.send}} {
		if far.variant == nil || len(near) == 0 {
			continue
		}
		m, err := far.run(ctx, r.windows, report)
		if err != nil {
			return fmt.Errorf("with another core at its other end: %w", err)
		}
		part := 1.0 // of the bytes that the cost is for
		if far.variant == r.sends && !isSource(&d.Program.Kernels[r.kernel]) {
			if m.Kernels[0].Out == 0 {
				continue
			}
			part = m.Kernels[0].In / m.Kernels[0].Out
		}
		base, _, _, _ := calibrate.MedianInterval(near)
		for _, c := range r.costs(d, far.program, m) {
			*far.to = append(*far.to, (c-base)*part)
		}
	}
	r.rounds++
	r.done = len(r.rate) > 0 && precise(figure(r.rate), o.Precision) && (r.takes == nil && r.sends == nil || r.rounds >= crossingRounds)
	return nil
}

// crossingRounds is the least that differences between two variants rest on.
const crossingRounds = 3

// costs are the seconds for each byte in, a source's out, of the windows that count.
func (r *kernelRun) costs(d *design.Design, program *deploy.Program, m *deploy.Measurement) []float64 {
	kernel := &d.Program.Kernels[r.kernel]
	ended := m.Failure == nil // by itself: a source that has no more
	var costs []float64
	copies := program.Copies()
	for i, f := range m.Frames {
		last := i == len(m.Frames)-1 // shorter than the others
		if i < warmUpWindows && !(ended && last) || last && !ended || f.Kernels[0].Busy <= 0 {
			continue
		}
		bytes := 0.0
		for e, edge := range program.Edges() {
			switch {
			case isSource(kernel) && edge.From == 0 && copies[e]: // what another edge has counted
			case isSource(kernel) && edge.From == 0:
				bytes += float64(f.Edges[e].Sent) * kernel.Outputs[edge.FromPort].ElementBytes
			case !isSource(kernel) && edge.To == 0 && !r.once[edge.ToPort]:
				bytes += float64(f.Edges[e].Taken) * kernel.Inputs[edge.ToPort].ElementBytes
			}
		}
		if bytes > 0 {
			costs = append(costs, f.Kernels[0].Busy/bytes)
		}
	}
	return costs
}

// read takes in a run with the peers near.
func (r *kernelRun) read(d *design.Design, m *deploy.Measurement, costs []float64) {
	kernel := &d.Program.Kernels[r.kernel]
	for _, c := range costs {
		r.rate = append(r.rate, 1/c)
	}
	if len(costs) > 0 {
		c, _, _, _ := calibrate.MedianInterval(costs)
		r.rates = append(r.rates, 1/c)
	}
	r.volumes(kernel, m)
	if s := m.Taps[0].Total; s.Samples > 1 && s.Mean() > 0 {
		r.scv = append(r.scv, s.SCV())
	}
	r.batches(kernel, m)
}

// volumes takes in gain and routing: bytes out for bytes in, and how they are shared
// among the ports. What is sent once is no part of the stream, however short the run was.
func (r *kernelRun) volumes(kernel *xlang.Kernel, m *deploy.Measurement) {
	times := float64(m.Kernels[0].Firings)
	sent := r.sent(kernel, m)
	if isSource(kernel) && len(sent) > 0 {
		times = slices.Max(sent)
	}
	if times == 0 {
		return
	}
	taken := make([]float64, len(kernel.Inputs))
	for e, edge := range r.near.program.Edges() {
		if edge.To == 0 && !r.once[edge.ToPort] {
			taken[edge.ToPort] += float64(m.Edges[e].Elements - m.Edges[e].Left)
		}
	}
	x := volumesOf(kernel, times, taken, sent, 2)
	if isSource(kernel) {
		r.firing = append(r.firing, m.Kernels[0].Out/float64(m.Kernels[0].Firings))
	} else if x.in > 0 {
		r.firing = append(r.firing, x.in)
	}
	if x.in > 0 && len(kernel.Outputs) > 0 {
		r.gain = append(r.gain, x.out/x.in)
	}
	if len(sent) > 1 && x.out > 0 {
		for i := range x.sent {
			x.sent[i] /= x.out
		}
		r.routing = append(r.routing, x.sent)
	}
}

// volumes are the bytes of a firing: in, out, and out of each port.
type volumes struct {
	in, out float64
	sent    []float64
}

// volumesOf counts elements by firing, for a source against the port that sends most,
// so that what a run leaves half done does not show: underWay elements at the most.
func volumesOf(kernel *xlang.Kernel, times float64, taken, sent []float64, underWay float64) volumes {
	x := volumes{sent: make([]float64, len(sent))}
	for i, port := range kernel.Inputs {
		x.in += whole(taken[i], times, underWay) * port.ElementBytes
	}
	for i, port := range kernel.Outputs {
		x.sent[i] = whole(sent[i], times, underWay) * port.ElementBytes
		x.out += x.sent[i]
	}
	return x
}

// whole is how many elements go over an edge for each of some times. A number that
// differs from a whole one, or from one over a whole one, by no more than what is under
// way at the end of a run is taken for that.
func whole(elements, times, underWay float64) float64 {
	if n := math.Round(elements / times); n > 0 && math.Abs(elements-n*times) <= underWay*n {
		return n
	}
	const enough = 200 // elements, for one more or less to matter little
	if elements >= enough {
		if n := math.Round(times / elements); math.Abs(elements-times/n) <= underWay {
			return 1 / n
		}
	}
	return elements / times
}

// sent counts the elements that left each port in a run with the peers near.
func (r *kernelRun) sent(kernel *xlang.Kernel, m *deploy.Measurement) []float64 {
	sent := make([]float64, len(kernel.Outputs))
	copies := r.near.program.Copies()
	for e, edge := range r.near.program.Edges() {
		if edge.From == 0 && !copies[e] {
			sent[edge.FromPort] += float64(m.Edges[e].Elements)
		}
	}
	return sent
}

// batches takes in how many elements leave each port at once.
func (r *kernelRun) batches(kernel *xlang.Kernel, m *deploy.Measurement) {
	x := m.Kernels[0]
	times := x.Firings
	if isSource(kernel) {
		times = x.Calls
	}
	if times == 0 || len(kernel.Outputs) == 0 {
		return
	}
	batch := r.sent(kernel, m)
	for i := range batch {
		batch[i] = max(batch[i]/float64(times), 1)
	}
	r.batch = append(r.batch, batch)
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
	if out.ServiceRate != nil {
		widen(out.ServiceRate, r.rates)
		alone := 1 / out.ServiceRate.Value
		unsure := alone * (out.ServiceRate.CI95[1] - out.ServiceRate.CI95[0]) / 2 / out.ServiceRate.Value
		costs := slices.Clone(r.company)
		for i := range costs {
			costs[i] -= alone
		}
		out.CompanyCost = extra(costs, unsure)
	}
	out.TakeCost, out.SendCost = extra(r.take, 0), extra(r.send, 0)
	set(&out.Gain, r.gain)
	set(&out.ServiceSCV, r.scv)
	set(&out.FiringBytes, r.firing)
	out.Batch, out.Routing = byPort(kernel, r.batch), byPort(kernel, r.routing)
	out.CodeBytes, out.Hash, out.Source = r.code, r.hash, r.source
	return out
}

// byPort puts the runs together of what was measured of each output port; nil without
// any.
func byPort(kernel *xlang.Kernel, runs [][]float64) map[string]calibrate.Figure {
	if len(runs) == 0 {
		return nil
	}
	figures := make(map[string]calibrate.Figure)
	for i, port := range kernel.Outputs {
		var windows []float64
		for _, r := range runs {
			windows = append(windows, r[i])
		}
		figures[port.Name] = figure(windows)
	}
	return figures
}
