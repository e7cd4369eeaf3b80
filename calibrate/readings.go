package calibrate

import (
	"maps"
	"slices"

	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// readings contains the measurements from the runs of a kernel.
type readings struct {
	windows            []sample
	receive, send      []crossed  // runs with sources, or with sinks, on another core
	coLocation         [][]sample // windows of the kernel in runs of all kernels
	switching          [][]sample // from the same runs: time of the process between turns, per byte of the kernel
	gain, scv, firing  []float64  // by run; firing in bytes
	routing, batch     [][]float64
	runs, unresolvable int // number of runs, and of runs with calls that were too short for the clock
}

// cost contains costs or additional costs in s/byte: of each window, and the median of each run. Windows of one run are
// not independent, because they share the placement of code and data in memory.
type cost struct{ windows, runs []float64 }

// add adds the windows of a run.
func (c *cost) add(windows []float64) {
	if len(windows) == 0 {
		return
	}
	c.windows, c.runs = append(c.windows, windows...), append(c.runs, profile.MedianOf(windows).Value)
}

func (x *readings) add(y *readings) {
	x.windows = append(x.windows, y.windows...)
	x.receive, x.send = append(x.receive, y.receive...), append(x.send, y.send...)
	x.coLocation = append(x.coLocation, y.coLocation...)
	x.switching = append(x.switching, y.switching...)
	x.gain, x.scv, x.firing = append(x.gain, y.gain...), append(x.scv, y.scv...), append(x.firing, y.firing...)
	x.routing, x.batch = append(x.routing, y.routing...), append(x.batch, y.batch...)
	x.runs, x.unresolvable = x.runs+y.runs, x.unresolvable+y.unresolvable
}

// used returns the readings for the figures of a kernel: the undisturbed readings or, if these are too few, all
// readings. disturbed reports whether all readings are used.
func (r *kernelRun) used() (x readings, disturbed bool) {
	x.add(&r.clean)
	if len(r.clean.windows) >= profile.FewestWindows || len(r.rough.windows) == 0 {
		if len(x.receive) == 0 { // disturbed readings are better than none
			x.receive = r.rough.receive
		}
		if len(x.send) == 0 {
			x.send = r.rough.send
		}
		if len(x.coLocation) == 0 {
			x.coLocation = r.rough.coLocation
		}
		if len(x.switching) == 0 {
			x.switching = r.rough.switching
		}
		return x, false
	}
	x.add(&r.rough)
	return x, true
}

// pool contains the instances of one block with equal configs. Their cost per firing is equal, unless it depends on
// data.
type pool struct {
	runs []*kernelRun
	memo memo
}

// pools groups kernels into pools, and sets the pool of each kernelRun.
func pools(d *design.Design, runs []*kernelRun) {
	var list []*pool
	for _, r := range runs {
		i := slices.IndexFunc(list, func(p *pool) bool { return alike(d, p.runs[0].kernel, r.kernel) })
		if i < 0 {
			list, i = append(list, &pool{}), len(list)
		}
		list[i].runs = append(list[i].runs, r)
		r.pool = list[i]
	}
}

// alike reports whether two kernels are instances of one block with the same configs, on the
// same platform.
func alike(d *design.Design, a, b int) bool {
	x, y := &d.Program.Kernels[a], &d.Program.Kernels[b]
	place := d.Mapping.Place
	return x.Block == y.Block && len(x.Inputs) == len(y.Inputs) && len(x.Outputs) == len(y.Outputs) &&
		x.Once == y.Once &&
		d.Program.Resources[place[a]].Platform == d.Program.Resources[place[b]].Platform &&
		maps.EqualFunc(x.Config, y.Config, func(v, w xlang.Value) bool {
			return v.Text == w.Text &&
				v.Number == w.Number
		})
}

// maxSpread is the maximum relative difference at which the rates of two instances without intervals count as equal.
const maxSpread = 0.05

// shared returns the readings of all instances of a pool. sameRate reports whether the instances share one rate,
// because their service rates do not differ significantly.
func (p *pool) shared() (all readings, sameRate bool) {
	sameRate = true
	low, high := 0.0, 0.0
	for i, r := range p.runs {
		x, _ := r.used()
		all.add(&x)
		if len(x.windows) == 0 {
			continue
		}
		f := r.own().figure
		if f.N == 0 { // its windows disagree
			continue
		}
		from, to, ok := f.Interval()
		if !ok {
			from, to = f.Spread()
			from, to = from*(1-maxSpread), to*(1+maxSpread)
		}
		if i == 0 || high == 0 {
			low, high = from, to
		} else {
			low, high = max(low, from), min(high, to)
		}
		sameRate = sameRate && low <= high
	}
	return all, sameRate
}

// rate returns the service rate μ of a kernel, and the scv of its service times in each run. It uses the windows of the
// kernel's pool if the instances share one rate, otherwise the kernel's own windows.
func (r *kernelRun) rate() (rate profile.Figure, scv []float64) {
	own, _ := r.used()
	if all, same := r.pool.shared(); same {
		return r.pool.memo.of(&all, r.machine).figure, all.scv
	}
	return r.own().figure, own.scv
}
