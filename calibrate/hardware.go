package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/calibrate/faults"
	"xopt/calibrate/fresh"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// target is a kind of FPGA: FPGAs of one platform with the same configs.
type target struct {
	xsim.FPGA
	only string // name of the resource if other FPGAs of the platform have different configs; else ""
}

// hardwareKernel contains the figures of a kernel on an FPGA, with rates per cycle.
type hardwareKernel struct {
	figures profile.Kernel
	rate    []float64 // bytes per cycle, by window
	own     float64   // frequency of the kernel's own clock in Hz; 0 if it uses the FPGA's clock
	how     []string
}

// hardware measures every kernel that has a source for the FPGAs of a design. It simulates each kernel cycle by cycle
// on its recorded input, and synthesizes and places the kernel alone. If a kernel fails, the report names it, and
// hardware continues with the other kernels.
func hardware(ctx context.Context, d *design.Design, files []string, o Options, report *Report) ([]profile.Kernel,
	error) {
	targets, err := targets(d)
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	run := &hardwareRun{rtl.UserCache(ctx), d, files, report}
	var out []profile.Kernel
	limited := ctx // simulation and synthesis end at the deadline
	if !o.Until.IsZero() {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, o.Until)
		defer cancel()
	}
	for _, t := range targets {
		var measured []*hardwareKernel
		var missing *rtl.MissingError
		for k := range d.Program.Kernels {
			kernel := &d.Program.Kernels[k]
			if t.Implementation(d.Program, kernel.Block) == nil || o.Only != nil && !slices.Contains(o.Only, k) {
				continue
			}
			o.Progress(Progress{Stage: fmt.Sprintf("simulating %s on %s", kernel.Name, t.Platform)})
			h, err := run.measure(limited, k, t)
			switch {
			case ctx.Err() != nil:
				return out, ctx.Err()
			case limited.Err() != nil:
				report.Missing = append(report.Missing, kernel.Name+" on "+t.Platform)
				continue
			case errors.As(err, &missing):
			case err != nil:
				report.Failed = append(report.Failed, fault.Tagged(
					fmt.Sprintf("kernel %s on %s: %v", kernel.Name, t.Platform, err), fault.Of(err)))
			default:
				measured = append(measured, h)
			}
			if missing != nil {
				report.Notes = append(report.Notes, faults.PlatformNotMeasured.Notef("kernels on %s were not "+
					"measured: %v", t.Platform, missing))
				break
			}
		}
		if missing != nil {
			continue
		}
		list, err := t.atClock(limited, run.cache, d, measured)
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil && limited.Err() != nil: // kernels that were not placed may have a lower f_max
			if list = atOwnClocks(measured); len(list) == 0 {
				for _, h := range measured {
					report.Missing = append(report.Missing, h.figures.Instance+" on "+t.Platform)
				}
			}
		case err != nil:
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// targets lists the kinds of FPGA in a design.
func targets(d *design.Design) ([]target, error) {
	var list []target
	for r := range d.Program.Resources {
		if !design.IsFPGA(d.Program, r) {
			continue
		}
		f, err := xsim.NewFPGA(d.Program, r)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(x target) bool { return x.Alike(f.FPGA) }) {
			list = append(list, target{FPGA: f})
		}
	}
	for i := range list { // the FPGAs of one platform differ, so name the resource of each
		if slices.ContainsFunc(list, func(x target) bool {
			return x.Platform == list[i].Platform &&
				x.Resource != list[i].Resource
		}) {
			list[i].only = list[i].Name
		}
	}
	return list, nil
}

// hardwareFigures returns a profile entry without figures for each kernel and each kind of FPGA on which it can be
// measured. If only is not nil, it considers only these kernels.
func hardwareFigures(d *design.Design, only []int) []profile.Kernel {
	list, err := targets(d)
	if err != nil { // measuring reports it
		return nil
	}
	var kernels []profile.Kernel
	for _, t := range list {
		for k := range d.Program.Kernels {
			if x := &d.Program.Kernels[k]; t.Implementation(d.Program, x.Block) != nil && (only == nil ||
				slices.Contains(only, k)) {
				kernels = append(kernels, profile.Kernel{Instance: x.Name, Platform: t.Platform, Resource: t.only})
			}
		}
	}
	return kernels
}

// lacksHardware reports whether a profile lacks the figures of a kernel that can be measured on an FPGA.
func lacksHardware(p *profile.Profile, d *design.Design, only []int) bool {
	return slices.ContainsFunc(hardwareFigures(d, only), func(k profile.Kernel) bool {
		return p == nil || !slices.ContainsFunc(p.Kernels, func(x profile.Kernel) bool {
			return x.Instance == k.Instance && x.Platform == k.Platform && x.Resource == k.Resource
		})
	})
}

// The lengths of simulations. Cycle counts are exact: a longer simulation only processes more of the data.
const (
	pilotCycles     = 100_000
	hardwareCycles  = 2_000_000
	hardwareWindows = 20
	checkedWords    = 4096 // words of each output that are checked not to depend on initial register values
	pipelined       = 16   // maximum number of elements inside a kernel
)

// hardwareRun contains the inputs for measuring kernels in hardware: a cache of tool results, the design, the recorded
// data of the edges, and the report for notes.
type hardwareRun struct {
	cache  *rtl.Cache
	design *design.Design
	files  []string
	report *Report
}

// measure simulates and synthesizes kernel k for a target.
func (x *hardwareRun) measure(ctx context.Context, k int, t target) (*hardwareKernel, error) {
	cache, d, report := x.cache, x.design, x.report
	kernel := &d.Program.Kernels[k]
	module, err := t.Open(ctx, cache, d.Program, k)
	if err != nil {
		return nil, err
	}
	feeds, err := feeds(d, k, x.files)
	if err != nil {
		return nil, err
	}
	watched, err := watch(ctx, cache, module, kernel.Name, report)
	if err != nil {
		return nil, err
	}
	simulation, err := cache.Simulate(ctx, watched)
	if err != nil {
		return nil, err
	}
	pilot, err := simulation.Run(ctx, feeds, rtl.Options{Cycles: pilotCycles, Seed: 1, Hash: checkedWords})
	if err != nil {
		return nil, err
	}
	if err := alive(pilot); err != nil {
		return nil, err
	}
	again, err := simulation.Run(ctx, feeds, rtl.Options{Cycles: pilotCycles, Seed: 2, Hash: checkedWords})
	if err != nil {
		return nil, err
	}
	for i := range pilot.Streams {
		if !pilot.Streams[i].Input && (pilot.Streams[i].Hash != again.Streams[i].Hash ||
			pilot.Streams[i].Words != again.Streams[i].Words) {
			return nil, faults.OutputUndriven.Errorf("the value of output %s is unknown (X), because it depends "+
				"on registers that are never reset or assigned: reset these registers", pilot.Streams[i].Name)
		}
	}
	window := max(1, uint64(float64(pilot.Firings)*hardwareCycles/pilotCycles/(hardwareWindows+1)))
	result, err := simulation.Run(ctx, feeds, rtl.Options{Cycles: 4 * hardwareCycles,
		Firings: window * (hardwareWindows + 1), Window: window, Seed: 1})
	if err != nil {
		return nil, err
	}
	if err := alive(result); err != nil {
		return nil, err
	}
	h := count(d, k, watched, result)
	if h.own, err = t.OwnClock(d.Program, k); err != nil {
		return nil, err
	}
	h.figures.Platform, h.figures.Resource = t.Platform, t.only
	if h.figures.Source, err = fresh.Of(d.Program, k, t.Resource); err != nil {
		return nil, err
	}
	var wrong []string
	for _, s := range result.Streams {
		if s.Wrong {
			wrong = append(wrong, fmt.Sprintf("output %s differs from the output on the core at byte %d",
				s.Name, s.WrongAt))
		}
	}
	if h.figures.Mismatch = strings.Join(wrong, "; "); h.figures.Mismatch != "" {
		report.Notes = append(report.Notes, fault.KernelMismatched.Notef("kernel %s on %s: %s (xopt places the "+
			"kernel there only with --allow-mismatch)", kernel.Name,
			t.Platform, h.figures.Mismatch))
	}
	h.how = append(h.how, "RTL simulation, "+cache.Version(ctx, "verilator"))
	return h, x.synthesize(ctx, h, module, k, t)
}

// watch returns a module that counts the cycles in each state of its state machines. If Yosys cannot extract the
// states, it returns the module unchanged and adds a note.
func watch(ctx context.Context, cache *rtl.Cache, m *rtl.Module, kernel string, report *Report) (*rtl.Module, error) {
	machines, err := cache.Machines(ctx, m)
	if err != nil && ctx.Err() == nil {
		report.Notes = append(report.Notes, faults.StatesNotCounted.Notef("the states of kernel %s are not counted: %v",
			kernel, err))
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	return m.Watch(machines)
}

// alive returns an error if a kernel deadlocked, or completed no firing.
func alive(r *rtl.Result) error {
	if !r.Stuck && r.Firings > 0 {
		return nil
	}
	var words []string
	for _, s := range r.Streams {
		words = append(words, fmt.Sprintf("%s %d", s.Name, s.Words))
	}
	if r.Stuck {
		return faults.HardwareDeadlock.Errorf("deadlock: no word moves after cycle %d of %d, although every input "+
			"has data and every output has space (words moved: %s)", r.LastMove, r.Cycles, strings.Join(words, ", "))
	}
	return faults.NoElementConsumed.Errorf("no complete element was consumed in %d cycles (words moved: %s)",
		r.Cycles, strings.Join(words, ", "))
}

// feeds returns the recorded data of a kernel's ports: the inputs to send, and the outputs to compare.
func feeds(d *design.Design, k int, files []string) ([]rtl.Feed, error) {
	kernel, once := &d.Program.Kernels[k], d.Program.SentOnce()[k]
	var list []rtl.Feed
	for i, port := range kernel.Inputs {
		f := rtl.Feed{Port: port.Name, Input: true, Element: int(port.ElementBytes), Once: once[i]}
		f.Firing = kernel.FiringElements(i, once)
		f.Follows = f.Firing == 0
		for e, edge := range d.Program.Edges {
			if edge.To == k && edge.ToPort == i && f.File == "" {
				f.File = files[e]
			}
		}
		if f.File == "" {
			return nil, faults.EdgeWithoutData.Errorf("input %s carried no data in the recorded run: record more "+
				"input (--elements, --record)", port.Name)
		}
		list = append(list, f)
	}
	for i, port := range kernel.Outputs {
		f := rtl.Feed{Port: port.Name, Element: int(port.ElementBytes)}
		for e, edge := range d.Program.Edges {
			if edge.From == k && edge.FromPort == i {
				f.File = files[e]
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// count computes the figures of a kernel from the cycle counts of its simulation.
func count(d *design.Design, k int, m *rtl.Module, r *rtl.Result) *hardwareKernel {
	kernel, once := &d.Program.Kernels[k], d.Program.SentOnce()[k]
	h := &hardwareKernel{figures: profile.Kernel{Block: kernel.Block, Instance: kernel.Name}}
	width := make([]float64, len(r.Streams)) // bytes per word that the service rate counts
	for i, s := range m.Streams {
		if s.Input || isSource(kernel) {
			width[i] = float64(s.Width / 8)
		}
	}
	for i, port := range kernel.Inputs {
		if once[i] {
			s, _ := m.Stream(port.Name, true)
			width[slices.Index(m.Streams, s)] = 0
		}
	}
	before := make([]uint64, len(r.Streams))
	for i, w := range r.Windows {
		bytes := 0.0
		for s := range w.Words {
			bytes += float64(w.Words[s]-before[s]) * width[s]
		}
		before = w.Words
		if i > 0 && w.Cycles > 0 { // skip the first window, in which the pipeline fills
			h.rate = append(h.rate, bytes/float64(w.Cycles))
		}
	}
	exact := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 1, Exact: true, Windows: []float64{v}}
	}
	// Elements by block port.
	elements := func(port xlang.Port, input bool) float64 {
		s, _ := m.Stream(port.Name, input)
		return float64(r.Streams[slices.Index(m.Streams, s)].Elements)
	}
	times, sent := float64(r.Firings), make([]float64, len(kernel.Outputs))
	consumed := make([]float64, len(kernel.Inputs))
	for i, port := range kernel.Inputs {
		if !once[i] {
			consumed[i] = elements(port, true)
		}
	}
	for i, port := range kernel.Outputs {
		sent[i] = elements(port, false)
	}
	x := volumesOf(kernel, times, consumed, sent, pipelined)
	if x.in > 0 && len(kernel.Outputs) > 0 {
		h.figures.Gain = exact(x.out / x.in)
	}
	if len(sent) > 1 && x.out > 0 {
		h.figures.Routing = make(map[string]profile.Figure)
		for i, port := range kernel.Outputs {
			h.figures.Routing[port.Name] = *exact(x.sent[i] / x.out)
		}
	}
	if len(sent) > 0 {
		h.figures.Batch = make(map[string]profile.Figure)
		for i, port := range kernel.Outputs {
			h.figures.Batch[port.Name] = *exact(max(sent[i]/times, 1))
		}
	}
	if r.Services > 1 && r.Sum > 0 {
		mean := r.Sum / float64(r.Services)
		h.figures.ServiceSCV = exact(max(r.Squares/float64(r.Services)/(mean*mean)-1, 0))
	}
	work := 0.0
	for i, s := range r.Streams {
		work += float64(s.Words) * width[i]
	}
	h.figures.FiringBytes = exact(math.Round(work / times))
	h.figures.Cycles = r.Spent.Named(m.Streams, m.Watched(), func(s rtl.Stream) string {
		for _, port := range slices.Concat(kernel.Inputs, kernel.Outputs) {
			if x, ok := m.Stream(port.Name, s.Input); ok && x == s {
				return port.Name
			}
		}
		return s.Name
	})
	return h
}

// parted is the maximum relative difference between the gains of two equivalent implementations, which different data
// may cause.
const parted = 0.1

// agree compares a kernel in hardware with the same kernel on a core. If the gains differ by at most parted, it
// replaces the gain and routing in hardware by the values on the core, which are based on more data.
func agree(h profile.Kernel, cores []profile.Kernel, report *Report) profile.Kernel {
	i := slices.IndexFunc(cores, func(c profile.Kernel) bool { return c.Instance == h.Instance })
	if i < 0 || h.Gain == nil || cores[i].Gain == nil {
		return h
	}
	c := &cores[i]
	if c.Recorded != "" { // the simulation, too, runs the kernel alone
		h.Gain, h.Routing, h.Recorded = c.Gain, c.Routing, c.Recorded
		return h
	}
	if a, b := c.Gain.Value, h.Gain.Value; math.Abs(a-b) > parted*max(a, b) {
		report.Notes = append(report.Notes, faults.GainsDiffer.Notef("kernel %s sends %.3g bytes for each input "+
			"byte on %s, but %.3g on %s: one implementation is wrong, or both received too little data",
			h.Instance, a, c.Platform, b, h.Platform))
		return h
	}
	h.Gain, h.Routing = c.Gain, c.Routing
	return h
}

// synthesize determines the area and, if possible, f_max of kernel k.
func (x *hardwareRun) synthesize(ctx context.Context, h *hardwareKernel, m *rtl.Module, k int, t target) error {
	cache, d := x.cache, x.design
	var missing *rtl.MissingError
	complete := m
	if h.own > 0 { // the area includes the queues between the kernel's clock and the clock of the FPGA
		var err error
		if complete, err = m.OwnClock(); err != nil {
			return err
		}
	}
	area, err := cache.Synthesize(ctx, complete, t.Family)
	if errors.As(err, &missing) {
		h.how = append(h.how, "not synthesized: "+missing.Error())
		return nil
	}
	if err != nil {
		return err
	}
	h.figures.Area = &profile.Area{LUT: area.LUT, FF: area.FF, BRAM: area.BRAM, DSP: area.DSP}
	h.how = append(h.how, fmt.Sprintf("synthesized for %s by %s", t.Family, cache.Version(ctx, "yosys")))
	if ports := xsim.CopyPorts(d.Program, k); ports != nil {
		if h.figures.CopiesArea, err = copiesArea(ctx, cache, m, ports, t.Family); err != nil {
			return err
		}
	}
	have := d.Problem.Architecture.Resources[t.Resource].Area
	for i, part := range []struct {
		what     string
		required float64
	}{{"LUT", area.LUT}, {"FF", area.FF}, {"BRAM", area.BRAM}, {"DSP", area.DSP}} {
		if part.required > have[i] {
			return faults.TooLargeForFPGA.Errorf("the kernel does not fit: it needs %.0f %s, but %s has %.0f for "+
				"kernels",
				part.required, part.what, d.Program.Resources[t.Resource].Name, have[i])
		}
	}
	if t.Device == "" {
		return nil
	}
	clock, err := t.MaxClock(ctx, cache, m)
	if errors.As(err, &missing) {
		h.how = append(h.how, "not placed: "+missing.Error())
		return nil
	}
	if err != nil {
		return err
	}
	f := figure(clock.Hertz, nil)
	h.figures.MaxClock = &f
	h.how = append(h.how, fmt.Sprintf("placed alone on %s by %s", t.Device, cache.Version(ctx, "nextpnr-ice40")))
	return nil
}

// copiesArea returns the additional area of a kernel's copies as a linear function of their number, through the areas
// for two and four copies.
func copiesArea(ctx context.Context, cache *rtl.Cache, m *rtl.Module, ports []rtl.CopyPort,
	family string) (*profile.CopiesArea, error) {
	const few, more = 2, 4
	a, err := cache.CopiesArea(ctx, m, few, ports, family)
	if err != nil {
		return nil, err
	}
	b, err := cache.CopiesArea(ctx, m, more, ports, family)
	if err != nil {
		return nil, err
	}
	line := func(a, b float64) (fixed, each float64) {
		each = max(0, (b-a)/(more-few))
		return max(0, a-few*each), each
	}
	x := &profile.CopiesArea{}
	x.Fixed.LUT, x.Each.LUT = line(a.LUT, b.LUT)
	x.Fixed.FF, x.Each.FF = line(a.FF, b.FF)
	x.Fixed.BRAM, x.Each.BRAM = line(a.BRAM, b.BRAM)
	x.Fixed.DSP, x.Each.DSP = line(a.DSP, b.DSP)
	return x, nil
}

// atClock converts rates per cycle to rates per second at the common clock of the FPGA.
func (t target) atClock(ctx context.Context, cache *rtl.Cache, d *design.Design,
	measured []*hardwareKernel) ([]profile.Kernel, error) {
	if len(measured) == 0 {
		return nil, nil
	}
	clock, from, err := t.Clock(ctx, cache, d, nil)
	if err != nil {
		return nil, err
	}
	return atHertz(measured, clock, from), nil
}

// atOwnClocks is like atClock, but uses the lowest f_max of the measured kernels, if there was no time to determine the
// common clock. It returns nil if a kernel has no f_max.
func atOwnClocks(measured []*hardwareKernel) []profile.Kernel {
	minimum := math.Inf(1)
	for _, h := range measured {
		if h.figures.MaxClock == nil {
			return nil
		}
		minimum = min(minimum, h.figures.MaxClock.Value)
	}
	return atHertz(measured, minimum, "the lowest f_max measured before the time limit")
}

// atHertz converts rates per cycle to rates per second at a clock in Hz, or at the kernel's own clock if it has one.
// from describes the origin of the clock.
func atHertz(measured []*hardwareKernel, clock float64, from string) []profile.Kernel {
	var list []profile.Kernel
	for _, h := range measured {
		clock, from := clock, from
		if h.own > 0 {
			clock, from = h.own, "its own clock"
		}
		rates := slices.Clone(h.rate)
		for i := range rates {
			rates[i] *= clock
		}
		f := figure(rates, nil)
		h.figures.ServiceRate, h.figures.Clock = &f, clock
		h.figures.How = strings.Join(append([]string{fmt.Sprintf("at %s, %s", units.Frequency(clock), from)}, h.how...),
			"; ")
		list = append(list, h.figures)
	}
	return list
}
