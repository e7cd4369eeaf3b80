package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// kernelRun contains the programs and the measurements of one kernel.
type kernelRun struct {
	kernel int
	pool   *pool
	// near is the variant with all peers on the kernel's core. receives has the sources on another core, and sends has
	// the sinks on another core. buildCrossing builds receives and sends if they are needed.
	near, receives, sends  *variant
	each                   *variant // variant in which every firing is timed
	timed                  timed
	wantsTakes, wantsSends bool
	windows                int // number of windows of a run
	spent                  time.Duration
	once                   []bool   // inputs whose data are sent only at the start, and do not count as work
	clean, rough           readings // undisturbed windows, and windows disturbed by another process
	machine                *reference
	memo                   memo
	code                   int64
	hash                   string
	source                 *profile.Source
}

// variant is a program that runs a kernel alone.
type variant struct{ program *program.Program }

func isSource(k *xlang.Kernel) bool { return len(k.Inputs) == 0 }

// buildKernel builds a kernel with its peers on its own core. If nothing has changed, it returns its figures from the
// earlier profile.
func (s *Session) buildKernel(ctx context.Context, k int) (_ *kernelRun, _ *profile.Kernel, err error) {
	d, files, o := s.design, s.files, s.options
	r := &kernelRun{kernel: k, windows: kernelWindows, once: d.Program.SentOnce()[k]}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.remove())
		}
	}()
	kernel := &d.Program.Kernels[k]
	tap := program.Tap{Kind: program.Service, Kernel: 0}
	if r.near, err = s.buildVariant(ctx, k, where{}, tap); err != nil {
		return nil, nil, err
	}
	if r.hash, r.code, err = kernelHash(d, k, r.near.program, files, o); err != nil {
		return nil, nil, err
	}
	if r.source, err = sourceOf(d, k, r.near.program); err != nil {
		return nil, nil, err
	}
	if old := kept(o.Earlier, kernel.Name, d.Program.Resources[d.Mapping.Place[k]].Platform, r.hash); old != nil &&
		old.Doubt == "" && !o.All {
		same := *old
		same.Block, same.Source = kernel.Block, r.source // the sources may differ in comments
		return nil, &same, r.remove()
	}
	return r, nil, nil
}

// first executes the first run of a kernel. It determines the length of the kernel's runs, and whether its costs of
// transfers between cores are measurable.
func (r *kernelRun) first(ctx context.Context, d *design.Design, crossing bool, o Options, report *Report) error {
	start := time.Now()
	defer func() { r.spent += time.Since(start) }()
	var m *run.Measurement
	// On a busy machine, a run may have no valid window.
	for try := 0; try <= repeats && len(r.clean.windows)+len(r.rough.windows) == 0; try++ {
		var err error
		if m, err = r.near.run(ctx, r.windows); err != nil {
			return err
		}
		var x readings
		r.read(&x, d, m, r.costs(d, r.near.program, m))
		r.keep(&x, report)
	}
	if len(r.clean.windows)+len(r.rough.windows) == 0 {
		if err := hang(ctx, r.near.program, m, o.Record/2); err != nil {
			return err
		}
	}
	r.settle(m, o)
	if crossing && crossingMatters(&m.Kernels[0]) {
		kernel := &d.Program.Kernels[r.kernel]
		r.wantsTakes, r.wantsSends = len(kernel.Inputs) > 0, len(kernel.Outputs) > 0
	}
	return nil
}

// crossingMatters reports whether the cost of transfers between cores may exceed 1 % of a kernel's time.
func crossingMatters(k *result.MeasuredKernel) bool {
	const maximum = 0.3e-9 // s/byte, above all machines measured
	busy := k.ServiceTime * float64(k.Firings)
	return k.ServiceTime <= longFiring || (k.In+k.Out)*maximum >= 0.01*busy
}

// keep adds the readings of a turn to clean. It adds windows in which another process had the processor to rough. If
// all windows of the turn are such windows, it adds all readings of the turn to rough.
func (r *kernelRun) keep(x *readings, report *Report) {
	var rough readings
	all := x.windows
	x.windows = nil
	for _, w := range all {
		if w.preempted() {
			rough.windows = append(rough.windows, w)
		} else {
			x.windows = append(x.windows, w)
		}
	}
	report.Dropped += len(rough.windows)
	if len(all) > 0 && len(x.windows) == 0 {
		x.windows = all
		r.rough.add(x)
		return
	}
	r.clean.add(x)
	r.rough.add(&rough)
}

// longFiring is the firing time in s above which the costs of transferring few bytes between cores are not measured.
// The cost of an element of 64 bytes is tens of nanoseconds, which is small compared with the variation of such
// firings.
const longFiring = 10e-6

// settle extends the runs of a kernel so that the mean over the firings of one run has the requested precision. All
// runs use the same random numbers and data, so more runs would not improve the mean.
func (r *kernelRun) settle(m *run.Measurement, o Options) {
	const maximum = 50
	s := m.Taps[0].Total
	if s.Samples < 2 || !(s.Mean() > 0) {
		return
	}
	need := s.SCV() / (o.Precision * o.Precision) * m.Kernels[0].ServiceTime // seconds
	r.windows = min(max(r.windows, warmUpWindows+1+int(need/window.Seconds())), maximum)
}

// buildVariant builds a program of one kernel, with some of its peers on another core.
func (s *Session) buildVariant(ctx context.Context, k int, far where, taps ...program.Tap) (*variant, error) {
	d, o := s.design, &s.options
	name := d.Program.Kernels[k].Name
	own, err := os.MkdirTemp(s.dir, "kernel-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for kernel %s: %w", name, err)
	}
	x, err := isolate(d, k, s.files, far, own)
	if err != nil {
		return nil, err
	}
	resources := x.design.Program.Resources // one, or two
	options := program.Options{Style: program.PerCore, CPUs: processors(len(resources), resources...), Taps: taps,
		Reference: true}
	if isSource(&d.Program.Kernels[k]) {
		options.Input, options.Elements = o.Input, math.MaxInt64
	}
	options.Output = o.Sink
	prog, err := program.New(ctx, x.design, options, "")
	if err != nil {
		return nil, fmt.Errorf("building kernel %s alone: %w", name, err)
	}
	return &variant{program: prog}, nil
}

func (r *kernelRun) remove() error {
	var errs []error
	for _, v := range []*variant{r.near, r.receives, r.sends, r.each} {
		if v != nil {
			errs = append(errs, v.program.Remove())
		}
	}
	return errors.Join(errs...)
}

// repeats is the maximum number of repetitions of a kernel's first run while it has no valid window.
const repeats = 3

// run executes one run of a variant with the given number of windows.
func (v *variant) run(ctx context.Context, windows int) (*run.Measurement, error) {
	return run.Well(ctx, v.program, run.Options{Time: time.Duration(windows) * window, Frame: window})
}

// measure runs every variant of a kernel once. crossing reports that the time suffices to build the variants with peers
// on another core, and the variant that times every firing.
func (r *kernelRun) measure(ctx context.Context, s *Session, crossing bool) error {
	d := s.design
	start := time.Now()
	defer func() { r.spent += time.Since(start) }()
	if crossing {
		if err := r.buildCrossing(ctx, s); err != nil {
			return err
		}
	}
	m, err := r.near.run(ctx, r.windows)
	if err != nil {
		return err
	}
	var x readings
	near := r.costs(d, r.near.program, m)
	r.read(&x, d, m, near)
	for _, far := range []struct {
		*variant
		to *[]crossed
	}{{r.receives, &x.receive}, {r.sends, &x.send}} {
		if far.variant == nil || len(near) == 0 {
			continue
		}
		m, err := far.run(ctx, r.windows)
		if err != nil {
			return fmt.Errorf("running the kernel with its neighbours on another core: %w", err)
		}
		part := 1.0 // ratio of the bytes to which the cost applies to the kernel's bytes
		if far.variant == r.sends && !isSource(&d.Program.Kernels[r.kernel]) {
			if m.Kernels[0].Out == 0 {
				continue
			}
			part = m.Kernels[0].In / m.Kernels[0].Out
		}
		if costs := r.costs(d, far.program, m); len(costs) > 0 {
			*far.to = append(*far.to, crossed{near, costs, part})
		}
	}
	r.keep(&x, &s.report)
	if crossing && r.timed.runs < timedRuns && r.timed.why == "" {
		return r.time(ctx, s)
	}
	return nil
}

// buildCrossing builds the variants with peers on another core.
func (r *kernelRun) buildCrossing(ctx context.Context, s *Session) (err error) {
	if r.wantsTakes && r.receives == nil {
		if r.receives, err = s.buildVariant(ctx, r.kernel, where{in: true}); err != nil {
			return err
		}
	}
	if r.wantsSends && r.sends == nil {
		r.sends, err = s.buildVariant(ctx, r.kernel, where{out: true})
	}
	return err
}

// done reports whether the service rate of a kernel has the requested precision, and enough runs have measured its
// costs of transfers between cores.
func (r *kernelRun) done(precision float64) bool {
	rate, _ := r.rate()
	all, _ := r.pool.shared()
	return precise(rate, precision) && r.repeated(rate) && (!r.wantsTakes || r.machine.crossed(all.receive)) &&
		(!r.wantsSends || r.machine.crossed(all.send))
}

// fewestRuns is the minimum number of runs for a rate. Windows of one run share the state of the machine.
const fewestRuns = 3

// repeated reports whether a rate is from enough runs for an interval that includes the variation between runs.
func (r *kernelRun) repeated(rate profile.Figure) bool {
	return rate.AtLeast || r.undisturbed().runs >= fewestRuns
}

// doubt returns the reason to measure a kernel again; "" for none.
func (r *kernelRun) doubt(precision float64) string {
	rate, _ := r.rate()
	switch _, disturbed := r.used(); {
	case disturbed:
		return profile.DoubtDisturbed
	case unknown(rate):
		return "interval wider than the figure itself"
	case !precise(rate, precision):
		if _, _, ok := rate.Interval(); !ok {
			return fmt.Sprintf("no interval from %d windows", rate.N)
		}
		return fmt.Sprintf("interval wider than ±%g %%", 100*precision)
	case !r.repeated(rate):
		return fmt.Sprintf("measured in only %s: the variation between runs is unknown",
			units.Counted(r.undisturbed().runs,
				"run",
				"runs"))
	case !r.done(precision):
		return "the cost of crossing cores was measured in too few runs"
	}
	if g := r.undisturbed(); !rate.AtLeast && g.all > 0 && g.inGood == 0 {
		return fmt.Sprintf("none of its %d windows was undisturbed", g.all)
	}
	return ""
}

// nameAbsurd adds a note to the report about the windows that were discarded because their rates are impossible or far
// from the other rates.
func (r *kernelRun) nameAbsurd(name string, report *Report) {
	x, _ := r.used()
	costs := costsOf(x.windows)
	g := r.own()
	switch {
	case g.absurd == 0:
	case g.refused:
		report.Warnings = append(report.Warnings, faults.WindowsDisagree.Notef("%s has no service rate: it was "+
			"measured in %d windows with rates from %s to %s, but at most %d of these windows agree "+
			"(calibrate again on a quiet machine)", name, len(costs), units.Rate(1/slices.Max(costs)),
			units.Rate(1/slices.Min(costs)), len(costs)-g.absurd))
	default:
		report.Notes = append(report.Notes, leftOut(g.absurd, len(costs), name))
	}
}

// costs returns the valid windows of a run, with their costs in s per input byte (for a source: per output byte).
func (r *kernelRun) costs(d *design.Design, built *program.Program, m *run.Measurement) []sample {
	kernel := &d.Program.Kernels[r.kernel]
	ended := m.Failure == nil // the run ended early, without a failure
	turns := r.machine.turnsOf(m, built.Description().Kernels[0].Process)
	var costs []sample
	for i, f := range m.Frames {
		last := i == len(m.Frames)-1 // the last frame ends early
		if i < warmUpWindows && !(ended && last) || last && !ended || f.Kernels[0].Busy <= 0 {
			continue
		}
		bytes := 0.0
		for e, edge := range built.Description().Edges {
			switch {
			case isSource(kernel) && edge.From == 0 && edge.IsCopy: // the elements are counted on another edge
			case isSource(kernel) && edge.From == 0:
				bytes += float64(f.Edges[e].Sent) * kernel.Outputs[edge.FromPort].ElementBytes
			case !isSource(kernel) && edge.To == 0 && !r.once[edge.ToPort]:
				bytes += float64(f.Edges[e].Consumed) * kernel.Inputs[edge.ToPort].ElementBytes
			}
		}
		if x := f.Kernels[0]; float64(x.Calls) > x.Busy*m.Clock.Hertz && m.Clock.Hertz > 0 {
			continue // a call lasts at least a tick, so the counts are inconsistent
		}
		if bytes > 0 && (ended || !turns.cut(&f)) {
			w := r.machine.sample(f.Kernels[0].Busy/bytes, &turns, &f)
			if w.cost > 0 { // 0 means that the kernel never had the processor
				costs = append(costs, w)
			}
		}
	}
	return costs
}

// read adds the readings of a run with all peers on the kernel's core.
func (r *kernelRun) read(to *readings, d *design.Design, m *run.Measurement, costs []sample) {
	kernel := &d.Program.Kernels[r.kernel]
	to.windows = append(to.windows, costs...)
	if len(costs) > 0 {
		to.runs++
		if unresolvable(kernel, m) {
			to.unresolvable++
		}
	}
	r.volumes(to, kernel, m)
	if s := m.Taps[0].Total; s.Samples > 1 && s.Mean() > 0 {
		to.scv = append(to.scv, s.SCV())
	}
	r.batches(to, kernel, m)
}

// resolved is the minimum duration of a call, in units of the clock's resolution, for a valid measurement. Shorter
// times yield only a bound.
const resolved = 2

// unresolvable reports whether the timed calls of a kernel are shorter than the clock's resolution. Calls of sources
// are timed in groups.
func unresolvable(kernel *xlang.Kernel, m *run.Measurement) bool {
	x := m.Kernels[0]
	return !isSource(kernel) && x.Calls > 0 && x.Busy/float64(x.Calls) < resolved*m.Clock.Resolution
}

// volumes adds the gain (the ratio of output to input bytes) and the routing (the fraction of each port) of a run. It
// excludes data that are sent only once, at the start.
func (r *kernelRun) volumes(to *readings, kernel *xlang.Kernel, m *run.Measurement) {
	times := float64(m.Kernels[0].Firings)
	sent := r.sent(kernel, m)
	if isSource(kernel) && len(sent) > 0 {
		times = slices.Max(sent)
	}
	if times == 0 {
		return
	}
	consumed := make([]float64, len(kernel.Inputs))
	for e, edge := range r.near.program.Description().Edges {
		if edge.To == 0 && !r.once[edge.ToPort] {
			consumed[edge.ToPort] += float64(m.Edges[e].Consumed())
		}
	}
	x := volumesOf(kernel, times, consumed, sent, 2)
	if isSource(kernel) {
		to.firing = append(to.firing, m.Kernels[0].Out/float64(m.Kernels[0].Firings))
	} else if x.in > 0 {
		to.firing = append(to.firing, x.in)
	}
	if x.in > 0 && len(kernel.Outputs) > 0 {
		to.gain = append(to.gain, x.out/x.in)
	}
	if len(sent) > 1 && x.out > 0 {
		for i := range x.sent {
			x.sent[i] /= x.out
		}
		to.routing = append(to.routing, x.sent)
	}
}

// volumes contains the bytes of a firing: input, total output, and output on each port.
type volumes struct {
	in, out float64
	sent    []float64
}

// volumesOf computes the bytes per firing or, for a source, per element of the port that sends most. It corrects for up
// to underWay elements of firings that were incomplete at the end of the run.
func volumesOf(kernel *xlang.Kernel, times float64, consumed, sent []float64, underWay float64) volumes {
	x := volumes{sent: make([]float64, len(sent))}
	for i, port := range kernel.Inputs {
		x.in += roundRatio(consumed[i], times, underWay) * port.ElementBytes
	}
	for i, port := range kernel.Outputs {
		x.sent[i] = roundRatio(sent[i], times, underWay) * port.ElementBytes
		x.out += x.sent[i]
	}
	return x
}

// roundRatio returns the number of elements per firing on an edge. A run may end in the middle of a firing. Therefore,
// the ratio is rounded to an integer or its reciprocal if the difference is at most underWay elements.
func roundRatio(elements, times, underWay float64) float64 {
	if n := math.Round(elements / times); n > 0 && math.Abs(elements-n*times) <= underWay*n {
		return n
	}
	const enough = 200 // elements; beyond this number, a single element is insignificant
	if elements >= enough {
		if n := math.Round(times / elements); math.Abs(elements-times/n) <= underWay {
			return 1 / n
		}
	}
	return elements / times
}

// sent returns the number of elements sent on each port in a run with all peers on the kernel's core.
func (r *kernelRun) sent(kernel *xlang.Kernel, m *run.Measurement) []float64 {
	sent := make([]float64, len(kernel.Outputs))
	for e, edge := range r.near.program.Description().Edges {
		if edge.From == 0 && !edge.IsCopy {
			sent[edge.FromPort] += float64(m.Edges[e].Elements)
		}
	}
	return sent
}

// batches adds the mean number of elements that each port sends in one firing or, for a source, in one call.
func (r *kernelRun) batches(to *readings, kernel *xlang.Kernel, m *run.Measurement) {
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
	to.batch = append(to.batch, batch)
}

// figures computes the figures of a kernel from its windows.
func (r *kernelRun) figures(d *design.Design, precision float64) profile.Kernel {
	kernel := &d.Program.Kernels[r.kernel]
	platform := d.Program.Resources[d.Mapping.Place[r.kernel]].Platform
	out := profile.Kernel{Block: kernel.Block, Instance: kernel.Name, Platform: platform}
	set := func(to **profile.Figure, windows []float64) {
		if len(windows) > 0 {
			f := figure(windows, nil)
			*to = &f
		}
	}
	own, _ := r.used()
	rate, scv := r.rate()
	if rate.N > 0 {
		out.ServiceRate = &rate
		out.Undisturbed = r.describeUndisturbed()
		out.CoLocationCost = r.coLocationCost(rate)
		out.SwitchCost = r.switchCost()
	}
	r.crossing(&out)
	set(&out.Gain, own.gain)
	set(&out.ServiceSCV, scv)
	set(&out.FiringBytes, own.firing)
	out.Batch, out.Routing = byPort(kernel, own.batch), byPort(kernel, own.routing)
	out.CodeBytes, out.Hash, out.Source = r.code, r.hash, r.source
	out.Times, out.Untimed = r.timed.distribution(serviceTime(rate, out.FiringBytes), r.slowdown)
	out.Doubt = r.doubt(precision)
	return out
}

// byPort returns the figure of each output port from its values in all runs; nil if there are no runs.
func byPort(kernel *xlang.Kernel, runs [][]float64) map[string]profile.Figure {
	if len(runs) == 0 {
		return nil
	}
	figures := make(map[string]profile.Figure)
	for i, port := range kernel.Outputs {
		var windows []float64
		for _, r := range runs {
			windows = append(windows, r[i])
		}
		figures[port.Name] = figure(windows, nil)
	}
	return figures
}
